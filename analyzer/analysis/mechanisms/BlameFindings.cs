using Tracer.Analysis.Causes;
using Tracer.Analysis.Delays;
using Tracer.Analysis.Facts;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Modules;
using Tracer.Analysis.Owners;
using Tracer.Analysis.Request;

namespace Tracer.Analysis.Mechanisms;

/// <summary>Everything that the passes over the trace found: the input of the verdict and the report.</summary>
internal sealed record BlameFindings
{
    public required BlameRequest Request { get; init; }

    public required TraceSummary Summary { get; init; }

    /// <summary>The results of the first pass over the trace.</summary>
    public required TraceFacts Facts { get; init; }

    public required TraceClock Clock { get; init; }

    /// <summary>
    /// The periodic threads that are judged because no thread of the priority asked for ran; null where one did.
    /// </summary>
    public IReadOnlySet<uint>? StandIns { get; init; }

    /// <summary>The image of each address.</summary>
    public required ModuleMap Modules { get; init; }

    /// <summary>The drivers behind routines of frameworks.</summary>
    public required FrameworkOwners Behind { get; init; }

    /// <summary>The work budget, with how much was left out because it was too much work.</summary>
    public required WorkBudget Budget { get; init; }

    /// <summary>The drivers that the threads of the System process work for.</summary>
    public required ThreadOwners Threads { get; init; }

    /// <summary>How often each module is on a CPU, by profile samples.</summary>
    public required SampleShares Shares { get; init; }

    /// <summary>The episodes and blackouts, with what kept the victims waiting.</summary>
    public required CauseFindings Causes { get; init; }

    /// <summary>The measured wake-ups of threads.</summary>
    public required ThreadDelays Delays { get; init; }

    /// <summary>The wake-ups that Tracer's driver or probe measured, of what was asked.</summary>
    public required IReadOnlyList<MeasuredWakeup> Wakeups { get; init; }

    /// <summary>The threads that Windows' records of glitches are about; null where there are none, or they are not asked for.</summary>
    public GlitchThreads? Glitches { get; init; }

    /// <summary>The machine's state at the end of the trace, with counts over all of it.</summary>
    public required MachineState Machine { get; init; }

    /// <summary>The time of ISRs and DPCs by module; null where not asked for.</summary>
    public required LevelUsage? Usage { get; init; }

    public PeriodicInterrupts Periodic => new(Facts.ProfileInterrupt, Machine.ClockInterrupts);

    /// <summary>Whether the trace lacks events that it should contain.</summary>
    public bool HasLosses =>
        Machine.Losses.Count > 0 || Summary is not { EventsLost: 0, BuffersLost: 0, DamagedBuffers: 0, Truncated: false };

    /// <summary>When the whole machine slept, was paused as a guest, or hung, in the part that was asked about; the first ones.</summary>
    public IReadOnlyList<MachinePause> Pauses => Asked(Causes.Blackouts.Pauses);

    /// <summary>When the machine slept in standby, in the part that was asked about; the first ones.</summary>
    public IReadOnlyList<MachinePause> Sleeps => Asked(Causes.Blackouts.Sleeps);

    private MachinePause[] Asked(IReadOnlyList<TickSpan> pauses) =>
    [
        .. pauses
            .Select(pause => new MachinePause(Time(pause.StartTicks), Length(pause.EndTicks - pause.StartTicks)))
            .Where(pause => (Request.From is not { } from || pause.Start + pause.Length > from)
                && (Request.To is not { } to || pause.Start < to))
            .Take(BlameReport.MostPauses),
    ];

    /// <summary>Whether the thread of a delay has the priority that was asked for, or stands in for those that have it.</summary>
    public bool IsOfPriority(EpisodeCandidate candidate) =>
        candidate.Priority >= Request.MinPriority || (candidate.ThreadId is { } thread && StandIns?.Contains(thread) == true);

    /// <summary>Whether a thread's delay counts whether or not Windows recorded a glitch.</summary>
    public bool IsVictim(EpisodeCandidate candidate) => Request is not { Thread: null, Process: null }
        || (Wakeups.Count == 0 && IsOfPriority(candidate));

    /// <summary>Latency at or above this is an episode, in ticks.</summary>
    public long ThresholdTicks => Ticks(Request.Threshold);

    /// <summary>Converts a duration to ticks.</summary>
    public long Ticks(Duration duration) => Clock.TicksOf(duration.Nanoseconds);

    /// <summary>Converts a length in ticks to a duration.</summary>
    public Duration Length(long ticks) => new(Clock.NanosecondsOf(ticks));

    /// <summary>Converts a time stamp to the time since the header event.</summary>
    public Duration Time(long ticks) => new(Clock.NanosecondsFromHeader(ticks));
}
