using System.Collections.Immutable;

namespace Tracer.Etl.Decoding;

/// <summary>
/// The TraceLogging schemas met so far, so that each is parsed once. Holds at most <see cref="MaximumSchemas"/> schemas of together
/// <see cref="MaximumBytes"/> of memory; when full it starts anew.
/// </summary>
internal sealed class TraceLoggingSchemas
{
    public const int MaximumSchemas = 1 << 14;
    public const int MaximumBytes = 32 << 20;

    /// <summary>What a field takes beside its bytes in the schema.</summary>
    private const int FieldBytes = 128;

    private readonly Dictionary<int, Entry> _entries = [];
    private int _schemas;
    private long _bytes;
    private readonly DescriptionLimits _limits = new();

    /// <summary>Names that were too long and are cut; those of a schema that is read again count again.</summary>
    public int NamesCut => _limits.NamesCut;

    /// <summary>Different schemas that did not hold together.</summary>
    public int Malformed { get; private set; }

    public int Count => _schemas;

    /// <summary>The schema of an event, from the data of its extended items; null when it is damaged.</summary>
    public EventSchema? Find(in EtlEvent traceEvent, ReadOnlySpan<byte> schema, ReadOnlySpan<byte> traits)
    {
        Guid provider = traceEvent.ProviderId;
        byte opcode = traceEvent.Opcode;
        var hash = new HashCode();
        hash.AddBytes(schema);
        hash.AddBytes(traits);
        hash.Add(provider);
        hash.Add(opcode);
        int key = hash.ToHashCode();
        _entries.TryGetValue(key, out Entry? first);
        for (Entry? entry = first; entry is not null; entry = entry.Next)
        {
            if (entry.Opcode == opcode && entry.Provider == provider && schema.SequenceEqual(entry.SchemaBytes)
                && traits.SequenceEqual(entry.TraitBytes))
            {
                return entry.Schema;
            }
        }

        EventSchema? parsed = TraceLoggingSchema.Parse(schema, traits, opcode, _limits);
        long bytes = schema.Length + traits.Length + (parsed is null ? 0 : FieldBytes * (1L + CountOf(parsed.Fields)));
        if (_schemas == MaximumSchemas || _bytes + bytes > MaximumBytes)
        {
            _entries.Clear();
            first = null;
            _schemas = 0;
            _bytes = 0;
        }

        Malformed += parsed is null ? 1 : 0;
        _entries[key] = new Entry(provider, opcode, schema.ToArray(), traits.ToArray(), parsed, first);
        _schemas++;
        _bytes += bytes;
        return parsed;
    }

    private static long CountOf(ImmutableArray<FieldDefinition> fields)
    {
        long count = fields.Length;
        foreach (FieldDefinition field in fields)
        {
            count += CountOf(field.Members);
        }

        return count;
    }

    private sealed record Entry(
        Guid Provider, byte Opcode, byte[] SchemaBytes, byte[] TraitBytes, EventSchema? Schema, Entry? Next);
}
