namespace Tracer.Analysis;

/// <summary>What the timeline needs to know of the trace and of what is asked. Times in ticks of the trace's clock.</summary>
internal sealed record TimelineSettings
{
    /// <summary>Ticks of a second.</summary>
    public required long TicksPerSecond { get; init; }

    /// <summary>Logical processors of the machine.</summary>
    public required int CpuCount { get; init; }

    /// <summary>Latency at or above this is an episode.</summary>
    public required long ThresholdTicks { get; init; }

    /// <summary>Interval of the profile samples at the start of the trace; 0 where the trace does not tell.</summary>
    public required long SampleIntervalTicks { get; init; }

    /// <summary>A wait that claims to be longer rests on a damaged time stamp.</summary>
    public required long LongestWaitTicks { get; init; }

    /// <summary>A sample that is late by less is on time.</summary>
    public required long SampleToleranceTicks { get; init; }

    /// <summary>A longer gap ends a stretch at ISR or DPC level.</summary>
    public required long LevelGapTicks { get; init; }

    /// <summary>Whether wake-ups of threads are probes.</summary>
    public required bool WantsThreads { get; init; }

    /// <summary>Whether a hog that starves lower threads is an episode.</summary>
    public required bool WantsHogs { get; init; }

    /// <summary>Whether stretches at ISR or DPC level are episodes.</summary>
    public required bool WantsLevels { get; init; }

    /// <summary>Whether a thread's wake-ups are probes: thread id, its priority when it ran, time.</summary>
    public required Func<uint, int, long, bool> IsVictim { get; init; }

    /// <summary>The process of a thread at a time; null where not known.</summary>
    public required Func<uint, long, uint?> ProcessOf { get; init; }

    /// <summary>
    /// The stop of its runtime that a thread waited for between two times: thread id, when it left its CPU, when it was ready again. Null
    /// where no runtime logged any.
    /// </summary>
    public required Func<uint, long, long, TickSpan?>? PauseOf { get; init; }

    /// <summary>The interrupt that takes the profile samples.</summary>
    public required ProfileInterrupt ProfileInterrupt { get; init; }

    /// <summary>Takes when the threads of measured wake-ups are made ready.</summary>
    public required MeasuredReadies MeasuredReadies { get; init; }

    /// <summary>Whether to add up how long processes ran.</summary>
    public required bool WithRunTimes { get; init; }

    /// <summary>When the trace begins, in ticks, where what ISRs and DPCs took is to be counted by module and CPU; else null.</summary>
    public long? UsageFromTicks { get; init; }

    /// <summary>Whether to count what samples hit.</summary>
    public required bool WithSamples { get; init; }

    /// <summary>A thread that leaves its CPU sooner was held at its first steps.</summary>
    public required long FirstStepsTicks { get; init; }

    /// <summary>Converts units of 100 ns to ticks.</summary>
    public long TicksOf100Nanoseconds(uint units) => (long)((UInt128)units * (ulong)TicksPerSecond / 10_000_000);
}
