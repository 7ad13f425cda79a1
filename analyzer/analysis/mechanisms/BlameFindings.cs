using Tracer.Contract;
using Tracer.Etl;

namespace Tracer.Analysis;

/// <summary>What the steps before have found: what a verdict and a report are made of.</summary>
internal sealed record BlameFindings
{
    /// <summary>What was asked.</summary>
    public required BlameRequest Request { get; init; }

    /// <summary>The trace as a whole.</summary>
    public required TraceSummary Summary { get; init; }

    /// <summary>What the first reading learnt.</summary>
    public required TraceFacts Facts { get; init; }

    /// <summary>The trace's clock.</summary>
    public required TraceClock Clock { get; init; }

    /// <summary>The images.</summary>
    public required ModuleMap Modules { get; init; }

    /// <summary>Who stands behind routines of frameworks.</summary>
    public required FrameworkOwners Behind { get; init; }

    /// <summary>How much was left out because it was too much work.</summary>
    public required WorkBudget Budget { get; init; }

    /// <summary>Whose the threads of the system are.</summary>
    public required ThreadOwners Threads { get; init; }

    /// <summary>How often each module is on a CPU.</summary>
    public required SampleShares Shares { get; init; }

    /// <summary>The episodes and blackouts, with what kept the victims waiting.</summary>
    public required CauseFindings Causes { get; init; }

    /// <summary>What was measured of the wake-ups of threads.</summary>
    public required ThreadDelays Delays { get; init; }

    /// <summary>The machine at the end of the trace, with what was counted on the way.</summary>
    public required MachineState Machine { get; init; }

    /// <summary>What ISRs and DPCs took by module; null where not asked for.</summary>
    public required LevelUsage? Usage { get; init; }

    /// <summary>The interrupts that nobody answers for.</summary>
    public PeriodicInterrupts Periodic => new(Facts.ProfileInterrupt, Machine.ClockInterrupts);

    /// <summary>Whether the trace lacks events that it should have.</summary>
    public bool HasLosses =>
        Machine.Losses.Count > 0 || Summary is not { EventsLost: 0, BuffersLost: 0, DamagedBuffers: 0, Truncated: false };

    /// <summary>Latency at or above this is an episode, in ticks.</summary>
    public long ThresholdTicks => Ticks(Request.Threshold);

    /// <summary>A duration in ticks.</summary>
    public long Ticks(Duration duration) => (long)((Int128)duration.Nanoseconds * Clock.TicksPerSecond / 1_000_000_000);

    /// <summary>A length in ticks as a duration.</summary>
    public Duration Length(long ticks) => new(Clock.NanosecondsOf(ticks));

    /// <summary>A time stamp as the time since the header event.</summary>
    public Duration Time(long ticks) => new(Clock.NanosecondsFromHeader(ticks));
}
