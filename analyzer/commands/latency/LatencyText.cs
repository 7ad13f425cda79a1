namespace Tracer.AnalyzerCommand.Commands.Latency;

/// <summary>Prints the report of <c>analyzer latency</c> for people.</summary>
internal static class LatencyText
{
    /// <summary>Most parts that are listed of a distribution where the user did not say by what to tell apart.</summary>
    private const int MostPartsShown = 12;

    public static void Write(LatencyReport report, bool hasSplits, int columns, TextWriter output)
    {
        WriteSystem(report, output);
        foreach (IGrouping<(LatencyKind Kind, LatencySource Source), LatencyDistribution> one in report.Distributions
            .GroupBy(distribution => (distribution.Kind, distribution.Source)))
        {
            LatencyDistribution[] shown = [.. one.Where(part => hasSplits || IsShownUnasked(part.Part, report.Traces.Count))];
            output.WriteLine();
            output.WriteLine(Heading(one.Key.Kind, one.Key.Source));
            if (shown.Length == 0)
            {
                continue;
            }

            WriteTable(shown, hasSplits ? int.MaxValue : MostPartsShown, output);
            output.WriteLine();
            LogHistogramText.Write(shown[0], columns, output);
        }

        RunTimesText.Write(report.RunTimes ?? [], output);
        OccurrencesText.Write(report, output);
        foreach (CallbackIntervals callbacks in report.Callbacks)
        {
            CallbacksText.Write(callbacks, output);
        }

        foreach (LatencyForecast forecast in report.Forecasts ?? [])
        {
            ForecastText.Write(forecast, output);
        }

        if (report.Graph is { } graph)
        {
            GraphText.Write(graph, output);
        }

        WriteRest(report, output);
    }

    /// <summary>The heading of a kind and source: <c>Thread latency, from ReadyThread to switch</c>.</summary>
    public static string Heading(LatencyKind kind, LatencySource source)
    {
        string name = LatencyWords.Of(kind);
        return $"{char.ToUpperInvariant(name[0])}{name[1..]}, {LatencyWords.Of(source)}";
    }

    /// <summary>A latency in microseconds, with three digits or so; a dash for what is not known.</summary>
    public static string Microseconds(Duration? latency) => latency is not { } known ? "-" : (known.Nanoseconds / 1000m) switch
    {
        < 9.995m and var value => value.ToString("0.00", CultureInfo.InvariantCulture),
        < 99.95m and var value => value.ToString("0.0", CultureInfo.InvariantCulture),
        var value => value.ToString("#,0", CultureInfo.InvariantCulture),
    };

    private static bool IsShownUnasked(LatencyPart part, int traces) =>
        part is { Cpu: null, Priority: null, Process: null, RestOf: null } && (traces > 1 || part.Trace is null);

    /// <summary>Rows as columns: names at the left, numbers at the right; the first row names the columns.</summary>
    public static void WriteRows(IReadOnlyList<string[]> rows, TextWriter output)
    {
        int[] widths = [.. Enumerable.Range(0, rows[0].Length).Select(column => rows.Max(row => row[column].Length))];
        foreach (string[] row in rows)
        {
            output.Write("  ");
            IEnumerable<string> cells = row.Select((cell, i) => i == 0 ? cell.PadRight(widths[i]) : cell.PadLeft(widths[i]));
            output.WriteLine(string.Join("  ", cells).TrimEnd());
        }
    }

    private static void WriteSystem(LatencyReport report, TextWriter output)
    {
        if (report.System.Count == 0)
        {
            return;
        }

        int name = report.System.Max(row => row.Name.Length);
        int[] widths = [.. report.Traces.Select((_, i) => report.System.Max(row => (row.Values[i] ?? "-").Length))];
        foreach (SystemRow row in report.System)
        {
            output.Write(row.Name.PadRight(name));
            output.WriteLine(string.Concat(row.Values.Select((value, i) => "  " + (value ?? "-").PadRight(widths[i]))).TrimEnd());
        }
    }

    private static void WriteTable(LatencyDistribution[] parts, int mostShown, TextWriter output)
    {
        List<string[]> rows =
        [
            [
                "us", "count", "min", "mean", "deviation",
                .. LatencyDistributions.Percents.Select(percent => percent.ToString(CultureInfo.InvariantCulture) + " %"),
                "max",
            ],
        ];
        rows.AddRange(parts.Take(mostShown).Select(part => (string[])
        [
            LatencyWords.Of(part.Part),
            part.Count.ToString("N0", CultureInfo.InvariantCulture),
            Microseconds(part.Minimum),
            Microseconds(part.Mean),
            Microseconds(part.Deviation),
            .. part.Percentiles.Select(percentile => Microseconds(percentile.Value)),
            Microseconds(part.Maximum),
        ]));
        if (parts[0].Percentiles.Any(percentile => percentile.Low is not null))
        {
            rows.Insert(2, Band("  95 % from", parts[0], percentile => percentile.Low));
            rows.Insert(3, Band("  to", parts[0], percentile => percentile.High));
        }

        WriteRows(rows, output);
        if (parts.Length > mostShown)
        {
            output.WriteLine($"  ... and {parts.Length - mostShown} more: choose with --per what is told apart");
        }
    }

    private static string[] Band(string name, LatencyDistribution part, Func<LatencyPercentile, Duration?> end) =>
        [name, "", "", "", "", .. part.Percentiles.Select(percentile => Microseconds(end(percentile))), ""];

    private static void WriteRest(LatencyReport report, TextWriter output)
    {
        string[] lines =
        [
            .. report.LeftOut.Select(one => $"left out: {one.Count.ToString("N0", CultureInfo.InvariantCulture)}"
                + $"{(one.Kind is { } kind ? " of " + LatencyWords.Of(kind) : "")}: {LatencyWords.Of(one.Why)}"),
            .. report.Missing.Select(one => $"no {LatencyWords.Of(one.Kind)}: {one.Why}"),
            .. report.Warnings.Select(warning => $"note: {warning}"),
        ];
        if (lines.Length > 0)
        {
            output.WriteLine();
        }

        foreach (string line in lines)
        {
            output.WriteLine(line);
        }
    }
}
