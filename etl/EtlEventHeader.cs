namespace Tracer.Etl;

/// <summary>
/// The header of an event to be written; fields that its kind does not have are not written. Make one with the method named after its
/// kind and change the rest with <c>with</c>.
/// </summary>
public readonly record struct EtlEventHeader
{
    /// <summary>The kind of header, which also tells the width of the payload's pointers.</summary>
    public required EtlHeaderKind Kind { get; init; }

    /// <summary>Time stamp in ticks of the file's clock.</summary>
    public required long TimestampTicks { get; init; }

    /// <summary>Group and opcode of a kernel event, group in the high byte.</summary>
    public ushort HookId { get; init; }

    /// <summary>Class of a classic event, provider of an EVENT_HEADER event, message GUID of a WPP message.</summary>
    public Guid ProviderId { get; init; }

    /// <summary>Event id of an EVENT_HEADER event, message number of a WPP message.</summary>
    public ushort Id { get; init; }

    /// <summary>Version of the payload's layout.</summary>
    public ushort Version { get; init; }

    /// <summary>Opcode of an event without a hook id.</summary>
    public byte Opcode { get; init; }

    /// <summary>Level: 0 always, 1 critical to 5 verbose.</summary>
    public byte Level { get; init; }

    /// <summary>Channel; 11 is TraceLogging.</summary>
    public byte Channel { get; init; }

    /// <summary>Task.</summary>
    public ushort Task { get; init; }

    /// <summary>Keywords.</summary>
    public ulong Keyword { get; init; }

    /// <summary>Activity id.</summary>
    public Guid ActivityId { get; init; }

    /// <summary>Thread that logged the event.</summary>
    public uint ThreadId { get; init; }

    /// <summary>Process that logged the event.</summary>
    public uint ProcessId { get; init; }

    /// <summary>Kernel-mode CPU time of the thread so far, in clock ticks of <see cref="EtlFileHeader.TimerResolution100ns"/>.</summary>
    public uint KernelTimeClockTicks { get; init; }

    /// <summary>User-mode CPU time of the thread so far, in the same unit.</summary>
    public uint UserTimeClockTicks { get; init; }

    /// <summary>A kernel event with a time stamp only.</summary>
    public static EtlEventHeader PerfInfo(ushort hookId, byte version, long timestampTicks, int pointerBytes = 8) => new()
    {
        Kind = pointerBytes == 8 ? EtlHeaderKind.PerfInfo64 : EtlHeaderKind.PerfInfo32,
        HookId = hookId,
        Version = version,
        TimestampTicks = timestampTicks,
    };

    /// <summary>A kernel event that names the logging thread and process.</summary>
    public static EtlEventHeader System(
        ushort hookId, byte version, long timestampTicks, uint processId, uint threadId, int pointerBytes = 8) => new()
        {
            Kind = pointerBytes == 8 ? EtlHeaderKind.System64 : EtlHeaderKind.System32,
            HookId = hookId,
            Version = version,
            TimestampTicks = timestampTicks,
            ProcessId = processId,
            ThreadId = threadId,
        };

    /// <summary>A classic event (EVENT_TRACE_HEADER).</summary>
    public static EtlEventHeader Full(
        Guid classId, byte opcode, ushort version, long timestampTicks, uint processId, uint threadId, int pointerBytes = 8) => new()
        {
            Kind = pointerBytes == 8 ? EtlHeaderKind.Full64 : EtlHeaderKind.Full32,
            ProviderId = classId,
            Opcode = opcode,
            Version = version,
            TimestampTicks = timestampTicks,
            ProcessId = processId,
            ThreadId = threadId,
        };

    /// <summary>A manifest or TraceLogging event (EVENT_HEADER).</summary>
    public static EtlEventHeader Event(
        Guid providerId, ushort id, byte version, long timestampTicks, uint processId, uint threadId, int pointerBytes = 8) => new()
        {
            Kind = pointerBytes == 8 ? EtlHeaderKind.EventHeader64 : EtlHeaderKind.EventHeader32,
            ProviderId = providerId,
            Id = id,
            Version = version,
            TimestampTicks = timestampTicks,
            ProcessId = processId,
            ThreadId = threadId,
        };
}
