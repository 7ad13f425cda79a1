namespace Tracer.Etl.Tests.Conformance;

/// <summary>Events of the corpus whose payload is shorter than their version asks for.</summary>
internal static class ShortPayloads
{
    /// <summary>File and event, and why.</summary>
    public static IReadOnlyDictionary<string, string> Explained { get; } = new Dictionary<string, string>();
}
