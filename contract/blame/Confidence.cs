using System.Text.Json.Serialization;

namespace Tracer.Contract;

/// <summary>How sure a blame is. In JSON in lower case.</summary>
[JsonConverter(typeof(KebabCaseConverter<Confidence>))]
public enum Confidence
{
    /// <summary>The evidence fits, and fits something else as well.</summary>
    Possible,

    /// <summary>The evidence fits nothing else that the trace shows, but the trace does not show everything.</summary>
    Likely,

    /// <summary>The trace records it directly.</summary>
    Certain,
}
