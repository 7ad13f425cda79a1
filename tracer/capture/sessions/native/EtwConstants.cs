namespace Tracer.Capture.Sessions.Native;

/// <summary>
/// Values of evntrace.h, wmistr.h and winnt.h, compared with the SDK's headers by a test; the names there are in the comments.
/// </summary>
internal static class EtwConstants
{
    /// <summary>WNODE_FLAG_TRACED_GUID.</summary>
    public const uint WnodeTracedGuid = 0x0002_0000;

    /// <summary>Wnode.ClientContext: time stamps of the performance counter (evntrace.h gives it no name).</summary>
    public const uint ClockQpc = 1;

    /// <summary>EVENT_TRACE_FILE_MODE_SEQUENTIAL.</summary>
    public const uint ModeSequential = 0x0000_0001;

    /// <summary>EVENT_TRACE_REAL_TIME_MODE.</summary>
    public const uint ModeRealTime = 0x0000_0100;

    /// <summary>EVENT_TRACE_BUFFERING_MODE: a ring in memory.</summary>
    public const uint ModeBuffering = 0x0000_0400;

    /// <summary>EVENT_TRACE_SYSTEM_LOGGER_MODE: receives kernel events.</summary>
    public const uint ModeSystemLogger = 0x0200_0000;

    /// <summary>EVENT_TRACE_INDEPENDENT_SESSION_MODE: another session that is full does not keep an event from this one.</summary>
    public const uint ModeIndependent = 0x0800_0000;

    /// <summary>EVENT_TRACE_FLAG_NO_SYSCONFIG: no description of the machine at the end.</summary>
    public const uint FlagNoSystemConfig = 0x1000_0000;

    /// <summary>EVENT_TRACE_CONTROL_QUERY.</summary>
    public const uint ControlQuery = 0;

    /// <summary>EVENT_TRACE_CONTROL_STOP.</summary>
    public const uint ControlStop = 1;

    /// <summary>EVENT_TRACE_CONTROL_FLUSH; with a file name, a ring is written to it.</summary>
    public const uint ControlFlush = 3;

    /// <summary>EVENT_CONTROL_CODE_ENABLE_PROVIDER.</summary>
    public const uint EnableProvider = 1;

    /// <summary>EVENT_CONTROL_CODE_CAPTURE_STATE: a provider logs how things stand.</summary>
    public const uint CaptureState = 2;

    /// <summary>ENABLE_TRACE_PARAMETERS_VERSION_2.</summary>
    public const uint EnableParametersVersion = 2;

    public const uint FilterTypeEventId = 0x8000_0200;

    /// <summary>TRACE_LEVEL_INFORMATION.</summary>
    public const byte LevelInformation = 4;

    /// <summary>TRACE_LEVEL_VERBOSE.</summary>
    public const byte LevelVerbose = 5;

    public const uint TokenAdjustPrivileges = 0x0020;

    public const uint TokenQuery = 0x0008;

    /// <summary>SE_PRIVILEGE_ENABLED.</summary>
    public const uint PrivilegeEnabled = 0x0000_0002;
}
