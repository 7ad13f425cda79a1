namespace Tracer.Forecast;

internal static class Quantiles
{
    /// <summary>
    /// The number that a part of the numbers does not exceed, with straight lines between them (Hyndman and Fan, type 7).
    /// </summary>
    /// <param name="sorted">The numbers in order, at least one.</param>
    /// <param name="part">The part, 0 to 1.</param>
    public static double Of(ReadOnlySpan<double> sorted, double part)
    {
        double place = part * (sorted.Length - 1);
        int below = (int)Math.Floor(place);
        double rest = place - below;
        return rest == 0 ? sorted[below] : sorted[below] + rest * (sorted[below + 1] - sorted[below]);
    }
}
