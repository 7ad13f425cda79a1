using Tracer.Analysis.Facts;
using Tracer.Analysis.Machine;
using Tracer.Etl.Stacks;

namespace Tracer.Analysis.Tests.Machine;

/// <summary>What a lane must be told of a trace of which nothing special is known; ticks are 100 ns.</summary>
internal static class MadeLanes
{
    public static MachineSettings Settings { get; } = new()
    {
        TicksPerSecond = 10_000_000,
        CpuCount = 4,
        SampleIntervalTicks = 0,
        SampleIntervals = [],
        Cells = new TimeCells(0, 100),
        HasDpcQueue = true,
        SampleToleranceTicks = 500,
        LevelGapTicks = 20,
        Images = new ImageTable(8),
        Stacks = new StackDefinitions(),
        DriverSamples = [],
        ProcessOf = (_, _) => null,
        FaultedFiles = new FaultedFiles(),
        ProfileInterrupt = new ProfileInterrupt(),
        WithRunTimes = false,
        WithSamples = false,
    };
}
