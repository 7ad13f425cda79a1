using Tracer.Capture.Doctor;
using Tracer.Capture.Driver.Install;
using Tracer.Capture.Engine;
using Tracer.Capture.Probe;
using Tracer.Capture.Sessions;
using Tracer.Capture.Sessions.Native;
using Tracer.Capture.Snap;
using Tracer.Windows;

#pragma warning disable CA1416 // Nothing is called: these are sizes, names and constants.

namespace Tracer.Capture.Tests;

/// <summary>A structure of ours and the one of the headers that it stands for.</summary>
/// <param name="Name">Its name in C.</param>
/// <param name="SizeExpression">What its size is in C, where it ends before an array of any length.</param>
/// <param name="OtherNames">Fields that C knows by another path.</param>
internal sealed record HeaderStructure(
    Type Type, string Name, string? SizeExpression = null, IReadOnlyDictionary<string, string>? OtherNames = null);

/// <summary>A number of ours and the one of the headers.</summary>
/// <param name="Name">Its name in C.</param>
internal sealed record HeaderConstant(string Name, ulong Value);

/// <summary>
/// What Tracer.Capture repeats of the Windows SDK's headers: every structure of its P/Invokes, every constant that they take or give.
/// </summary>
internal static class HeaderCatalog
{
    public static IReadOnlyList<HeaderStructure> Structures { get; } =
    [
        new(typeof(WnodeHeader), "WNODE_HEADER"),
        new(typeof(EventTraceProperties), "EVENT_TRACE_PROPERTIES"),
        new(typeof(ClassicEventId), "CLASSIC_EVENT_ID"),
        new(typeof(TraceProfileInterval), "TRACE_PROFILE_INTERVAL"),
        new(typeof(EnableTraceParameters), "ENABLE_TRACE_PARAMETERS"),
        new(typeof(EventFilterDescriptor), "EVENT_FILTER_DESCRIPTOR"),
        new(typeof(EventFilterEventId), "EVENT_FILTER_EVENT_ID", "offsetof(EVENT_FILTER_EVENT_ID, Events)"),
        new(typeof(Luid), "LUID"),
        new(typeof(TokenPrivileges), "TOKEN_PRIVILEGES", OtherNames: new Dictionary<string, string>
        {
            ["Luid"] = "Privileges[0].Luid",
            ["Attributes"] = "Privileges[0].Attributes",
        }),
        new(typeof(ProviderEventLog.EventDescriptor), "EVENT_DESCRIPTOR"),
        new(typeof(ProviderEventLog.DataDescriptor), "EVENT_DATA_DESCRIPTOR", OtherNames: new Dictionary<string, string>
        {
            ["Address"] = "Ptr",
            ["Bytes"] = "Size",
        }),
        new(typeof(ProbeNatives.PowerThrottlingState), "PROCESS_POWER_THROTTLING_STATE"),
        new(typeof(WindowsProcessorGroups.GroupAffinity), "GROUP_AFFINITY", OtherNames: new Dictionary<string, string>
        {
            ["Reserved0"] = "Reserved[0]",
            ["Reserved1"] = "Reserved[1]",
            ["Reserved2"] = "Reserved[2]",
        }),
        new(typeof(PowerRequest.ReasonContext), "REASON_CONTEXT", OtherNames: new Dictionary<string, string>
        {
            ["SimpleReasonString"] = "Reason.SimpleReasonString",
            ["LocalizedReasonId"] = "Reason.Detailed.LocalizedReasonId",
            ["ReasonStringCount"] = "Reason.Detailed.ReasonStringCount",
            ["ReasonStrings"] = "Reason.Detailed.ReasonStrings",
        }),
        new(typeof(WindowsDoctorFacts.CodeIntegrityInformation), "SYSTEM_CODEINTEGRITY_INFORMATION",
            OtherNames: new Dictionary<string, string> { ["Options"] = "CodeIntegrityOptions" }),
        new(typeof(WindowsServiceList.ServiceStatus), "SERVICE_STATUS", OtherNames: new Dictionary<string, string>
        {
            ["Type"] = "dwServiceType",
            ["State"] = "dwCurrentState",
            ["ControlsAccepted"] = "dwControlsAccepted",
            ["Win32ExitCode"] = "dwWin32ExitCode",
            ["ServiceExitCode"] = "dwServiceSpecificExitCode",
            ["CheckPoint"] = "dwCheckPoint",
            ["WaitHint"] = "dwWaitHint",
        }),
        new(typeof(WindowsServiceList.ServiceConfig), "QUERY_SERVICE_CONFIGW", OtherNames: new Dictionary<string, string>
        {
            ["Type"] = "dwServiceType",
            ["Start"] = "dwStartType",
            ["Errors"] = "dwErrorControl",
            ["BinaryPath"] = "lpBinaryPathName",
            ["LoadOrderGroup"] = "lpLoadOrderGroup",
            ["Tag"] = "dwTagId",
            ["Dependencies"] = "lpDependencies",
            ["Account"] = "lpServiceStartName",
            ["DisplayName"] = "lpDisplayName",
        }),
        new(typeof(WindowsServiceList.ServiceDescription), "SERVICE_DESCRIPTIONW", OtherNames: new Dictionary<string, string>
        {
            ["Text"] = "lpDescription",
        }),
        new(typeof(WindowsServiceList.ServiceAction), "SC_ACTION"),
        new(typeof(WindowsServiceList.ServiceFailureActions), "SERVICE_FAILURE_ACTIONSW", OtherNames: new Dictionary<string, string>
        {
            ["ResetPeriod"] = "dwResetPeriod",
            ["RebootMessage"] = "lpRebootMsg",
            ["Command"] = "lpCommand",
            ["ActionCount"] = "cActions",
            ["Actions"] = "lpsaActions",
        }),
        new(typeof(WindowsSnapSignals.SecurityAttributes), "SECURITY_ATTRIBUTES", OtherNames: new Dictionary<string, string>
        {
            ["Length"] = "nLength",
            ["Descriptor"] = "lpSecurityDescriptor",
            ["InheritHandle"] = "bInheritHandle",
        }),
        new(typeof(WindowsDriverPlace.FileInfo), "WINTRUST_FILE_INFO", OtherNames: new Dictionary<string, string>
        {
            ["Size"] = "cbStruct",
            ["Path"] = "pcwszFilePath",
            ["Handle"] = "hFile",
            ["KnownSubject"] = "pgKnownSubject",
        }),
        new(typeof(WindowsDriverPlace.TrustData), "WINTRUST_DATA", OtherNames: new Dictionary<string, string>
        {
            ["Size"] = "cbStruct",
            ["PolicyData"] = "pPolicyCallbackData",
            ["SipData"] = "pSIPClientData",
            ["Window"] = "dwUIChoice",
            ["Revocation"] = "fdwRevocationChecks",
            ["Choice"] = "dwUnionChoice",
            ["File"] = "pFile",
            ["Action"] = "dwStateAction",
            ["State"] = "hWVTStateData",
            ["Url"] = "pwszURLReference",
            ["Flags"] = "dwProvFlags",
            ["Context"] = "dwUIContext",
            ["SignatureSettings"] = "pSignatureSettings",
        }),
    ];

    /// <summary>Structures of ours that stand in no header of the SDK.</summary>
    public static IReadOnlyList<Type> InNoHeader { get; } = [];

    /// <summary>What the headers of mingw-w64, the second opinion, do not have.</summary>
    public static IReadOnlyList<string> NotInMingw { get; } =
    [
        "TraceMaxLoggersQuery",
        "EVENT_DATA_DESCRIPTOR", // It is there with Reserved alone, the union's older member.
        "EVENT_FILTER_EVENT_ID",
        "EVENT_FILTER_TYPE_EVENT_ID",
        "CREATE_WAITABLE_TIMER_HIGH_RESOLUTION",
        "WINTRUST_DATA", // Without its last field, which Windows 8 added.
    ];

    /// <summary>By the field of <see cref="EtwConstants"/>; null for what has no name in C.</summary>
    public static IReadOnlyDictionary<string, string?> EtwConstantNames { get; } = new Dictionary<string, string?>
    {
        [nameof(EtwConstants.WnodeTracedGuid)] = "WNODE_FLAG_TRACED_GUID",
        [nameof(EtwConstants.ClockQpc)] = null,
        [nameof(EtwConstants.ModeSequential)] = "EVENT_TRACE_FILE_MODE_SEQUENTIAL",
        [nameof(EtwConstants.ModeRealTime)] = "EVENT_TRACE_REAL_TIME_MODE",
        [nameof(EtwConstants.ModeBuffering)] = "EVENT_TRACE_BUFFERING_MODE",
        [nameof(EtwConstants.ModeSystemLogger)] = "EVENT_TRACE_SYSTEM_LOGGER_MODE",
        [nameof(EtwConstants.ModeIndependent)] = "EVENT_TRACE_INDEPENDENT_SESSION_MODE",
        [nameof(EtwConstants.FlagNoSystemConfig)] = "EVENT_TRACE_FLAG_NO_SYSCONFIG",
        [nameof(EtwConstants.ControlQuery)] = "EVENT_TRACE_CONTROL_QUERY",
        [nameof(EtwConstants.ControlStop)] = "EVENT_TRACE_CONTROL_STOP",
        [nameof(EtwConstants.ControlFlush)] = "EVENT_TRACE_CONTROL_FLUSH",
        [nameof(EtwConstants.EnableProvider)] = "EVENT_CONTROL_CODE_ENABLE_PROVIDER",
        [nameof(EtwConstants.CaptureState)] = "EVENT_CONTROL_CODE_CAPTURE_STATE",
        [nameof(EtwConstants.EnableParametersVersion)] = "ENABLE_TRACE_PARAMETERS_VERSION_2",
        [nameof(EtwConstants.FilterTypeEventId)] = "EVENT_FILTER_TYPE_EVENT_ID",
        [nameof(EtwConstants.LevelInformation)] = "TRACE_LEVEL_INFORMATION",
        [nameof(EtwConstants.LevelVerbose)] = "TRACE_LEVEL_VERBOSE",
        [nameof(EtwConstants.TokenAdjustPrivileges)] = "TOKEN_ADJUST_PRIVILEGES",
        [nameof(EtwConstants.TokenQuery)] = "TOKEN_QUERY",
        [nameof(EtwConstants.PrivilegeEnabled)] = "SE_PRIVILEGE_ENABLED",
    };

    public static IReadOnlyDictionary<string, string?> EtwErrorNames { get; } = new Dictionary<string, string?>
    {
        [nameof(EtwError.Success)] = "ERROR_SUCCESS",
        [nameof(EtwError.PathNotFound)] = "ERROR_PATH_NOT_FOUND",
        [nameof(EtwError.AccessDenied)] = "ERROR_ACCESS_DENIED",
        [nameof(EtwError.InvalidHandle)] = "ERROR_INVALID_HANDLE",
        [nameof(EtwError.NotEnoughMemory)] = "ERROR_NOT_ENOUGH_MEMORY",
        [nameof(EtwError.OutOfMemory)] = "ERROR_OUTOFMEMORY",
        [nameof(EtwError.BadLength)] = "ERROR_BAD_LENGTH",
        [nameof(EtwError.SharingViolation)] = "ERROR_SHARING_VIOLATION",
        [nameof(EtwError.NotSupported)] = "ERROR_NOT_SUPPORTED",
        [nameof(EtwError.InvalidParameter)] = "ERROR_INVALID_PARAMETER",
        [nameof(EtwError.DiskFull)] = "ERROR_DISK_FULL",
        [nameof(EtwError.CallNotImplemented)] = "ERROR_CALL_NOT_IMPLEMENTED",
        [nameof(EtwError.InvalidName)] = "ERROR_INVALID_NAME",
        [nameof(EtwError.BadPathName)] = "ERROR_BAD_PATHNAME",
        [nameof(EtwError.AlreadyExists)] = "ERROR_ALREADY_EXISTS",
        [nameof(EtwError.MoreData)] = "ERROR_MORE_DATA",
        [nameof(EtwError.NotAllAssigned)] = "ERROR_NOT_ALL_ASSIGNED",
        [nameof(EtwError.PrivilegeNotHeld)] = "ERROR_PRIVILEGE_NOT_HELD",
        [nameof(EtwError.NoSystemResources)] = "ERROR_NO_SYSTEM_RESOURCES",
        [nameof(EtwError.InstanceNotFound)] = "ERROR_WMI_INSTANCE_NOT_FOUND",
    };

    /// <summary>By the field of <c>ThreadNatives</c>, which the measurements share.</summary>
    public static IReadOnlyDictionary<string, string?> ThreadNames { get; } = new Dictionary<string, string?>
    {
        [nameof(ThreadNatives.HighPriorityClass)] = "HIGH_PRIORITY_CLASS",
        [nameof(ThreadNatives.RealTimePriorityClass)] = "REALTIME_PRIORITY_CLASS",
        [nameof(ThreadNatives.CreateWaitableTimerHighResolution)] = "CREATE_WAITABLE_TIMER_HIGH_RESOLUTION",
        [nameof(ThreadNatives.TimerAllAccess)] = "TIMER_ALL_ACCESS",
        [nameof(ThreadNatives.Infinite)] = "INFINITE",
        [nameof(ThreadNatives.QuotaLimitsHardMinimum)] = "QUOTA_LIMITS_HARDWS_MIN_ENABLE",
        [nameof(ThreadNatives.QuotaLimitsSoftMaximum)] = "QUOTA_LIMITS_HARDWS_MAX_DISABLE",
    };

    /// <summary>By the field of <see cref="ProbeNatives"/>.</summary>
    public static IReadOnlyDictionary<string, string?> ProbeNames { get; } = new Dictionary<string, string?>
    {
        [nameof(ProbeNatives.Synchronize)] = "SYNCHRONIZE",
        [nameof(ProbeNatives.WaitObject0)] = "WAIT_OBJECT_0",
        [nameof(ProbeNatives.ProcessPowerThrottling)] = "ProcessPowerThrottling",
        [nameof(ProbeNatives.PowerThrottlingExecutionSpeed)] = "PROCESS_POWER_THROTTLING_EXECUTION_SPEED",
        [nameof(ProbeNatives.PowerThrottlingIgnoreTimerResolution)] = "PROCESS_POWER_THROTTLING_IGNORE_TIMER_RESOLUTION",
    };

    /// <summary>By the field of <see cref="PowerRequest"/>.</summary>
    public static IReadOnlyDictionary<string, string?> PowerNames { get; } = new Dictionary<string, string?>
    {
        [nameof(PowerRequest.ContextVersion)] = "POWER_REQUEST_CONTEXT_VERSION",
        [nameof(PowerRequest.SimpleString)] = "POWER_REQUEST_CONTEXT_SIMPLE_STRING",
        [nameof(PowerRequest.SystemRequired)] = "PowerRequestSystemRequired",
        [nameof(PowerRequest.ExecutionRequired)] = "PowerRequestExecutionRequired",
    };

    /// <summary>EVENT_TRACE_FLAG_* by the keyword of <see cref="RecordedEvents.Recorder"/>; what is not here has none.</summary>
    public static IReadOnlyDictionary<string, string> EnableFlagNames { get; } = new Dictionary<string, string>
    {
        ["PROCESS"] = "EVENT_TRACE_FLAG_PROCESS",
        ["THREAD"] = "EVENT_TRACE_FLAG_THREAD",
        ["LOADER"] = "EVENT_TRACE_FLAG_IMAGE_LOAD",
        ["DPC"] = "EVENT_TRACE_FLAG_DPC",
        ["INTERRUPT"] = "EVENT_TRACE_FLAG_INTERRUPT",
        ["CSWITCH"] = "EVENT_TRACE_FLAG_CSWITCH",
        ["DISPATCHER"] = "EVENT_TRACE_FLAG_DISPATCHER",
        ["PROFILE"] = "EVENT_TRACE_FLAG_PROFILE",
        ["HARD_FAULTS"] = "EVENT_TRACE_FLAG_MEMORY_HARD_FAULTS",
    };

    public static IReadOnlyList<HeaderConstant> Constants { get; } =
    [
        .. Named(typeof(EtwConstants), EtwConstantNames),
        .. Named(typeof(EtwError), EtwErrorNames),
        .. Named(typeof(ThreadNatives), ThreadNames),
        .. Named(typeof(ProbeNatives), ProbeNames),
        .. Named(typeof(PowerRequest), PowerNames),
        .. Enum.GetValues<TraceInformationClass>().Select(static one => new HeaderConstant(one.ToString(), (ulong)one)),
        .. EnableFlagNames.Select(static one => new HeaderConstant(
            one.Value, RecordedEvents.All.Single(recorded => recorded.Name == one.Key).EnableFlag)),
    ];

    private static IEnumerable<HeaderConstant> Named(Type type, IReadOnlyDictionary<string, string?> names) =>
        names.Where(static one => one.Value is not null).Select(one => new HeaderConstant(
            one.Value!, Convert.ToUInt64(type.GetField(one.Key)!.GetRawConstantValue(), CultureInfo.InvariantCulture)));
}
