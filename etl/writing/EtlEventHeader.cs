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

    /// <summary>Version of the payload's layout; one byte but for FULL and INSTANCE.</summary>
    public ushort Version { get; init; }

    /// <summary>Kernel event: the payload to be written begins with a PEBS index of 8 bytes (ntwmi.h).</summary>
    public bool HasPebsIndex { get; init; }

    /// <summary>
    /// Kernel event: the payload to be written begins, behind the PEBS index if there is one, with so many performance counters of 8
    /// bytes, 0 to 7.
    /// </summary>
    public byte CounterCount { get; init; }

    /// <summary>Opcode of an event without a hook id.</summary>
    public byte Opcode { get; init; }

    /// <summary>Level: 0 always, 1 critical to 5 verbose.</summary>
    public byte Level { get; init; }

    /// <summary>
    /// EVENT_HEADER: the flags of the record but bit 0, which tells that extended items follow and is the writer's; 0 in real files.
    /// </summary>
    public ushort EventFlags { get; init; }

    /// <summary>EVENT_HEADER: 1 XML, 2 forwarded XML, 4 legacy event log, 8 reloggable; 0 in real files.</summary>
    public ushort EventProperty { get; init; }

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

    /// <summary>INSTANCE: id of the instance.</summary>
    public uint InstanceId { get; init; }

    /// <summary>INSTANCE: id of the parent's instance.</summary>
    public uint ParentInstanceId { get; init; }

    /// <summary>INSTANCE: event class of the parent.</summary>
    public Guid ParentClassId { get; init; }

    /// <summary>WPP message: which of the optional fields it has.</summary>
    public EtlMessageFields MessageFields { get; init; }

    /// <summary>WPP message: its sequence number, with <see cref="EtlMessageFields.Sequence"/>.</summary>
    public uint MessageSequence { get; init; }

    /// <summary>WPP message: its component, with <see cref="EtlMessageFields.ComponentId"/>.</summary>
    public uint ComponentId { get; init; }

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

    /// <summary>A classic event with instance ids (EVENT_INSTANCE_GUID_HEADER); set the ids with <c>with</c>.</summary>
    public static EtlEventHeader Instance(
        Guid classId, byte opcode, ushort version, long timestampTicks, uint processId, uint threadId, int pointerBytes = 8) =>
        Full(classId, opcode, version, timestampTicks, processId, threadId) with
        {
            Kind = pointerBytes == 8 ? EtlHeaderKind.Instance64 : EtlHeaderKind.Instance32,
        };

    /// <summary>A kernel event that names the logging thread and process, without CPU times.</summary>
    public static EtlEventHeader Compact(
        ushort hookId, byte version, long timestampTicks, uint processId, uint threadId, int pointerBytes = 8) =>
        System(hookId, version, timestampTicks, processId, threadId) with
        {
            Kind = pointerBytes == 8 ? EtlHeaderKind.Compact64 : EtlHeaderKind.Compact32,
        };

    /// <summary>A WPP message with its GUID, time, thread and process, and no sequence number, as drivers log them.</summary>
    public static EtlEventHeader Message(
        Guid messageGuid, ushort number, long timestampTicks, uint processId, uint threadId, int pointerBytes = 8) => new()
        {
            Kind = EtlHeaderKind.Message,
            ProviderId = messageGuid,
            Id = number,
            TimestampTicks = timestampTicks,
            ProcessId = processId,
            ThreadId = threadId,
            MessageFields = EtlMessageFields.Guid | EtlMessageFields.Time | EtlMessageFields.ThreadAndProcess
                | (pointerBytes == 8 ? EtlMessageFields.Pointers64 : EtlMessageFields.Pointers32),
        };

    /// <summary>
    /// The header of an event that was read: written again with <see cref="EtlEvent.Counters"/> and <see cref="EtlEvent.Payload"/> behind
    /// each other and with its extended items, it gives the same bytes. Kinds whose layout is unknown are no <see cref="EtlEvent"/>.
    /// </summary>
    /// <param name="traceEvent">The event.</param>
    public static EtlEventHeader Of(in EtlEvent traceEvent) => EventRecord.HeaderOf(traceEvent);
}
