namespace Tracer.Etl;

/// <summary>
/// The kinds of event headers in an .etl file. The value is the header-type byte of the record (offset 2), but for
/// <see cref="Message"/>, whose value is never stored (TRACE_HEADER_TYPE_* of ntwmi.h).
/// </summary>
public enum EtlHeaderKind : byte
{
    /// <summary>No known kind.</summary>
    None = 0,

    /// <summary>Kernel event, 32 bytes: time, thread, process, CPU times; 4-byte pointers in the payload.</summary>
    System32 = 1,

    /// <summary>As <see cref="System32"/> with 8-byte pointers.</summary>
    System64 = 2,

    /// <summary>Kernel event, 24 bytes: <see cref="System32"/> without the CPU times.</summary>
    Compact32 = 3,

    /// <summary>As <see cref="Compact32"/> with 8-byte pointers.</summary>
    Compact64 = 4,

    /// <summary>Classic event (EVENT_TRACE_HEADER), 48 bytes; 4-byte pointers.</summary>
    Full32 = 10,

    /// <summary>Classic event with instance ids (EVENT_INSTANCE_GUID_HEADER), 72 bytes; 4-byte pointers.</summary>
    Instance32 = 11,

    /// <summary>Unused by current systems; layout unknown.</summary>
    Timed = 12,

    /// <summary>"Error while logging event"; layout unknown.</summary>
    Error = 13,

    /// <summary>A WNODE_HEADER; layout unknown.</summary>
    Wnode = 14,

    /// <summary>WPP message.</summary>
    Message = 15,

    /// <summary>Kernel event, 16 bytes: time only; 4-byte pointers.</summary>
    PerfInfo32 = 16,

    /// <summary>As <see cref="PerfInfo32"/> with 8-byte pointers.</summary>
    PerfInfo64 = 17,

    /// <summary>Manifest, TraceLogging or EventSource event (EVENT_HEADER), 80 bytes; 4-byte pointers.</summary>
    EventHeader32 = 18,

    /// <summary>As <see cref="EventHeader32"/> with 8-byte pointers.</summary>
    EventHeader64 = 19,

    /// <summary>As <see cref="Full32"/> with 8-byte pointers.</summary>
    Full64 = 20,

    /// <summary>As <see cref="Instance32"/> with 8-byte pointers.</summary>
    Instance64 = 21,
}
