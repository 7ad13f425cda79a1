using Tracer.Etl.Decoding;

namespace Tracer.Etl.Kernel;

/// <summary>A registry operation; the rundown records give the names of keys that are open.</summary>
/// <remarks>
/// Hooks 0x090A to 0x091B. Source: Microsoft's Registry_TypeGroup1 classes; status S.
/// <code>
/// version 2                        versions 0 and 1
/// @8    @4    type  field          @8    @4    type  field
/// 0     0     time  InitialTime    0     0     ptr   Status
/// 8     8     u32   Status         8     4     ptr   KeyHandle
/// 12    12    u32   Index          16    8     i64   ElapsedTime
/// 16    16    ptr   KeyHandle      24    16    u32   Index (version 1)
/// 24    20    wz    KeyName        +     +     wz    KeyName
/// </code>
/// </remarks>
public readonly ref struct RegistryRecord : IKernelRecord<RegistryRecord>
{
    private readonly RecordPayload _payload;
    private readonly int _version;
    private readonly int _nameOffset;

    private RegistryRecord(in EtlEvent traceEvent)
    {
        _payload = new RecordPayload(in traceEvent);
        _version = traceEvent.Version;
        _nameOffset = _version switch
        {
            0 => _payload.At(24, 16),
            1 => _payload.At(28, 20),
            _ => _payload.At(24, 20),
        };
    }

    /// <summary>When it began, in ticks of the trace's clock; null before version 2.</summary>
    public long? InitialTime => _version >= 2 ? _payload.Int64(0) : null;

    /// <summary>NT status of the operation.</summary>
    public uint Status => _payload.UInt32(_version >= 2 ? 8 : 0);

    /// <summary>Number of the subkey or value, for enumerations; null in version 0.</summary>
    public uint? Index => _version switch
    {
        0 => null,
        1 => _payload.UInt32(_payload.At(24, 16)),
        _ => _payload.UInt32(12),
    };

    /// <summary>Identifies the key: address of its control block.</summary>
    public ulong KeyHandle => _payload.Pointer(_version >= 2 ? 16 : _payload.PointerBytes);

    /// <summary>How long it took, as older systems give it: its unit is not public; null from version 2 on.</summary>
    public long? ElapsedTime => _version < 2 ? _payload.Int64(_payload.At(16, 8)) : null;

    /// <summary>Name of the key or value, UTF-16.</summary>
    public ReadOnlySpan<byte> KeyName => _payload.Utf16(_nameOffset, out _);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out RegistryRecord record)
    {
        record = new RegistryRecord(in traceEvent);
        return record._payload.Length >= record._nameOffset;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        if (InitialTime is long initialTime)
        {
            fields.Field("InitialTime", FieldValue.Ticks(initialTime));
        }

        fields.Field("Status", FieldValue.Hexadecimal(Status));
        if (_version >= 2)
        {
            fields.Field("Index", FieldValue.Unsigned(Index.GetValueOrDefault()));
        }

        fields.Field("KeyHandle", FieldValue.Pointer(KeyHandle));
        if (ElapsedTime is long elapsedTime)
        {
            fields.Field("ElapsedTime", FieldValue.Signed(elapsedTime));
        }

        if (_version == 1)
        {
            fields.Field("Index", FieldValue.Unsigned(Index.GetValueOrDefault()));
        }

        fields.Field("KeyName", FieldValue.Utf16Text(KeyName));
    }
}
