namespace Tracer.Forecast;

/// <summary>When extreme-value theory is asked, and when its answer is not told: the numbers of docs/generated/thresholds.md.</summary>
internal static class ExtremeRules
{
    /// <summary>Fewer disturbances above the threshold tell nothing.</summary>
    public const int LeastClusters = 30;

    /// <summary>Fewer latencies above a threshold are no candidate.</summary>
    public const int LeastExcesses = 50;

    /// <summary>A threshold lies so high that at most one wait in so many is above it: the theory is one of tails.</summary>
    public const int LeastWaitsPerExcess = 20;

    /// <summary>Nothing is forecast for longer than so many times what was observed.</summary>
    public const double MostHorizon = 10;

    /// <summary>An interval whose high end is more than so many times its low end tells nothing.</summary>
    public const double WidestInterval = 10;

    /// <summary>A shape above this is refused: its deviation is infinite.</summary>
    public const double MostShape = 0.5;

    /// <summary>A test that says so with no more than this probability of a false alarm refuses.</summary>
    public const double Alarm = 0.01;

    /// <summary>A larger part of equal latencies in the tail are ties.</summary>
    public const double MostTies = 0.2;

    /// <summary>What a refusal because of them says.</summary>
    public const string TiesSentence = "too many of the longest latencies are equal: the steps of the clock show, not the machine";

    /// <summary>What a refusal of a tail of two kinds says.</summary>
    public const string MixedSentence =
        "a tail of two kinds: the longest latencies are of another kind than the rest; find their cause first";

    /// <summary>Samples of a bootstrap.</summary>
    public const int Samples = 300;

    /// <summary>The part of samples, of which the interval leaves out half on each side.</summary>
    public const double Outside = 0.05;
}
