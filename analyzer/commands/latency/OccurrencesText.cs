namespace Tracer.AnalyzerCommand.Commands.Latency;

/// <summary>
/// Prints how often latencies fell into each bin of powers of two, workloads beside each other, with their number, maximum, minimum and
/// average, as Bernadat's tables 10 to 12 have it. The workloads are the traces or the marks; where there are neither, the columns are the
/// kinds.
/// </summary>
internal static class OccurrencesText
{
    /// <summary>Most columns; Bernadat has nine.</summary>
    private const int MostColumns = 9;

    /// <summary>Longest heading of a column.</summary>
    private const int LongestName = 16;

    public static void Write(LatencyReport report, TextWriter output)
    {
        bool hasTables = false;
        foreach (IGrouping<(LatencyKind Kind, LatencySource Source), LatencyDistribution> one in report.Distributions
            .GroupBy(distribution => (distribution.Kind, distribution.Source)))
        {
            LatencyDistribution[] labels = [.. one.Where(part => part.Part == new LatencyPart { Label = part.Part.Label ?? "" })];
            LatencyDistribution[] traces = [.. one.Where(part => part.Part == new LatencyPart { Trace = part.Part.Trace ?? "" })];
            LatencyDistribution[] columns = labels.Length > 1 ? labels : traces.Length > 1 ? traces : [];
            if (columns.Length > 1)
            {
                hasTables = true;
                Write(
                    $"{LatencyText.Heading(one.Key.Kind, one.Key.Source)}, occurrences",
                    columns,
                    column => LatencyWords.Of(column.Part),
                    output);
            }
        }

        LatencyDistribution[] wholes = [.. report.Distributions.Where(one => one.Part == LatencyPart.All)];
        if (!hasTables && wholes.Length > 0)
        {
            Write("Occurrences", wholes, one => $"{KebabCase.Of(one.Kind)} {KebabCase.Of(one.Source)}", output);
        }
    }

    private static void Write(
        string heading, LatencyDistribution[] columns, Func<LatencyDistribution, string> nameOf, TextWriter output)
    {
        columns = columns[..Math.Min(columns.Length, MostColumns)];
        Duration[] starts =
        [
            .. columns.SelectMany(column => column.Bins).Where(bin => bin.Count > 0).Select(bin => bin.From).Distinct().Order(),
        ];
        List<string[]> rows = [["us", .. columns.Select(column => Cut(nameOf(column)))]];
        foreach (Duration start in starts)
        {
            LatencyBin bin = columns.SelectMany(column => column.Bins).First(one => one.From == start);
            rows.Add(
            [
                $"{LatencyText.Microseconds(bin.From)} - {LatencyText.Microseconds(bin.To)}",
                .. columns.Select(column => Number(column.Bins.FirstOrDefault(one => one.From == start)?.Count ?? 0)),
            ]);
        }

        rows.Add(["total", .. columns.Select(column => Number(column.Count))]);
        rows.Add(["maximum", .. columns.Select(column => LatencyText.Microseconds(column.Maximum))]);
        rows.Add(["minimum", .. columns.Select(column => LatencyText.Microseconds(column.Minimum))]);
        rows.Add(["average", .. columns.Select(column => LatencyText.Microseconds(column.Mean))]);
        output.WriteLine();
        output.WriteLine(heading);
        int[] widths = [.. Enumerable.Range(0, rows[0].Length).Select(column => rows.Max(row => row[column].Length))];
        foreach (string[] row in rows)
        {
            output.WriteLine("  " + string.Join("  ", row.Select((cell, i) => cell.PadLeft(widths[i]))));
        }
    }

    private static string Number(long count) => count == 0 ? "" : count.ToString("N0", CultureInfo.InvariantCulture);

    private static string Cut(string name) => name.Length <= LongestName ? name : name[..(LongestName - 3)] + "...";
}
