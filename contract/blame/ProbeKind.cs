using System.Text.Json.Serialization;

namespace Tracer.Contract;

/// <summary>
/// What an episode was measured with. In JSON in lower case. Where two overlap for one victim, the earlier named here is kept.
/// </summary>
[JsonConverter(typeof(KebabCaseConverter<ProbeKind>))]
public enum ProbeKind
{
    /// <summary>What Windows itself recorded as a glitch, explained by a job or a wait of the thread that was late.</summary>
    Glitch,

    /// <summary>A wake-up measured by our own driver or probe process.</summary>
    Wakeup,

    /// <summary>What a thread did from when it should have run until it waited for its next turn, if it lost time meanwhile.</summary>
    Job,

    /// <summary>ReadyThread to context switch of a thread.</summary>
    Thread,

    /// <summary>A CPU kept at ISR or DPC level.</summary>
    Level,

    /// <summary>A CPU without samples.</summary>
    Gap,
}

/// <summary>Which probes the user wants (<c>--probe</c>): one <see cref="ProbeKind"/>, or what the trace offers.</summary>
[JsonConverter(typeof(KebabCaseConverter<ProbeChoice>))]
public enum ProbeChoice
{
    /// <summary>
    /// Glitches and driver wake-ups where the trace has them, else jobs and wake-ups of threads; always also level and gap.
    /// </summary>
    Auto,

    /// <summary>Only <see cref="ProbeKind.Glitch"/>.</summary>
    Glitch,

    /// <summary>Only <see cref="ProbeKind.Wakeup"/>.</summary>
    Wakeup,

    /// <summary>Only <see cref="ProbeKind.Job"/>, and the waits of the same threads.</summary>
    Job,

    /// <summary>Only <see cref="ProbeKind.Thread"/>.</summary>
    Thread,

    /// <summary>Only <see cref="ProbeKind.Level"/>.</summary>
    Level,

    /// <summary>Only <see cref="ProbeKind.Gap"/>.</summary>
    Gap,
}
