namespace Tracer.Analysis;

/// <summary>What is a delay: whose waits are measured, and from which length on. Times in ticks of the trace's clock.</summary>
internal sealed record DelaySettings
{
    /// <summary>Ticks of a second.</summary>
    public required long TicksPerSecond { get; init; }

    /// <summary>Latency at or above this is an episode.</summary>
    public required long ThresholdTicks { get; init; }

    /// <summary>A wait that claims to be longer rests on a damaged time stamp.</summary>
    public required long LongestWaitTicks { get; init; }

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

    /// <summary>
    /// The stop of its runtime that a thread waited for between two times: thread id, when it left its CPU, when it was ready again. Null
    /// where no runtime logged any.
    /// </summary>
    public required Func<uint, long, long, TickSpan?>? PauseOf { get; init; }

    /// <summary>Takes when the threads of measured wake-ups are made ready.</summary>
    public required MeasuredReadies MeasuredReadies { get; init; }

    /// <summary>A thread that leaves its CPU sooner was held at its first steps.</summary>
    public required long FirstStepsTicks { get; init; }
}
