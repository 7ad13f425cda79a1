using Tracer.Etl.Decoding;

namespace Tracer.Capture.Tests;

/// <summary>
/// The events of our own provider: their names, and where their payloads keep moments of the performance counter, which a machine that
/// lives at another time counts from elsewhere.
/// </summary>
internal static class OwnEvents
{
    private static readonly string[] TimeFields = ["expected", "isr", "dpc", "thread", "tick", "callback", "queued", "clock", "qpc"];

    /// <summary>What an event of our provider is; null where its schema is not known.</summary>
    public static ProviderEvent? Of(in EtlEvent traceEvent)
    {
        foreach (EtlExtendedItemEnumerator item in traceEvent.ExtendedItems)
        {
            if (item.Kind == EtlExtendedItemKind.TraceLoggingSchema)
            {
                string? name = TraceLoggingSchema.Parse(item.Data, default)?.EventName;
                return TracerProvider.Events.FirstOrDefault(known => known.Name == name);
            }
        }

        return null;
    }

    /// <summary>Offsets of the moments in the payload of an event.</summary>
    public static IEnumerable<int> Times(ProviderEvent described)
    {
        int offset = 0;
        foreach (ProviderField field in described.Fields)
        {
            if (field.InType == TraceLoggingInType.UInt64 && TimeFields.Contains(field.Name))
            {
                yield return offset;
            }

            if (field.IsArray)
            {
                yield break; // Behind it nothing stands at a fixed place; no moment does.
            }

            offset += field.InType switch
            {
                TraceLoggingInType.UInt8 => 1,
                TraceLoggingInType.UInt16 => 2,
                TraceLoggingInType.UInt32 => 4,
                _ => 8,
            };
        }
    }
}
