using Tracer.AnalyzerCommand.Common;
using Tracer.Forecast;

namespace Tracer.AnalyzerCommand.Commands.Latency;

/// <summary>Prints forecasts for people: worst cases as OSDI'99 Table 3, what applications can bear, and which tasks keep up.</summary>
internal static class ForecastText
{
    private const int MostPoints = 6;
    private static readonly long MinuteNs = Duration.FromSeconds(60).Nanoseconds;

    public static void Write(LatencyForecast forecast, TextWriter output)
    {
        string group = forecast.Group is { } of ? ", " + LatencyWords.Of(of) : "";
        string trace = forecast.Trace is { } name ? $", of {name} alone, as its report has it" : "";
        string thread = forecast.Thread is { } one ? $", {one}" : "";
        string period = forecast.Period is { } each
            ? $", one every {ReadableDuration.Of(each)}{(forecast.Thread is null ? " on a CPU" : "")}"
            : "";
        output.WriteLine();
        output.WriteLine($"Forecast: {LatencyWords.Of(forecast.Kind)}, {LatencyWords.Of(forecast.Source)}{group}{thread}{trace}");
        string waits = Counted.Of(forecast.Waits, forecast.Kind.Unit());
        output.WriteLine($"  from {waits} in {TimeOf(forecast.Observed)}{period}, for this workload only, used {forecast.Usage}");
        foreach (string sentence in forecast.Sentences)
        {
            output.WriteLine($"  {sentence}");
        }

        WriteWorstCases(forecast, output);
        foreach (ToleranceForecast application in forecast.Applications)
        {
            Write(application, forecast, output);
        }

        foreach (TaskForecast task in forecast.Tasks)
        {
            output.WriteLine($"  task {task.Name}: " + task.KeepsUp switch
            {
                true => $"keeps up, done {ReadableDuration.Of(task.Response, "in time")} after it is due at worst",
                false => "does not keep up",
                null => $"not known: {task.Refusal ?? "too little was measured"}",
            } + (task.PseudoWorst is { } pseudo ? $" (pseudo worst case {ReadableDuration.Of(pseudo)})" : ""));
        }

        foreach (ForecastSelfTest test in forecast.SelfTests)
        {
            output.WriteLine($"  tried on itself, {test.Name ?? "the longest latency"}: " + (test.AtMost is { } most
                ? $"the first half expects at most {ReadableDuration.Of(most)}; it was {ReadableDuration.Of(test.Longest, "none")}"
                : $"the first half has {Number(test.LateLow)} to "
                    + $"{Counted.Of(test.LateHigh ?? 0, $"late {forecast.Kind.Unit()}")} in the second; there were "
                    + Number(test.Late)) + (test.IsHit ? ": a hit" : ": a miss, so don't rely on this forecast"));
        }
    }

    private static void WriteWorstCases(LatencyForecast forecast, TextWriter output)
    {
        string unknown = forecast.PeaksOverThreshold.Reason == KebabCase.Of(RefusalReason.NoTimes)
            ? "not known from histograms"
            : "not observed for so long";
        foreach (IGrouping<string, WorstCaseForecast> same in forecast.WorstCases.GroupBy(worst =>
            ReadableDuration.Of(worst.Expected, unknown)
            + Level("peaks over a threshold", worst.PeaksOverThreshold)
            + Level("block maxima", worst.BlockMaxima)
            + $"; longest observed {ReadableDuration.Of(worst.Observed, "none")}"))
        {
            output.WriteLine($"  worst in {string.Join(", ", same.Select(worst => worst.Per == "hour" ? "an hour" : "a " + worst.Per))}: "
                + same.Key);
        }

        if (forecast.PeaksOverThreshold.Refusal == forecast.BlockMaxima.Refusal)
        {
            WriteRefusal("peaks over a threshold and block maxima", forecast.PeaksOverThreshold, output);
        }
        else
        {
            WriteRefusal("peaks over a threshold", forecast.PeaksOverThreshold, output);
            WriteRefusal("block maxima", forecast.BlockMaxima, output);
        }
    }

    private static void Write(ToleranceForecast one, LatencyForecast forecast, TextWriter output)
    {
        string unit = forecast.Kind.Unit();
        output.Write($"  {one.Name}: bears {ReadableDuration.Of(one.Tolerance)}"
            + (one.Compute > Duration.Zero ? $", {ReadableDuration.Of(one.Slack)} of it before it computes" : ""));
        if (forecast.Waits < Dropouts.LeastWaits)
        {
            output.WriteLine();
            return;
        }

        string every = one.Every is { } time ? $", that is one every {TimeOf(time)}" : "";
        output.Write("; " + (one.OnceInWaits is { } once
            ? $"one {unit} in {RoundedNumber.Of((double)once)} is longer{every}"
            : $"no {unit} was longer"));
        output.WriteLine(one.Replay switch
        {
            { Refusal: { } refusal } => $"; not replayed: {refusal}",
            { Cycles: { } cycles, Missed: { } missed } replay => $"; replayed, {missed.ToString("N0", CultureInfo.InvariantCulture)} of "
                + $"{Counted.Of(cycles, "buffer")} came too late, the last {ReadableDuration.Of(replay.Worst, "never")} after it was due"
                + (replay.Covered is < 0.995m and { } covered
                    ? $", and {unit}s cover {covered.ToString("0 %", CultureInfo.InvariantCulture)} of the time" : ""),
            _ => "",
        });
        WriteCurve(one.Curve, output);
    }

    /// <summary>The curve of figures 6 and 7, as far as it was reached.</summary>
    private static void WriteCurve(IReadOnlyList<UnderrunPoint> curve, TextWriter output)
    {
        List<string> points = [];
        foreach (UnderrunPoint point in curve.Take(MostPoints))
        {
            string buffering = ReadableDuration.Of(point.Buffering);
            points.Add(point.Underrun is null ? $"from {buffering} on not reached" : $"{TimeOf(point.Underrun)} with {buffering}");
            if (point.Underrun is null)
            {
                break;
            }
        }

        if (points.Count > 1)
        {
            output.WriteLine($"    mean time to underrun by buffering: {string.Join(", ", points)}");
        }
    }

    private static string Number(long? number) => (number ?? 0).ToString("N0", CultureInfo.InvariantCulture);

    /// <summary>A time that may be hours: <c>44 min</c>.</summary>
    private static string TimeOf(Duration? time) => time is not { } known ? "never"
        : known.Nanoseconds >= MinuteNs ? Times.Text(known.Nanoseconds) : ReadableDuration.Of(known);

    private static string Level(string method, ReturnLevelForecast? level) => level switch
    {
        { Level: { } known } => $"; by {method} {ReadableDuration.Of(known)} ({ReadableDuration.Of(level.Low, "?")} to "
            + $"{ReadableDuration.Of(level.High, "?")})",
        { Refusal: { } refusal } => $"; by {method} refused: {refusal}",
        _ => "",
    };

    private static void WriteRefusal(string method, ExtremeMethod told, TextWriter output)
    {
        if (told.Refusal is { } refusal)
        {
            output.WriteLine($"  by {method} nothing is forecast: {refusal}");
        }
    }
}
