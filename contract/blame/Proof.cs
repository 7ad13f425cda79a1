using System.Text.Json.Serialization;

namespace Tracer.Contract;

/// <summary>What ties a culprit to the time it is blamed for. In JSON in kebab case (<c>wdf-event</c>).</summary>
[JsonConverter(typeof(KebabCaseConverter<Proof>))]
public enum Proof
{
    /// <summary>Nothing does: no culprit is named on this.</summary>
    None,

    /// <summary>A WDF_DPC or WDF_INTERRUPT event inside the interval carries the client's callback.</summary>
    WdfEvent,

    /// <summary>Sampled stacks inside the interval: the first frame beyond the framework.</summary>
    Stack,

    /// <summary>Sampled instruction pointers inside the interval.</summary>
    Sample,

    /// <summary>The routine address of the ISR or DPC record lies in the culprit's own image.</summary>
    Routine,

    /// <summary>The interrupt vector of the ISR that queued the DPC.</summary>
    Vector,

    /// <summary>No other driver that the framework serves was loaded.</summary>
    OnlyCandidate,

    /// <summary>The code at both edges of a blackout.</summary>
    Edges,

    /// <summary>The context switches of the CPU.</summary>
    Switch,
}
