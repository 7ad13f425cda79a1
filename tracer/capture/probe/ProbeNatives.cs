using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace Tracer.Capture.Probe;

/// <summary>
/// What the probe calls of Windows; names, constants and layouts as in the Windows SDK's processthreadsapi.h, memoryapi.h.
/// Blittable, so that no call allocates.
/// </summary>
[SupportedOSPlatform("windows")]
internal static unsafe partial class ProbeNatives
{
    public const uint Synchronize = 0x10_0000;
    public const uint WaitObject0 = 0;
    public const int ProcessPowerThrottling = 4;
    public const uint PowerThrottlingExecutionSpeed = 1;
    public const uint PowerThrottlingIgnoreTimerResolution = 4;

    /// <summary>PROCESS_POWER_THROTTLING_STATE.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public struct PowerThrottlingState
    {
        /// <summary>PROCESS_POWER_THROTTLING_CURRENT_VERSION: 1.</summary>
        public uint Version;

        /// <summary>What the state mask speaks of.</summary>
        public uint ControlMask;

        public uint StateMask;
    }

    [LibraryImport("kernel32.dll", SetLastError = true)]
    public static partial int SetProcessInformation(nint process, int informationClass, void* information, uint bytes);

    [LibraryImport("kernel32.dll", SetLastError = true)]
    public static partial int VirtualLock(nint address, nuint bytes);

    [LibraryImport("kernel32.dll", SetLastError = true)]
    public static partial int GetProcessTimes(nint process, long* created, long* ended, long* kernel, long* user);

    [LibraryImport("kernel32.dll", SetLastError = true)]
    public static partial nint OpenProcess(uint access, int inherit, uint id);
}
