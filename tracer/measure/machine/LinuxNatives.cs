using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace Tracer.Measure.Machine;

/// <summary>What measurements call of Linux; names, constants and layouts as in the headers of glibc 2.36 on 64-bit machines.</summary>
[SupportedOSPlatform("linux")]
internal static unsafe partial class LinuxNatives
{
    public const int ClockMonotonic = 1;
    public const int ClockBootTime = 7;
    public const int ScheduleOther = 0;
    public const int ScheduleFifo = 1;
    public const int ScheduleTurns = 2;
    public const int PriorityOfProcess = 0;
    public const int SetTimerSlack = 29;
    public const int GetTimerSlack = 30;
    public const int LockCurrent = 1;
    public const int LockFuture = 2;
    public const int LockOnFault = 4;
    public const int Interrupted = 4;
    public const int AbsoluteTime = 1;
    public const int CloseOnExecute = 0x8_0000;
    public const int ReadAndWrite = 2;
    public const int NoControllingTerminal = 0x100;

    /// <summary>More than struct termios has.</summary>
    public const int TerminalSettingsBytes = 128;

    /// <summary>struct timespec.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public struct TimeSpecification
    {
        public long Seconds;

        /// <summary>Nanoseconds beyond them.</summary>
        public long Nanoseconds;
    }

    [LibraryImport("libc")]
    [SuppressGCTransition]
    public static partial int clock_gettime(int clock, TimeSpecification* time);

    [LibraryImport("libc")]
    public static partial int clock_getres(int clock, TimeSpecification* time);

    [LibraryImport("libc")]
    public static partial int clock_nanosleep(int clock, int flags, TimeSpecification* time, TimeSpecification* left);

    [LibraryImport("libc", SetLastError = true)]
    public static partial int sched_setscheduler(int id, int policy, int* priority);

    [LibraryImport("libc", SetLastError = true)]
    public static partial int sched_getscheduler(int id);

    [LibraryImport("libc", SetLastError = true)]
    public static partial int sched_getparam(int id, int* priority);

    [LibraryImport("libc", SetLastError = true)]
    public static partial int sched_setaffinity(int id, nuint bytes, ulong* mask);

    [LibraryImport("libc", SetLastError = true)]
    public static partial int sched_getaffinity(int id, nuint bytes, ulong* mask);

    [LibraryImport("libc", SetLastError = true)]
    public static partial int gettid();

    [LibraryImport("libc", SetLastError = true)]
    public static partial int setpriority(int which, uint who, int nice);

    [LibraryImport("libc", SetLastError = true)]
    public static partial int getpriority(int which, uint who);

    [LibraryImport("libc", SetLastError = true)]
    public static partial int prctl(int option, nuint first, nuint second, nuint third, nuint fourth);

    /// <summary>struct itimerspec.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public struct TimerSpecification
    {
        public TimeSpecification Period;

        public TimeSpecification First;
    }

    [LibraryImport("libc", SetLastError = true)]
    public static partial int timerfd_create(int clock, int flags);

    [LibraryImport("libc", SetLastError = true)]
    public static partial int timerfd_settime(int timer, int flags, TimerSpecification* value, TimerSpecification* before);

    [LibraryImport("libc", SetLastError = true)]
    public static partial int eventfd(uint value, int flags);

    [LibraryImport("libc", SetLastError = true)]
    public static partial nint read(int file, void* buffer, nuint bytes);

    [LibraryImport("libc", SetLastError = true)]
    public static partial nint write(int file, void* buffer, nuint bytes);

    [LibraryImport("libc", SetLastError = true)]
    public static partial int close(int file);

    [LibraryImport("libc", SetLastError = true)]
    public static partial int sched_yield();

    [LibraryImport("libc", SetLastError = true)]
    public static partial int getppid();

    [LibraryImport("libc", SetLastError = true)]
    public static partial int mlockall(int flags);

    [LibraryImport("libc", SetLastError = true)]
    public static partial int munlockall();

    [LibraryImport("libc", SetLastError = true)]
    public static partial int posix_openpt(int flags);

    [LibraryImport("libc", SetLastError = true)]
    public static partial int grantpt(int master);

    [LibraryImport("libc", SetLastError = true)]
    public static partial int unlockpt(int master);

    [LibraryImport("libc")]
    public static partial int ptsname_r(int master, byte* name, nuint bytes);

    [LibraryImport("libc", SetLastError = true)]
    public static partial int open(byte* path, int flags);

    [LibraryImport("libc", SetLastError = true)]
    public static partial int tcgetattr(int terminal, byte* settings);

    [LibraryImport("libc")]
    public static partial void cfmakeraw(byte* settings);

    [LibraryImport("libc", SetLastError = true)]
    public static partial int tcsetattr(int terminal, int when, byte* settings);

    [LibraryImport("libc")]
    [SuppressGCTransition]
    public static partial int sched_getcpu();
}
