using System.Diagnostics;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics.X86;
using System.Runtime.Versioning;
using Microsoft.Win32;
using Tracer.Capture.Driver;
using Tracer.Capture.Driver.Install;
using Tracer.Capture.Ground;
using Tracer.Capture.Sessions;
using Tracer.Windows;

namespace Tracer.Capture.Doctor;

/// <summary>Asks Windows for the facts; what it refuses stays unknown.</summary>
[SupportedOSPlatform("windows")]
public sealed unsafe partial class WindowsDoctorFacts(ITraceSessions sessions, IServiceList services)
{
    private const int InvariantTscBit = 8;
    private const int PowerLeaf = unchecked((int)0x8000_0007);

    /// <summary>And the options it tells (ntexapi.h of System Informer).</summary>
    private const uint SystemCodeIntegrityInformation = 103;
    private const uint TestSignOption = 2;
    private const uint HypervisorCodeIntegrityOption = 0x400;

    public DoctorFacts Read()
    {
        GCMemoryInfo memory = GC.GetGCMemoryInfo();
        (string? hypervisor, bool isRoot) = MachineNatives.Hypervisor();
        (string? plan, Guid? planId) = MachineNatives.PowerPlan();
        uint? integrity = CodeIntegrity();
        return new DoctorFacts
        {
            Build = Environment.OSVersion.Version.Build,
            WineVersion = Wine(),
            IsAdministrator = Environment.IsPrivilegedProcess,
            SecureBoot = SecureBoot(),
            TestSigning = integrity is { } options ? (options & TestSignOption) != 0 : null,
            MemoryIntegrity = integrity is { } all ? (all & HypervisorCodeIntegrityOption) != 0 : null,
            Hypervisor = hypervisor,
            IsHypervisorRoot = isRoot,
            InvariantTsc = InvariantTsc(),
            QpcHz = Stopwatch.Frequency,
            ClockPeriods = ClockPeriods(),
            PowerPlan = plan,
            PowerPlanId = planId,
            Sessions = Asked(sessions.Running),
            SessionPlaces = Asked(() => (object?)sessions.Places) as int?,
            ProfileInterval = AskedValue(() => sessions.ProfileInterval),
            Driver = Asked(() => services.Find(DriverService.Name)),
            Cpus = MachineSize.Here.Cpus,
            MemoryBytes = memory.TotalAvailableMemoryBytes,
            FreeMemoryBytes = Math.Max(0, memory.TotalAvailableMemoryBytes - memory.MemoryLoadBytes),
            FreeDiskBytes = AskedValue(() => new DriveInfo(Path.GetFullPath(".")).AvailableFreeSpace),
        };
    }

    private static T? Asked<T>(Func<T?> question)
        where T : class
    {
        try
        {
            return question();
        }
        catch (Exception refusal) when (IsRefusal(refusal))
        {
            return null;
        }
    }

    private static T? AskedValue<T>(Func<T> question)
        where T : struct
    {
        try
        {
            return question();
        }
        catch (Exception refusal) when (IsRefusal(refusal))
        {
            return null;
        }
    }

    private static bool IsRefusal(Exception failure) => failure is EtwException or DriverException or IOException
        or UnauthorizedAccessException or ArgumentException or EntryPointNotFoundException or System.Security.SecurityException;

    /// <summary>What only Wine exports.</summary>
    private static string? Wine()
    {
        nint system = NativeLibrary.Load("ntdll.dll", typeof(WindowsDoctorFacts).Assembly, DllImportSearchPath.System32);
        nint version = NativeLibrary.TryGetExport(system, "wine_get_version", out nint found) ? found : 0;
        return version == 0 ? null : Marshal.PtrToStringUTF8(((delegate* unmanaged[Cdecl]<nint>)version)());
    }

    private static bool? SecureBoot() => Asked(
        () => Registry.GetValue(@"HKEY_LOCAL_MACHINE\SYSTEM\CurrentControlSet\Control\SecureBoot\State", "UEFISecureBootEnabled", null))
        is int value ? value != 0 : null;

    private static uint? CodeIntegrity()
    {
        var information = new CodeIntegrityInformation { Length = (uint)sizeof(CodeIntegrityInformation) };
        uint length;
        return MachineNatives.NtQuerySystemInformation(SystemCodeIntegrityInformation, &information, information.Length, &length) >= 0
            ? information.Options
            : null;
    }

    private static bool? InvariantTsc() => X86Base.IsSupported
        ? (X86Base.CpuId(PowerLeaf, 0).Edx >> InvariantTscBit & 1) != 0
        : null;

    private static (uint Coarsest, uint Finest, uint Now)? ClockPeriods()
    {
        uint coarsest;
        uint finest;
        uint now;
        return ThreadNatives.NtQueryTimerResolution(&coarsest, &finest, &now) == 0 ? (coarsest, finest, now) : null;
    }

    /// <summary>SYSTEM_CODEINTEGRITY_INFORMATION.</summary>
    [StructLayout(LayoutKind.Sequential)]
    internal struct CodeIntegrityInformation
    {
        public uint Length;
        public uint Options;
    }
}
