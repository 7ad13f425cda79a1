using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;

namespace Tracer.Simulator.Calibration;

/// <summary>
/// A desktop of Windows 10 or 11. No public trace of one shows ISRs and DPCs; what is known are totals that LatencyMon reported, of which
/// this follows the fullest: Windows 11, 12 CPUs, 97 s, 2,629 ISRs a second of 1.2 us on average and at most 345, 16,908 DPCs a second of
/// 2.5 us on average and at most 797, a fifth of them on CPU 0. How that divides among drivers is our estimate. Most machines do less.
/// </summary>
internal static class DesktopHabits
{
    /// <summary>How busy the quietest machines are beside it.</summary>
    public const double LeastIntensity = 0.05;

    private const long Millisecond = 1_000_000;

    /// <summary>All of it, at the rates of that machine.</summary>
    public static MachineHabits Machine { get; } = new()
    {
        ReportedCpus = 12,
        UsesOnlyFirstCpu = false,
        Devices =
        [
            new(
                ImageRole.UsbController,
                Spread.Measured((0, 100), (0.2, 700), (0.5, 950), (0.8, 1_050), (0.97, 2_000), (1, 6_000)),
                Spread.Measured((0, 0.4), (0.5, 0.8), (0.9, 1.3), (0.99, 3.2), (0.999, 9), (1, 30)),
                Spread.Measured((0, 1), (0.5, 2.4), (0.9, 4.5), (0.99, 14), (0.999, 35), (1, 90))),
            new(
                ImageRole.DisplayMiniport,
                Spread.Measured((0, 20), (0.3, 300), (0.6, 1_100), (0.9, 3_600), (0.97, 6_944), (1, 16_700)),
                Spread.Measured((0, 0.5), (0.5, 1.2), (0.9, 2.4), (0.99, 8), (0.999, 25), (1, 60)),
                Spread.Measured((0, 1), (0.5, 3), (0.9, 8.5), (0.99, 38), (0.999, 130), (0.9997, 240), (1, 797))),
            new(
                ImageRole.NetworkMiniport,
                Spread.Measured((0, 3), (0.4, 120), (0.7, 900), (0.9, 4_500), (0.98, 13_000), (1, 50_000)),
                Spread.Measured((0, 0.2), (0.5, 0.5), (0.9, 0.9), (0.99, 2), (1, 8)),
                Spread.Measured((0, 0.8), (0.003, 1), (0.2, 2), (0.825, 4), (0.98, 9), (0.996, 16), (0.9995, 45), (1, 180))),
            new(
                ImageRole.StorageMiniport,
                Spread.Measured((0, 20), (0.4, 150), (0.7, 900), (0.9, 12_000), (0.98, 50_000), (1, 200_000)),
                Spread.Measured((0, 0.4), (0.5, 0.9), (0.9, 1.6), (0.99, 5), (1, 40)),
                Spread.Measured((0, 1), (0.5, 3), (0.9, 7), (0.99, 25), (0.999, 60), (1, 128))),
            new(
                ImageRole.AudioBus,
                Spread.Measured((0, 9_600), (0.1, 9_950), (0.9, 10_050), (1, 10_400)),
                Spread.Measured((0, 0.7), (0.5, 1.4), (0.9, 2.4), (0.99, 9), (0.999, 60), (1, 345)),
                Spread.Measured((0, 0.6), (0.5, 1.6), (0.9, 3), (0.99, 12), (1, 60))),
            new(
                ImageRole.Acpi,
                Spread.Measured((0, 200), (0.4, 900), (0.5, 60_000), (0.8, 900_000), (1, 4_000_000)),
                Spread.Measured((0, 4), (0.5, 7), (0.9, 14), (1, 40)),
                Spread.Measured((0, 5), (0.5, 9), (0.9, 18), (1, 60)))
            {
                SecondDpc = Spread.Measured((0, 6), (0.5, 40), (0.9, 110), (0.99, 200), (1, 270)),
            },
        ],
        Timers =
        [
            new(
                "kernel timers", [("ntoskrnl.exe", "KiTimerDpc")], Millisecond,
                Spread.Measured((0, 0.3), (0.1, 0.6), (0.5, 1.6), (0.9, 4.2), (0.99, 11), (0.999, 35), (1, 128)))
            {
                IsOnEachCpu = true,
            },
            new(
                "tcp on each cpu", [("tcpip.sys", "TcpPeriodicTimeoutHandler")], 40 * Millisecond,
                Spread.Measured((0, 0.8), (0.5, 2), (0.9, 5), (0.99, 14), (1, 60)))
            {
                IsOnEachCpu = true,
            },
            new(
                "miniport timers", [(Windows7Habits.Network, "MiniportTimer"), ("ndis.sys", "ndisMTimerDpcX")], 100 * Millisecond,
                Spread.Measured((0, 1), (0.5, 3), (0.9, 9), (0.99, 40), (1, 150)))
            {
                Jitter = 0.2,
            },
            new(
                "storage requests", [("storport.sys", "RaidUnitPendingDpcRoutine")], 100 * Millisecond,
                Spread.Measured((0, 0.5), (0.5, 1.5), (0.9, 4), (0.99, 9), (1, 30))),
            new(
                "display power", [(Windows7Habits.Display, "PowerTimer")], 50 * Millisecond,
                Spread.Measured((0, 1), (0.5, 2.6), (0.9, 8), (0.99, 30), (1, 110))),
            new(
                "framework client", [(Windows7Habits.Client, "EvtTimer"), ("Wdf01000.sys", "FxTimer::_FxTimerDpcThunk")], 100 * Millisecond,
                Spread.Measured((0, 2), (0.5, 5), (0.9, 14), (0.99, 35), (1, 90)))
            {
                Jitter = 0.1,
            },
            new(
                "filters", [("NETIO.SYS", "WfpTimerWheelTimeoutHandler")], 250 * Millisecond,
                Spread.Measured((0, 0.5), (0.5, 1.5), (0.9, 4), (1, 20)))
            {
                Together = 3,
            },
            new(
                "sockets", [("afd.sys", "AfdTimerWheel")], 200 * Millisecond,
                Spread.Measured((0, 0.5), (0.5, 2), (0.9, 5), (1, 18))),
        ],
        KernelDpcsPerSecond = 160,
        KernelDpc = Spread.Measured((0, 0.3), (0.5, 1.2), (0.9, 3.4), (0.99, 9), (0.999, 30), (1, 90)),
        WakeupsPerSecond = 3_000,
        ThreadRun = Spread.Measured((0, 1), (0.1, 3), (0.25, 6), (0.5, 14), (0.75, 35), (0.9, 110), (0.98, 1_000), (1, 3_000)),
        IdleStates =
        [
            new IdleState(1, 1_000, 0) { ExitLatency = Spread.Measured((0, 0.3), (0.5, 1), (1, 3)) },
            new IdleState(2, 30_000, 200_000)
            {
                ExitLatency = Spread.Measured((0, 0.5), (0.1, 1.5), (0.5, 7), (0.9, 20), (0.99, 60), (1, 110)),
                ExitLatencyOfIdleMachine = Spread.Measured((0, 2), (0.1, 12), (0.5, 26), (0.9, 60), (0.99, 95), (1, 140)),
            },
        ],
    };

    /// <summary>The profile interrupt's and the clock's cost; neither leaves ISR records.</summary>
    public static PeriodicInterrupts Periodic { get; } = new()
    {
        ProfileOnBusyCpu = Spread.Measured((0, 0.5), (0.5, 0.9), (0.9, 2.5), (0.99, 9), (1, 30)),
        ProfileOnIdleCpu = Spread.Measured((0, 1), (0.5, 3), (0.9, 7), (0.99, 20), (1, 40)),
        ProfileOnIdleMachine = Spread.Measured((0, 2), (0.5, 9), (0.9, 20), (0.99, 35), (1, 60)),
        Clock = Spread.Measured((0, 0.5), (0.5, 1.2), (0.9, 3), (0.99, 8), (1, 30)),
    };

    /// <summary>How busy a machine is beside the one that was reported: most do a tenth or less.</summary>
    public static double Intensity(RandomSequence random) => random.NextFraction() switch
    {
        < 0.3 => LeastIntensity,
        < 0.65 => 0.12,
        < 0.9 => 0.3,
        _ => 1,
    };
}
