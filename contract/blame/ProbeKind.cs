using System.Text.Json.Serialization;

namespace Tracer.Contract;

/// <summary>
/// What an episode was measured with. In JSON in lower case. Where two overlap for one victim, the earlier named here is kept.
/// </summary>
[JsonConverter(typeof(KebabCaseConverter<ProbeKind>))]
public enum ProbeKind
{
    /// <summary>A wake-up measured by our own driver or probe process.</summary>
    Wakeup,

    /// <summary>ReadyThread to context switch of a thread.</summary>
    Thread,

    /// <summary>A CPU kept at ISR or DPC level.</summary>
    Level,

    /// <summary>A CPU without samples.</summary>
    Gap,
}
