namespace Tracer.Measure.Ground;

/// <summary>A kernel driver that measures wake-ups by itself: it sees interrupts and DPCs, which no program does.</summary>
public interface IMeasureDriver
{
    /// <summary>Has it measure for a while, and leaves it as it was before.</summary>
    /// <param name="take">Takes each wake-up, while it measures.</param>
    DriverMeasured Run(DriverWish wish, Action<DriverWakeup> take, CancellationToken stop);
}

/// <summary>A measurement that a driver sees more of.</summary>
public interface IDriverAided : IMeasurement
{
    Duration Interval { get; }
}

/// <param name="Interval">From one wake-up to the next.</param>
/// <param name="Cpu">The CPU whose wake-ups count; null for all.</param>
public sealed record DriverWish(Duration Interval, Duration Duration, MeasurePriority Priority, int? Cpu);

/// <summary>A wake-up as a driver saw it, in nanoseconds. What is null it did not measure.</summary>
/// <param name="At">From the first wake-up to when this one was due.</param>
/// <param name="Timer">From the clock tick that served the timer until the timer's callback ran.</param>
/// <param name="Interrupt">From when an interrupt of its own was due until the first instruction of the ISR.</param>
/// <param name="Dpc">From when the DPC was queued until its first instruction.</param>
/// <param name="Thread">From there to the first instruction of the thread.</param>
/// <param name="Total">From when the DPC was queued, or its own interrupt was due, until then.</param>
public readonly record struct DriverWakeup(long At, long? Timer, long? Interrupt, long? Dpc, long Thread, long Total);

/// <param name="Setting">How it was before, what was wanted, what it did, and why it refused.</param>
/// <param name="Lost">Wake-ups that nobody read in time, or that can't be.</param>
/// <param name="Floor">How late an idle machine's wake-ups are, as it measured at its start; null where it does not know.</param>
public sealed record DriverMeasured(MeasureSetting Setting, long Lost, Duration? Floor);
