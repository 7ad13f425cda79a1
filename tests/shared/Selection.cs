namespace Tracer.Tests;

/// <summary>
/// One of three, for what many tests try on the same files: each test has others, and all together have all. TRACER_EVERY=1 in the
/// environment tries all.
/// </summary>
internal static class Selection
{
    private const int Parts = 3;

    /// <summary>Whether everything is to be tried.</summary>
    public static bool IsAll => Environment.GetEnvironmentVariable("TRACER_EVERY") == "1";

    /// <summary>Every third, from one of the first three on; the real trace with DPC and ISR records always.</summary>
    /// <param name="all">All, in an order that does not change.</param>
    /// <param name="first">Which of the first three is tried.</param>
    public static IEnumerable<string> Third(IEnumerable<string> all, int first) => all.Where((name, index) =>
        IsAll || index % Parts == first % Parts || name.Contains("slowppt", StringComparison.Ordinal) || name.StartsWith('('));
}
