namespace Tracer.Forecast;

/// <summary>How often a comparison may be wrong.</summary>
public static class ComparisonAlarms
{
    /// <summary>The part of comparisons of equal machines in which a change may be told.</summary>
    public const double Part = ComparisonRules.Outside;
}
