using System.Text.Json.Serialization;

namespace Tracer.Contract;

/// <summary>Which probes the user wants (<c>--probe</c>): one <see cref="ProbeKind"/>, or what the trace offers.</summary>
[JsonConverter(typeof(KebabCaseConverter<ProbeChoice>))]
public enum ProbeChoice
{
    /// <summary>Driver wake-ups where the trace has them, else thread wake-ups; always also level and gap.</summary>
    Auto,

    /// <summary>Only <see cref="ProbeKind.Wakeup"/>.</summary>
    Wakeup,

    /// <summary>Only <see cref="ProbeKind.Thread"/>.</summary>
    Thread,

    /// <summary>Only <see cref="ProbeKind.Level"/>.</summary>
    Level,

    /// <summary>Only <see cref="ProbeKind.Gap"/>.</summary>
    Gap,
}
