namespace Tracer.AnalyzerCommand.Common;

/// <summary>Numbers in text for people.</summary>
internal static class RoundedNumber
{
    /// <summary>A number with three digits or so.</summary>
    public static string Of(double value) => value.ToString(Math.Abs(value) switch
    {
        >= 100 => "#,0",
        >= 10 => "0.#",
        _ => "0.##",
    }, CultureInfo.InvariantCulture);
}
