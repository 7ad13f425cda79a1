using System.Runtime.InteropServices;
using System.Runtime.Versioning;

// Of all that the probe and the measurements call: a library in the program's folder or in the search path is none of Windows'.
[assembly: DefaultDllImportSearchPaths(DllImportSearchPath.System32)]

namespace Tracer.Windows;

/// <summary>
/// What the probe and the measurements both call of Windows, compiled into each; names as in the Windows SDK's processthreadsapi.h,
/// synchapi.h, memoryapi.h, realtimeapiset.h, timeapi.h, winternl.h. Blittable, so that no call allocates.
/// </summary>
[SupportedOSPlatform("windows")]
internal static unsafe partial class ThreadNatives
{
    public const uint HighPriorityClass = 0x80;
    public const uint RealTimePriorityClass = 0x100;
    public const uint CreateWaitableTimerHighResolution = 2;
    public const uint TimerAllAccess = 0x1F_0003;
    public const uint Infinite = 0xFFFF_FFFF;
    public const uint QuotaLimitsHardMinimum = 1;
    public const uint QuotaLimitsSoftMaximum = 8;

    [LibraryImport("kernel32.dll")]
    [SuppressGCTransition]
    public static partial int QueryUnbiasedInterruptTime(ulong* value);

    [LibraryImport("kernel32.dll")]
    public static partial nint GetCurrentProcess();

    [LibraryImport("kernel32.dll")]
    public static partial nint GetCurrentThread();

    [LibraryImport("kernel32.dll", SetLastError = true)]
    public static partial int SetPriorityClass(nint process, uint priorityClass);

    [LibraryImport("kernel32.dll", SetLastError = true)]
    public static partial uint GetPriorityClass(nint process);

    [LibraryImport("kernel32.dll", SetLastError = true)]
    public static partial int SetThreadPriority(nint thread, int priority);

    [LibraryImport("kernel32.dll", SetLastError = true)]
    public static partial int GetThreadPriority(nint thread);

    [LibraryImport("kernel32.dll", SetLastError = true)]
    public static partial int SetProcessWorkingSetSizeEx(nint process, nuint minimum, nuint maximum, uint flags);

    [LibraryImport("kernel32.dll", SetLastError = true)]
    public static partial nint CreateWaitableTimerExW(nint attributes, nint name, uint flags, uint access);

    [LibraryImport("kernel32.dll", SetLastError = true)]
    public static partial int SetWaitableTimerEx(
        nint timer, long* due, int period, nint completion, nint argument, nint wakeContext, uint tolerableDelay);

    [LibraryImport("kernel32.dll", SetLastError = true)]
    public static partial uint WaitForSingleObject(nint handle, uint milliseconds);

    [LibraryImport("kernel32.dll", SetLastError = true)]
    public static partial int CloseHandle(nint handle);

    [LibraryImport("winmm.dll")]
    public static partial uint timeBeginPeriod(uint milliseconds);

    [LibraryImport("winmm.dll")]
    public static partial uint timeEndPeriod(uint milliseconds);

    [LibraryImport("ntdll.dll")]
    public static partial int NtQueryTimerResolution(uint* coarsest, uint* finest, uint* now);
}
