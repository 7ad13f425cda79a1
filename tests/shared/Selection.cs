namespace Tracer.Tests;

/// <summary>
/// A part, for what many tests try on the same files: not all tests have the same. TRACER_EVERY=1 in the environment, as
/// <c>test.sh all</c> sets it, tries all; so does UPDATE_GOLDEN=1, since what is stored is stored for all.
/// </summary>
internal static class Selection
{
    private const int Parts = 10;

    /// <summary>Whether everything is to be tried.</summary>
    public static bool IsAll { get; } = Environment.GetEnvironmentVariable("TRACER_EVERY") == "1"
        || Environment.GetEnvironmentVariable("UPDATE_GOLDEN") == "1";

    /// <summary>How many of so many random cases are tried: a third or another part, at least one.</summary>
    public static int Cases(int all, int parts = 3) => IsAll ? all : Math.Max(1, all / parts);

    /// <summary>Without the largest, for what would read it several times and finds the same in others.</summary>
    public static IEnumerable<string> WithoutLargest(IEnumerable<string> all) =>
        all.Where(name => IsAll || !name.Contains("slowppt", StringComparison.Ordinal));

    /// <summary>Every tenth, from one of the first on, at least one; the real trace with DPC and ISR records always.</summary>
    /// <param name="all">All, in an order that does not change.</param>
    /// <param name="parts">For another part than a tenth.</param>
    public static IEnumerable<string> Some(IEnumerable<string> all, int first, int parts = Parts)
    {
        string[] names = [.. all];
        int from = first % Math.Clamp(names.Length, 1, parts);
        return names.Where((name, index) =>
            IsAll || index % parts == from || name.Contains("slowppt", StringComparison.Ordinal) || name.StartsWith('('));
    }
}
