using System.Collections.Immutable;

namespace Tracer.Etl.Decoding;

/// <summary>
/// Names events and their fields by what the trace itself tells: TraceLogging schemas, manifests of EventSources, descriptions that a
/// merge put in, the .NET runtime's events by a table, and WPP messages by trace message format files. A description can stand behind the
/// events it is for: who wants all names gives every event to <see cref="Learn"/> first. Memory is bounded; see the classes of the
/// sources. Not safe for use by several threads at once.
/// </summary>
/// <remarks>
/// Events with a hook id and the classic classes of the kernel are no business of this class: their layouts are typed records of
/// <c>Tracer.Etl.Kernel</c>, and this decoder answers that it does not know them.
/// </remarks>
public sealed class EventDecoder
{
    /// <summary>Events that are only named after their provider, of which the name is kept.</summary>
    public const int MaximumNamed = 1 << 14;

    private const string MetadataProvider = "KernelTraceControl";

    private static readonly ImmutableArray<FieldDefinition> ChunkFields =
    [
        Field("Format", FieldInType.UInt8),
        Field("MajorVersion", FieldInType.UInt8),
        Field("MinorVersion", FieldInType.UInt8),
        Field("Magic", FieldInType.UInt8),
        Field("TotalChunks", FieldInType.UInt16),
        Field("ChunkNumber", FieldInType.UInt16),
        Field("Text", FieldInType.Binary, FieldOutType.NoPrint),
    ];

    private static readonly EventSchema EventInfo = new()
    {
        ProviderName = MetadataProvider,
        EventName = "MetaData/EventInfo",
        Source = EventSchemaSource.BuiltIn,
        Fields =
        [
            Field("ProviderId", FieldInType.Guid),
            Field("EventGuid", FieldInType.Guid),
            Field("Id", FieldInType.UInt16),
            Field("Version", FieldInType.UInt8),
            Field("Channel", FieldInType.UInt8),
            Field("Level", FieldInType.UInt8),
            Field("Opcode", FieldInType.UInt8),
            Field("Task", FieldInType.UInt16),
            Field("Keyword", FieldInType.HexInt64),
            Field("Description", FieldInType.Binary, FieldOutType.NoPrint),
        ],
    };

    private static readonly EventSchema EventMapInfo = new()
    {
        ProviderName = MetadataProvider,
        EventName = "MetaData/EventMapInfo",
        Source = EventSchemaSource.BuiltIn,
        Fields = [Field("ProviderId", FieldInType.Guid), Field("Map", FieldInType.Binary, FieldOutType.NoPrint)],
    };

    private readonly Lazy<TmfCatalog?> _messages;
    private readonly TraceLoggingSchemas _traceLogging = new();
    private readonly Dictionary<NamedKey, EventSchema> _named = [];

    /// <summary>Makes a decoder that knows nothing of the trace yet.</summary>
    /// <param name="messages">The formats of WPP messages; without them, messages are unknown.</param>
    public EventDecoder(TmfCatalog? messages = null)
        : this(() => messages)
    {
    }

    /// <summary>Makes a decoder that reads the formats of WPP messages when the first message comes, if one does.</summary>
    /// <param name="messages">Reads them; may give null.</param>
    public EventDecoder(Func<TmfCatalog?> messages)
    {
        _messages = new Lazy<TmfCatalog?>(messages);
    }

    /// <summary>The manifests that EventSources wrote into the trace.</summary>
    public EventSourceManifests Manifests { get; } = new();

    /// <summary>The descriptions that a merge or relog put into the trace.</summary>
    public EventMetadata Metadata { get; } = new();

    /// <summary>Names of providers, events, fields and values that were longer than 512 characters and are cut.</summary>
    public int NamesCut => Manifests.NamesCut + Metadata.NamesCut + _traceLogging.NamesCut;

    /// <summary>Events of which not all fields were given, because their descriptions make too much of them.</summary>
    public long PayloadsCut { get; private set; }

    /// <summary>Different TraceLogging schemas met and held.</summary>
    public int TraceLoggingSchemasKnown => _traceLogging.Count;

    /// <summary>Different TraceLogging schemas that were damaged.</summary>
    public int TraceLoggingSchemasMalformed => _traceLogging.Malformed;

    /// <summary>
    /// Looks for events that describe others: pieces of manifests and EventMetadata records. Cheap for all others, and allocates
    /// nothing for them.
    /// </summary>
    /// <param name="traceEvent">Any event.</param>
    public void Learn(in EtlEvent traceEvent)
    {
        if (EventSourceManifests.IsChunk(in traceEvent))
        {
            Manifests.Add(in traceEvent);
        }
        else if (EventMetadata.IsMetadata(in traceEvent))
        {
            Metadata.Add(in traceEvent);
        }
    }

    /// <summary>Names an event, as far as the trace tells.</summary>
    /// <param name="traceEvent">The event.</param>
    /// <param name="schema">
    /// Its name and fields; of <see cref="EventSchemaSource.ProviderOnly"/> only the provider's name, with "EventID(5)" for the event's.
    /// </param>
    /// <returns>False when nothing is known.</returns>
    public bool TryDescribe(in EtlEvent traceEvent, out EventSchema? schema)
    {
        schema = traceEvent.Kind switch
        {
            EtlHeaderKind.EventHeader32 or EtlHeaderKind.EventHeader64 => DescribeEvent(in traceEvent),
            EtlHeaderKind.Message => _messages.Value?.Find(traceEvent.ProviderId, traceEvent.Id)?.Schema,
            _ when EventMetadata.IsMetadata(in traceEvent)
                => traceEvent.Opcode == EventMetadata.MapInfoOpcode ? EventMapInfo : EventInfo,
            _ => null,
        };
        return schema is not null;
    }

    /// <summary>Gives an event's fields.</summary>
    /// <param name="traceEvent">The event.</param>
    /// <param name="fields">Takes the fields. A WPP message gives its text first, as the field "Message".</param>
    /// <returns>Whether the payload agrees with what is known of it.</returns>
    public PayloadResult WriteFields(in EtlEvent traceEvent, IFieldSink fields)
    {
        ArgumentNullException.ThrowIfNull(fields);
        PayloadResult result = PayloadResult.Unknown(traceEvent.Payload.Length);
        if (traceEvent.Kind == EtlHeaderKind.Message)
        {
            result = _messages.Value?.Find(traceEvent.ProviderId, traceEvent.Id)?.WriteFields(in traceEvent, fields) ?? result;
        }
        else if (TryDescribe(in traceEvent, out EventSchema? schema) && schema!.Source != EventSchemaSource.ProviderOnly)
        {
            result = PayloadDecoder.Decode(schema, traceEvent.Payload, traceEvent.PointerBytes, fields);
        }

        PayloadsCut += result.Outcome == PayloadOutcome.Excessive ? 1 : 0;
        return result;
    }

    private EventSchema? DescribeEvent(in EtlEvent traceEvent)
    {
        ReadOnlySpan<byte> schema = default;
        ReadOnlySpan<byte> traits = default;
        bool isSelfDescribing = false;
        foreach (EtlExtendedItemEnumerator item in traceEvent.ExtendedItems)
        {
            switch (item.Kind)
            {
                case EtlExtendedItemKind.TraceLoggingSchema:
                    schema = item.Data;
                    isSelfDescribing = true;
                    break;
                case EtlExtendedItemKind.ProviderTraits:
                    traits = item.Data;
                    break;
                default:
                    break;
            }
        }

        if (isSelfDescribing && _traceLogging.Find(in traceEvent, schema, traits) is EventSchema described)
        {
            return described;
        }

        if (EventSourceManifests.IsChunk(in traceEvent))
        {
            return Named(in traceEvent, traits, "ManifestData", EventSchemaSource.BuiltIn, ChunkFields);
        }

        return FromRuntimeTable(in traceEvent)
            ?? Manifests.Find(in traceEvent)
            ?? Metadata.Find(in traceEvent)
            ?? (traceEvent.ProviderId == ClrEvents.ProviderId
                ? ClrEvents.FindStart(traceEvent.Id, (byte)traceEvent.Version)
                : null)
            ?? Named(in traceEvent, traits, eventName: null, EventSchemaSource.ProviderOnly, []);
    }

    private static EventSchema? FromRuntimeTable(in EtlEvent traceEvent) =>
        traceEvent.ProviderId == ClrEvents.ProviderId ? ClrEvents.Find(traceEvent.Id, (byte)traceEvent.Version) : null;

    /// <summary>An event of which only the provider's name is to be found: with the event, or with the provider's other events.</summary>
    private EventSchema? Named(
        in EtlEvent traceEvent,
        ReadOnlySpan<byte> traits,
        string? eventName,
        EventSchemaSource source,
        ImmutableArray<FieldDefinition> fields)
    {
        Guid provider = traceEvent.ProviderId;
        string? providerName = Manifests.ProviderName(provider) ?? Metadata.ProviderName(provider);
        var key = new NamedKey(provider, traceEvent.Id, source, providerName is null && !traits.IsEmpty);
        if (_named.TryGetValue(key, out EventSchema? known) && (providerName is null || known.ProviderName == providerName))
        {
            return known;
        }

        if (providerName is null && (traits.IsEmpty || !TraceLoggingSchema.TryParseTraits(traits, out providerName, out _)))
        {
            if (eventName is null)
            {
                return null;
            }

            providerName = provider.ToString();
        }

        var schema = new EventSchema
        {
            ProviderName = providerName,
            EventName = eventName ?? EventSchema.NameOf(task: null, opcodeName: null, opcode: 0, traceEvent.Id),
            Source = source,
            Fields = fields,
        };
        if (_named.Count < MaximumNamed)
        {
            _named[key] = schema;
        }

        return schema;
    }

    private static FieldDefinition Field(string name, FieldInType inType, FieldOutType outType = FieldOutType.Default) =>
        new() { Name = name, InType = inType, OutType = outType };

    /// <summary>Which of the two places of a provider's name was looked at belongs to the key: they may disagree.</summary>
    private readonly record struct NamedKey(Guid Provider, ushort Id, EventSchemaSource Source, bool FromTraits);
}
