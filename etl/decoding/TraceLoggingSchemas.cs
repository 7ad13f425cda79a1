namespace Tracer.Etl.Decoding;

/// <summary>
/// The TraceLogging schemas met so far, so that each is parsed once. Holds at most <see cref="MaximumSchemas"/> schemas of together
/// <see cref="MaximumBytes"/>; when full it starts anew.
/// </summary>
internal sealed class TraceLoggingSchemas
{
    public const int MaximumSchemas = 1 << 14;
    public const int MaximumBytes = 4 << 20;

    private readonly Dictionary<int, Entry> _entries = [];
    private int _schemas;
    private int _bytes;

    /// <summary>Different schemas that did not hold together.</summary>
    public int Malformed { get; private set; }

    /// <summary>Schemas held.</summary>
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

        int bytes = schema.Length + traits.Length;
        if (_schemas == MaximumSchemas || _bytes + bytes > MaximumBytes)
        {
            _entries.Clear();
            first = null;
            _schemas = 0;
            _bytes = 0;
        }

        EventSchema? parsed = TraceLoggingSchema.Parse(schema, traits, opcode);
        Malformed += parsed is null ? 1 : 0;
        _entries[key] = new Entry(provider, opcode, schema.ToArray(), traits.ToArray(), parsed, first);
        _schemas++;
        _bytes += bytes;
        return parsed;
    }

    private sealed record Entry(
        Guid Provider, byte Opcode, byte[] SchemaBytes, byte[] TraitBytes, EventSchema? Schema, Entry? Next);
}
