using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;

namespace Tracer.Simulator.Calibration;

/// <summary>
/// A laptop of 2011 in use: Windows 7 SP1, 8 CPUs, wireless network, two display adapters. Every table holds quantiles in microseconds of
/// the one public trace with ISR and DPC records (randomascii/bigfiles, "2011-08-29 slow ppt trace"), taken with a decoder of our own;
/// docs/generated/calibration.md compares what comes out.
/// </summary>
internal static class Windows7Habits
{
    private const long Millisecond = 1_000_000;

    public static MachineHabits Machine { get; } = new()
    {
        ReportedCpus = 8,
        UsesOnlyFirstCpu = true,
        Devices =
        [
            new(
                ImageRole.NetworkMiniport,
                Spread.Measured(
                    (0, 2), (0.05, 35), (0.1, 142), (0.2, 211), (0.3, 2_000), (0.35, 9_840), (0.65, 10_211), (0.7, 25_136), (0.75, 73_265),
                    (0.8, 90_557), (0.9, 92_253), (0.99, 94_019), (1, 103_506)),
                Spread.Measured((0, 0.2), (0.1, 0.47), (0.25, 0.93), (0.5, 1.87), (0.75, 4.66), (0.9, 5.13), (0.99, 7), (1, 7.93)),
                Spread.Measured(
                    (0, 0.5), (0.05, 8), (0.1, 10.7), (0.25, 11.2), (0.5, 14.9), (0.65, 60), (0.75, 114), (0.9, 228), (0.99, 381),
                    (1, 491))),
            new(
                ImageRole.DisplayMiniport,
                Spread.Measured(
                    (0, 28), (0.05, 404), (0.1, 733), (0.2, 2_630), (0.3, 15_391), (0.45, 16_673), (0.9, 16_754), (0.95, 133_763),
                    (0.99, 367_905), (1, 1_230_947)),
                Spread.Measured((0, 6.1), (0.1, 9.8), (0.25, 16.8), (0.5, 31.7), (0.75, 36.4), (0.9, 45.7), (0.99, 90), (1, 134)),
                Spread.Measured((0, 1.4), (0.1, 2.3), (0.25, 4.7), (0.5, 8.9), (0.75, 15.9), (0.9, 24.3), (0.99, 78), (1, 131))),
            new(
                ImageRole.StorageMiniport,
                Spread.Measured(
                    (0, 6), (0.05, 186), (0.1, 237), (0.2, 287), (0.35, 531), (0.5, 718), (0.55, 949), (0.7, 1_022), (0.75, 1_166),
                    (0.8, 17_471), (0.85, 76_835), (0.9, 108_148), (0.99, 108_312), (1, 828_963)),
                Spread.Measured(
                    (0, 3.3), (0.1, 6.1), (0.25, 7.9), (0.5, 10.3), (0.75, 17.3), (0.9, 25.7), (0.99, 49.9), (0.999, 87), (1, 88)),
                Spread.Measured((0, 0.5), (0.1, 1.4), (0.25, 1.9), (0.5, 3.7), (0.75, 7), (0.9, 20.5), (0.99, 56.9), (0.999, 104),
                    (1, 105))),
            new(
                ImageRole.Acpi,
                Spread.Measured(
                    (0, 15), (0.05, 195), (0.1, 324), (0.3, 436), (0.5, 618), (0.7, 918), (0.75, 1_593), (0.8, 101_959), (0.85, 261_050),
                    (0.9, 536_403), (0.95, 1_106_022), (0.99, 1_835_064), (1, 1_947_247)),
                Spread.Measured((0, 8.9), (0.1, 10.7), (0.25, 10.8), (0.5, 15.9), (0.75, 19.6), (0.9, 23.8), (0.99, 39.7), (1, 41.5)),
                Spread.Measured((0, 8.9), (0.1, 9.8), (0.5, 12.6), (0.75, 16.8), (0.9, 17.7), (0.97, 30), (1, 59.7)))
            {
                SecondDpc = Spread.Measured((0, 6.5), (0.1, 12.6), (0.25, 43.4), (0.5, 118), (0.75, 183), (0.9, 210), (0.99, 254),
                    (1, 267)),
            },
            new(
                ImageRole.AudioBus,
                Spread.Measured(
                    (0, 82), (0.1, 94), (0.3, 132), (0.5, 183), (0.65, 248), (0.68, 300), (0.69, 498_000), (0.95, 499_059), (0.99, 514_307),
                    (1, 514_711)),
                Spread.Measured((0, 4.2), (0.1, 4.7), (0.25, 5.6), (0.5, 10.3), (0.75, 10.7), (0.9, 14), (1, 20.5)),
                Spread.Measured((0, 1), (0.1, 1.9), (0.5, 4.2), (0.9, 10.7), (0.99, 16.8), (1, 46.2))),
            new(
                ImageRole.KeyboardPort,
                Spread.Measured(
                    (0, 20_156), (0.05, 50_874), (0.1, 58_316), (0.3, 66_580), (0.5, 71_476), (0.7, 77_664), (0.8, 131_812),
                        (0.85, 200_616),
                    (0.9, 476_990), (0.95, 2_666_961), (1, 3_443_162)),
                Spread.Measured((0, 9.3), (0.1, 10.3), (0.25, 10.7), (0.5, 12.1), (0.75, 18.7), (0.9, 19.1), (0.97, 40), (1, 63.4)),
                Spread.Measured((0, 5), (0.1, 7), (0.5, 8.9), (0.75, 15), (0.9, 25.7), (1, 27.5))),
        ],
        Timers =
        [
            Timer(
                "kernel lists", "ntoskrnl.exe", "CcScanDpc", 203, Spread.Measured((0, 0.4), (0.5, 0.93), (0.9, 1.9), (1, 5.6))),
            Timer(
                "kernel second", "ntoskrnl.exe", "ExpTimerDpcRoutine", 998,
                Spread.Measured((0, 15), (0.1, 19), (0.5, 33.6), (0.9, 39.2), (1, 48))),
            Timer("kernel balance", "ntoskrnl.exe", "KiScanReadyQueues", 1_014,
                Spread.Measured((0, 0.5), (0.5, 1.9), (0.9, 4.2), (1, 5.1))),
            new(
                "miniport timers", [(Network, "MiniportTimer"), ("ndis.sys", "ndisMTimerDpcX")], 187 * Millisecond,
                Spread.Measured((0, 5.6), (0.1, 14), (0.25, 18.2), (0.5, 36.4), (0.75, 50.9), (0.9, 70.4), (0.98, 150), (1, 189))),
            new(
                "protocol timers", [("ndis.sys", "ndisTimerDpc")], 370 * Millisecond,
                Spread.Measured((0, 0.2), (0.5, 0.93), (0.9, 4.2), (1, 13.5)))
            {
                Together = 2,
            },
            Timer(
                "tcp on each cpu", "tcpip.sys", "TcpPeriodicTimeoutHandler", 1_400,
                Spread.Measured((0, 5), (0.1, 7.5), (0.5, 10.3), (0.9, 25.7), (1, 27.1))) with
            {
                IsOnEachCpu = true,
            },
            Timer(
                "tcp", "tcpip.sys", "IppTimeout", 499,
                Spread.Measured((0, 8), (0.1, 11.2), (0.5, 26.1), (0.9, 62.5), (0.97, 130), (1, 154))),
            Timer("filters", "NETIO.SYS", "WfpTimerWheelTimeoutHandler", 1_092,
                Spread.Measured((0, 0.5), (0.5, 3.3), (0.9, 9.3), (1, 47.6))) with
            {
                Together = 5,
            },
            new(
                "storage requests", [(Storage, "HwTimer"), ("storport.sys", "RaidAdapterTimerDpcRoutine")], 500 * Millisecond,
                Spread.Measured((0, 0.4), (0.1, 0.93), (0.5, 2.3), (0.9, 5.6), (1, 11.7)))
            {
                Together = 4,
            },
            new(
                "storage link", [(Storage, "HwLinkTimer"), ("storport.sys", "RaidPauseTimerDpcRoutine")], 135 * Millisecond,
                Spread.Measured((0, 3), (0.1, 4.2), (0.5, 6.1), (0.9, 10.3), (0.99, 13.1), (1, 80.2))),
            new(
                "display power", [(Display, "PowerTimer")], 100 * Millisecond,
                Spread.Measured((0, 0.9), (0.1, 1.4), (0.5, 1.9), (0.9, 3.7), (0.99, 5.1), (1, 9.8))),
            new(
                "second display", [(Display, "IdleTimer")], 560 * Millisecond,
                    Spread.Measured((0, 1), (0.1, 1.9), (0.5, 6.5), (0.9, 9.3), (1, 10.3)))
            {
                Jitter = 0.4,
            },
            new(
                "framework client", [(Client, "EvtTimer"), ("Wdf01000.sys", "FxTimer::_FxTimerDpcThunk")], 998 * Millisecond,
                Spread.Measured((0, 12), (0.1, 15.9), (0.5, 31.3), (0.9, 36.4), (1, 46.7))),
            Timer("tunnel", "tunnel.sys", "TunnelTimer", 499, Spread.Measured((0, 1), (0.1, 1.9), (0.5, 3.7), (0.9, 5.6), (1, 7))),
            Timer("virtual bus", "vpchbus.sys", "PollTimer", 499, Spread.Measured((0, 1), (0.1, 1.4), (0.5, 4.2), (0.9, 7), (1, 50.9))),
            Timer("sockets", "afd.sys", "AfdTimerWheel", 425, Spread.Measured((0, 1), (0.1, 3), (0.5, 7), (0.9, 10.3), (1, 23.3))),
            Timer("server", "srv.sys", "SrvTimerRoutine", 5_007,
                Spread.Measured((0, 0.4), (0.5, 1.4), (0.85, 5), (0.9, 67.6), (1, 68.1))) with
            {
                IsOnEachCpu = true,
            },
            Timer("names", "netbt.sys", "TimerExpiry", 2_500, Spread.Measured((0, 10), (0.5, 23.3), (0.8, 40), (1, 116.6))),
            Timer("usb parent", "usbccgp.sys", "IdleTimerDpc", 4_000, Spread.Measured((0, 4), (0.5, 11.2), (1, 12.1))),
            Timer("firmware table", "ACPI.sys", "ACPIDeviceTimer", 2_900, Spread.Measured((0, 2), (0.5, 5.6), (1, 7.9))),
            Timer("web server", "HTTP.sys", "UlpTimerWheel", 5_007, Spread.Measured((0, 2), (0.5, 4), (1, 6.5))),
            Timer("file system", "Ntfs.sys", "NtfsCheckpointAllVolumes", 5_054, Spread.Measured((0, 1.5), (0.5, 2.3), (1, 3.7))),
            Timer("redirector", "rdbss.sys", "RxTimerDispatch", 6_000, Spread.Measured((0, 2.2), (0.5, 2.7), (1, 2.9))),
        ],
        KernelDpcsPerSecond = 8.6,
        KernelDpc = Spread.Measured((0, 0.3), (0.1, 0.93), (0.25, 1.4), (0.5, 2.8), (0.75, 5.6), (0.9, 10.3), (0.99, 14.9), (1, 31.3)),
        WakeupsPerSecond = 480,
        ThreadRun = Spread.Measured((0, 0.9), (0.1, 2.8), (0.25, 6.1), (0.5, 14.9), (0.75, 32.7), (0.9, 98.9), (0.98, 1_000), (1, 3_000)),
        IdleStates =
        [
            new IdleState(1, 1_000, 0) { ExitLatency = Spread.Measured((0, 0.3), (0.5, 1), (1, 4)) },
            new IdleState(2, 10_000, 100_000)
            {
                ExitLatency = Spread.Measured(
                    (0, 0.3), (0.1, 1.9), (0.25, 3.8), (0.5, 9.6), (0.75, 15.5), (0.9, 17), (0.99, 24.6), (0.999, 35.6), (1, 60)),
                ExitLatencyOfIdleMachine = Spread.Measured(
                    (0, 1), (0.01, 4.8), (0.1, 17.3), (0.25, 21.1), (0.5, 26.8), (0.75, 30.1), (0.9, 32.7), (0.99, 38.3), (1, 73)),
            },
        ],
    };

    /// <param name="stackWalk">Address, name and code of the DPC that reads stacks of user mode.</param>
    public static PeriodicInterrupts Periodic(
        InterruptRecord profile, InterruptRecord clock, (ulong Routine, string Name, CodeStretch Code) stackWalk) => new()
        {
            ProfileRecord = profile,
            ClockRecord = clock,
            ProfileOnBusyCpu = Spread.Measured((0, 0.2), (0.5, 0.5), (0.7, 2), (0.75, 3.7), (0.9, 9.3), (0.99, 41), (0.999, 60), (1, 97)),
            ProfileOnIdleCpu = Spread.Measured(
            (0, 1.4), (0.1, 3.3), (0.25, 4.2), (0.5, 6.5), (0.75, 7.9), (0.9, 9.3), (0.97, 20), (0.99, 34.5), (0.999, 41), (1, 57)),
            ProfileOnIdleMachine = Spread.Measured(
            (0, 0.5), (0.01, 11.2), (0.1, 21), (0.25, 30.8), (0.5, 36.9), (0.75, 39.7), (0.9, 42.5), (0.99, 56.5), (0.999, 61), (1, 92)),
            BeforeSample = Spread.Measured((0, 0.05), (0.4, 0.3), (0.6, 0.6), (0.9, 2), (0.99, 2.5), (1, 3.3)),
            Clock = Spread.Measured(
            (0, 0.4), (0.25, 0.93), (0.5, 2.8), (0.75, 6.1), (0.9, 6.5), (0.99, 7.9), (0.999, 44.3), (1, 45.3)),
            StackWalk = new KernelRoutine(
            stackWalk.Routine, stackWalk.Name, stackWalk.Code,
            Spread.Measured((0, 0.1), (0.1, 0.25), (0.5, 0.5), (0.9, 0.9), (0.99, 2.8), (1, 7.9))),
        };

    /// <summary>Stands for the file name of the machine's network miniport.</summary>
    public const string Network = "<network>";

    /// <summary>Stands for the file name of the machine's display miniport.</summary>
    public const string Display = "<display>";

    /// <summary>Stands for the file name of the machine's storage miniport.</summary>
    public const string Storage = "<storage>";

    /// <summary>Stands for the file name of a client of the driver framework.</summary>
    public const string Client = "<client>";

    private static TimerHabit Timer(string name, string module, string routine, long milliseconds, Spread length) =>
        new(name, [(module, routine)], milliseconds * Millisecond, length);
}
