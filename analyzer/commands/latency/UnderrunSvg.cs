using System.Security;
using System.Text;

namespace Tracer.AnalyzerCommand.Commands.Latency;

/// <summary>
/// Draws the mean time to underrun by buffering, as figures 6 and 7 of OSDI'99: decades of time upwards, milliseconds of buffering to the
/// right, a line for each application, and an hour as threshold.
/// </summary>
internal static class UnderrunSvg
{
    private const int Above = 50;
    private const int PlotHeight = 260;
    private const int Below = 50;
    private const int LegendLine = 18;
    private const int Labels = 8;
    private const double HourSeconds = 3600;

    /// <summary>How much higher the picture becomes by so many curves; nothing without one.</summary>
    public static int HeightOf(int curves) => curves == 0 ? 0 : Above + PlotHeight + Below + curves * LegendLine;

    public static void Write(StringBuilder svg, (string Name, ToleranceForecast Of)[] curves, int from, int left, int right)
    {
        if (curves.Length == 0)
        {
            return;
        }

        double[] all =
            [.. curves.SelectMany(curve => curve.Of.Curve).Select(point => Seconds(point.Underrun)).OfType<double>(), HourSeconds];
        int lowest = (int)Math.Floor(Math.Log10(Math.Max(1e-6, all.Min())));
        int highest = Math.Max(lowest + 1, (int)Math.Ceiling(Math.Log10(all.Max())));
        double widest = curves.Max(curve => curve.Of.Curve.Max(point => (double)point.Buffering.Nanoseconds));
        int top = from + Above;
        int bottom = top + PlotHeight;
        LatencySvg.Line(svg, $"<text x=\"{left}\" y=\"{top - 24}\" font-weight=\"bold\">Mean time to underrun by buffering</text>");
        for (int decade = lowest; decade <= highest; decade++)
        {
            double y = Y(Math.Pow(10, decade));
            LatencySvg.Line(svg, $"<path class=\"axis\" d=\"M{left} {y:0.#}H{right}\"/>");
            LatencySvg.Line(svg, $"<text x=\"{left - 6}\" y=\"{y + 4:0.#}\" text-anchor=\"end\">{Math.Pow(10, decade):0.######} s</text>");
        }

        for (int label = 0; label <= Labels; label++)
        {
            double x = left + (double)label / Labels * (right - left);
            LatencySvg.Line(svg, $"<path class=\"axis\" d=\"M{x:0.#} {top}V{bottom}\"/>");
            double ms = widest / 1e6 * label / Labels;
            LatencySvg.Line(svg, $"<text x=\"{x:0.#}\" y=\"{bottom + 15}\" text-anchor=\"middle\">{ms:0.##}</text>");
        }

        LatencySvg.Line(svg, $"<path stroke=\"#d55e00\" stroke-dasharray=\"6 4\" d=\"M{left} {Y(HourSeconds):0.#}H{right}\"/>");
        LatencySvg.Line(svg, $"<text x=\"{right}\" y=\"{Y(HourSeconds) - 4:0.#}\" text-anchor=\"end\">an hour</text>");
        int middle = left + (right - left) / 2;
        LatencySvg.Line(svg, $"<text x=\"{middle}\" y=\"{bottom + 32}\" text-anchor=\"middle\">buffering in ms, (n - 1) t</text>");
        for (int i = 0; i < curves.Length; i++)
        {
            string colour = LatencySvg.Colours[i % LatencySvg.Colours.Length];
            var path = new StringBuilder();
            foreach (UnderrunPoint point in curves[i].Of.Curve)
            {
                if (Seconds(point.Underrun) is { } seconds)
                {
                    double x = left + point.Buffering.Nanoseconds / widest * (right - left);
                    path.Append(CultureInfo.InvariantCulture, $"{(path.Length == 0 ? 'M' : 'L')}{x:0.#} {Y(seconds):0.#}");
                    LatencySvg.Line(svg, $"<circle cx=\"{x:0.#}\" cy=\"{Y(seconds):0.#}\" r=\"3\" fill=\"{colour}\"/>");
                }
            }

            LatencySvg.Line(svg, $"<path fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" d=\"{path}\"/>");
            int y = bottom + Below + i * LegendLine;
            LatencySvg.Line(svg, $"<path stroke=\"{colour}\" stroke-width=\"3\" d=\"M{left} {y - 4}h24\"/>");
            string reached = curves[i].Of.Curve.FirstOrDefault(point => point.Underrun is null) is { } none
                ? $", from {ReadableDuration.Of(none.Buffering)} on none was seen" : "";
            LatencySvg.Line(svg, $"<text x=\"{left + 32}\" y=\"{y}\">{SecurityElement.Escape(curves[i].Name + reached)}</text>");
        }

        double Y(double seconds) => bottom - PlotHeight * (Math.Log10(Math.Max(1e-6, seconds)) - lowest) / (highest - lowest);
    }

    private static double? Seconds(Duration? time) => time is { } known ? known.Nanoseconds / 1e9 : null;
}
