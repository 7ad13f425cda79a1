using Tracer.Etl.Decoding;

namespace Tracer.Analysis.Facts;

/// <summary>
/// Recognises the events of the Tracer provider by the schemas they carry. Each distinct schema is parsed once, so that payloads can be
/// read at fixed offsets. A schema that only appends fields is still recognised, and so is the first version of a wake-up; one that
/// changes fields is not.
/// </summary>
public sealed class ProviderEventShapes
{
    /// <summary>
    /// Most schemas that are kept: a sound trace has one for each of the seven events; other versions of the driver add some.
    /// </summary>
    private const int MaximumSchemas = 64;

    private readonly List<(byte[] Schema, ProviderEvent? Event)> _known = [];

    /// <returns>Null for an event that is none of them, or whose schema differs.</returns>
    public ProviderEvent? Of(in EtlEvent traceEvent)
    {
        foreach (EtlExtendedItemEnumerator item in traceEvent.ExtendedItems)
        {
            if (item.Kind == EtlExtendedItemKind.TraceLoggingSchema)
            {
                return Of(item.Data);
            }
        }

        return null;
    }

    private static ProviderEvent? Parsed(ReadOnlySpan<byte> data)
    {
        EventSchema? schema = TraceLoggingSchema.Parse(data, default);
        foreach (ProviderEvent known in TracerProvider.Events)
        {
            if (schema?.EventName == known.Name)
            {
                ProviderEvent earlier = ReferenceEquals(known, TracerProvider.Wakeup) ? TracerProvider.WakeupVersion1 : known;
                return HasFields(schema, known) ? known : HasFields(schema, earlier) ? earlier : null;
            }
        }

        return null;
    }

    private static bool HasFields(EventSchema schema, ProviderEvent known)
    {
        if (schema.Fields.Length < known.Fields.Count)
        {
            return false;
        }

        for (int i = 0; i < known.Fields.Count; i++)
        {
            FieldDefinition field = schema.Fields[i];
            ProviderField expected = known.Fields[i];
            if (field.Name != expected.Name
                || field.Count.Kind != (expected.IsArray ? FieldSizeKind.Prefixed : FieldSizeKind.Natural)
                || (int)field.InType != (int)expected.InType)
            {
                return false;
            }
        }

        return true;
    }

    private ProviderEvent? Of(ReadOnlySpan<byte> data)
    {
        foreach ((byte[] schema, ProviderEvent? known) in _known)
        {
            if (data.SequenceEqual(schema))
            {
                return known;
            }
        }

        if (_known.Count == MaximumSchemas)
        {
            return null;
        }

        ProviderEvent? parsed = Parsed(data);
        _known.Add((data.ToArray(), parsed));
        return parsed;
    }
}
