using Tracer.Simulator.Draws;
using Tracer.Simulator.Inventory;

namespace Tracer.Simulator.Calibration;

/// <summary>
/// A machine of today: Windows 11 26200 with 16 CPUs, an NVIDIA GPU and an xHCI controller, by what <c>xperf -a dpcisr</c> wrote of it
/// (121 s idle, 126 s with Hyper-V, 302 s of a game). Rates are ISRs and DPCs counted, lengths the counts of its buckets, CPUs the parts of
/// the time that each had. docs/generated/calibration.md compares what comes out.
/// </summary>
internal static class Windows11Habits
{
    private const int Cpus = 16;

    /// <summary>Its desktop, with nothing to do.</summary>
    public static MachineHabits Idle { get; } = DesktopHabits.Machine with
    {
        ReportedCpus = Cpus,
        Devices =
        [
            new(
                ImageRole.DisplayMiniport, Spread.Exponential(604_655),
                Spread.Histogram(0, 0, 58, 255, 11_490, 81_437, 70_700, 36_097, 45, 10, 1),
                Spread.Histogram(323, 287, 6291, 32_674, 8501, 2220, 531, 33_706, 469, 84, 4))
            {
                Cpus = [0, 0, 0, 0, 26, 24, 26, 24, 0, 0, 0, 0, 0, 0, 0, 0],
                DpcPart = 0.425,
                OwnDpc = Spread.Histogram(93_116, 3640, 2409, 13_253, 20_511, 28_862, 60_735, 8290, 122, 12, 0, 0, 1),
                OwnDpcsPerInterrupt = 1.154,
            },
            new(
                ImageRole.UsbController, Spread.Exponential(3_558_447_294),
                Spread.Histogram(13, 19, 2),
                Spread.Histogram(0, 9, 8, 0, 15, 2))
            {
                Cpus = [0, 0, 100, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
            },
            new(
                ImageRole.NetworkMiniport, Spread.Exponential(208_239_601),
                Spread.Histogram(435, 94, 52),
                Spread.Histogram(0, 2, 266, 163, 56, 63, 113, 29, 10))
            {
                Cpus = [100, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
            },
            new(
                ImageRole.StorageMiniport, Spread.Exponential(27_685_860),
                Spread.Histogram(3820, 514, 34, 0, 2),
                Spread.Histogram(1165, 105, 549, 1569, 825, 65, 8, 3))
            {
                Cpus = [0, 8, 4, 12, 7, 11, 5, 13, 7, 16, 3, 8, 0, 3, 1, 1],
            },
            new(
                ImageRole.AudioBus, Spread.Exponential(1_571_262_442),
                Spread.Histogram(0, 0, 0, 74, 3),
                Spread.Histogram(0, 0, 11, 43, 22, 1))
            {
                Cpus = [100, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
            },
        ],
        Timers =
        [
            Timer("kernel timers", "ntoskrnl.exe", "KiTimerDpc", 209.9,
                Spread.Histogram(413, 630, 8693, 2533, 9794, 3118, 78, 70, 39, 22)) with
            {
                Cpus = [1, 1, 2, 2, 18, 21, 20, 23, 5, 4, 1, 1, 0, 0, 0, 0],
            },
            Timer("tcp", "tcpip.sys", "TcpPeriodicTimeoutHandler", 2.281, Spread.Histogram(75, 34, 115, 31, 10, 10, 1)) with
            {
                Cpus = [1, 0, 13, 0, 0, 0, 13, 0, 0, 38, 0, 19, 0, 0, 10, 5],
            },
            Timer("random numbers", "symcryptk.dll", "SymCryptRngUpdate", 4.1, Spread.Histogram(2, 265, 223, 5, 1)) with
            {
                Cpus = [1, 0, 1, 1, 22, 24, 22, 23, 2, 2, 1, 0, 0, 0, 0, 0],
            },
            Timer("graphics scheduler", "dxgmms2.sys", "VidSchiTimer", 5.125, Spread.Histogram(0, 1, 235, 337, 44, 0, 2, 1)) with
            {
                Cpus = [1, 0, 0, 0, 20, 26, 24, 28, 0, 0, 0, 0, 0, 0, 0, 0],
            },
            Timer("disk idle", "CLASSPNP.SYS", "ClasspIdleTimer", 0.4959, Spread.Histogram(52, 8)) with
            {
                Cpus = [0, 0, 0, 0, 21, 28, 30, 21, 0, 0, 0, 0, 0, 0, 0, 0],
            },
        ],
        KernelDpcsPerSecond = 0,
    };

    /// <summary>As the root of Hyper-V, with its guests.</summary>
    public static MachineHabits HyperV { get; } = DesktopHabits.Machine with
    {
        ReportedCpus = Cpus,
        Devices =
        [
            new(
                ImageRole.DisplayMiniport, Spread.Exponential(3_526_076),
                Spread.Histogram(0, 0, 16, 38, 19_867, 11_209, 4387, 174, 1),
                Spread.Histogram(22, 28, 113, 797, 166, 174, 13, 186))
            {
                Cpus = [0, 0, 0, 0, 28, 26, 24, 22, 0, 0, 0, 0, 0, 0, 0, 0],
                DpcPart = 0.042,
                OwnDpc = Spread.Histogram(29_126, 1870, 55, 2263, 1024, 16_499, 18_502, 4357, 1),
                OwnDpcsPerInterrupt = 2.065,
            },
            new(
                ImageRole.NetworkMiniport, Spread.Exponential(64_939_472),
                Spread.Histogram(1639, 254, 44, 0, 1),
                Spread.Histogram(0, 46, 750, 401, 228, 336, 262, 40, 1))
            {
                Cpus = [100, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
            },
            new(
                ImageRole.StorageMiniport, Spread.Exponential(61_242_188),
                Spread.Histogram(1674, 364, 16, 0, 1),
                Spread.Histogram(231, 95, 512, 610, 499, 84, 4, 3))
            {
                Cpus = [0, 4, 4, 6, 15, 15, 11, 18, 5, 10, 2, 6, 0, 2, 0, 0],
            },
            new(
                ImageRole.VirtualMachineBus, Spread.Exponential(58_699_952),
                Spread.Histogram(2058, 85, 0, 1),
                Spread.Histogram(1, 0, 1039, 624, 699, 29, 2, 1))
            {
                Cpus = [44, 56, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
            },
            new(
                ImageRole.HypervisorInterface, Spread.Exponential(3_352_585),
                Spread.Histogram(35_594, 1837, 51, 30, 23, 4),
                Spread.Histogram(34, 41, 4546, 24_001, 8662, 187, 56, 3))
            {
                Cpus = [0, 0, 1, 1, 23, 27, 18, 18, 5, 5, 0, 0, 0, 0, 0, 0],
            },
        ],
        Timers =
        [
            Timer("kernel timers", "ntoskrnl.exe", "KiTimerDpc", 150.3, Spread.Histogram(557, 465, 4962, 1654, 8244, 2917, 55, 54, 4)) with
            {
                Cpus = [1, 0, 0, 1, 26, 25, 22, 18, 2, 3, 0, 1, 0, 0, 0, 0],
            },
            Timer("tcp", "tcpip.sys", "TcpPeriodicTimeoutHandler", 9.249, Spread.Histogram(232, 153, 513, 51, 86, 123, 6)) with
            {
                Cpus = [2, 0, 0, 1, 2, 67, 7, 1, 8, 1, 0, 0, 8, 0, 2, 2],
            },
            Timer("random numbers", "symcryptk.dll", "SymCryptRngUpdate", 2.4, Spread.Histogram(6, 79, 202, 15)) with
            {
                Cpus = [2, 0, 1, 1, 25, 28, 19, 19, 1, 2, 1, 0, 0, 1, 0, 1],
            },
            Timer("graphics scheduler", "dxgmms2.sys", "VidSchiTimer", 2.805, Spread.Histogram(0, 1, 201, 138, 11, 2)) with
            {
                Cpus = [3, 0, 0, 0, 24, 26, 22, 22, 1, 2, 0, 0, 0, 0, 0, 0],
            },
            Timer("disk idle", "CLASSPNP.SYS", "ClasspIdleTimer", 0.5006, Spread.Histogram(42, 21)) with
            {
                Cpus = [0, 0, 0, 2, 26, 27, 19, 23, 2, 2, 0, 0, 0, 0, 0, 0],
            },
        ],
        KernelDpcsPerSecond = 0,
    };

    /// <summary>With a game in the foreground.</summary>
    public static MachineHabits Game { get; } = DesktopHabits.Machine with
    {
        ReportedCpus = Cpus,
        Devices =
        [
            new(
                ImageRole.DisplayMiniport, Spread.Exponential(114_797),
                Spread.Histogram(0, 0, 4116, 102_925, 797_957, 1_302_193, 379_655, 41_434, 171, 33, 1, 4),
                Spread.Histogram(96_032, 70_665, 202_050, 504_943, 748_871, 257_965, 47_949, 154_325, 18_898, 435, 56, 3))
            {
                Cpus = [0, 0, 0, 0, 30, 25, 25, 20, 0, 0, 0, 0, 0, 0, 0, 0],
                // Some come while one is still queued: a little more often than they were counted.
                DpcPart = 0.870,
                OwnDpc = Spread.Histogram(1_827_881, 34_848, 15_341, 37_930, 52_961, 101_034, 199_564, 35_575, 3720, 88, 11),
                OwnDpcsPerInterrupt = 1.060,
            },
            new(
                ImageRole.UsbController, Spread.Exponential(877_769),
                Spread.Histogram(223_294, 117_864, 2223, 61, 310, 8, 1),
                Spread.Histogram(1, 20, 9724, 127_803, 80_912, 114_076, 10_400, 776, 35, 13, 1))
            {
                Cpus = [0, 0, 84, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
            },
            new(
                ImageRole.NetworkMiniport, Spread.Exponential(4_921_192),
                Spread.Histogram(41_780, 18_198, 1222, 66, 48, 0, 0, 1),
                Spread.Histogram(0, 54, 21_898, 3668, 18_412, 5037, 11_904, 633, 7, 2, 1))
            {
                Cpus = [100, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
            },
            new(
                ImageRole.StorageMiniport, Spread.Exponential(5_944_618),
                Spread.Histogram(31_753, 16_837, 2100, 14, 40, 12, 3),
                Spread.Histogram(4332, 8245, 9076, 10_835, 16_969, 869, 77, 29, 2))
            {
                Cpus = [0, 20, 8, 4, 6, 4, 10, 3, 10, 5, 9, 4, 7, 3, 5, 2],
            },
            new(
                ImageRole.AudioBus, Spread.Exponential(10_651_754),
                Spread.Histogram(0, 0, 398, 27_488, 421, 21),
                Spread.Histogram(0, 0, 9621, 17_553, 1117, 37))
            {
                Cpus = [100, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
            },
        ],
        Timers =
        [
            Timer("kernel timers", "ntoskrnl.exe", "KiTimerDpc", 710.4,
                Spread.Histogram(5600, 1425, 116_562, 48_869, 12_663, 27_897, 1171, 137, 20, 10)) with
            {
                Cpus = [27, 2, 4, 3, 7, 6, 7, 6, 5, 5, 5, 5, 4, 4, 4, 5],
            },
            Timer("tcp", "tcpip.sys", "TcpPeriodicTimeoutHandler", 42.86,
                Spread.Histogram(6622, 324, 1778, 2308, 240, 1538, 119, 4, 1)) with
            {
                Cpus = [1, 1, 13, 2, 1, 19, 3, 1, 5, 16, 16, 0, 5, 17, 0, 0],
            },
            Timer("random numbers", "symcryptk.dll", "SymCryptRngUpdate", 17.64, Spread.Histogram(12, 179, 3145, 1960, 17, 8, 1, 2)) with
            {
                Cpus = [13, 2, 8, 3, 17, 15, 14, 13, 3, 3, 2, 2, 1, 2, 1, 1],
            },
            Timer("graphics scheduler", "dxgmms2.sys", "VidSchiTimer", 8.716, Spread.Histogram(0, 0, 1069, 1487, 66, 6, 0, 2)) with
            {
                Cpus = [92, 0, 1, 0, 1, 2, 3, 1, 0, 0, 0, 0, 0, 0, 0, 0],
            },
            Timer("keyboard", "kbdhid.sys", "KbdHidTimer", 3.51, Spread.Histogram(9, 275, 4, 74, 682, 14, 0, 0, 0, 0, 1)) with
            {
                Cpus = [100, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
            },
            Timer("disk idle", "CLASSPNP.SYS", "ClasspIdleTimer", 0.5004, Spread.Histogram(44, 107)) with
            {
                Cpus = [92, 0, 1, 0, 1, 1, 3, 2, 0, 0, 0, 0, 0, 0, 0, 0],
            },
        ],
        KernelDpcsPerSecond = 0,
    };

    /// <summary>A timer by how many DPCs it had in a second, all CPUs together; how far apart they were is not known.</summary>
    private static TimerHabit Timer(string name, string module, string routine, double perSecond, Spread length) =>
        new(name, [(module, routine)], (long)(1_000_000_000 / perSecond), length) { Jitter = 0.5 };
}
