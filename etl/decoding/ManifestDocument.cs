using System.Collections.Immutable;
using System.Xml;

namespace Tracer.Etl.Decoding;

/// <summary>
/// Reads the events out of an instrumentation manifest (XML). No DTD, no resolver; size, depth and the number of events are limited.
/// </summary>
internal static class ManifestDocument
{
    /// <summary>Events of one manifest; the rest is not taken.</summary>
    public const int MaximumEvents = 1 << 15;

    private const string MessageStart = "$(string.";

    /// <param name="xml">The document as UTF-8.</param>
    /// <param name="provider">The provider wanted; where no provider of the document has this GUID, the first is taken.</param>
    /// <param name="limits">What it may define.</param>
    /// <returns>The events by id and version, or null when the document is damaged or has no provider.</returns>
    public static Manifest? Parse(byte[] xml, Guid provider, DescriptionLimits limits)
    {
        try
        {
            var settings = new XmlReaderSettings
            {
                DtdProcessing = DtdProcessing.Prohibit,
                XmlResolver = null,
                IgnoreComments = true,
                IgnoreProcessingInstructions = true,
                IgnoreWhitespace = true,
                MaxCharactersInDocument = EventSourceManifests.MaximumBytes,
            };
            using var stream = new MemoryStream(xml, writable: false);
            using var reader = XmlReader.Create(stream, settings);
            var parts = new Parts(limits);
            parts.Read(reader, provider);
            return parts.ProviderName is null ? null : parts.ToManifest();
        }
        catch (Exception exception) when (exception is XmlException or ArgumentException or NotSupportedException)
        {
            // The last two: a declared encoding that does not exist, or bytes that are none of it.
            return null;
        }
    }

    private static ulong Number(string? text)
    {
        bool isHex = text is not null && text.StartsWith("0x", StringComparison.OrdinalIgnoreCase);
        NumberStyles style = isHex ? NumberStyles.AllowHexSpecifier : NumberStyles.AllowLeadingSign;
        return isHex && ulong.TryParse(text.AsSpan(2), style, CultureInfo.InvariantCulture, out ulong hex) ? hex
            : long.TryParse(text, style, CultureInfo.InvariantCulture, out long value) ? (ulong)value
            : 0;
    }

    private sealed record MapEntry(ulong Value, string Message);

    private sealed record MapPart(bool IsFlags, List<MapEntry> Entries);

    /// <summary>A data or struct element as it stands; names are resolved when the whole document is read.</summary>
    private sealed record DataPart(
        string Name, string? InType, string? OutType, string? Count, string? Length, string? Map, List<DataPart>? Members);

    private sealed record EventPart(ushort Id, byte Version, string? Task, string? Opcode, string? Template, string? Symbol);

    private sealed class Parts(DescriptionLimits limits)
    {
        private readonly Dictionary<string, ulong> _opcodes = new(StringComparer.Ordinal);
        private readonly Dictionary<string, MapPart> _maps = new(StringComparer.Ordinal);
        private readonly Dictionary<string, List<DataPart>> _templates = new(StringComparer.Ordinal);
        private readonly Dictionary<string, string> _strings = new(StringComparer.Ordinal);
        private readonly List<EventPart> _events = [];
        private readonly Dictionary<string, ValueMap> _valueMaps = new(StringComparer.Ordinal);
        private MapPart? _map;
        private List<DataPart>? _template;
        private List<DataPart>? _struct;
        private bool _isWanted;

        public string? ProviderName { get; private set; }

        public void Read(XmlReader reader, Guid provider)
        {
            while (reader.Read())
            {
                if (reader.NodeType == XmlNodeType.Element)
                {
                    OnElement(reader, provider);
                }
                else if (reader.NodeType == XmlNodeType.EndElement)
                {
                    OnEnd(reader.LocalName);
                }
            }
        }

        public Manifest ToManifest()
        {
            var templates = new Dictionary<string, ImmutableArray<FieldDefinition>>(StringComparer.Ordinal);
            foreach ((string name, List<DataPart> parts) in _templates)
            {
                templates[name] = Fields(parts);
            }

            var manifest = new Manifest(ProviderName!);
            foreach (EventPart part in _events)
            {
                manifest.Events.TryAdd(Manifest.Key(part.Id, part.Version), new EventSchema
                {
                    ProviderName = ProviderName!,
                    EventName = limits.NameOf(NameOf(part)),
                    Source = EventSchemaSource.Manifest,
                    Fields = part.Template is not null ? templates.GetValueOrDefault(part.Template, []) : [],
                });
            }

            return manifest;
        }

        /// <summary>After the task and its opcode; the symbol names events without a task.</summary>
        private string NameOf(EventPart part)
        {
            string? opcodeName = part.Opcode?.StartsWith("win:", StringComparison.Ordinal) == true ? part.Opcode[4..] : part.Opcode;
            bool isInfo = part.Opcode is null or "win:Info" || (_opcodes.TryGetValue(part.Opcode, out ulong value) && value == 0);
            return part.Task is null && part.Symbol is not null
                ? part.Symbol
                : EventSchema.NameOf(part.Task, opcodeName, isInfo ? (byte)0 : (byte)1, part.Id);
        }

        private void OnElement(XmlReader reader, Guid provider)
        {
            switch (reader.LocalName)
            {
                case "provider":
                    OnProvider(reader, provider);
                    break;
                case "string" when reader.GetAttribute("id") is string id && limits.TryDefine():
                    _strings.TryAdd(id, reader.GetAttribute("value") ?? "");
                    break;
                case not null when !_isWanted:
                    break;
                case "opcode" or "map" or "template" or "struct" or "data" or "event" when !limits.TryDefine():
                    break;
                case "opcode" when reader.GetAttribute("name") is string name:
                    _opcodes.TryAdd(name, Number(reader.GetAttribute("value")));
                    break;
                case "valueMap" or "bitMap" when reader.GetAttribute("name") is string name:
                    _map = new MapPart(reader.LocalName == "bitMap", []);
                    _maps[name] = _map;
                    break;
                case "map" when _map is not null && reader.GetAttribute("message") is string message:
                    _map.Entries.Add(new MapEntry(Number(reader.GetAttribute("value")), message));
                    break;
                case "template" when reader.GetAttribute("tid") is string id:
                    _template = [];
                    _struct = null;
                    _templates[id] = _template;
                    break;
                case "struct" when _template is not null && _struct is null && !reader.IsEmptyElement:
                    _struct = [];
                    _template.Add(Data(reader, _struct));
                    break;
                case "data" when (_struct ?? _template) is List<DataPart> fields:
                    fields.Add(Data(reader, members: null));
                    break;
                case "event" when _events.Count < MaximumEvents && reader.GetAttribute("value") is string value:
                    _events.Add(new EventPart(
                        (ushort)Number(value),
                        (byte)Number(reader.GetAttribute("version")),
                        reader.GetAttribute("task"),
                        reader.GetAttribute("opcode"),
                        reader.GetAttribute("template"),
                        reader.GetAttribute("symbol")));
                    break;
                default:
                    break;
            }
        }

        private void OnProvider(XmlReader reader, Guid provider)
        {
            bool isSame = Guid.TryParse(reader.GetAttribute("guid"), out Guid guid) && guid == provider;
            _isWanted = isSame || ProviderName is null;
            if (!_isWanted)
            {
                return;
            }

            // A provider before the wanted one was taken for want of a better.
            ProviderName = limits.NameOf(reader.GetAttribute("name") ?? "");
            _events.Clear();
            _opcodes.Clear();
            _maps.Clear();
            _templates.Clear();
        }

        private void OnEnd(string name)
        {
            switch (name)
            {
                case "struct":
                    _struct = null;
                    break;
                case "template":
                    _template = null;
                    _struct = null;
                    break;
                case "valueMap" or "bitMap":
                    _map = null;
                    break;
                default:
                    break;
            }
        }

        private static DataPart Data(XmlReader reader, List<DataPart>? members) => new(
            reader.GetAttribute("name") ?? "",
            reader.GetAttribute("inType"),
            reader.GetAttribute("outType"),
            reader.GetAttribute("count"),
            reader.GetAttribute("length"),
            reader.GetAttribute("map"),
            members);

        private ImmutableArray<FieldDefinition> Fields(List<DataPart> parts)
        {
            var numbers = new Dictionary<string, int>(StringComparer.Ordinal);
            CollectReferences(parts, numbers);
            return Fields(parts, numbers);
        }

        /// <summary>Numbers the names that counts and lengths refer to.</summary>
        private static void CollectReferences(List<DataPart> parts, Dictionary<string, int> numbers)
        {
            foreach (DataPart part in parts)
            {
                foreach (string? size in (ReadOnlySpan<string?>)[part.Count, part.Length])
                {
                    if (size is not null && !IsNumber(size) && numbers.Count < EventSchema.MaximumReferences)
                    {
                        numbers.TryAdd(size, numbers.Count);
                    }
                }

                CollectReferences(part.Members ?? [], numbers);
            }
        }

        private ImmutableArray<FieldDefinition> Fields(List<DataPart> parts, Dictionary<string, int> numbers) =>
        [
            .. parts.Select(part => new FieldDefinition
            {
                Name = limits.NameOf(part.Name),
                InType = part.Members is not null ? FieldInType.Struct : ManifestTypeName.InType(part.InType),
                OutType = ManifestTypeName.OutType(part.OutType),
                Count = Size(part.Count, numbers),
                Length = Size(part.Length, numbers),
                Number = numbers.GetValueOrDefault(part.Name, -1),
                Members = part.Members is not null ? Fields(part.Members, numbers) : [],
                Map = Map(part.Map),
            }),
        ];

        private ValueMap? Map(string? name)
        {
            if (name is null || !_maps.TryGetValue(name, out MapPart? part))
            {
                return null;
            }

            if (!_valueMaps.TryGetValue(name, out ValueMap? map))
            {
                map = new ValueMap(
                    limits.NameOf(name),
                    part.IsFlags,
                    part.Entries.Select(entry => KeyValuePair.Create(entry.Value, limits.NameOf(Resolve(entry.Message)))));
                _valueMaps.Add(name, map);
            }

            return map;
        }

        private string Resolve(string message) =>
            message.StartsWith(MessageStart, StringComparison.Ordinal) && message.EndsWith(')')
                ? _strings.GetValueOrDefault(message[MessageStart.Length..^1], message)
                : message;

        private static bool IsNumber(string text) => char.IsAsciiDigit(text.FirstOrDefault());

        private static FieldSize Size(string? text, Dictionary<string, int> numbers) => text switch
        {
            null or "" => FieldSize.Natural,
            _ when IsNumber(text) => FieldSize.Fixed((int)Math.Min(Number(text), int.MaxValue)),
            _ => FieldSize.FromField(numbers.GetValueOrDefault(text, -1)),
        };
    }
}

internal sealed class Manifest(string providerName)
{
    public string ProviderName { get; } = providerName;

    public Dictionary<int, EventSchema> Events { get; } = [];

    public static int Key(ushort id, byte version) => (id << 8) | version;
}
