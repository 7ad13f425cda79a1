using Tracer.Simulator.Draws;

namespace Tracer.Simulator.Inventory;

/// <summary>The measured machine whose drivers, devices, timers and programs a simulated one has.</summary>
public enum MachineProfile
{
    /// <summary>A laptop with Windows 7 and 8 CPUs, as a public trace shows it.</summary>
    Laptop,

    /// <summary>A desktop with Windows 10 or 11, as LatencyMon reported one; how busy it is follows the seed.</summary>
    Desktop,

    /// <summary>Windows 11 26200 with 16 CPUs and nothing to do but its desktop.</summary>
    Idle,

    /// <summary>The same machine as the root of Hyper-V, with guests that have little to do.</summary>
    HyperV,

    /// <summary>The same machine with a game in the foreground.</summary>
    Game,

    /// <summary>A laptop with an ARM64 processor. None was measured: it does what the desktop does.</summary>
    Arm64,
}

/// <summary>Which machine a run is to be, and which Windows it has.</summary>
internal static class MachineProfiles
{
    /// <summary>The machine of a seed: of Windows 11 24H2 and later four kinds, each as often as the others.</summary>
    /// <param name="isPlain">Whether it is to have no more going on than most: a guest, or a machine with few parts.</param>
    public static MachineProfile Of(WindowsBuild build, ulong seed, bool isPlain) =>
        !build.IsModern ? MachineProfile.Laptop
        : !build.IsOfToday || isPlain ? MachineProfile.Desktop
        : new RandomSequence(seed, "profile").OneOf(
            MachineProfile.Desktop, MachineProfile.Idle, MachineProfile.HyperV, MachineProfile.Game);

    /// <summary>Whether it is the machine of today of which counts are known.</summary>
    public static bool IsOfToday(this MachineProfile profile) =>
        profile is MachineProfile.Idle or MachineProfile.HyperV or MachineProfile.Game;

    /// <summary>Whether what goes on in it is that of the measured desktop.</summary>
    public static bool IsLikeDesktop(this MachineProfile profile) => profile is MachineProfile.Desktop or MachineProfile.Arm64;

    public static bool Suits(this MachineProfile profile, WindowsBuild build) => profile switch
    {
        MachineProfile.Laptop => !build.IsModern,
        MachineProfile.Desktop => build.IsModern,
        _ => build.IsOfToday,
    };
}
