using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace Tracer.Capture.Driver.Install;

/// <summary>The service manager by its API (winsvc.h).</summary>
[SupportedOSPlatform("windows")]
public sealed unsafe partial class WindowsServiceList : IServiceList
{
    private const uint ManagerConnect = 0x0001;
    private const uint ManagerCreateService = 0x0002;
    private const uint QueryConfig = 0x0001;
    private const uint QueryStatus = 0x0004;
    private const uint StartAccess = 0x0010;
    private const uint StopAccess = 0x0020;
    private const uint DeleteAccess = 0x00010000;
    private const uint ChangeConfig = 0x0002;
    private const uint OwnProcess = 0x10;
    private const uint AutoStart = 2;
    private const uint DescriptionLevel = 1;
    private const uint FailureActionsLevel = 2;
    private const uint DelayedAutoStartLevel = 3;
    private const uint FailureActionsFlagLevel = 4;
    private const uint RestartAction = 1;

    /// <summary>A day without a failure, and they are counted anew; seconds.</summary>
    private const uint FailuresForgottenAfter = 24 * 60 * 60;

    /// <summary>From a failure to the next start, milliseconds: the last holds for all further ones.</summary>
    private static readonly uint[] RestartDelays = [60_000, 5 * 60_000, 60 * 60_000];
    private const uint KernelDriver = 1;
    private const uint DemandStart = 3;
    private const uint NormalErrors = 1;
    private const uint ControlStop = 1;

    /// <summary>QueryServiceConfig gives no more.</summary>
    private const int MostConfigBytes = 8 * 1024;

    public RegisteredService? Find(string name)
    {
        using ServiceHandle manager = OpenManager(ManagerConnect, DriverStep.Query);
        using ServiceHandle service = OpenService(manager, name, QueryConfig | QueryStatus);
        if (service.IsInvalid)
        {
            int error = Marshal.GetLastPInvokeError();
            return error == Win32Error.ServiceDoesNotExist ? null : throw DriverException.Of(DriverStep.Query, error);
        }

        ServiceStatus status = default;
        Check(QueryServiceStatus(service, &status), DriverStep.Query);
        long* buffer = stackalloc long[MostConfigBytes / sizeof(long)];
        var config = (ServiceConfig*)buffer;
        Check(QueryServiceConfig(service, config, MostConfigBytes, out _), DriverStep.Query);
        return new RegisteredService((ServiceState)status.State, FilePath(new string(config->BinaryPath)));
    }

    public void Create(string name, string displayName, string path)
    {
        using ServiceHandle manager = OpenManager(ManagerConnect | ManagerCreateService, DriverStep.Install);
        using ServiceHandle service = CreateService(
            manager, name, displayName, QueryStatus, KernelDriver, DemandStart, NormalErrors, path, null, 0, null, null, null);
        Check(!service.IsInvalid, DriverStep.Install);
    }

    public void CreateProgram(ProgramService service)
    {
        using ServiceHandle manager = OpenManager(ManagerConnect | ManagerCreateService, DriverStep.Install);
        using ServiceHandle created = CreateService(
            manager,
            service.Name,
            service.DisplayName,
            ChangeConfig | StartAccess | DeleteAccess,
            OwnProcess,
            AutoStart,
            NormalErrors,
            service.CommandLine,
            null,
            0,
            null,
            null,
            null);
        Check(!created.IsInvalid, DriverStep.Install);
        try
        {
            Configure(created, service.Description);
        }
        catch
        {
            DeleteService(created); // Half of a service would start, and not again.
            throw;
        }
    }

    public void Start(string name)
    {
        using ServiceHandle manager = OpenManager(ManagerConnect, DriverStep.Load);
        using ServiceHandle service = Opened(manager, name, StartAccess, DriverStep.Load);
        Check(StartService(service, 0, null), DriverStep.Load);
    }

    public void Stop(string name)
    {
        using ServiceHandle manager = OpenManager(ManagerConnect, DriverStep.Unload);
        using ServiceHandle service = Opened(manager, name, StopAccess, DriverStep.Unload);
        ServiceStatus status = default;
        Check(ControlService(service, ControlStop, &status), DriverStep.Unload);
    }

    public void Delete(string name)
    {
        using ServiceHandle manager = OpenManager(ManagerConnect, DriverStep.Uninstall);
        using ServiceHandle service = Opened(manager, name, DeleteAccess, DriverStep.Uninstall);
        Check(DeleteService(service), DriverStep.Uninstall);
    }

    private static void Configure(ServiceHandle service, string description)
    {
        fixed (char* text = description)
        {
            ServiceDescription described = new() { Text = text };
            Check(ChangeServiceConfig2(service, DescriptionLevel, &described), DriverStep.Install);
        }

        int isOn = 1; // SERVICE_DELAYED_AUTO_START_INFO and SERVICE_FAILURE_ACTIONS_FLAG are one BOOL each.
        Check(ChangeServiceConfig2(service, DelayedAutoStartLevel, &isOn), DriverStep.Install);
        Check(ChangeServiceConfig2(service, FailureActionsFlagLevel, &isOn), DriverStep.Install);
        ServiceAction* actions = stackalloc ServiceAction[RestartDelays.Length];
        for (int i = 0; i < RestartDelays.Length; i++)
        {
            actions[i] = new ServiceAction { Type = RestartAction, Delay = RestartDelays[i] };
        }

        ServiceFailureActions failures = new()
        {
            ResetPeriod = FailuresForgottenAfter,
            ActionCount = (uint)RestartDelays.Length,
            Actions = actions,
        };
        Check(ChangeServiceConfig2(service, FailureActionsLevel, &failures), DriverStep.Install);
    }

    /// <summary>The manager keeps paths of drivers as the object manager names them.</summary>
    private static string FilePath(string binaryPath) =>
        binaryPath.StartsWith(@"\??\", StringComparison.Ordinal) ? binaryPath[4..] : binaryPath;

    private static ServiceHandle OpenManager(uint access, DriverStep step)
    {
        ServiceHandle manager = OpenSCManager(null, null, access);
        Check(!manager.IsInvalid, step);
        return manager;
    }

    private static ServiceHandle Opened(ServiceHandle manager, string name, uint access, DriverStep step)
    {
        ServiceHandle service = OpenService(manager, name, access);
        Check(!service.IsInvalid, step);
        return service;
    }

    private static void Check(bool isDone, DriverStep step)
    {
        if (!isDone)
        {
            throw DriverException.Of(step, Marshal.GetLastPInvokeError());
        }
    }

    [LibraryImport("advapi32", EntryPoint = "OpenSCManagerW", SetLastError = true, StringMarshalling = StringMarshalling.Utf16)]
    private static partial ServiceHandle OpenSCManager(string? machine, string? database, uint access);

    [LibraryImport("advapi32", EntryPoint = "OpenServiceW", SetLastError = true, StringMarshalling = StringMarshalling.Utf16)]
    private static partial ServiceHandle OpenService(ServiceHandle manager, string name, uint access);

    [LibraryImport("advapi32", EntryPoint = "CreateServiceW", SetLastError = true, StringMarshalling = StringMarshalling.Utf16)]
    private static partial ServiceHandle CreateService(
        ServiceHandle manager,
        string name,
        string displayName,
        uint access,
        uint type,
        uint start,
        uint errors,
        string path,
        string? loadOrderGroup,
        nint tag,
        string? dependencies,
        string? account,
        string? password);

    [LibraryImport("advapi32", EntryPoint = "StartServiceW", SetLastError = true)]
    [return: MarshalAs(UnmanagedType.Bool)]
    private static partial bool StartService(ServiceHandle service, uint count, char** arguments);

    [LibraryImport("advapi32", EntryPoint = "ChangeServiceConfig2W", SetLastError = true)]
    [return: MarshalAs(UnmanagedType.Bool)]
    private static partial bool ChangeServiceConfig2(ServiceHandle service, uint level, void* information);

    [LibraryImport("advapi32", SetLastError = true)]
    [return: MarshalAs(UnmanagedType.Bool)]
    private static partial bool ControlService(ServiceHandle service, uint control, ServiceStatus* status);

    [LibraryImport("advapi32", SetLastError = true)]
    [return: MarshalAs(UnmanagedType.Bool)]
    private static partial bool DeleteService(ServiceHandle service);

    [LibraryImport("advapi32", SetLastError = true)]
    [return: MarshalAs(UnmanagedType.Bool)]
    private static partial bool QueryServiceStatus(ServiceHandle service, ServiceStatus* status);

    [LibraryImport("advapi32", EntryPoint = "QueryServiceConfigW", SetLastError = true)]
    [return: MarshalAs(UnmanagedType.Bool)]
    private static partial bool QueryServiceConfig(ServiceHandle service, ServiceConfig* config, uint bytes, out uint needed);

    [LibraryImport("advapi32", SetLastError = true)]
    [return: MarshalAs(UnmanagedType.Bool)]
    private static partial bool CloseServiceHandle(nint handle);

    [StructLayout(LayoutKind.Sequential)]
    internal struct ServiceStatus
    {
        public uint Type;
        public uint State;
        public uint ControlsAccepted;
        public uint Win32ExitCode;
        public uint ServiceExitCode;
        public uint CheckPoint;
        public uint WaitHint;
    }

    /// <summary>QUERY_SERVICE_CONFIGW.</summary>
    [StructLayout(LayoutKind.Sequential)]
    internal struct ServiceConfig
    {
        public uint Type;
        public uint Start;
        public uint Errors;
        public char* BinaryPath;
        public char* LoadOrderGroup;
        public uint Tag;
        public char* Dependencies;
        public char* Account;
        public char* DisplayName;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal struct ServiceDescription
    {
        public char* Text;
    }

    /// <summary>SC_ACTION.</summary>
    [StructLayout(LayoutKind.Sequential)]
    internal struct ServiceAction
    {
        public uint Type;
        public uint Delay;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal struct ServiceFailureActions
    {
        public uint ResetPeriod;
        public char* RebootMessage;
        public char* Command;
        public uint ActionCount;
        public ServiceAction* Actions;
    }

    private sealed class ServiceHandle : SafeHandle
    {
        public ServiceHandle()
            : base(0, ownsHandle: true)
        {
        }

        public override bool IsInvalid => handle == 0;

        protected override bool ReleaseHandle() => CloseServiceHandle(handle);
    }
}
