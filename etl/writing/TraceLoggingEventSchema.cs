namespace Tracer.Etl;

/// <summary>
/// A TraceLogging event: made once for all events of its name, it gives the header and the extended items (provider traits and schema, as
/// TraceLoggingProvider.h lays them out) that <see cref="IEtlWriter.Write"/> takes with a payload from <see cref="TraceLoggingPayload"/>.
/// </summary>
public sealed class TraceLoggingEventSchema
{
    /// <summary>Channel of all TraceLogging events.</summary>
    public const byte Channel = 11;

    private const byte VerboseLevel = 5;
    private const byte HasOutByte = 0x80;
    private const byte HasTag = 0x80;

    private readonly EtlExtendedItem[] _items;

    /// <summary>Makes the schema.</summary>
    /// <param name="provider">Who logs the event.</param>
    /// <param name="name">The event's name, without NUL.</param>
    /// <param name="fields">Its fields in the order of the payload.</param>
    /// <param name="tag">What the provider's tools use it for, 28 bits; 0 is no tag.</param>
    /// <exception cref="ArgumentException">
    /// A name has a NUL, a tag is too wide, a fixed array is empty, a struct has no members or over 127, another type has some, or the
    /// schema is longer than 65,535 bytes.
    /// </exception>
    public TraceLoggingEventSchema(TraceLoggingProvider provider, string name, IEnumerable<TraceLoggingField> fields, uint tag = 0)
    {
        ArgumentNullException.ThrowIfNull(provider);
        ArgumentNullException.ThrowIfNull(fields);
        Provider = provider;
        Name = name;
        var schema = new TraceLoggingMetadata();
        schema.AddTag(tag);
        schema.AddText(name);
        foreach (TraceLoggingField field in fields)
        {
            Add(schema, field);
        }

        // Windows puts the traits first.
        _items = [provider.Traits, new EtlExtendedItem(EtlExtendedItemKind.TraceLoggingSchema, schema.Finish())];
    }

    /// <summary>Who logs the event.</summary>
    public TraceLoggingProvider Provider { get; }

    /// <summary>The event's name.</summary>
    public string Name { get; }

    /// <summary>The extended items to be written with every such event.</summary>
    public ReadOnlySpan<EtlExtendedItem> Items => _items;

    /// <summary>
    /// The header of one such event: channel 11, id 0, level 5 (verbose), no keyword; change what differs with <c>with</c>.
    /// </summary>
    /// <param name="timestampTicks">Time stamp in ticks of the file's clock.</param>
    /// <param name="processId">Process that logs it.</param>
    /// <param name="threadId">Thread that logs it.</param>
    /// <param name="pointerBytes">Width of the process's pointers in bytes.</param>
    public EtlEventHeader Header(long timestampTicks, uint processId, uint threadId, int pointerBytes = 8) =>
        EtlEventHeader.Event(Provider.Id, id: 0, version: 0, timestampTicks, processId, threadId, pointerBytes) with
        {
            Channel = Channel,
            Level = VerboseLevel,
        };

    private static void Add(TraceLoggingMetadata schema, TraceLoggingField field)
    {
        Check(field);
        schema.AddText(field.Name);
        int inByte = (int)field.InType | (int)field.Count;
        int outByte = field.InType == TraceLoggingInType.Struct ? field.Members.Count : (int)field.OutType;
        if (outByte == 0 && field.Tag == 0)
        {
            schema.AddByte((byte)inByte);
        }
        else
        {
            schema.AddByte((byte)(inByte | HasOutByte));
            schema.AddByte((byte)(outByte | (field.Tag != 0 ? HasTag : 0)));
            if (field.Tag != 0)
            {
                schema.AddTag(field.Tag);
            }
        }

        if (field.Count == TraceLoggingCount.Fixed)
        {
            schema.AddUInt16(field.FixedCount);
        }
        else if (field.Count == TraceLoggingCount.Custom)
        {
            schema.AddUInt16((ushort)field.CustomType.Length);
            schema.AddBytes(field.CustomType.Span);
        }

        foreach (TraceLoggingField member in field.Members)
        {
            Add(schema, member);
        }
    }

    private static void Check(TraceLoggingField field)
    {
        const int MaximumInType = 0x1F;
        const int MaximumOutType = 0x7F;
        bool isStruct = field.InType == TraceLoggingInType.Struct;
        int members = field.Members.Count;
        string? fault = field switch
        {
            _ when (int)field.InType > MaximumInType || (int)field.OutType > MaximumOutType => "a type that its bits do not hold",
            _ when !Enum.IsDefined(field.Count) => "a number of values of no known kind",
            _ when isStruct && members is 0 or > TraceLoggingField.MaximumMembers => $"{members} members; a struct has 1 to 127",
            _ when isStruct && field.OutType != TraceLoggingOutType.Default => "an out-type, and is a struct",
            _ when !isStruct && members != 0 => "members, and is no struct",
            _ when (field.Count == TraceLoggingCount.Fixed) != (field.FixedCount != 0) => $"{field.FixedCount} values, count {field.Count}",
            _ when field.Count != TraceLoggingCount.Custom && !field.CustomType.IsEmpty => "type information that nothing announces",
            _ when field.CustomType.Length > ushort.MaxValue => "type information that is too long",
            _ => null,
        };
        if (fault is not null)
        {
            throw new ArgumentException($"Field '{field.Name}' has {fault}.", nameof(field));
        }
    }
}
