using Tracer.Analysis.Facts;
using Tracer.Etl.Stacks;

namespace Tracer.Analysis.Machine;

/// <summary>What must be known about a trace to follow its machine. Times in ticks of the trace's clock.</summary>
internal sealed record MachineSettings
{
    /// <summary>Frequency of the trace's clock.</summary>
    public required long TicksPerSecond { get; init; }

    /// <summary>Number of logical processors that have events.</summary>
    public required int CpuCount { get; init; }

    /// <summary>Interval of the profile samples at the start of the trace; 0 where the trace does not give it.</summary>
    public required long SampleIntervalTicks { get; init; }

    /// <summary>When the interval changes, in order of time.</summary>
    public required IReadOnlyList<SampleIntervalChange> SampleIntervals { get; init; }

    /// <summary>The past of a CPU can be asked as of the end of any of these.</summary>
    public required TimeCells Cells { get; init; }

    /// <summary>Whether the trace records which DPCs were queued.</summary>
    public required bool HasDpcQueue { get; init; }

    /// <summary>A sample that is late by less than this counts as on time.</summary>
    public required long SampleToleranceTicks { get; init; }

    /// <summary>A gap longer than this ends a stretch at ISR or DPC level.</summary>
    public required long LevelGapTicks { get; init; }

    public required ImageTable Images { get; init; }

    public required StackDefinitions Stacks { get; init; }

    /// <summary>Samples that our own driver took, in order of time.</summary>
    public required IReadOnlyList<PitSample> DriverSamples { get; init; }

    /// <summary>The process of a thread at a time; null where it is not known.</summary>
    public required Func<uint, long, uint?> ProcessOf { get; init; }

    /// <summary>Names of the files in which pages were faulted in.</summary>
    public required FaultedFiles FaultedFiles { get; init; }

    /// <summary>The least time without a record that is kept of a CPU; the largest time for none.</summary>
    public long LeastRecordGapTicks { get; init; } = long.MaxValue;

    public required ProfileInterrupt ProfileInterrupt { get; init; }

    /// <summary>Whether to add up the run time of processes.</summary>
    public required bool WithRunTimes { get; init; }

    /// <summary>Whether to count the addresses that samples hit.</summary>
    public required bool WithSamples { get; init; }

    /// <summary>Converts units of 100 ns to ticks.</summary>
    public long TicksOf100Nanoseconds(long units) => TickRate.TicksOf100Nanoseconds(units, TicksPerSecond);
}
