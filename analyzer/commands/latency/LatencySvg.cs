using System.Security;
using System.Text;

namespace Tracer.AnalyzerCommand.Commands.Latency;

/// <summary>
/// Draws the distributions as a picture: the log-log histogram of OSDI'99 figure 4, one line of steps for each kind and source. It needs
/// nothing but the file, and can be read in light and in dark. Below it, where applications were asked about, their mean times to underrun.
/// </summary>
internal static class LatencySvg
{
    private const int Left = 70;
    private const int Top = 20;
    private const int PlotHeight = 320;
    private const int BinColumns = 44;
    private const int LegendLine = 18;

    /// <summary>From here on a label is wider than a bin, and every second edge has one.</summary>
    private static readonly Duration WideLabel = Duration.FromMilliseconds(100);

    /// <summary>Colours that are told apart by people who see fewer of them (Okabe and Ito).</summary>
    internal static readonly string[] Colours = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f"];

    /// <summary>Draws the distributions of everything of a kind and source.</summary>
    public static void Write(LatencyReport report, Stream output)
    {
        LatencyDistribution[] drawn = [.. report.Distributions.Where(one => one.Part == LatencyPart.All)];
        Duration[] edges = [.. drawn.SelectMany(one => one.Bins).SelectMany(bin => new[] { bin.From, bin.To }).Distinct().Order()];
        int decades = drawn.Max(one => LogHistogramText.Decades(one.Count));
        int right = Left + ((edges.Length - 1) * BinColumns);
        int bottom = Top + PlotHeight;
        int width = Math.Max(right + 30, 520);
        int ownHeight = bottom + 50 + (drawn.Length * LegendLine);
        (string Name, ToleranceForecast Of)[] curves = [.. (report.Forecasts ?? []).SelectMany(forecast => forecast.Applications
            .Where(one => one.Curve.Any(point => point.Underrun is not null))
            .Select(one => ($"{one.Name}, {LatencyWords.Of(forecast.Kind)}"
                + (forecast.Group is { } group ? $", {LatencyWords.Of(group)}" : ""), one)))];
        int height = ownHeight + UnderrunSvg.HeightOf(curves.Length);
        var svg = new StringBuilder();
        Line(svg, $"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\"");
        Line(svg, $" font-family=\"sans-serif\" font-size=\"11\" role=\"img\">");
        Line(svg, $"<title>How often latencies of each length occurred</title>");
        Line(svg, $"<style>text{{fill:#222}}.axis{{stroke:#888;stroke-width:.5}}svg{{background:#fff}}");
        Line(svg, $"@media(prefers-color-scheme:dark){{text{{fill:#ddd}}svg{{background:#1b1b1b}}}}</style>");
        for (int decade = 0; decade <= decades; decade++)
        {
            double y = bottom - (PlotHeight * decade / (double)decades);
            Line(svg, $"<path class=\"axis\" d=\"M{Left} {y:0.#}H{right}\"/>");
            string mark = LogHistogramText.Percent(Math.Pow(10, decade - decades + 2));
            Line(svg, $"<text x=\"{Left - 6}\" y=\"{y + 4:0.#}\" text-anchor=\"end\">{mark}</text>");
        }

        int step = edges[^1] >= WideLabel ? 2 : 1;
        for (int i = 0; i < edges.Length; i++)
        {
            int x = Left + (i * BinColumns);
            Line(svg, $"<path class=\"axis\" d=\"M{x} {Top}V{bottom}\"/>");
            if ((edges.Length - 1 - i) % step == 0)
            {
                Line(svg, $"<text x=\"{x}\" y=\"{bottom + 15}\" text-anchor=\"middle\">{LatencyText.Microseconds(edges[i])}</text>");
            }
        }

        Line(svg, $"<text x=\"{Left + ((right - Left) / 2)}\" y=\"{bottom + 32}\" text-anchor=\"middle\">latency in us</text>");
        for (int i = 0; i < drawn.Length; i++)
        {
            string colour = Colours[i % Colours.Length];
            Line(svg, $"<path fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" d=\"{Steps(drawn[i], edges, decades)}\"/>");
            int y = bottom + 50 + (i * LegendLine);
            Line(svg, $"<path stroke=\"{colour}\" stroke-width=\"3\" d=\"M{Left} {y - 4}h24\"/>");
            string name = $"{LatencyText.Heading(drawn[i].Kind, drawn[i].Source)}: {Counted.Of(drawn[i].Count, "measurement")}, "
                + $"longest {ReadableDuration.Of(drawn[i].Maximum)}";
            Line(svg, $"<text x=\"{Left + 32}\" y=\"{y}\">{SecurityElement.Escape(name)}</text>");
        }

        UnderrunSvg.Write(svg, curves, ownHeight, Left, Math.Max(right, width - 30));
        svg.Append("</svg>\n");
        output.Write(Encoding.UTF8.GetBytes(svg.ToString()));
    }

    /// <summary>A line that is level over each bin, at the percentage in it; empty bins lie on the ground.</summary>
    private static string Steps(LatencyDistribution one, Duration[] edges, int decades)
    {
        var path = new StringBuilder();
        foreach (LatencyBin bin in one.Bins)
        {
            double percent = 100.0 * bin.Count / one.Count;
            double part = bin.Count == 0 ? 0 : Math.Clamp((Math.Log10(percent) - 2 + decades) / decades, 0, 1);
            int x = Left + (Array.IndexOf(edges, bin.From) * BinColumns);
            int end = Left + (Array.IndexOf(edges, bin.To) * BinColumns);
            path.Append(CultureInfo.InvariantCulture, $"{(path.Length == 0 ? 'M' : 'L')}{x} {Top + (PlotHeight * (1 - part)):0.#}H{end}");
        }

        return path.ToString();
    }

    internal static void Line(StringBuilder svg, FormattableString text) =>
        svg.Append(text.ToString(CultureInfo.InvariantCulture)).Append('\n');
}
