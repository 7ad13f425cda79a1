using Tracer.Etl.Decoding;

namespace Tracer.Etl.Tests.Conformance;

/// <summary>One value of an event, kept beyond the event. Elements of arrays have an index behind the name.</summary>
internal sealed record DecodedField(string Name, FieldKind Kind, ulong Bits, string Text);

/// <summary>An event with its fields, kept beyond the reader's step.</summary>
internal sealed class DecodedEvent
{
    public required string Name { get; init; }

    public required long Ticks { get; init; }

    public required int Cpu { get; init; }

    public required int PayloadBytes { get; init; }

    public required uint ProcessId { get; init; }

    public required uint ThreadId { get; init; }

    public required Guid Provider { get; init; }

    public required ushort Id { get; init; }

    public required int Version { get; init; }

    /// <summary>Position in the order of reading.</summary>
    public required int Index { get; init; }

    /// <summary>Whether anything tells its fields.</summary>
    public required bool HasFields { get; init; }

    public required IReadOnlyList<DecodedField> Fields { get; init; }

    public static DecodedEvent From(scoped in EtlEvent traceEvent, string name, int index, EventDecoder decoder)
    {
        var fields = new FieldList();
        bool hasFields;
        KernelRecordClass? record = KernelRecordCatalog.Find(in traceEvent);
        if (record is not null && record.HasFields)
        {
            hasFields = record.WriteFields(in traceEvent, fields);
        }
        else
        {
            hasFields = decoder.WriteFields(in traceEvent, fields).Outcome != PayloadOutcome.Unknown;
        }

        return new DecodedEvent
        {
            Name = name,
            Ticks = traceEvent.TimestampTicks,
            Cpu = traceEvent.Cpu,
            PayloadBytes = traceEvent.Payload.Length,
            ProcessId = traceEvent.ProcessId,
            ThreadId = traceEvent.ThreadId,
            Provider = traceEvent.ProviderId,
            Id = traceEvent.Id,
            Version = traceEvent.Version,
            Index = index,
            HasFields = hasFields,
            Fields = fields.Fields,
        };
    }

    /// <summary>A field by name, in whichever case; null where the event has none.</summary>
    public DecodedField? Find(string name) =>
        Fields.FirstOrDefault(field => string.Equals(field.Name, name, StringComparison.OrdinalIgnoreCase));

    /// <summary>The number in a field that is there.</summary>
    public ulong Bits(string name) => Find(name) is DecodedField field
        ? field.Bits
        : throw new InvalidOperationException($"{Name} has no field {name}.");

    private sealed class FieldList : IFieldSink
    {
        private readonly Stack<(string Path, int Next)> _open = new();

        public List<DecodedField> Fields { get; } = [];

        public void Field(string name, in FieldValue value) =>
            Fields.Add(new DecodedField(PathOf(name), value.Kind, value.Bits, value.ToString()));

        public void BeginStruct(string name) => _open.Push((PathOf(name), 0));

        public void EndStruct() => _open.Pop();

        public void BeginArray(string name) => _open.Push((PathOf(name), 0));

        public void EndArray() => _open.Pop();

        private string PathOf(string name)
        {
            if (_open.Count == 0)
            {
                return name;
            }

            (string path, int next) = _open.Pop();
            _open.Push((path, next + 1));
            return name.Length == 0 ? $"{path}[{next}]" : $"{path}.{name}";
        }
    }
}
