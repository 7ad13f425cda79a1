using Tracer.Simulator.Draws;

namespace Tracer.Simulator.Engine;

/// <summary>What power management and what runs below the system do to a CPU.</summary>
internal sealed class CpuPower
{
    public int SpeedPercent { get; set; } = 100;

    /// <summary>How fast its kind of core is at its best: 100, or less for one that is made to save energy.</summary>
    public int CorePercent { get; set; } = 100;

    /// <summary>How fast it is.</summary>
    public int Percent => SpeedPercent * CorePercent / CpuSpeed.FullPercent;

    /// <summary>Threads are not given to it, although it idles.</summary>
    public bool IsParked { get; set; }

    /// <summary>How long it ran anything since the last look.</summary>
    public long BusyNs { get; set; }

    /// <summary>How long the exit from an idle state takes that is under way, or took that was last.</summary>
    public long ExitNs { get; set; }

    public RandomSequence? Exits { get; set; }

    /// <summary>What the last exit's latency was drawn from; null where it is always the same.</summary>
    public Spread? LastLatency { get; set; }

    /// <summary>Who has taken it away from the system; null while it runs.</summary>
    public Taking? TakenBy { get; set; }
}

/// <summary>Somebody below the system has a CPU.</summary>
internal sealed record Taking(CodeOwner Owner, Mechanism Mechanism);

/// <summary>What the speed of a CPU makes of the time that its code takes.</summary>
internal static class CpuSpeed
{
    public const int FullPercent = 100;

    /// <summary>How far the code on top has got in a time.</summary>
    public static long Progress(Cpu cpu, Frame top, long elapsedNs)
    {
        cpu.Power.BusyNs += elapsedNs;
        return IsSlowed(cpu, top) ? elapsedNs * cpu.Power.Percent / FullPercent : elapsedNs;
    }

    /// <summary>How long the code on top needs for what is left of its step.</summary>
    public static long TimeFor(Cpu cpu, Frame top) => IsSlowed(cpu, top)
        ? ((top.RemainingNs * FullPercent) + cpu.Power.Percent - 1) / cpu.Power.Percent
        : top.RemainingNs;

    /// <summary>Devices, the way out of an idle state and those that a CPU waits for take the time they take.</summary>
    public static bool IsSlowed(Cpu cpu, Frame top) =>
        cpu.Power.Percent < FullPercent && !top.IsStanding && top.Spin is null && top.Kind != FrameKind.IdleExit;
}
