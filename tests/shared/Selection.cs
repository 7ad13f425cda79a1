namespace Tracer.Tests;

/// <summary>
/// One of six, for what many tests try on the same files: not all tests have the same. TRACER_EVERY=1 in the environment tries all.
/// </summary>
internal static class Selection
{
    private const int Parts = 6;

    /// <summary>Whether everything is to be tried.</summary>
    public static bool IsAll => Environment.GetEnvironmentVariable("TRACER_EVERY") == "1";

    /// <summary>Every sixth, from one of the first six on, at least one; the real trace with DPC and ISR records always.</summary>
    /// <param name="all">All, in an order that does not change.</param>
    /// <param name="first">Which of the first six is tried.</param>
    public static IEnumerable<string> Sixth(IEnumerable<string> all, int first)
    {
        string[] names = [.. all];
        int from = first % Math.Clamp(names.Length, 1, Parts);
        return names.Where((name, index) =>
            IsAll || index % Parts == from || name.Contains("slowppt", StringComparison.Ordinal) || name.StartsWith('('));
    }
}
