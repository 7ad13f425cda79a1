namespace Tracer.Bench.Reading;

/// <summary>Looks at what every header has, and at nothing else.</summary>
internal struct HeaderSums : IEtlEventSink
{
    public long Events;

    /// <summary>Sum of hook ids, times and sizes.</summary>
    public long Sum;

    public bool OnEvent(scoped in EtlEvent traceEvent)
    {
        Events++;
        Sum += traceEvent.HookId + traceEvent.TimestampTicks + traceEvent.Record.Length;
        return true;
    }
}
