namespace Tracer.Contract;

/// <summary>Writes how many of a thing there are: <c>1 episode</c>, <c>1,203 switches</c>.</summary>
public static class Counted
{
    /// <summary>The number, with commas between thousands, and the thing, in the plural unless there is one.</summary>
    /// <param name="thing">The thing in the singular; its last word is the one that changes.</param>
    public static string Of(long count, string thing)
    {
        ArgumentNullException.ThrowIfNull(thing);
        string ending = count == 1 ? "" : thing.EndsWith("ch", StringComparison.Ordinal) ? "es" : "s";
        return count.ToString("N0", CultureInfo.InvariantCulture) + " " + thing + ending;
    }
}
