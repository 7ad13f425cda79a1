using Tracer.Contract;

namespace Tracer.Capture;

/// <summary>What watching costs the machine that is watched. Null stands for what the system does not tell.</summary>
public sealed record CaptureCost
{
    /// <summary>CPU time of our processes since the capture began, the probe's among it.</summary>
    public required Duration OwnCpu { get; init; }

    /// <summary>The same in percent of one CPU.</summary>
    public required double? OwnCpuPercent { get; init; }

    /// <summary>Events that the recorder took in its first second, stacks included.</summary>
    public required double? EventsPerSecond { get; init; }

    /// <summary>Stacks among them: the dearest.</summary>
    public required double? StacksPerSecond { get; init; }

    /// <summary>Period of the clock interrupt before the capture began.</summary>
    public required Duration? ClockPeriodBefore { get; init; }

    /// <summary>The shortest that was seen since: each of its ticks wakes a CPU, and timers of others get finer.</summary>
    public required Duration? ClockPeriod { get; init; }

    /// <summary>Distance of samples.</summary>
    public required Duration? SampleInterval { get; init; }
}
