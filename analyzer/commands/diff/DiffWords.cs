using Tracer.AnalyzerCommand.Common;

namespace Tracer.AnalyzerCommand.Commands.Diff;

/// <summary>How a comparison calls things.</summary>
internal static class DiffWords
{
    /// <summary>What latencies are of: <c>thread latency (ready-thread, priority 16 and above)</c>.</summary>
    public static string Of(ComparedLatency latency, int minPriority)
    {
        string who = latency.Prioritised switch
        {
            true => Text($", priority {minPriority} and above"),
            false => Text($", priority below {minPriority}"),
            _ => "",
        };
        return $"{KebabCase.Of(latency.Kind)} latency ({KebabCase.Of(latency.Source)}{who})";
    }

    public static string Versions(IReadOnlyList<string> versions) => versions.Count > 0 ? string.Join(" / ", versions) : "no known version";

    /// <summary>A ratio with its interval: <c>x 1.8 (1.2 to 2.6)</c>.</summary>
    public static string Of(Change change) =>
        (change.Ratio is { } ratio ? $"x {RoundedNumber.Of(ratio)}" : "from none")
        + (change.Low is not { } low ? ""
            : change.High is { } high ? $" ({RoundedNumber.Of(low)} to {RoundedNumber.Of(high)})"
            : $" (at least {RoundedNumber.Of(low)})");

    /// <summary>What became of it; empty where nothing is shown.</summary>
    public static string Of(DiffChange direction) => direction == DiffChange.NotShown ? "" : KebabCase.Of(direction);

    /// <summary>What became of a time that is neither good nor bad.</summary>
    public static string MoreOrLess(DiffChange direction) => direction switch
    {
        DiffChange.Worse => "  more",
        DiffChange.Better => "  less",
        _ => "  no change shown",
    };

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
