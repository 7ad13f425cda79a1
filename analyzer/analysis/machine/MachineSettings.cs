using Tracer.Etl.Stacks;

namespace Tracer.Analysis;

/// <summary>What must be known of a trace to follow its machine. Times in ticks of the trace's clock.</summary>
internal sealed record MachineSettings
{
    /// <summary>Ticks of a second.</summary>
    public required long TicksPerSecond { get; init; }

    /// <summary>Logical processors that have events.</summary>
    public required int CpuCount { get; init; }

    /// <summary>Interval of the profile samples at the start of the trace; 0 where the trace does not tell.</summary>
    public required long SampleIntervalTicks { get; init; }

    /// <summary>A sample that is late by less is on time.</summary>
    public required long SampleToleranceTicks { get; init; }

    /// <summary>A longer gap ends a stretch at ISR or DPC level.</summary>
    public required long LevelGapTicks { get; init; }

    /// <summary>The images.</summary>
    public required ImageTable Images { get; init; }

    /// <summary>What stack keys stand for.</summary>
    public required StackDefinitions Stacks { get; init; }

    /// <summary>Samples that our own driver took, by time.</summary>
    public required IReadOnlyList<PitSample> DriverSamples { get; init; }

    /// <summary>The process of a thread at a time; null where not known.</summary>
    public required Func<uint, long, uint?> ProcessOf { get; init; }

    /// <summary>The interrupt that takes the profile samples.</summary>
    public required ProfileInterrupt ProfileInterrupt { get; init; }

    /// <summary>Whether to add up how long processes ran.</summary>
    public required bool WithRunTimes { get; init; }

    /// <summary>Whether to count what samples hit.</summary>
    public required bool WithSamples { get; init; }

    /// <summary>Converts units of 100 ns to ticks.</summary>
    public long TicksOf100Nanoseconds(uint units) => (long)((UInt128)units * (ulong)TicksPerSecond / 10_000_000);
}
