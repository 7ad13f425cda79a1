namespace Tracer.AnalyzerCommand.Common;

/// <summary>Numbers in text for people.</summary>
internal static class RoundedNumber
{
    /// <summary>A number with three significant digits, but no more than three decimals; whole numbers have all digits.</summary>
    public static string Of(double value) => value.ToString(Math.Abs(value) switch
    {
        >= 99.95 => "#,0",
        >= 9.995 => "0.#",
        >= 0.9995 => "0.##",
        _ => "0.###",
    }, CultureInfo.InvariantCulture);
}
