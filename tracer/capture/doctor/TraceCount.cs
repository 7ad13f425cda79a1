namespace Tracer.Capture.Doctor;

/// <summary>Counts what is in a trace file.</summary>
public static class TraceCount
{
    /// <summary>All events, and those of the Tracer provider that bring their schema.</summary>
    public static (long Events, long Tracer) Of(string path)
    {
        using var reader = EtlReader.Open(path);
        Counter counter = default;
        reader.Read(EtlOrder.Any, ref counter);
        return (counter.Events, counter.Tracer);
    }

    private static bool HasSchema(in EtlEvent traceEvent)
    {
        foreach (EtlExtendedItemEnumerator item in traceEvent.ExtendedItems)
        {
            if (item.Kind == EtlExtendedItemKind.TraceLoggingSchema)
            {
                return true;
            }
        }

        return false;
    }

    private struct Counter : IEtlEventSink
    {
        public long Events;
        public long Tracer;

        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            Events++;
            Tracer += traceEvent.IsEventHeader && traceEvent.ProviderId == TracerProvider.Id && HasSchema(in traceEvent) ? 1 : 0;
            return true;
        }
    }
}
