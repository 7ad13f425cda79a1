namespace Tracer.AnalyzerShared.Inputs;

/// <summary>Names of files in a message.</summary>
internal static class SomeNames
{
    private const int Told = 3;

    /// <summary>The first of some names, and whether there are more.</summary>
    public static string Of(IReadOnlyList<string> names) => string.Join(", ", names.Take(Told)) + (names.Count > Told ? ", ..." : "");
}
