using FsCheck;
using FsCheck.Fluent;
using Tracer.Analysis.Causes;
using Tracer.Analysis.Delays;
using Tracer.Analysis.Verdicts;

namespace Tracer.Analysis.Tests.Verdicts;

/// <summary>What several probes measured is one episode; found by a tree, and the same as a walk over all pairs finds.</summary>
public class EpisodeSelectionTests
{
    [Fact]
    public void A_walk_over_all_pairs_selects_the_same() => Prop.ForAll(ArbMap.Default.ArbFor<DoNotSize<int>>(), seed =>
    {
        var random = new Random(seed.Item);
        List<EpisodeCandidate> candidates = [.. Enumerable.Range(0, random.Next(1, 80)).Select(_ => Candidate(random))];
        Assert.Equal(Slowly(candidates).Select(Described), EpisodeSelection.Select(candidates).Select(Described));
    }).Check(Config.QuickThrowOnFailure.WithMaxTest(300));

    [Fact]
    public void Many_that_overlap_are_selected_at_once()
    {
        List<EpisodeCandidate> candidates =
        [
            .. Enumerable.Range(0, 20_000).Select(i => Made(ProbeKind.Level, i, 100_000 + i)),
            .. Enumerable.Range(0, 1_000).Select(i => Made(ProbeKind.Thread, i, 100_000 + i, thread: (uint)i + 1)),
        ];
        Assert.Equal(1_000, EpisodeSelection.Select(candidates).Count);
    }

    /// <summary>More than a sort in place leaves in their order: .NET's is stable up to 16 only.</summary>
    [Fact]
    public void What_begins_together_stays_in_the_order_of_its_length()
    {
        List<EpisodeCandidate> candidates = [.. Enumerable.Range(1, 40).Select(i => Made(ProbeKind.Wakeup, 10, 10 + i, thread: 2))];
        Assert.Equal(candidates.Select(one => one.ToTicks).Reverse(), EpisodeSelection.Select(candidates).Select(one => one.ToTicks));
    }

    [Fact]
    public void What_ends_when_the_other_begins_is_another()
    {
        Assert.Equal(2, EpisodeSelection.Select([Made(ProbeKind.Level, 10, 20), Made(ProbeKind.Gap, 20, 30)]).Count);
        Assert.Equal(ProbeKind.Level, Assert.Single(
            EpisodeSelection.Select([Made(ProbeKind.Gap, 19, 30), Made(ProbeKind.Level, 10, 20)])).Probe);
    }

    private static string Described(EpisodeCandidate one) =>
        $"{one.Probe} {one.FromTicks}-{one.ToTicks} cpu{one.Cpu} {one.ThreadId ?? one.StoppedVictim} {one.IsOfHog} {one.IsLateByBeat} "
        + $"{one.Gap?.IsWholeMachine}";

    /// <summary>The same rules, each asked of everything that was kept before.</summary>
    private static List<EpisodeCandidate> Slowly(List<EpisodeCandidate> candidates)
    {
        List<EpisodeCandidate> kept = [];
        foreach (EpisodeCandidate one in candidates.OrderBy(one => one.IsLateByBeat).ThenBy(one => one.Probe).ThenBy(one => one.IsOfHog)
            .ThenByDescending(one => one.ToTicks - one.FromTicks).ThenBy(one => one.FromTicks).ThenBy(one => one.Cpu)
            .ThenBy(one => one.ThreadId))
        {
            List<EpisodeCandidate> meanwhile = [.. kept.Where(other => other.FromTicks < one.ToTicks && one.FromTicks < other.ToTicks)];
            bool isWhole = one.Gap is { IsWholeMachine: true };
            if (!meanwhile.Exists(other => isWhole || other.Gap is { IsWholeMachine: true } || IsSame(one, other)))
            {
                kept.Add(one);
            }
        }

        return [.. kept.OrderBy(one => one.FromTicks).ThenBy(one => one.Cpu).ThenBy(one => one.ThreadId)];
    }

    /// <summary>Whether two that overlap, of which the other was kept, tell of one delay.</summary>
    private static bool IsSame(EpisodeCandidate one, EpisodeCandidate other)
    {
        bool isOfThread = other is { Probe: ProbeKind.Job or ProbeKind.Thread, IsLateByBeat: false };
        if (isOfThread && other.ThreadId == (one.ThreadId ?? one.StoppedVictim))
        {
            return true; // A thread loses each time once, wherever that was.
        }

        bool isHere = other.Cpu == one.Cpu;
        bool isNobodys = other.Probe is ProbeKind.Level or ProbeKind.Gap or ProbeKind.Wakeup;
        return one.IsLateByBeat ? isNobodys && (isHere || other.Cpu == one.Delay.ReadyCpu)
            : one.Probe switch
            {
                ProbeKind.Wakeup => false,
                ProbeKind.Job or ProbeKind.Thread when !one.IsOfHog => isHere && isNobodys,
                _ => isHere,
            };
    }

    private static EpisodeCandidate Candidate(Random random)
    {
        ProbeKind probe = (ProbeKind)(1 + random.Next(5)); // None is a glitch by itself.
        int from = random.Next(2_000);
        bool isThread = probe == ProbeKind.Thread;
        return Made(
            probe,
            from,
            from + 1 + random.Next(random.Next(5) == 0 ? 600 : 60),
            random.Next(3),
            probe is ProbeKind.Thread or ProbeKind.Wakeup or ProbeKind.Job ? (uint)random.Next(1, 5) : null,
            isHog: isThread && random.Next(4) == 0,
            isLate: isThread && random.Next(4) == 0,
            isWhole: random.Next(2) == 0,
            readyCpu: random.Next(-1, 3),
            stopped: probe is ProbeKind.Level or ProbeKind.Gap && random.Next(3) == 0 ? (uint)random.Next(1, 5) : null);
    }

    private static EpisodeCandidate Made(
        ProbeKind probe,
        long from,
        long to,
        int cpu = 0,
        uint? thread = null,
        bool isHog = false,
        bool isLate = false,
        bool isWhole = false,
        int readyCpu = -1,
        uint? stopped = null) => new(
            new Delay
            {
                Probe = probe,
                FromTicks = from,
                ToTicks = to,
                Cpu = cpu,
                ThreadId = thread,
                IsOfHog = isHog && !isLate,
                IsLateByBeat = isLate,
                ReadyCpu = readyCpu,
                Job = probe == ProbeKind.Job ? new JobSpan(0, 0, from, from, to, null, null) : null,
            },
            probe != ProbeKind.Gap ? null : new Blackout
            {
                Cpu = cpu,
                FromTicks = from,
                StartTicks = from,
                DueTicks = from,
                ToTicks = to,
                Cpus = 1,
                IsWholeMachine = isWhole,
                IsElsewhereAlive = !isWhole,
                Edges = [],
            })
        {
            LostTicks = to - from,
            StoppedVictim = stopped,
        };
}
