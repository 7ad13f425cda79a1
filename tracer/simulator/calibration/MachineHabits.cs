using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;

namespace Tracer.Simulator.Calibration;

/// <summary>What goes on below every scenario on a kind of machine, as it was measured on real ones.</summary>
internal sealed record MachineHabits
{
    /// <summary>Logical processors of the machine that was measured.</summary>
    public required int ReportedCpus { get; init; }

    public required IReadOnlyList<DeviceHabit> Devices { get; init; }

    /// <summary>Timers of the kernel and the drivers.</summary>
    public required IReadOnlyList<TimerHabit> Timers { get; init; }

    /// <summary>
    /// DPCs that the kernel's own timer sends to the other CPUs: for each CPU, how many a second; 0 where the timers have all of them.
    /// </summary>
    public required double KernelDpcsPerSecond { get; init; }

    public required Spread KernelDpc { get; init; }

    /// <summary>How many threads wake up in a second, on the whole machine.</summary>
    public required double WakeupsPerSecond { get; init; }

    /// <summary>How long a thread runs that has woken up.</summary>
    public required Spread ThreadRun { get; init; }

    /// <summary>Whether all interrupts of devices and all timers go to the first CPU; else devices are spread over the CPUs.</summary>
    public required bool UsesOnlyFirstCpu { get; init; }

    public required IReadOnlyList<IdleState> IdleStates { get; init; }

    /// <summary>How long an ISR of a scenario's well-behaved driver runs.</summary>
    public Spread UsualIsr { get; init; } = Spread.Measured(
        (0, 0.5), (0.5, 3), (0.9, 9), (0.99, 22), (0.999, 60), (1, 90));

    /// <summary>How long a DPC of a scenario's well-behaved driver runs.</summary>
    public Spread UsualDpc { get; init; } = Spread.Measured(
        (0, 1.5), (0.1, 4), (0.5, 11), (0.9, 30), (0.99, 110), (0.999, 230), (1, 380));

    /// <summary>A DPC of a network driver that takes packets all the time: no more than a few microseconds for most.</summary>
    public Spread DpcUnderLoad { get; init; } = Spread.Measured(
        (0, 0.8), (0.003, 1), (0.2, 2), (0.825, 4), (0.996, 16), (0.9999, 32), (1, 120));
}

/// <summary>How a device interrupts, and how long its driver takes.</summary>
internal sealed record DeviceHabit(ImageRole Role, Spread Interval, Spread Isr, Spread Dpc)
{
    /// <summary>A second DPC, which the first one queues; null for none.</summary>
    public Spread? SecondDpc { get; init; }

    /// <summary>How often an interrupt queues the DPC, 0 to 1.</summary>
    public double DpcPart { get; init; } = 1;

    /// <summary>A DPC of the driver's own that its framework does not call; null for none.</summary>
    public Spread? OwnDpc { get; init; }

    /// <summary>How many of its own DPCs there are for an interrupt: one above 1 queues itself again.</summary>
    public double OwnDpcsPerInterrupt { get; init; }

    /// <summary>The part of each CPU of the machine that was measured, in percent; empty where that is not known.</summary>
    public IReadOnlyList<int> Cpus { get; init; } = [];
}

/// <summary>Timers that queue a DPC again and again.</summary>
/// <param name="Name">Name of its source of random numbers.</param>
/// <param name="Frames">Its DPC's frames, innermost first; the last is what the record names.</param>
internal sealed record TimerHabit(string Name, IReadOnlyList<(string Module, string Routine)> Frames, long PeriodNs, Spread Length)
{
    /// <summary>How many expire together, one behind the other.</summary>
    public int Together { get; init; } = 1;

    /// <summary>Whether each CPU has its own.</summary>
    public bool IsOnEachCpu { get; init; }

    /// <summary>
    /// The part of each CPU of the machine that was measured, in percent, where the period is that of all together; empty for one CPU.
    /// </summary>
    public IReadOnlyList<int> Cpus { get; init; } = [];

    /// <summary>How unevenly it comes, up to this part of its period later.</summary>
    public double Jitter { get; init; }
}
