using Tracer.Analysis.Delays;
using Tracer.Analysis.Owners;

namespace Tracer.Analysis.Causes;

/// <summary>A delay whose causes are being searched for. Times in ticks.</summary>
/// <param name="gap">The blackout, for an episode measured as a gap in the samples; null for other probes.</param>
internal sealed class EpisodeCandidate(Delay delay, Blackout? gap = null)
{
    public Delay Delay { get; } = delay;

    /// <summary>The blackout of a gap; null for other probes.</summary>
    public Blackout? Gap { get; } = gap;

    /// <summary>
    /// When the victim became runnable, in ticks. Later than measured where the measured start was a guess that was not confirmed.
    /// </summary>
    public long FromTicks { get; set; } = delay.FromTicks;

    public long ToTicks => Delay.ToTicks;

    /// <summary>
    /// Since when something can have kept the victim, in ticks: later than <see cref="FromTicks"/> where the device itself came late that
    /// made it ready.
    /// </summary>
    public long HeldFromTicks { get => Math.Max(FromTicks, field); set; } = long.MinValue;

    /// <summary>The stretches whose cause is not known, because the next link of a chain is not.</summary>
    public IReadOnlyList<UnknownLink> UnknownLinks { get; set; } = [];

    /// <summary>The CPU that the victim waited for.</summary>
    public int Cpu { get; set; } = delay.Cpu;

    public ProbeKind Probe => Delay.Probe;

    /// <summary>The moments, by number, at which Windows recorded a glitch that it explains.</summary>
    public IReadOnlyList<int> Glitches { get; set; } = [];

    /// <summary>Whether it explains a glitch that Windows recorded.</summary>
    public bool IsOfGlitch => Glitches.Count > 0;

    /// <summary>The victim's thread; null where the victim is a CPU.</summary>
    public uint? ThreadId => Delay.ThreadId;

    public int Priority => Delay.Priority;

    /// <summary>Whether the victim has a lower priority than the user asked about, and waited for a hog.</summary>
    public bool IsOfHog => Delay.IsOfHog;

    /// <summary>Whether the victim was made ready late, judged by the beat of its own wake-ups.</summary>
    public bool IsLateByBeat => Delay.IsLateByBeat;

    /// <summary>
    /// The priority of the thread that the CPU ran, and that stood still meanwhile, where the victim is a CPU; null where it ran none, or
    /// that is not known.
    /// </summary>
    public int? StoppedPriority { get; set; }

    /// <summary>That thread, where it counts: the time is lost for it. Null where it does not count.</summary>
    public uint? StoppedVictim { get; set; }

    /// <summary>Whether the victim has nothing to be in time for, and others of its process that do were late.</summary>
    public bool IsOfIdleThread { get; set; }

    /// <summary>Whether a thread that was late by its own beat waited for the same work.</summary>
    public bool HasLateThread { get; set; }

    /// <summary>The path from the interrupt to the thread; null where the DPC queue was not recorded.</summary>
    public WakeupPath? Path { get; set; }

    /// <summary>What kept the victim until it finally became ready.</summary>
    public IReadOnlyList<CauseShare> Before { get; set; } = [];

    /// <summary>When the victim finally became ready, in ticks. From then on it waits for a CPU.</summary>
    public long ReadyTicks => Delay.Wake is { } wake ? Math.Clamp(wake.ReadyTicks, FromTicks, ToTicks) : FromTicks;

    /// <summary>The parts that explain the latency.</summary>
    public IReadOnlyList<CauseShare> Causes { get; set; } = [];

    /// <summary>For how long the CPU was idle although the victim was ready, with nothing to show why, in ticks.</summary>
    public long UnansweredTicks { get; set; }

    /// <summary>
    /// For how long the CPU was idle, and in no ISR or DPC, from when the victim was due until it ran, in ticks; 0 where a link of its
    /// chain is not known.
    /// </summary>
    public long IdleTicks { get; set; }

    /// <summary>The instructions that samples of its CPU hit, the most frequent first.</summary>
    public IReadOnlyList<SampleHits> Samples { get; set; } = [];

    /// <summary>What ran on the CPUs meanwhile; empty where not asked for.</summary>
    public IReadOnlyList<RawStrip> Strips { get; set; } = [];

    /// <summary>What ran on the CPUs around it; null where not asked for, and where it is not one of the worst.</summary>
    public RawLanes? Lanes { get; set; }

    /// <summary>In how many lists of the worst episodes it stands; its lanes are kept while it is in any.</summary>
    public int LanePlaces { get; set; }

    /// <summary>The time that a job lost, in ticks.</summary>
    public long LostTicks { get; set; }

    /// <summary>How much of that its thread had a CPU for, where a glitch tells that its own turn was too long, in ticks.</summary>
    public long WorkTicks { get; set; }

    /// <summary>
    /// What a job without a deadline lost in stretches below the threshold, in ticks: neither lost time that counts nor work.
    /// </summary>
    public long PassedOverTicks { get; set; }

    /// <summary>The longest stretch of that after it first ran, in ticks.</summary>
    public long LongestTicks { get; set; }

    /// <summary>From runnable to the first instruction, in ticks; for a job the time that it lost.</summary>
    public long LatencyTicks => Delay.Job is null ? ToTicks - FromTicks : LostTicks;

    /// <summary>A job without the time in which it was due and not ready: the thread had chosen to sleep longer.</summary>
    public EpisodeCandidate WithoutDue()
    {
        JobSpan job = Delay.Job!.Value with { Late = null };
        long early = (job.ReadyTicks ?? job.RunTicks) - FromTicks;
        job = job with { DeadlineTicks = job.DeadlineTicks + early };
        return new EpisodeCandidate(Delay with { FromTicks = job.FromTicks, Job = job })
        {
            Cpu = Cpu,
            LostTicks = LostTicks - early,
            LongestTicks = LongestTicks,
            WorkTicks = WorkTicks,
            PassedOverTicks = PassedOverTicks,
            Causes = [.. Causes.Except(Before)],
            Samples = Samples,
            Strips = Strips,
            Lanes = Lanes,
            UnknownLinks = UnknownLinks,
            IdleTicks = IdleTicks,
        };
    }

    /// <summary>The same victim or CPU at another time, without causes.</summary>
    public EpisodeCandidate At(long fromTicks, long toTicks) => new(
        new Delay
        {
            Probe = Probe,
            FromTicks = fromTicks,
            ToTicks = toTicks,
            Cpu = Cpu,
            ThreadId = ThreadId,
            Priority = Priority,
            IsOfHog = IsOfHog,
            IsLateByBeat = IsLateByBeat,
            Job = Delay.Job,
        },
        Gap)
    {
        LostTicks = toTicks - fromTicks,
        Glitches = Glitches,
        StoppedVictim = StoppedVictim,
        IsOfIdleThread = IsOfIdleThread,
    };
}

/// <summary>Samples of one episode that hit the same instruction.</summary>
/// <param name="ThreadId">The thread that the first of these samples hit.</param>
internal readonly record struct SampleHits(ulong Address, int Count, uint ThreadId);

/// <summary>What ran on one CPU during an episode; times in ticks.</summary>
/// <param name="Spans">By time, without overlaps.</param>
internal sealed record RawStrip(int Cpu, IReadOnlyList<RawStripSpan> Spans);

/// <param name="Routine">The routine of an ISR or DPC; else 0.</param>
/// <param name="Owner">The owner of the ISR's or DPC's code, as far as that run shows it; otherwise null.</param>
/// <param name="ThreadId">The thread, for a stretch of a thread; otherwise 0.</param>
internal readonly record struct RawStripSpan(
    long FromTicks, long ToTicks, StripKind Kind, ulong Routine, OwnerFinding? Owner, uint ThreadId);
