using Tracer.Contract;

namespace Tracer.AnalyzerCommand;

/// <summary>Prints forecasts for people: worst cases as OSDI'99 Table 3, what applications can bear, and which tasks keep up.</summary>
internal static class ForecastText
{
    private const int MostPoints = 6;

    /// <summary>Prints one.</summary>
    public static void Write(LatencyForecast forecast, TextWriter output)
    {
        string group = forecast.Group is { } of ? ", " + LatencyWords.Of(of) : "";
        output.WriteLine();
        output.WriteLine($"Forecast: {LatencyWords.Of(forecast.Kind)}, {LatencyWords.Of(forecast.Source)}{group}");
        output.WriteLine($"  from {Counted.Of(forecast.Waits, "wait")} in {ReadableDuration.Of(forecast.Observed)}, "
            + $"for this workload only, used {forecast.Usage}");
        foreach (WorstCaseForecast worst in forecast.WorstCases)
        {
            output.WriteLine($"  worst in a{(worst.Per == "hour" ? "n hour" : " " + worst.Per)}: "
                + $"{ReadableDuration.Of(worst.Expected, "not observed for so long")}"
                + Level("peaks over a threshold", worst.PeaksOverThreshold)
                + Level("block maxima", worst.BlockMaxima)
                + $"; longest observed {ReadableDuration.Of(worst.Observed, "none")}");
        }

        WriteRefusal("peaks over a threshold", forecast.PeaksOverThreshold, output);
        WriteRefusal("block maxima", forecast.BlockMaxima, output);
        foreach (ToleranceForecast one in forecast.Applications)
        {
            Write(one, output);
        }

        foreach (TaskForecast task in forecast.Tasks)
        {
            output.WriteLine($"  task {task.Name}: " + task.KeepsUp switch
            {
                true => $"keeps up, done {ReadableDuration.Of(task.Response, "in time")} after it is due at worst",
                false => "does not keep up",
                null => "too little was measured to tell",
            } + (task.PseudoWorst is { } pseudo ? $" (pseudo worst case {ReadableDuration.Of(pseudo)})" : ""));
        }
    }

    private static void Write(ToleranceForecast one, TextWriter output)
    {
        output.WriteLine($"  {one.Sentence}");
        output.WriteLine($"    bears {ReadableDuration.Of(one.Tolerance)}, {ReadableDuration.Of(one.Slack)} of it before it computes; "
            + (one.OnceInWaits is { } once ? $"one wait in {once:0.#} is longer, " : "no wait was longer, ")
            + $"mean time to underrun {ReadableDuration.Of(one.Underrun, "not reached")}");
        if (one.Curve.Count > 0)
        {
            output.WriteLine("    mean time to underrun by buffering: " + string.Join(", ", one.Curve.Take(MostPoints).Select(point =>
                $"{ReadableDuration.Of(point.Buffering)} {ReadableDuration.Of(point.Underrun, "not reached")}")));
        }

        if (one.Replay is { } replay)
        {
            output.WriteLine($"    replayed: {replay.Missed} of {Counted.Of(replay.Cycles, "buffer")} too late, the last "
                + $"{ReadableDuration.Of(replay.Worst)} after it was due");
        }
    }

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
