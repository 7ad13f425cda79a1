using Tracer.Analysis.Causes;
using Tracer.Analysis.Contents;
using Tracer.Analysis.Delays;
using Tracer.Analysis.Facts;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Request;
using Tracer.Analysis.Verdicts;

namespace Tracer.Analysis;

/// <summary>
/// The request and the facts about the trace, in the form that each step of the analysis needs: in ticks of the trace's clock.
/// </summary>
internal sealed class AnalysisSettings
{
    /// <summary>A sample that is late by less than this, in ns, counts as on time.</summary>
    private const long SampleToleranceNanoseconds = 50_000;

    /// <summary>
    /// Longest wait that is believed, in seconds: no user asks about a longer one, so that it is taken for a damaged time stamp.
    /// </summary>
    private const long LongestWaitSeconds = 3600;

    /// <summary>
    /// Least idle time of another CPU that counts as a chance to run the victim, in ns: an idle CPU takes a thread in less.
    /// </summary>
    private const long IdleNanoseconds = 100_000;

    /// <summary>A thread that leaves its CPU sooner than this after it was switched in was held up at its first steps, in ns.</summary>
    private const long FirstStepsNanoseconds = 100_000;

    /// <summary>Tolerance between the runtime's pause events and the times at which its threads stop and continue, in ns.</summary>
    private const long PauseSlackNanoseconds = 100_000;

    /// <summary>
    /// How long before its record a glitch may have begun, in ns: three of the audio engine's usual periods of 10 ms. What was late before
    /// has been played by then.
    /// </summary>
    private const long GlitchReachNanoseconds = 30_000_000;

    /// <summary>How long after an episode records that belong to it may come, in ns.</summary>
    private const long LagNanoseconds = 20_000_000;

    private readonly BlameRequest _request;
    private readonly TraceClock _clock;
    private readonly TraceFacts _facts;
    private readonly IReadOnlySet<uint>? _standIns;
    private readonly bool _hasOneGroup;

    /// <param name="facts">What the first reading learnt.</param>
    /// <param name="standIns">
    /// The threads that are judged in the place of those of the priority asked for, of which none ran; null where one did.
    /// </param>
    public AnalysisSettings(BlameRequest request, TraceClock clock, TraceFacts facts, IReadOnlySet<uint>? standIns)
    {
        _request = request;
        _standIns = standIns;
        _clock = clock;
        _facts = facts;
        _hasOneGroup = facts.Devices.HasOneGroup(facts.Cpus.Count > 0 ? facts.Cpus[^1].Cpu + 1 : 0);
        ThresholdTicks = Ticks(request.Threshold);
        TickSpan judged = facts.Tracer.Recorder.Judged ?? new TickSpan(long.MinValue, long.MaxValue);
        Asked = new TracePart
        {
            FromTicks = Math.Max(judged.StartTicks, request.From is { } from ? clock.TicksAt(from.Nanoseconds) : long.MinValue),
            ToTicks = Math.Min(judged.EndTicks, request.To is { } to ? clock.TicksAt(to.Nanoseconds) : long.MaxValue),
            Cpus = request.Cpus?.ToHashSet(),
        };
        RecordedGlitch[] glitches =
        [
            .. GlitchesAndMarks.Of(facts.GlitchesOf(request.Process), facts.Marks.All, TraceTimes.MarkReach(clock))
                .Where(glitch => request.Probe == ProbeChoice.Glitch || !glitch.IsMark),
        ];
        if (IsOpen && glitches.Length > 0)
        {
            Glitches = new GlitchThreads(glitches, clock.TicksOf(GlitchReachNanoseconds), TraceTimes.MarkReach(clock), ThresholdTicks);
            WantsOnlyGlitches = HasWakeupsOfAsked();
        }

        Readies = new MeasuredReadies(facts.Tracer.Wakeups.Select(wakeup => wakeup.ThreadId));
        Wakeups = IsOpen || request.Probe == ProbeChoice.Wakeup
            ? [.. facts.Tracer.Wakeups.Where(wakeup => Asked.Holds(wakeup.Cpu, wakeup.FromTicks) && IsOfAsked(wakeup))]
            : [];
        LateTimers = IsOpen || request.Probe == ProbeChoice.Wakeup
            ? [.. MeasuredDelays.OfTimer(facts.Tracer.Wakeups.Where(IsOfAsked), ThresholdTicks)
                .Where(delay => Asked.Holds(delay.Cpu, delay.FromTicks))]
            : [];
        Measured = [.. MeasuredDelays.Of(Wakeups, ThresholdTicks).Concat(LateTimers).OrderBy(delay => delay.ToTicks)];
    }

    /// <summary>Least latency of an episode, in ticks.</summary>
    public long ThresholdTicks { get; }

    public TracePart Asked { get; }

    /// <summary>The first time in <see cref="Asked"/> of which the trace has events.</summary>
    public long FirstTicks => Math.Max(_facts.FirstTicks, Asked.FromTicks);

    /// <summary>The last time in <see cref="Asked"/> of which the trace has events.</summary>
    public long LastTicks => Math.Min(_facts.LastTicks, Asked.ToTicks);

    /// <summary>The CPUs in <see cref="Asked"/> that have events.</summary>
    public IEnumerable<int> CpusAsked => _facts.Cpus.Select(cpu => cpu.Cpu).Where(cpu => Asked.Cpus?.Contains(cpu) != false);

    /// <summary>The wake-ups that our driver or probe process measured, of what was asked.</summary>
    public IReadOnlyList<MeasuredWakeup> Wakeups { get; }

    /// <summary>How often the driver's timer of all CPUs was late.</summary>
    public IReadOnlyList<Delay> LateTimers { get; }

    /// <summary>Wake-ups at or above the threshold that our driver or probe process measured, and its late timers, sorted by end.</summary>
    public IReadOnlyList<Delay> Measured { get; }

    /// <summary>How long after the end of an episode its records may still come.</summary>
    public long LagTicks => Ticks(new Duration(LagNanoseconds));

    /// <summary>What is due is examined at the ends of these.</summary>
    private TimeCells Cells => new(_facts.FirstTicks, Math.Max(1, LagTicks / 2));

    /// <summary>The threads that Windows' records of glitches are about; null where there are none, or they are not asked for.</summary>
    public GlitchThreads? Glitches { get; }

    private MeasuredReadies Readies { get; }

    /// <summary>Whether any probe may be a victim's: glitches are explained by all of them.</summary>
    private bool IsOpen => _request.Probe is ProbeChoice.Auto or ProbeChoice.Glitch;

    /// <summary>
    /// Whether the request restricts neither the probes nor the thread nor the process. By default only such a request makes episodes of
    /// hogs, raised levels and gaps of a CPU: a single requested thread or process need not have waited for them.
    /// </summary>
    private bool IsForAll => IsOpen && _request is { Thread: null, Process: null };

    private bool WantsJobs => _request.Probe == ProbeChoice.Job || (IsOpen && (Glitches is not null || !HasWakeupsOfAsked()));

    /// <summary>Whether of all threads only those of glitches count: what the others wait for was measured.</summary>
    private bool WantsOnlyGlitches { get; }

    /// <summary>What must be known about the trace to follow its machine.</summary>
    public MachineSettings Machine(bool hasLevels)
    {
        long interval100ns = _facts.SampleIntervals.At(_facts.FirstTicks) ?? _facts.Contents.SampleInterval100ns ?? 0;
        return new MachineSettings
        {
            TicksPerSecond = _clock.TicksPerSecond,
            CpuCount = Math.Max(1, _facts.Cpus.Count),
            SampleIntervalTicks = Ticks(new Duration(100 * interval100ns)),
            SampleIntervals = _facts.SampleIntervals.Changes,
            Cells = Cells,
            HasDpcQueue = MachineStart.HasDpcQueue(_facts),
            SampleToleranceTicks = Ticks(new Duration(SampleToleranceNanoseconds)),
            LevelGapTicks = Ticks(LevelGap.Longest),
            Images = _facts.Images,
            Stacks = _facts.Stacks,
            DriverSamples = [.. _facts.Tracer.PitSamples.OrderBy(sample => sample.Ticks)],
            ProcessOf = _facts.Threads.ProcessOf,
            FaultedFiles = _facts.FaultedFiles,
            LeastRecordGapTicks = SleepSearch.LeastTicks(_facts.Standby, _clock.TicksPerSecond),
            ProfileInterrupt = _facts.ProfileInterrupt,
            WithRunTimes = !hasLevels,
            WithSamples = !hasLevels,
        };
    }

    /// <summary>Whose waits are measured, and their least length.</summary>
    public DelaySettings Delays()
    {
        long slackTicks = Ticks(new Duration(PauseSlackNanoseconds));
        return new DelaySettings
        {
            TicksPerSecond = _clock.TicksPerSecond,
            ThresholdTicks = ThresholdTicks,
            LongestWaitTicks = Ticks(Duration.FromSeconds(LongestWaitSeconds)),
            LevelGapTicks = Ticks(LevelGap.Longest),
            WantsThreads = _request.Probe == ProbeChoice.Thread || WantsJobs,
            WantsJobs = WantsJobs,
            HasReadies = _facts.Cpus.Any(cpu => cpu.ReadyThreads > 0),
            Glitches = Glitches,
            OwnDeadlineOf = Glitches is null ? null : _facts.Glitches.DeadlineOf,
            PeriodTicks = _request.Period is { } period ? Ticks(period) : null,
            DeadlineTicks = _request.Deadline is { } deadline ? Ticks(deadline) : null,

            // Whether another CPU was free for an ordinary thread, and whether the hog is in time, shows across CPUs only.
            WantsHogs = IsForAll && !WantsOnlyGlitches && _facts.Clocks is not { IsConstant: false },
            WantsLevels = _request.Probe is ProbeChoice.Level or ProbeChoice.Job || IsForAll,
            IsVictim = IsVictim,
            AffinityOf = AffinityOf,
            PauseOf = _facts.RuntimePauses.Count == 0
                ? null
                : (thread, left, ready) => _facts.Threads.ProcessOf(thread, left) is { } process
                    ? _facts.RuntimePauses.Held(process, left, ready, slackTicks)
                    : null,
            MeasuredReadies = Readies,
            FirstStepsTicks = Ticks(new Duration(FirstStepsNanoseconds)),
        };
    }

    /// <summary>Which delays are examined, and with what.</summary>
    public EpisodeAnalysisSettings Episodes() => new()
    {
        ThresholdTicks = ThresholdTicks,
        LevelGapTicks = Ticks(LevelGap.Longest),
        IsVictim = WantsJobs ? IsVictim : null,
        LongestTicks = Ticks(Duration.FromSeconds(LongestWaitSeconds)),
        LagTicks = LagTicks,
        Cells = Cells,
        FromTicks = Asked.FromTicks,
        GlitchFromTicks = Glitches is { } glitches && Asked.FromTicks > long.MinValue / 2
            ? Asked.FromTicks - _clock.TicksOfSeconds(GlitchVictims.LongestSeconds)
            : Asked.FromTicks,
        IsOfGlitch = thread => Glitches?.IsMeant(thread) == true,
        ToTicks = Asked.ToTicks,
        Cpus = Asked.Cpus,
        Recorder = _facts.Tracer.Recorder,
        WantsGaps = _request.Probe is ProbeChoice.Gap or ProbeChoice.Job || IsForAll,
        OnlyVictims = _request.Probe == ProbeChoice.Job,
        WithStrips = _request.WithStrips,
        AffinityOf = AffinityOf,
        Readies = Readies,
        Parked = _facts.Parked,
        LeastIdleTicks = Ticks(new Duration(IdleNanoseconds)),
        Ticks = new TimerTicks(_facts.Tracer.Wakeups, ThresholdTicks, _clock.TicksPerSecond),
        PausesOf = (thread, from, to) => _facts.RuntimePauses.Count > 0 && _facts.Threads.ProcessOf(thread, to) is { } process
            ? _facts.RuntimePauses.Within(process, from, to)
            : [],
    };

    /// <summary>Whether wake-ups were measured of the threads that were asked about, at any time and on any CPU.</summary>
    private bool HasWakeupsOfAsked() => _facts.Tracer.Wakeups.Any(IsOfAsked);

    private bool IsOfAsked(MeasuredWakeup wakeup) => _request is { Thread: null, Process: null }
        || IsVictim(wakeup.ThreadId, int.MaxValue, wakeup.ServedTicks);

    private bool IsVictim(uint thread, int priority, long ticks)
    {
        if (_request.Thread is { } only)
        {
            return thread == only;
        }

        if (_request.Process is not { } process)
        {
            return Glitches?.IsMeant(thread) == true
                || (!WantsOnlyGlitches && (_standIns?.Contains(thread) ?? (priority >= _request.MinPriority)));
        }

        return _facts.Threads.ProcessOf(thread, ticks) is { } id
            && ThreadTable.IsMeant(process, id, _facts.Threads.NameOf(id, ticks));
    }

    /// <summary>The CPUs that a thread may use, one bit each; null where that is not known.</summary>
    private ulong? AffinityOf(uint thread, long ticks) => _hasOneGroup ? _facts.Threads.Find(thread, ticks)?.Affinity : null;

    private long Ticks(Duration duration) => _clock.TicksOf(duration.Nanoseconds);
}
