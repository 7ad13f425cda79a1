namespace Tracer.Forecast;

/// <summary>Says in one sentence, for who plays on it, how often applications drop out.</summary>
internal static class DropoutSentence
{
    /// <summary>The sentence, without a full stop: <c>64 samples at 48 kHz: 3.1 dropouts an hour (2.4 to 4.0)</c>.</summary>
    /// <param name="promise">What the tail of the latencies promises where none was late.</param>
    /// <param name="unit">What was measured, in words: <c>wait</c> or <c>job</c>.</param>
    public static string Of(string name, Dropouts dropouts, TailPromise promise, string unit)
    {
        if (dropouts.Waits < Dropouts.LeastWaits)
        {
            return $"{name}: {NotToldBy(dropouts.Waits, unit)}";
        }

        string alone = dropouts.Dispersion is null ? $" if late {unit}s come alone" : "";
        if (dropouts.IsReplayed && dropouts.IsTold)
        {
            return $"{name}: {Rate(dropouts.PerHour)} {(Rate(dropouts.PerHour) == "1" ? "dropout" : "dropouts")} an hour "
                + $"({Rate(dropouts.LowPerHour)} to {Rate(dropouts.HighPerHour)}), by replay";
        }

        if (dropouts.IsReplayed)
        {
            return $"{name}: the replay gives another number than the {unit}s, and neither how often it happens "
                + $"(at most {Rate(dropouts.HighPerHour)} an hour)";
        }

        if (dropouts.Late > 0 && !dropouts.IsTold)
        {
            return $"{name}: {Counted.Of(dropouts.Late, unit)} came too late, too few to tell how often it happens "
                + $"(at most {Rate(dropouts.HighPerHour)} an hour{alone})";
        }

        if (dropouts.Late > 0)
        {
            return $"{name}: {Rate(dropouts.PerHour)} {(Rate(dropouts.PerHour) == "1" ? "dropout" : "dropouts")} an hour "
                + $"({Rate(dropouts.LowPerHour)} to {Rate(dropouts.HighPerHour)}{alone})";
        }

        string none = $"{name}: none in the {Times.Text(dropouts.ObservedNs)} measured "
            + $"(at most {Rate(dropouts.HighPerHour)} an hour{alone})";
        return promise switch
        {
            { TimeNs: { } time } => $"{none}, and by the tail of the latencies less than one in {Times.Text(time)} of this use",
            { Why: { } why } => $"{none}; more is not known: {why}",
            _ => none,
        };
    }

    /// <summary>Sentences of several applications, those that belong together in one.</summary>
    public static IReadOnlyList<string> Joined(IReadOnlyList<ToldApplication> told, long waits, string unit)
    {
        if (told.Count > 1 && waits < Dropouts.LeastWaits)
        {
            return [$"dropouts: {NotToldBy(waits, unit)}"];
        }

        List<string> sentences = [];
        foreach ((AskedApplication asked, ToleranceForecast one) in told)
        {
            if (asked.After is { } name && sentences.Count > 0)
            {
                sentences[^1] += $"; {name}{one.Sentence[asked.Name.Length..]}";
            }
            else
            {
                sentences.Add(one.Sentence);
            }
        }

        return sentences;
    }

    private static string NotToldBy(long waits, string unit) =>
        $"not known from {Counted.Of(waits, unit)}; it takes {Counted.Of(Dropouts.LeastWaits, unit)}, so record longer";

    /// <summary>A rate with two digits, or whole from 10 on.</summary>
    private static string Rate(double rate) => rate switch
    {
        0 => "0",
        >= 9.95 => rate.ToString("N0", CultureInfo.InvariantCulture),
        >= 0.095 => rate.ToString("0.0", CultureInfo.InvariantCulture),
        _ => rate.ToString("G2", CultureInfo.InvariantCulture),
    };
}
