using Tracer.Analysis.Delays;
using Tracer.Analysis.Machine;

namespace Tracer.Analysis.Causes;

/// <summary>
/// Explains latencies: which CPU the victim waited for, what took the time, and what the samples hit. The machine answers as of a time
/// shortly after their end, see <see cref="SettleQueue"/>.
/// </summary>
internal sealed class EpisodeAnalysis
{
    /// <summary>Episodes that are explained; more are only counted. It bounds memory and work.</summary>
    public const int MostEpisodes = 50_000;

    /// <summary>A thread of this priority or higher that starves others is a hog. Windows' real-time priorities begin at 16.</summary>
    public const int HogPriority = 16;

    /// <summary>
    /// Where records of other CPUs are missing, the records of the victim's CPU must explain this part of a latency. Otherwise the latency
    /// is left out, because what is missing may be its cause.
    /// </summary>
    private const double MostlyExplained = 0.9;

    /// <summary>
    /// Of a latency that is known only from when its thread ran, this part must be explained: the larger one.
    /// </summary>
    private const double LargerPart = 0.5;

    private readonly EpisodeAnalysisSettings _settings;
    private readonly CpuHistories _cpus;
    private readonly Blackouts _blackouts;
    private readonly EarlierWaits _earlier;
    private readonly WaitedCpu _waited;
    private readonly LostTime _lost;
    private readonly StripDrawing _strips;
    private readonly LaneKeeping? _lanes;
    private readonly SampleHitCounts _hits;
    private readonly List<EpisodeCandidate> _done = [];

    /// <summary>Sets up the analysis.</summary>
    /// <param name="blackouts">The blackouts found so far.</param>
    /// <param name="earlier">Accounts for the time before a victim becomes ready.</param>
    /// <param name="waited">Accounts for the time from then on.</param>
    /// <param name="lost">Accounts for the time that jobs lost.</param>
    /// <param name="lanes">Keeps what ran around the worst episodes; null where that is not wanted.</param>
    public EpisodeAnalysis(
        EpisodeAnalysisSettings settings,
        MachineState machine,
        Blackouts blackouts,
        EarlierWaits earlier,
        WaitedCpu waited,
        LostTime lost,
        StripDrawing strips,
        LaneKeeping? lanes,
        WorkBudget budget)
    {
        _settings = settings;
        _cpus = machine.Cpus;
        _blackouts = blackouts;
        _earlier = earlier;
        _waited = waited;
        _lost = lost;
        _strips = strips;
        _lanes = lanes;
        _hits = new SampleHitCounts(budget);
    }

    /// <summary>The examined episodes, in the order in which they were. Several probes of one delay are still separate.</summary>
    public List<EpisodeCandidate> Done => _done;

    /// <summary>Number of episodes beyond <see cref="MostEpisodes"/>.</summary>
    public long Dropped { get; private set; }

    /// <summary>
    /// Wake-ups left out because records of other CPUs are missing meanwhile and nothing explains the wait, or because the machine slept.
    /// </summary>
    public long AcrossLoss { get; private set; }

    /// <summary>Jobs whose first stays on CPUs were no longer kept when they were to be explained.</summary>
    public long ForgottenJobs { get; private set; }

    /// <summary>Latencies left out because Tracer's own flight recorder was writing meanwhile.</summary>
    public long InOwnWork { get; private set; }

    /// <summary>Whether a latency is of what was asked; those of our own work are counted, and not wanted.</summary>
    public bool Wants(Delay delay)
    {
        bool isAsked = (delay.FromTicks >= _settings.FromTicks
                || (delay.FromTicks >= _settings.GlitchFromTicks && delay.ThreadId is { } thread && _settings.IsOfGlitch(thread)))
            && delay.FromTicks <= _settings.ToTicks
            && (ulong)delay.LatencyTicks <= (ulong)_settings.LongestTicks
            && (_settings.Cpus is null || _settings.Cpus.Contains(delay.Cpu))
            && !_settings.Recorder.IsBeyondWindow(delay.FromTicks, delay.ToTicks);
        bool isOurs = isAsked && _settings.Recorder.IsWork(delay.FromTicks, delay.ToTicks);
        InOwnWork += isOurs ? 1 : 0;
        return isAsked && !isOurs;
    }

    /// <summary>Explains a latency.</summary>
    public void Examine(EpisodeCandidate candidate)
    {
        if (_done.Count >= MostEpisodes)
        {
            Dropped++;
            return;
        }

        if (_cpus[candidate.Cpu] is not { } cpu)
        {
            _done.Add(candidate); // A measured wake-up on a CPU without records: nothing explains it.
            return;
        }

        if (_blackouts.Slept(candidate.FromTicks, candidate.ToTicks))
        {
            return; // Nobody keeps a thread waiting in standby: timers do not wake a machine that sleeps.
        }

        if (_blackouts.WasPaused(candidate.FromTicks, candidate.ToTicks))
        {
            AcrossLoss += candidate is { Probe: ProbeKind.Thread or ProbeKind.Job, IsOfHog: false } ? 1 : 0;
            return;
        }

        if (candidate.Delay.Job is { } job)
        {
            if (!_lost.Fill(candidate, job))
            {
                ForgottenJobs++;
            }
            else if (job.IsEpisode(candidate.LostTicks, candidate.LongestTicks, _settings.ThresholdTicks)
                && IsSeen(candidate))
            {
                Keep(candidate, _cpus[candidate.Cpu]!);
            }

            return;
        }

        _earlier.Fill(candidate);
        if (candidate.LatencyTicks < _settings.ThresholdTicks && candidate.Delay.Wake is not null)
        {
            return; // Without a DPC's enqueue the wait began later: it is below the threshold.
        }

        cpu = _waited.Find(cpu, candidate);
        if (candidate.IsOfHog && !HasHog(candidate, _settings.ThresholdTicks))
        {
            return;
        }

        if (candidate.Delay.MustBeExplained && CauseShare.Sum(candidate.Causes) < MostlyExplained * candidate.LatencyTicks)
        {
            AcrossLoss += candidate.IsOfHog ? 0 : 1;
            return;
        }

        if (!IsSeen(candidate))
        {
            return;
        }

        if (candidate.ThreadId is null && cpu.RunAt(candidate.FromTicks) is >= 0 and var run
            && cpu.Runs[run] is { IsKnown: true, IsIdle: false } stopped)
        {
            candidate.StoppedPriority = stopped.Priority;
            candidate.StoppedVictim = _settings.IsVictim?.Invoke(stopped.ThreadId, stopped.Priority, candidate.FromTicks) == true
                ? stopped.ThreadId
                : null;
        }

        if (_settings.OnlyVictims && candidate is { ThreadId: null, StoppedVictim: null })
        {
            return;
        }

        candidate.UnansweredTicks = candidate.ThreadId is null
            ? 0
            : Math.Min(candidate.LatencyTicks - CauseShare.Sum(candidate.Causes), IdleTicks(cpu, candidate.ReadyTicks, candidate.ToTicks));
        Keep(candidate, cpu);
    }

    /// <summary>Whether what delayed a thread is seen as far as it must be.</summary>
    private static bool IsSeen(EpisodeCandidate candidate) =>
        !candidate.Delay.IsByRuns || CauseShare.Sum(candidate.Causes) >= LargerPart * candidate.LatencyTicks;

    private void Keep(EpisodeCandidate candidate, CpuHistory cpu)
    {
        candidate.Samples = _hits.Of(cpu, candidate);
        candidate.IdleTicks = candidate.ThreadId is null || candidate.UnknownLinks.Count > 0
            ? 0
            : AsleepTicks(cpu, candidate.FromTicks, candidate.Delay.Job?.RunTicks ?? candidate.ToTicks);
        if (_settings.WithStrips)
        {
            candidate.Strips = _strips.Draw(_cpus, candidate);
        }

        _lanes?.Offer(_cpus, candidate);

        _done.Add(candidate);
    }

    /// <summary>How long the idle thread ran on a CPU during a stretch, in ticks.</summary>
    private static long IdleTicks(CpuHistory cpu, long fromTicks, long toTicks)
    {
        long idle = 0;
        for (long run = Math.Max(cpu.RunAt(fromTicks), cpu.Runs.First); run < cpu.Runs.Next && cpu.Runs[run].StartTicks < toTicks; run++)
        {
            if (cpu.Runs[run].IsIdle)
            {
                long end = run + 1 < cpu.Runs.Next ? cpu.Runs[run + 1].StartTicks : toTicks;
                idle += Math.Max(0, Math.Min(end, toTicks) - Math.Max(cpu.Runs[run].StartTicks, fromTicks));
            }
        }

        return idle;
    }

    /// <summary>How long a CPU was idle during a stretch, and in no ISR or DPC, in ticks.</summary>
    private static long AsleepTicks(CpuHistory cpu, long fromTicks, long toTicks)
    {
        long asleep = IdleTicks(cpu, fromTicks, toTicks);
        for (long span = cpu.FirstEndingFrom(fromTicks); span >= 0 && span < cpu.Spans.Next && cpu.Spans[span].EndTicks <= toTicks; span++)
        {
            asleep -= cpu.OuterOf(span) < 0 ? cpu.Spans[span].EndTicks - Math.Max(cpu.Spans[span].StartTicks, fromTicks) : 0;
        }

        return asleep;
    }

    /// <summary>Whether hogs took at least the threshold and most of the wait. Otherwise the queue was long for other reasons.</summary>
    /// <param name="except">Threads that are no hogs, whatever their priority; null for none.</param>
    public static bool HasHog(EpisodeCandidate candidate, long thresholdTicks, IReadOnlySet<uint>? except = null)
    {
        long hogs = 0;
        foreach (CauseShare cause in candidate.Causes)
        {
            uint? hog = cause.Detail switch
            {
                ThreadRan { Priority: >= HogPriority } ran => ran.ThreadId,
                NotChosen { Priority: >= HogPriority } behind => behind.ThreadId,
                _ => null,
            };
            hogs += hog is { } thread && except?.Contains(thread) != true ? cause.Ticks : 0;
        }

        return hogs >= thresholdTicks && 2 * hogs >= candidate.LatencyTicks;
    }
}
