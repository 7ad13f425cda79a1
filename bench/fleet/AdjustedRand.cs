namespace Tracer.Bench.Fleet;

/// <summary>
/// The adjusted Rand index (Hubert and Arabie, Journal of Classification 2, 1985): how alike two ways of putting things into groups are; 1
/// for equal ones, 0 for what chance gives.
/// </summary>
internal static class AdjustedRand
{
    /// <summary>The index of two ways.</summary>
    /// <param name="things">What was put into groups.</param>
    /// <param name="one">The group of each by one way.</param>
    public static double Of(IReadOnlyCollection<string> things, Func<string, string> one, Func<string, string> other)
    {
        double together = things.GroupBy(thing => (one(thing), other(thing))).Sum(group => Pairs(group.Count()));
        double byOne = things.GroupBy(one).Sum(group => Pairs(group.Count()));
        double byOther = things.GroupBy(other).Sum(group => Pairs(group.Count()));
        double byChance = byOne * byOther / Pairs(things.Count);
        double most = (byOne + byOther) / 2;
        return most == byChance ? 1 : (together - byChance) / (most - byChance);
    }

    private static double Pairs(double count) => count * (count - 1) / 2;
}
