using Tracer.Etl.Decoding;

namespace Tracer.Etl.Tests.Conformance;

/// <summary>How much of one file is decoded.</summary>
internal sealed class FileDecoding
{
    private static readonly Lazy<IReadOnlyList<FileDecoding>> AllFiles = new(
        () => [.. TraceVisit.Files().Select(file => new FileDecoding(file))]);

    private readonly HashSet<(string Group, string Name, int Version)> _kinds = [];

    private FileDecoding(string file)
    {
        File = file;
        string formats = Path.Combine(RepositoryFiles.Corpus(), "tmf");
        var decoder = new EventDecoder(TmfCatalog.Load([.. Directory.EnumerateFiles(formats, "*.tmf")]));
        var fields = new NoFields();
        using EtlReader reader = TraceVisit.Open(file);
        TraceVisit.Visit(reader, EtlOrder.File, (scoped in EtlEvent traceEvent) => decoder.Learn(in traceEvent));
        TraceVisit.Visit(reader, EtlOrder.Any, (scoped in EtlEvent traceEvent) => Add(in traceEvent, decoder, fields));
        Health = string.Join(", ", Enum.GetValues<HealthCounter>()
            .Where(counter => reader.Health[counter] > 0)
            .Select(counter => $"{counter} {reader.Health[counter]}"));
    }

    /// <summary>Every file of the corpus, read once.</summary>
    public static IReadOnlyList<FileDecoding> All => AllFiles.Value;

    public string File { get; }

    public bool IsSynthetic => File.Contains('/', StringComparison.Ordinal);

    public int Events { get; private set; }

    /// <summary>Different events: name or id, and version.</summary>
    public int Kinds => _kinds.Count;

    /// <summary>Events with fields, or known to have none.</summary>
    public int Decoded { get; private set; }

    /// <summary>Events of which only the name is known.</summary>
    public int Named { get; private set; }

    /// <summary>Events that nothing in the trace or in this library describes.</summary>
    public int Unknown { get; private set; }

    /// <summary>Events whose payload is shorter than their version or description asks for, by name and version.</summary>
    public SortedDictionary<string, int> Short { get; } = new(StringComparer.Ordinal);

    /// <summary>Payload bytes that a description left over.</summary>
    public long BytesLeft { get; private set; }

    /// <summary>Events without fields, by provider or kernel event, and events whose description left bytes over.</summary>
    public SortedDictionary<string, int> NotDecoded { get; } = new(StringComparer.Ordinal);

    /// <summary>Counters of the reader that are not zero.</summary>
    public string Health { get; }

    /// <summary>Events of each kernel class, by version and pointer width.</summary>
    public Dictionary<(string Class, int Version, int PointerBytes), int> Classes { get; } = [];

    private void Add(scoped in EtlEvent traceEvent, EventDecoder decoder, NoFields fields)
    {
        Events++;
        KernelRecordClass? record = KernelRecordCatalog.Find(in traceEvent, out string group, out string name);
        int version = traceEvent.Version;
        if (record is null || !record.HasFields)
        {
            bool isNamed = decoder.TryDescribe(in traceEvent, out EventSchema? schema);
            PayloadResult result = decoder.WriteFields(in traceEvent, fields);
            AddDescribed(in traceEvent, result, schema, isNamed || record is not null);
            string what = schema?.ProviderName ?? (group.Length > 0 ? $"{group}/{name}" : $"{traceEvent.ProviderId}");
            if (result.Outcome == PayloadOutcome.BytesLeft)
            {
                AddNotDecoded($"{schema!.FullName}: {result.BytesLeft} bytes left");
            }
            else if (result.Outcome == PayloadOutcome.Unknown && ((!isNamed && record is null) || !traceEvent.Payload.IsEmpty))
            {
                AddNotDecoded(what);
            }

            _kinds.Add((traceEvent.ProviderId.ToString(), schema?.EventName ?? $"{group}/{name}/{traceEvent.Id}", version));
            return;
        }

        _kinds.Add((group, name, version));
        (string, int, int) key = ($"{group}/{name}", version, traceEvent.PointerBytes);
        Classes[key] = Classes.GetValueOrDefault(key) + 1;
        if (record.WriteFields(in traceEvent, fields))
        {
            Decoded++;
        }
        else
        {
            AddShort($"{group}/{name} version {version}{(record.IsConfirmed(version, traceEvent.PointerBytes) ? ", confirmed" : "")}");
        }
    }

    private void AddDescribed(scoped in EtlEvent traceEvent, PayloadResult result, EventSchema? schema, bool isNamed)
    {
        switch (result.Outcome)
        {
            case PayloadOutcome.Complete:
                Decoded++;
                break;
            case PayloadOutcome.BytesLeft:
                Decoded++;
                BytesLeft += result.BytesLeft;
                break;
            case PayloadOutcome.Short or PayloadOutcome.Undecodable or PayloadOutcome.Excessive:
                AddShort($"{schema!.FullName} version {traceEvent.Version}");
                break;
            default:
                // An event without payload has no fields that could be unknown.
                Decoded += isNamed && traceEvent.Payload.IsEmpty ? 1 : 0;
                Named += isNamed && !traceEvent.Payload.IsEmpty ? 1 : 0;
                Unknown += isNamed ? 0 : 1;
                break;
        }
    }

    private void AddNotDecoded(string what) => NotDecoded[what] = NotDecoded.GetValueOrDefault(what) + 1;

    private void AddShort(string name) => Short[name] = Short.GetValueOrDefault(name) + 1;

    private sealed class NoFields : IFieldSink
    {
        public void Field(string name, in FieldValue value)
        {
        }

        public void BeginStruct(string name)
        {
        }

        public void EndStruct()
        {
        }

        public void BeginArray(string name)
        {
        }

        public void EndArray()
        {
        }
    }
}
