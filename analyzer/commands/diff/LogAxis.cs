namespace Tracer.AnalyzerCommand.Commands.Diff;

/// <summary>A logarithmic scale that rows of a table share, and what is drawn on it, as SVG.</summary>
internal sealed class LogAxis
{
    private const int Width = 240;
    private const int Middle = 9;
    private const int Margin = 14;
    private const int MostTicks = 5;

    private readonly double _from;
    private readonly double _to;
    private readonly Func<double, string> _words;

    /// <param name="values">What it has to reach over; 0 stands at its lower end.</param>
    /// <param name="words">How a value is written.</param>
    public LogAxis(IEnumerable<double> values, Func<double, string> words)
    {
        double[] logs = [.. values.Where(value => value > 0).Select(Math.Log10).DefaultIfEmpty(0)];
        _from = logs.Min() - 0.1;
        _to = logs.Max() + 0.1;
        _words = words;
    }

    /// <summary>Two values with their intervals, the later one filled, on a line.</summary>
    public string Dumbbell(
        (double Low, double Value, double High) before, (double Low, double Value, double High) after, DiffChange direction) => Drawing(
            direction,
            $"{_words(before.Value)} before, {_words(after.Value)} after",
            Interval(before, Middle - 5) + Interval(after, Middle + 5)
                + Text($"<line class=\"way\" x1=\"{X(before.Value):0.#}\" x2=\"{X(after.Value):0.#}\" y1=\"{Middle}\" y2=\"{Middle}\"/>")
                + Text($"<circle class=\"before\" cx=\"{X(before.Value):0.#}\" cy=\"{Middle}\" r=\"4\"/>")
                + Text($"<circle class=\"after\" cx=\"{X(after.Value):0.#}\" cy=\"{Middle}\" r=\"4.5\"/>"));

    /// <summary>A ratio with its interval, beside 1.</summary>
    public string Forest(Change change) => Drawing(
        change.Direction,
        change.Ratio is { } told ? _words(told) : "from none",
        Text($"<line class=\"one\" x1=\"{X(1):0.#}\" x2=\"{X(1):0.#}\" y1=\"0\" y2=\"{2 * Middle}\"/>")
            + (change.Low is { } low ? Interval((low, low, change.High ?? double.MaxValue), Middle) : "")
            + (change.Ratio is { } ratio
                ? Text($"<rect class=\"after\" x=\"{X(ratio) - 4:0.#}\" y=\"{Middle - 4}\" width=\"8\" height=\"8\"/>")
                : ""));

    /// <summary>Its decades, for the row beneath the others; two ends where there are none.</summary>
    public string Scale()
    {
        int first = (int)Math.Ceiling(_from);
        double[] decades =
            [.. Enumerable.Range(first, Math.Max(0, (int)Math.Floor(_to) - first + 1)).Select(one => Math.Pow(10, one))];
        int step = 1 + (decades.Length / MostTicks);
        IEnumerable<string> ticks = decades.Where((_, i) => i % step == 0).Select(one => Text(
            $"<text class=\"small\" x=\"{X(one):0.#}\" y=\"{Middle + 4}\" text-anchor=\"middle\">")
            + StillPage.Escaped(_words(one)) + "</text>");
        return Text($"<svg class=\"change\" viewBox=\"0 0 {Width} {2 * Middle}\" aria-hidden=\"true\">") + string.Concat(ticks) + "</svg>";
    }

    private static string Drawing(DiffChange direction, string says, string shapes) =>
        Text($"<svg class=\"change {KebabCase.Of(direction)}\" viewBox=\"0 0 {Width} {2 * Middle}\" role=\"img\" aria-label=\"")
        + StillPage.Escaped(says) + "\">" + shapes + "</svg>";

    private string Interval((double Low, double Value, double High) ends, int y) => ends.Low == ends.High ? "" : Text(
        $"<line class=\"interval\" x1=\"{X(ends.Low):0.#}\" x2=\"{X(ends.High):0.#}\" y1=\"{y}\" y2=\"{y}\"/>");

    private double X(double value)
    {
        double log = value > 0 ? Math.Clamp(Math.Log10(value), _from, _to) : _from;
        return Margin + ((log - _from) / (_to - _from) * (Width - (2 * Margin)));
    }

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
