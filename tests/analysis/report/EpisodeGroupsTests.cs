using Tracer.Analysis.Report;

namespace Tracer.Analysis.Tests.Report;

/// <summary>Many episodes read as a few groups, by their main causes.</summary>
public class EpisodeGroupsTests
{
    [Fact]
    public void Five_episodes_are_read_one_by_one() =>
        Assert.Null(EpisodeGroups.Of([.. Enumerable.Range(0, 5).Select(id => Made(id, Cause("a.sys", Mechanism.Dpc, 900)))]));

    [Fact]
    public void The_group_with_the_most_latency_comes_first()
    {
        IReadOnlyList<EpisodeGroup> groups = EpisodeGroups.Of(
        [
            .. Enumerable.Range(0, 8).Select(id => Made(id, Cause("small.sys", Mechanism.Dpc, 600))),
            .. Enumerable.Range(8, 3).Select(id => Made(id, Cause("large.sys", Mechanism.Isr, 5_000 + id))),
        ])!;
        Assert.Equal(["isr large.sys", "dpc small.sys"], groups.Select(group => string.Join('+', group.Chain)));
        Assert.Equal([(1, 3), (2, 8)], groups.Select(group => (group.Rank, group.Episodes)));
        Assert.Equal((10, Duration.FromMicroseconds(5_010)), (groups[0].ExampleId, groups[0].Worst));
        Assert.Equal(Duration.FromMicroseconds(4_800), groups[1].Latency);
        Every.Item(groups, group => Assert.Null(group.Chains));
    }

    [Fact]
    public void A_small_cause_that_comes_and_goes_makes_no_group_of_its_own()
    {
        EpisodeGroup group = Assert.Single(EpisodeGroups.Of([.. Enumerable.Range(0, 20).Select(id => Made(
            id, Cause("nic.sys", Mechanism.Dpc, 900), Cause("disk.sys", Mechanism.Isr, id % 2 == 0 ? 110 : 50)))])!);
        Assert.Equal(["dpc nic.sys"], group.Chain);
        Assert.Equal(20, group.Episodes);
    }

    [Fact]
    public void A_second_cause_that_counts_makes_another_group()
    {
        IReadOnlyList<EpisodeGroup> groups = EpisodeGroups.Of([.. Enumerable.Range(0, 20).Select(id => id % 2 == 0
            ? Made(id, Cause("nic.sys", Mechanism.Dpc, 900))
            : Made(id, Cause("nic.sys", Mechanism.Dpc, 600), Cause("x.exe", Mechanism.Thread, 500)))])!;
        Assert.Equal([["dpc nic.sys", "thread x.exe"], ["dpc nic.sys"]], groups.Select(group => group.Chain));
    }

    [Fact]
    public void Code_paths_that_lie_clearly_apart_are_told_apart()
    {
        IReadOnlyList<EpisodeGroup> groups = EpisodeGroups.Of([.. Enumerable.Range(0, 30).Select(id => Made(
            id, Cause("nic.sys", Mechanism.Dpc, 900, id % 3 == 0 ? "nic.sys+0x100" : "nic.sys+0x900")))])!;
        Assert.Equal([("nic.sys+0x900", 20), ("nic.sys+0x100", 10)], groups.Select(group => (group.Frames[0], group.Episodes)));
    }

    [Fact]
    public void Instructions_that_samples_happened_to_hit_are_no_code_paths() => Assert.Single(EpisodeGroups.Of(
        [.. Enumerable.Range(0, 30).Select(id => Made(id, Cause("nic.sys", Mechanism.Dpc, 900, $"nic.sys+0x{id:x}")))])!);

    [Fact]
    public void The_rarer_kinds_are_put_together()
    {
        IReadOnlyList<EpisodeGroup> groups = EpisodeGroups.Of(
            [.. Enumerable.Range(0, 55).Select(id => Made(id, Cause($"driver{IndexOf(id)}.sys", Mechanism.Dpc, 1_000)))])!;
        Assert.Equal(6, groups.Count);
        Assert.Equal((6, 5 + 4 + 3 + 2 + 1, 5), (groups[5].Rank, groups[5].Episodes, groups[5].Chains));
        Assert.Empty(groups[5].Chain);
        Assert.Equal(55, groups.Sum(group => group.Episodes));

        // 10 episodes of the first driver, 9 of the second, 1 of the tenth.
        static int IndexOf(int id)
        {
            int driver = 0;
            for (int left = id; left >= 10 - driver; driver++)
            {
                left -= 10 - driver;
            }

            return driver;
        }
    }

    [Fact]
    public void What_nobody_owns_or_explains_has_its_words()
    {
        IReadOnlyList<EpisodeGroup> groups = EpisodeGroups.Of(
        [
            .. Enumerable.Range(0, 4).Select(id => Made(id, Cause(null, Mechanism.Dpc, 3_000))),
            .. Enumerable.Range(4, 4).Select(id => Made(id, Cause(null, Mechanism.TimerTick, 2_000))),
            .. Enumerable.Range(8, 4).Select(id => Made(id) with { Latency = Duration.FromMicroseconds(1_000) }),
        ])!;
        Assert.Equal([["dpc, owner unknown"], ["timer-tick"], ["unexplained"]], groups.Select(group => group.Chain));
    }

    [Fact]
    public void Any_episodes_are_in_one_group_each_whatever_their_order()
    {
        for (int seed = 0; seed < 50; seed++)
        {
            var random = new Random(seed);
            Episode[] episodes = [.. Enumerable.Range(0, 6 + random.Next(200)).Select(id => Made(
                id,
                [.. Enumerable.Range(0, random.Next(4)).Select(_ => Cause(
                    random.Next(5) == 0 ? null : $"d{random.Next(9)}.sys",
                    (Mechanism)random.Next(12),
                    random.Next(1, 5_000),
                    random.Next(2) == 0 ? null : $"d+0x{random.Next(3)}"))]))];
            IReadOnlyList<EpisodeGroup> groups = EpisodeGroups.Of(episodes)!;
            Assert.Equal(episodes.Length, groups.Sum(group => group.Episodes));
            Assert.Equal(episodes.Sum(one => one.Latency.Nanoseconds), groups.Sum(group => group.Latency.Nanoseconds));
            Assert.InRange(groups.Count, 1, 6);
            Assert.Equal(Enumerable.Range(1, groups.Count), groups.Select(group => group.Rank));
            Assert.Equal(groups.Max(group => group.Worst), episodes.Max(one => one.Latency));
            Assert.Equal(Said(groups), Said(EpisodeGroups.Of(episodes)!));
        }
    }

    [Fact]
    public void As_many_kinds_as_episodes_cost_in_proportion()
    {
        _ = Allocated(1000);
        (long few, long many) = (Allocated(12_500), Allocated(50_000));
        Assert.True(many < 5 * few, $"{few} bytes for 12,500 episodes, {many} for four times as many");

        static long Allocated(int count)
        {
            Episode[] episodes = [.. Enumerable.Range(0, count).Select(id => Made(
                id, Cause($"d{id % 7}.sys", Mechanism.Dpc, 900 + id, $"d+0x{id}"), Cause($"x{id}.exe", Mechanism.Thread, 800)))];
            long before = GC.GetAllocatedBytesForCurrentThread();
            Assert.Equal(6, EpisodeGroups.Of(episodes)!.Count);
            return GC.GetAllocatedBytesForCurrentThread() - before;
        }
    }

    private static string Said(IReadOnlyList<EpisodeGroup> groups) => string.Join('\n', groups.Select(group =>
        $"{group.Rank} {group.Episodes} {group.Latency} {group.ExampleId} {string.Join(',', [.. group.Chain, "in", .. group.Frames])}"));

    private static Cause Cause(string? culprit, Mechanism mechanism, long microseconds, string? routine = null) => new()
    {
        Culprit = culprit,
        Mechanism = mechanism,
        Time = Duration.FromMicroseconds(microseconds),
        Routine = routine,
    };

    private static Episode Made(int id, params Cause[] causes) => new()
    {
        Id = id,
        Probe = ProbeKind.Thread,
        Start = Duration.FromMilliseconds(id),
        Latency = causes.Aggregate(Duration.Zero, (sum, cause) => sum + cause.Time),
        Cpu = 0,
        Thread = null,
        Phases = null,
        Causes = [.. causes.OrderByDescending(cause => cause.Time)],
        Samples = new EpisodeSamples { Total = 0, Functions = [] },
    };
}
