using Tracer.Analysis.Causes;
using Tracer.Analysis.Delays;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Mechanisms;
using Tracer.Analysis.Tests.Causes;
using Tracer.Analysis.Verdicts;

namespace Tracer.Analysis.Tests.Verdicts;

/// <summary>
/// What is left of an episode without gone.sys, at each edge. The threshold is 500 ticks, a gap within a stretch at ISR or DPC level 2.
/// </summary>
public class ReplayTests
{
    private const long Threshold = 500;
    private const long Gap = 2;

    [Theory]
    [InlineData(499, null)]
    [InlineData(500, 500L)]
    public void What_is_left_is_an_episode_from_the_threshold_on(long ticks, long? worst) =>
        Assert.Equal(worst, Worst(ProbeKind.Thread, Gone(0, 100), Kept(100, 100 + ticks, 0)));

    [Theory]
    [InlineData(0, 600L)]
    [InlineData(1, null)]
    public void What_came_when_the_victim_would_have_run_does_not_keep_it(long since, long? worst) =>
        Assert.Equal(worst, Worst(ProbeKind.Thread, Gone(0, 100), Kept(100, 700, since)));

    [Theory]
    [InlineData(100, 700L)]
    [InlineData(101, null)]
    public void What_came_while_it_still_waited_keeps_it(long since, long? worst) =>
        Assert.Equal(worst, Worst(ProbeKind.Thread, Kept(0, 100, 0), Gone(100, 200), Kept(200, 800, since)));

    /// <summary>Five gaps of 2 ticks: what nothing explains between two that are gone was the way from one to the next.</summary>
    [Theory]
    [InlineData(10, 100, 550L)]
    [InlineData(11, 100, 561L)]
    [InlineData(10, 11, 550L)]
    [InlineData(10, 10, 560L)]
    public void The_way_from_one_to_the_next_goes_with_them(long way, long next, long? worst)
    {
        long end = 100 + way + next;
        Assert.Equal(worst, Worst(ProbeKind.Thread, Gone(0, 100), Gone(100 + way, end), Kept(end, end + 550, 0)));
        // The same where the shorter of both comes first.
        Assert.Equal(worst, Worst(ProbeKind.Thread, Gone(0, next), Gone(next + way, end), Kept(end, end + 550, 0)));
    }

    [Fact]
    public void A_way_to_what_stays_is_left()
    {
        Assert.Equal(660, Worst(ProbeKind.Thread, Gone(0, 100), Kept(110, 210, 0), Kept(210, 760, 0)));
        Assert.Equal(660, Worst(ProbeKind.Thread, Kept(0, 100, 0), Gone(110, 210), Kept(210, 760, 0)));
    }

    [Fact]
    public void What_nothing_explains_at_an_edge_is_left()
    {
        Assert.Equal(500, Worst(ProbeKind.Thread, 700, Gone(0, 100), Kept(105, 200, 0), Kept(200, 595, 0), Gone(595, 695)));
        Assert.Equal(500, Worst(ProbeKind.Thread, 700, Gone(5, 105), Kept(105, 600, 0), Gone(600, 700)));
    }

    /// <summary>A victim of low priority tells only of a hog: it must be late by hogs, and most of the time.</summary>
    [Theory]
    [InlineData(500, 500, 16, 1000L)]
    [InlineData(500, 501, 16, null)]
    [InlineData(499, 499, 16, null)]
    [InlineData(499, 10, 16, null)]
    [InlineData(500, 500, 15, null)]
    public void A_victim_of_a_hog_needs_the_hog(long hog, long other, int priority, long? worst)
    {
        NamedCause[] causes =
        [
            Gone(0, 100),
            Kept(100, 100 + hog, 0, Mechanism.Thread, new ThreadRan(500, priority)),
            Kept(100 + hog, 100 + hog + other, 0, Mechanism.Thread, new ThreadRan(510, 8)),
        ];
        Assert.Equal(worst, Worst(ProbeKind.Thread, 100 + hog + other, isOfHog: true, causes));
    }

    [Fact]
    public void A_gap_without_its_blackout_is_nothing()
    {
        Assert.Null(Worst(ProbeKind.Gap, 2_000, Gone(0, 1_000)));
        Assert.Equal(1_100, Worst(ProbeKind.Gap, 2_000, Gone(0, 900), Kept(900, 1_000, 0)));
        Assert.Null(Worst(ProbeKind.Gap, 1_299, Gone(0, 800), Kept(800, 900, 0)));
        Assert.Equal(500, Worst(ProbeKind.Gap, 1_300, Gone(0, 800), Kept(800, 900, 0)));
    }

    [Theory]
    [InlineData(2, 552L)]
    [InlineData(3, null)]
    public void A_stretch_at_raised_level_ends_where_a_gap_is_longer(long gone, long? worst) => Assert.Equal(
        worst,
        Worst(ProbeKind.Level, Kept(0, 300, 0, Mechanism.Dpc), Gone(300, 300 + gone),
            Kept(300 + gone, 550 + gone, 300 + gone, Mechanism.Isr)));

    [Theory]
    [InlineData(499, null)]
    [InlineData(500, 500L)]
    public void Each_stretch_counts_from_the_threshold_on(long ticks, long? worst)
    {
        Assert.Equal(worst, Worst(ProbeKind.Level, Gone(0, 600), Kept(600, 600 + ticks, 600, Mechanism.Isr)));
        // The same as the first of two.
        Assert.Equal(worst, Worst(
            ProbeKind.Level, Kept(0, ticks, 0, Mechanism.Isr), Gone(ticks, ticks + 100), Kept(ticks + 100, ticks + 200, ticks + 100,
            Mechanism.Isr)));
    }

    [Fact]
    public void The_way_to_a_routine_belongs_to_it()
    {
        // One of 300, 2 on the way and one of 298: the second has come when the first ends.
        Assert.Equal(602, Worst(
            ProbeKind.Level, Kept(0, 300, 0, Mechanism.Isr), Kept(302, 600, 302, Mechanism.Isr), Gone(600, 700)));
        // The way to what is gone goes with it.
        Assert.Equal(600, Worst(
            ProbeKind.Level, Kept(0, 300, 0, Mechanism.Isr), Gone(302, 400), Kept(400, 700, 300, Mechanism.Isr)));
    }

    /// <summary>A wait of a thread asked for is of the first ranking, a CPU that was kept and a wait for a hog of the second.</summary>
    [Theory]
    [InlineData(ProbeKind.Thread, false, 1, 0)]
    [InlineData(ProbeKind.Wakeup, false, 1, 0)]
    [InlineData(ProbeKind.Level, false, 0, 1)]
    [InlineData(ProbeKind.Thread, true, 0, 1)]
    public void What_is_left_counts_in_its_own_ranking(ProbeKind probe, bool isOfHog, int first, int second)
    {
        NamedCause left = Kept(100, 800, 0) with { Detail = new ThreadRan(9, EpisodeAnalysis.HogPriority) };
        var replay = new Replay([Episode(probe, 800, isOfHog, Gone(0, 100), left)], Threshold, Gap, new WorkBudget(0));
        foreach (bool isTaken in new[] { false, true })
        {
            int[] counts = [.. Enum.GetValues<ReplayRanking>().Select(ranking =>
                replay.Without(cause => isTaken && cause.Name == "gone.sys", ranking)!.Episodes)];
            Assert.Equal([1, first, second, 0, 1], counts);
        }
    }

    [Fact]
    public void Where_parts_were_not_kept_nobody_can_say()
    {
        NamedCause gone = Gone(0, 100);
        NamedCause cut = gone with { Share = gone.Share! with { IsCut = true } };
        Assert.Null(Played(ProbeKind.Thread, 700, false, cut, Kept(100, 700, 0)));
        // What has nothing to do with it does not matter.
        Assert.Equal(700, Played(ProbeKind.Thread, 700, false, cut with { Name = "other.sys" })!.WorstTicks);
    }

    /// <summary>There is a replay for each culprit, of all that every episode consists of: it takes no memory of its own again.</summary>
    [Fact]
    public void A_further_replay_takes_no_memory_for_stretches()
    {
        CauseStretch[] stretches = [.. Enumerable.Range(0, 20_000).Select(i => new CauseStretch(i * 10, (i * 10) + 5, i * 10))];
        var share = new CauseShare { Detail = MadeMachine.DetailOf(Mechanism.Dpc), Ticks = 100_000, AtTicks = 0, Stretches = stretches };
        NamedCause storm = Gone(0, 100_000) with { Share = share };
        NamedEpisode[] episodes = [.. Enumerable.Repeat(Episode(ProbeKind.Thread, 200_000, false, storm), 10)];
        var replay = new Replay(episodes, Threshold, Gap, new WorkBudget(0));
        Assert.Equal(100_000, replay.Without(cause => cause.Name == "gone.sys")!.WorstTicks);
        long before = GC.GetAllocatedBytesForCurrentThread();
        replay.Without(cause => cause.Name == "gone.sys");
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 100_000);
    }

    /// <summary>There is a replay for each culprit, of all that every episode consists of: the first so many are answered.</summary>
    [Fact]
    public void Replays_lay_out_no_more_than_their_budget()
    {
        CauseStretch[] stretches = [.. Enumerable.Range(0, 999).Select(i => new CauseStretch(i * 10, (i * 10) + 5, i * 10))];
        NamedCause one = Gone(0, 10_000);
        NamedCause storm = one with { Share = one.Share! with { Stretches = stretches } };
        var budget = new WorkBudget(events: 0, fixedRecords: 25_000);
        NamedEpisode[] episodes = [.. Enumerable.Range(0, 10).Select(_ => Episode(ProbeKind.Thread, 20_000, false, storm))];
        var replay = new Replay(episodes, Threshold, Gap, budget);
        Assert.Equal([true, true, false, false], Enumerable.Range(0, 4).Select(_ => replay.Without(_ => true) is not null));
        Assert.InRange(budget.Records, 20_000, 25_000);
        Assert.NotNull(replay.Without(_ => false)); // Nothing is laid out for it.
    }

    [Fact]
    public void Segments_leave_no_hole_and_count_no_tick_twice()
    {
        NamedCause[] causes =
        [
            Kept(10, 100, 5),
            Kept(50, 120, 40),
            Kept(60, 120, 41),
            Kept(120, 130, 42),
            Kept(140, 999, 43),
        ];
        Assert.Equal(
            [(0, 10, long.MinValue, false), (10, 90, 5, true), (100, 20, 40, true), (120, 10, 42, true), (130, 10, long.MinValue, false),
                (140, 60, 43, true)],
            ReplaySegments.Of(Episode(ProbeKind.Thread, 200, false, causes)).Select(Described));
        Assert.Equal(
            [(0, 200, long.MinValue, false)],
            ReplaySegments.Of(Episode(ProbeKind.Thread, 200, false, Kept(300, 400, 0))).Select(Described));
    }

    [Fact]
    public void What_begins_together_stands_by_its_length() => Assert.Equal(
        [(0, 50, 6, true), (50, 50, 5, true)],
        ReplaySegments.Of(Episode(ProbeKind.Thread, 100, false, Kept(0, 100, 5), Kept(0, 50, 6))).Select(Described));

    [Fact]
    public void Causes_of_one_measured_part_follow_each_other()
    {
        CauseShare share = new()
        {
            Detail = new ThreadRan(0, 0),
            Ticks = 100,
            AtTicks = 0,
            Stretches = [new CauseStretch(0, 40, 0), new CauseStretch(60, 120, 60)],
        };
        NamedCause first = Kept(0, 30, 0) with { Share = share };
        NamedCause second = Kept(0, 70, 0) with { Share = share };
        Assert.Equal(
            [(0, 30, 0, true), (30, 10, 0, true), (40, 20, long.MinValue, false), (60, 60, 60, true)],
            ReplaySegments.Of(Episode(ProbeKind.Thread, 120, false, first, second)).Select(Described));
    }

    /// <summary>A DPC was there since the ISR of its driver came, or since the first of the routines that ran without a pause.</summary>
    [Fact]
    public void A_dpc_was_there_before_it_began()
    {
        Assert.Equal(
            [long.MinValue, 20, 20],
            SinceOf(Kept(0, 20, 0, Mechanism.Dpc), Kept(20, 40, 20, Mechanism.Isr), Kept(40, 100, 40, Mechanism.Dpc)));
        Assert.Equal(
            [long.MinValue, 20, 10],
            SinceOf(Kept(0, 20, 0, Mechanism.Dpc), Kept(20, 40, 20, Mechanism.Isr), Kept(40, 100, 10, Mechanism.Dpc)));
        // Another one's, and one behind a pause.
        NamedCause other = Kept(41, 60, 41, Mechanism.Dpc) with { Name = "other.sys" };
        Assert.Equal(
            [0, long.MinValue, 41, 41],
            SinceOf(Kept(0, 40, 0, Mechanism.Isr), other, Kept(60, 100, 60, Mechanism.Dpc) with { Name = "third.sys" }));
    }

    private static List<long> SinceOf(params NamedCause[] causes) =>
        [.. ReplaySegments.Of(Episode(ProbeKind.Thread, 100, false, causes)).Select(segment => segment.SinceTicks)];

    private static (int From, int Ticks, long Since, bool HasCause) Described(ReplaySegment segment) =>
        ((int)segment.FromTicks, (int)segment.Ticks, segment.SinceTicks, segment.Cause is not null);

    private static long? Worst(ProbeKind probe, params NamedCause[] causes) =>
        Worst(probe, causes.Max(cause => cause.Share!.Stretches[^1].ToTicks), causes);

    private static long? Worst(ProbeKind probe, long length, params NamedCause[] causes) => Worst(probe, length, false, causes);

    private static long? Worst(ProbeKind probe, long length, bool isOfHog, params NamedCause[] causes)
    {
        ReplayOutcome outcome = Played(probe, length, isOfHog, causes)!;
        Assert.Equal(outcome.WorstTicks is null ? 0 : 1, outcome.Episodes);
        Assert.Equal(outcome.WorstTicks ?? 0, outcome.Ticks);
        return outcome.WorstTicks;
    }

    private static ReplayOutcome? Played(ProbeKind probe, long length, bool isOfHog, params NamedCause[] causes) =>
        new Replay([Episode(probe, length, isOfHog, causes)], Threshold, Gap, new WorkBudget(0)).Without(cause => cause.Name == "gone.sys");

    private static NamedEpisode Episode(ProbeKind probe, long length, bool isOfHog, params NamedCause[] causes) => new(
        new EpisodeCandidate(new Delay { Probe = probe, FromTicks = 0, ToTicks = length, Cpu = 0, IsOfHog = isOfHog }), causes);

    private static NamedCause Gone(long from, long to) => Kept(from, to, from) with { Name = "gone.sys" };

    private static NamedCause Kept(
        long from, long to, long since, Mechanism mechanism = Mechanism.Thread, CauseDetail? detail = null) => new()
        {
            Kind = CulpritKind.Driver,
            Name = "kept.sys",
            Mechanism = mechanism,
            Ticks = to - from,
            Proof = Proof.Routine,
            Confidence = Confidence.Certain,
            Detail = detail,
            Share = new CauseShare
            {
                Detail = detail ?? MadeMachine.DetailOf(mechanism),
                Ticks = to - from,
                AtTicks = from,
                Stretches = [new CauseStretch(from, to, since)],
            },
        };
}
