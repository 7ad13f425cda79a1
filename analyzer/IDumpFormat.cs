using Tracer.Etl;

namespace Tracer.AnalyzerCommand;

/// <summary>Prints one event after the other.</summary>
internal interface IDumpFormat
{
    /// <summary>Prints an event.</summary>
    /// <param name="traceEvent">The event.</param>
    /// <param name="dumped">What it is called and how it is read.</param>
    void Write(in EtlEvent traceEvent, in DumpedEvent dumped);
}
