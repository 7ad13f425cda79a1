namespace Tracer.Contract;

/// <summary>A part within a sentence.</summary>
public static class ReadablePercent
{
    /// <summary>Writes one with three significant digits, but no more than two decimals: <c>33.8 %</c>, <c>0.04 %</c>.</summary>
    /// <param name="share">0 to 1.</param>
    public static string Of(double share) => (100 * share).ToString(
        Math.Abs(share) switch { >= 0.9995 => "0", >= 0.09995 => "0.#", _ => "0.##" }, CultureInfo.InvariantCulture) + " %";
}
