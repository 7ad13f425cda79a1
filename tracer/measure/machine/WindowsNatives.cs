using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace Tracer.Measure.Machine;

/// <summary>
/// What measurements call of Windows; names, constants and layouts as in the Windows SDK's processthreadsapi.h, synchapi.h, sysinfoapi.h,
/// realtimeapiset.h, memoryapi.h, timeapi.h, winternl.h. Blittable, so that no call allocates.
/// </summary>
[SupportedOSPlatform("windows")]
internal static unsafe partial class WindowsNatives
{
    public const uint NormalClass = 0x20;
    public const int TimeCriticalLevel = 15;
    public const uint QuotaLimitsHardMinimumOff = 2;
    public const uint QuotaLimitsHardMaximumOff = 8;

    [LibraryImport("kernel32.dll", SetLastError = true)]
    public static partial int GetProcessWorkingSetSizeEx(nint process, nuint* minimum, nuint* maximum, uint* flags);

    [LibraryImport("kernel32.dll", SetLastError = true)]
    public static partial uint SleepEx(uint milliseconds, int isAlertable);

    [LibraryImport("kernel32.dll")]
    [SuppressGCTransition]
    public static partial int QueryPerformanceCounter(long* value);

    [LibraryImport("kernel32.dll")]
    [SuppressGCTransition]
    public static partial ulong GetTickCount64();

    [LibraryImport("kernel32.dll")]
    [SuppressGCTransition]
    public static partial void GetSystemTimeAsFileTime(long* value);

    [LibraryImport("kernel32.dll")]
    [SuppressGCTransition]
    public static partial void GetSystemTimePreciseAsFileTime(long* value);

    [LibraryImport("kernel32.dll", SetLastError = true)]
    public static partial nint CreateEventW(nint attributes, int isManual, int isSet, nint name);

    [LibraryImport("kernel32.dll", SetLastError = true)]
    public static partial int SetEvent(nint handle);

    [LibraryImport("kernel32.dll")]
    public static partial int SwitchToThread();

    [LibraryImport("winmm.dll")]
    [SuppressGCTransition]
    public static partial uint timeGetTime();

    public const uint ReadAndWrite = 0xC000_0000;
    public const uint ShareReadAndWrite = 3;
    public const uint OpenExisting = 3;
    public const ushort KeyEvent = 1;

    /// <summary>INPUT_RECORD with its KEY_EVENT_RECORD.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public struct KeyInput
    {
        public ushort EventType;

        private readonly ushort _padding;

        /// <summary>Whether the key is pressed, and not let go.</summary>
        public int IsDown;

        public ushort RepeatCount;

        public ushort VirtualKey;

        public ushort ScanCode;

        /// <summary>In UTF-16.</summary>
        public ushort Character;

        /// <summary>Shift and others.</summary>
        public uint ControlState;
    }

    [LibraryImport("kernel32.dll", SetLastError = true)]
    public static partial nint CreateFileW(
        char* name, uint access, uint share, nint security, uint disposition, uint flags, nint template);

    [LibraryImport("kernel32.dll", SetLastError = true)]
    public static partial int WriteConsoleInputW(nint console, KeyInput* records, uint count, uint* written);

    [LibraryImport("kernel32.dll", SetLastError = true)]
    public static partial int ReadConsoleInputW(nint console, KeyInput* records, uint count, uint* read);

    [LibraryImport("kernel32.dll", SetLastError = true)]
    public static partial int WriteFile(nint file, byte* bytes, uint count, uint* written, nint overlapped);

    [LibraryImport("kernel32.dll")]
    [SuppressGCTransition]
    public static partial uint GetCurrentProcessorNumber();

    public const uint ThreadSetInformation = 0x20;

    [LibraryImport("kernel32.dll")]
    public static partial uint GetCurrentThreadId();

    [LibraryImport("kernel32.dll", SetLastError = true)]
    public static partial nint OpenThread(uint access, int isInherited, uint id);
}
