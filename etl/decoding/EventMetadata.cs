using System.Buffers.Binary;
using System.Collections.Immutable;
using System.Runtime.InteropServices;

namespace Tracer.Etl.Decoding;

/// <summary>
/// The descriptions of manifest events that a merge or relog puts into a trace: records of class bbccf6c1 with opcode 32 (one
/// event, TRACE_EVENT_INFO of tdh.h) and 33 (one map of value names, EVENT_MAP_INFO of tdh.h behind the provider's GUID). Holds at most
/// <see cref="MaximumBytes"/> of them.
/// </summary>
/// <remarks>
/// EVENT_MAP_INFO counts its offsets from behind the provider's GUID:
/// <code>
///  0  u32 offset of the map's name
///  4  u32 flags: 1 value map, 2 bit map, 4 pattern map (of a manifest); 8 value map, 16 and 32 bit maps (of WMI)
///  8  u32 number of entries
/// 12  u32 0 when entries hold numbers, 1 when they hold strings
/// 16  entries: u32 offset of the text, u32 value
/// </code>
/// Texts of manifests end in a blank. So in 52 of 52 in the corpus, of flags 1 and 2. Maps of strings and patterns are not taken.
/// </remarks>
public sealed class EventMetadata
{
    /// <summary>Bytes of records whose content is held.</summary>
    public const int MaximumBytes = 32 << 20;

    /// <summary>Opcode of the record of one event.</summary>
    public const byte EventInfoOpcode = 32;

    /// <summary>Opcode of the record of one map.</summary>
    public const byte MapInfoOpcode = 33;

    private const int GuidBytes = 16;
    private const int EventHeadBytes = 112;
    private const int PropertyBytes = 24;
    private const int DescriptorOffset = 0x20;
    private const int ProviderNameOffset = 0x34;
    private const int TaskNameOffset = 0x44;
    private const int OpcodeNameOffset = 0x48;
    private const int EventNameOffset = 0x5C;
    private const int PropertyCountOffset = 0x64;
    private const int TopLevelCountOffset = 0x68;
    private const int MapHeadBytes = 16;
    private const int MapEntryBytes = 8;
    private const uint BitMapFlags = 2 | 16 | 32;
    private const uint PatternMapFlag = 4;
    private const uint StringEntries = 1;

    private const uint IsStruct = 0x1;
    private const uint LengthFromProperty = 0x2;
    private const uint CountFromProperty = 0x4;
    private const uint HasFixedLength = 0x10;
    private const uint HasFixedCount = 0x20;

    private readonly Dictionary<(Guid Provider, ushort Id, byte Version), EventSchema> _events = [];
    private readonly Dictionary<(Guid Provider, string Name), ValueMap> _maps = [];
    private readonly Dictionary<Guid, string> _providers = [];
    private readonly DescriptionLimits _limits = new();
    private int _bytes;

    /// <summary>The event class of these records.</summary>
    public static Guid ClassId { get; } = new("bbccf6c1-6cd1-48c4-80ff-839482e37671");

    /// <summary>Events described.</summary>
    public int Events => _events.Count;

    /// <summary>Maps whose names are known.</summary>
    public int Maps => _maps.Count(map => map.Value.Count > 0);

    /// <summary>Records that are damaged or of a form that is not known.</summary>
    public int Malformed { get; private set; }

    /// <summary>Names in them that were too long and are cut.</summary>
    public int NamesCut => _limits.NamesCut;

    /// <summary>Records that were not taken because too many were.</summary>
    public int Refused { get; private set; }

    /// <summary>Whether an event describes another, or a map.</summary>
    public static bool IsMetadata(in EtlEvent traceEvent) =>
        traceEvent.Kind is EtlHeaderKind.Full32 or EtlHeaderKind.Full64
        && traceEvent.Opcode is EventInfoOpcode or MapInfoOpcode && traceEvent.ProviderId == ClassId;

    /// <summary>Takes what a record describes; the first description of an event counts.</summary>
    /// <param name="traceEvent">An event for which <see cref="IsMetadata"/> holds.</param>
    public void Add(in EtlEvent traceEvent)
    {
        ReadOnlySpan<byte> payload = traceEvent.Payload;
        if (_bytes + payload.Length > MaximumBytes)
        {
            Refused++;
            return;
        }

        _bytes += payload.Length;
        if (!(traceEvent.Opcode == MapInfoOpcode ? TryAddMap(payload) : TryAddEvent(payload)))
        {
            Malformed++;
        }
    }

    /// <summary>The description of an event; null when there is none.</summary>
    public EventSchema? Find(in EtlEvent traceEvent) =>
        _events.GetValueOrDefault((traceEvent.ProviderId, traceEvent.Id, (byte)traceEvent.Version));

    /// <summary>The name of a provider of which any event is described; null for others.</summary>
    public string? ProviderName(Guid provider) => _providers.GetValueOrDefault(provider);

    private bool TryAddMap(ReadOnlySpan<byte> payload)
    {
        if (payload.Length < GuidBytes + MapHeadBytes)
        {
            return false;
        }

        var provider = new Guid(payload[..GuidBytes]);
        ReadOnlySpan<byte> map = payload[GuidBytes..];
        uint flags = UInt32(map, 4);
        uint count = UInt32(map, 8);
        var texts = new Texts(map, _limits);
        if (!texts.TryTake(UInt32(map, 0), out string name) || (flags & PatternMapFlag) != 0 || UInt32(map, 12) == StringEntries
            || count > (map.Length - MapHeadBytes) / MapEntryBytes)
        {
            return false;
        }

        var entries = new List<KeyValuePair<ulong, string>>();
        for (int i = 0; i < count; i++)
        {
            int entry = MapHeadBytes + (MapEntryBytes * i);
            if (!texts.TryTake(UInt32(map, entry), out string text))
            {
                return false;
            }

            entries.Add(new(UInt32(map, entry + 4), text));
        }

        MapOf(provider, name).Fill((flags & BitMapFlags) != 0, entries);
        return true;
    }

    private bool TryAddEvent(ReadOnlySpan<byte> info)
    {
        if (info.Length < EventHeadBytes)
        {
            return false;
        }

        var provider = new Guid(info[..GuidBytes]);
        ushort id = BinaryPrimitives.ReadUInt16LittleEndian(info[DescriptorOffset..]);
        byte version = info[DescriptorOffset + 2];
        byte opcode = info[DescriptorOffset + 5];
        uint properties = UInt32(info, PropertyCountOffset);
        uint topLevel = UInt32(info, TopLevelCountOffset);
        var texts = new Texts(info, _limits);
        if (properties > (info.Length - EventHeadBytes) / PropertyBytes || topLevel > properties
            || !texts.TryTakeOptional(UInt32(info, ProviderNameOffset), out string? providerName)
            || !texts.TryTakeOptional(UInt32(info, TaskNameOffset), out string? task)
            || !texts.TryTakeOptional(UInt32(info, OpcodeNameOffset), out string? opcodeName)
            || !texts.TryTakeOptional(UInt32(info, EventNameOffset), out string? eventName)
            || providerName is null)
        {
            return false;
        }

        var reader = new PropertyReader(this, info, texts, provider, (int)properties);
        if (!reader.TryRead(0, (int)topLevel, depth: 0, out ImmutableArray<FieldDefinition> fields))
        {
            return false;
        }

        opcodeName = opcodeName?.StartsWith("win:", StringComparison.Ordinal) == true ? opcodeName[4..] : opcodeName;
        var schema = new EventSchema
        {
            ProviderName = providerName,
            EventName = _limits.NameOf(EventSchema.NameOf(task ?? eventName, opcodeName, opcode, id)),
            Source = EventSchemaSource.Metadata,
            Fields = fields,
        };
        _events.TryAdd((provider, id, version), schema);
        _providers.TryAdd(provider, providerName);
        return true;
    }

    private ValueMap MapOf(Guid provider, string name)
    {
        if (!_maps.TryGetValue((provider, name), out ValueMap? map))
        {
            map = new ValueMap(name);
            _maps.Add((provider, name), map);
        }

        return map;
    }

    private static uint UInt32(ReadOnlySpan<byte> bytes, int offset) => BinaryPrimitives.ReadUInt32LittleEndian(bytes[offset..]);

    /// <summary>
    /// The texts of a blob by their offsets. Each is made once, and all together are not longer than the blob: offsets that overlap, which
    /// only damage makes, do not multiply it.
    /// </summary>
    private ref struct Texts(ReadOnlySpan<byte> blob, DescriptionLimits limits)
    {
        private readonly ReadOnlySpan<byte> _blob = blob;
        private readonly Dictionary<uint, string> _made = [];
        private int _left = blob.Length;

        public bool TryTake(uint offset, out string text)
        {
            text = "";
            if (offset == 0 || offset >= _blob.Length)
            {
                return false;
            }

            if (_made.TryGetValue(offset, out string? made))
            {
                text = made;
                return true;
            }

            ReadOnlySpan<char> rest = MemoryMarshal.Cast<byte, char>(_blob[(int)offset..]);
            int length = rest.IndexOf('\0');
            if (length < 0 || length > _left)
            {
                return false;
            }

            _left -= length;
            text = limits.NameOf(rest[..length].TrimEnd().ToString());
            _made.Add(offset, text);
            return true;
        }

        /// <summary>An offset of 0 is no text.</summary>
        public bool TryTakeOptional(uint offset, out string? text)
        {
            text = null;
            return offset == 0 || TryTake(offset, out text);
        }
    }

    /// <summary>The 24-byte property entries; members of a struct stand as a run of entries behind the top-level ones.</summary>
    private ref struct PropertyReader
    {
        private readonly EventMetadata _metadata;
        private readonly ReadOnlySpan<byte> _info;
        private readonly Guid _provider;
        private readonly int _count;
        private readonly Dictionary<int, int> _numbers = [];
        private Texts _texts;
        private int _read;

        public PropertyReader(EventMetadata metadata, ReadOnlySpan<byte> info, Texts texts, Guid provider, int count)
        {
            _metadata = metadata;
            _info = info;
            _texts = texts;
            _provider = provider;
            _count = count;
            for (int i = 0; i < count; i++)
            {
                ReadOnlySpan<byte> property = Property(i);
                uint flags = UInt32(property, 0);
                Refer((flags & CountFromProperty) != 0, UInt16(property, 16));
                Refer((flags & LengthFromProperty) != 0, UInt16(property, 18));
            }
        }

        public bool TryRead(int first, int count, int depth, out ImmutableArray<FieldDefinition> fields)
        {
            fields = [];
            if (first + count > _count || depth > PayloadDecoder.MaximumDepth)
            {
                return false;
            }

            ImmutableArray<FieldDefinition>.Builder found = ImmutableArray.CreateBuilder<FieldDefinition>(count);
            for (int i = first; i < first + count; i++)
            {
                // Structs may share members only in a damaged record: then they could multiply without end.
                if (++_read > _count || !TryReadOne(i, depth, out FieldDefinition? field))
                {
                    return false;
                }

                found.Add(field);
            }

            fields = found.DrainToImmutable();
            return true;
        }

        private bool TryReadOne(int index, int depth, out FieldDefinition field)
        {
            field = null!;
            ReadOnlySpan<byte> property = Property(index);
            uint flags = UInt32(property, 0);
            var inType = (FieldInType)UInt16(property, 8);
            int outType = UInt16(property, 10);
            uint mapName = UInt32(property, 12);
            ImmutableArray<FieldDefinition> members = [];
            ValueMap? map = null;
            if (!_texts.TryTake(UInt32(property, 4), out string name))
            {
                return false;
            }

            if ((flags & IsStruct) != 0)
            {
                if (!TryRead(UInt16(property, 8), outType, depth + 1, out members))
                {
                    return false;
                }

                inType = FieldInType.Struct;
            }
            else if (mapName != 0)
            {
                if (!_texts.TryTake(mapName, out string mapText))
                {
                    return false;
                }

                map = _metadata.MapOf(_provider, mapText);
            }

            field = new FieldDefinition
            {
                Name = name,
                InType = inType,
                OutType = inType == FieldInType.Struct ? FieldOutType.Default : (FieldOutType)outType,
                Count = Count(flags, UInt16(property, 16)),
                Length = Length(flags, inType, UInt16(property, 18)),
                Number = _numbers.GetValueOrDefault(index, -1),
                Members = members,
                Map = map,
            };
            return true;
        }

        private readonly FieldSize Count(uint flags, int value) => flags switch
        {
            _ when (flags & CountFromProperty) != 0 => FieldSize.FromField(_numbers.GetValueOrDefault(value, -1)),
            _ when (flags & HasFixedCount) != 0 || value > 1 => FieldSize.Fixed(value),
            _ => FieldSize.Natural,
        };

        /// <summary>A number or the GUID also tells its length here, which is no news.</summary>
        private readonly FieldSize Length(uint flags, FieldInType inType, int value) => flags switch
        {
            _ when (flags & LengthFromProperty) != 0 => FieldSize.FromField(_numbers.GetValueOrDefault(value, -1)),
            _ when (flags & HasFixedLength) != 0 || (value > 0 && inType is FieldInType.UnicodeString or FieldInType.AnsiString
                or FieldInType.Binary or FieldInType.NonNullTerminatedString or FieldInType.NonNullTerminatedAnsiString)
                => FieldSize.Fixed(value),
            _ => FieldSize.Natural,
        };

        private readonly void Refer(bool does, int property)
        {
            if (does && _numbers.Count < EventSchema.MaximumReferences)
            {
                _numbers.TryAdd(property, _numbers.Count);
            }
        }

        private readonly ReadOnlySpan<byte> Property(int index) => _info.Slice(EventHeadBytes + (PropertyBytes * index), PropertyBytes);

        private static int UInt16(ReadOnlySpan<byte> bytes, int offset) => BinaryPrimitives.ReadUInt16LittleEndian(bytes[offset..]);
    }
}
