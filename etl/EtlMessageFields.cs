namespace Tracer.Etl;

/// <summary>
/// Which optional fields a WPP message record has, in this order but for the component id (TRACE_MESSAGE_* of evntrace.h).
/// </summary>
[Flags]
public enum EtlMessageFields : ushort
{
    /// <summary>No optional field.</summary>
    None = 0,

    /// <summary>A sequence number: u32.</summary>
    Sequence = 0x01,

    /// <summary>The message GUID; absent where there is a component id.</summary>
    Guid = 0x02,

    /// <summary>A component id: u32; wins over the GUID.</summary>
    ComponentId = 0x04,

    /// <summary>A time stamp: i64, in the file's clock.</summary>
    Time = 0x08,

    /// <summary>Obsolete; adds no field.</summary>
    PerformanceTime = 0x10,

    /// <summary>Thread id and process id: u32 each.</summary>
    ThreadAndProcess = 0x20,

    /// <summary>The arguments' pointers have 4 bytes.</summary>
    Pointers32 = 0x40,

    /// <summary>The arguments' pointers have 8 bytes.</summary>
    Pointers64 = 0x80,
}
