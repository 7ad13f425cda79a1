using System.Text.RegularExpressions;

namespace Tracer.AnalyzerCommand.Common.Texts;

/// <summary>Reads the text of <c>xperf -a dpcisr</c>, all of it: one that is cut short would tell too few runs.</summary>
internal sealed partial class DpcIsrText(string path, string[] lines)
{
    private const string Dpcs = "DPC Info";
    private const string Isrs = "Interrupt Info";

    private int _at;
    private int _cpus;

    public static bool Is(string text) =>
        text.Contains("CPU Usage Summing By Module", StringComparison.Ordinal) || HeadLine().IsMatch(text);

    /// <exception cref="FormatException">It is not as xperf writes it.</exception>
    public TextReport Read()
    {
        (Duration measured, IReadOnlyList<ToldRunTimes> dpcs) = Level(Dpcs, isIsr: false);
        (Duration again, IReadOnlyList<ToldRunTimes> isrs) = Level(Isrs, isIsr: true);
        if (again != measured)
        {
            throw new FormatException($"line {_at}: its two parts are of different times");
        }

        Seek(line => line.StartsWith("Distribution of number of", StringComparison.Ordinal), "its distribution of intervals");
        Match end = Sought(EndLine(), "Total:", "the end of its distribution of intervals");
        const int Columns = 3; // DPC, ISR, both; each CPU has as many intervals.
        CaptureCollection cells = end.Groups["count"].Captures;
        if (cells.Count != Columns * _cpus || cells.Any(cell => cell.Value != cells[0].Value))
        {
            throw Strange();
        }

        ToldRunTimes[] all = [.. dpcs, .. isrs];
        return new TextReport(path, measured, all, all.Any(one => one.Driver == TextReport.Unknown)
            ? [$"{path}: whose routines are called {TextReport.Unknown} is not known; their drivers were not in the list of images."]
            : []);
    }

    private (Duration Measured, IReadOnlyList<ToldRunTimes> RunTimes) Level(string name, bool isIsr)
    {
        Seek(line => line == name, $"'{name}'");
        Match span = Sought(SpanLine(), "CPU Usage from", "'CPU Usage from'");
        var measured = new Duration(Math.Max(0, Micros(span, "to").Nanoseconds - Micros(span, "from").Nanoseconds));
        Next();
        _cpus = CpuHead().Count(Next());
        Next();
        Dictionary<string, Duration> totals = new(StringComparer.Ordinal);
        for (string line = Next(); line.Length > 0; line = Next())
        {
            Match row = Matched(ModuleLine(), line);
            CaptureCollection cells = row.Groups["us"].Captures;
            var total = new Duration(cells.Sum(cell => Number(cell.Value) * 1000));
            if (cells.Count != _cpus || !totals.TryAdd(row.Groups["name"].Value, total))
            {
                throw Strange();
            }
        }

        ToldRunTimes Of(string? driver, Duration total, IReadOnlyList<RunTimeBucket> buckets) =>
            ToldRunTimes.Of(path, RunTimeSource.Xperf, isIsr, driver?.Trim('"'), measured, total, null, buckets);
        List<ToldRunTimes> all = [Of(null, new Duration(totals.Values.Sum(one => one.Nanoseconds)), Histogram(out string? whose))];
        if (whose is not null)
        {
            throw Strange();
        }

        while (totals.Count > 0)
        {
            List<RunTimeBucket> buckets = Histogram(out string? module);
            all.Add(module is not null && totals.Remove(module, out Duration its) ? Of(module, its, buckets) : throw Strange());
        }

        Match sum = Matched(AllLine(), Next());
        if (Number(sum.Groups["modules"].Value) != all.Skip(1).Sum(one => one.Count) || Number(sum.Groups["total"].Value) != all[0].Count)
        {
            throw new FormatException($"line {_at}: its modules do not add up to {all[0].Count}");
        }

        long rows = Number(Sought(IntervalsLine(), "Usage From", "'Usage From'").Groups["count"].Value);
        Seek(line => line.StartsWith("Start (ms)", StringComparison.Ordinal), "'Start (ms)'");
        for (; rows > 0; rows--)
        {
            Matched(IntervalLine(), Next());
        }

        return (measured, all);
    }

    private List<RunTimeBucket> Histogram(out string? module)
    {
        Match head = Matched(TotalLine(), Next());
        module = head.Groups["name"] is { Success: true } name ? name.Value : null;
        long count = Number(head.Groups["count"].Value);
        List<RunTimeBucket> buckets = [];
        string line = Next();
        for (; line.StartsWith("Elapsed Time", StringComparison.Ordinal); line = Next())
        {
            Match row = Matched(BucketLine(), line);
            var bucket = new RunTimeBucket(Micros(row, "over"), Micros(row, "most"), Number(row.Groups["count"].Value));
            if (bucket.AtMost <= bucket.Over || (buckets.Count > 0 && bucket.Over < buckets[^1].AtMost))
            {
                throw Strange();
            }

            buckets.Add(bucket);
        }

        if (Number(Matched(SumLine(), line).Groups["count"].Value) != count || buckets.Sum(one => one.Count) != count)
        {
            throw new FormatException($"line {_at}: its buckets do not add up to {count}");
        }

        if (Next().Length > 0)
        {
            throw Strange();
        }

        return buckets;
    }

    /// <summary>The next line, without the blanks at its end.</summary>
    private string Next() => _at < lines.Length ? lines[_at++].TrimEnd() : throw Short("more lines");

    private void Seek(Func<string, bool> isIt, string what)
    {
        do
        {
            if (_at >= lines.Length)
            {
                throw Short(what);
            }
        }
        while (!isIt(lines[_at++].TrimEnd()));
    }

    private Match Sought(Regex pattern, string begin, string what)
    {
        Seek(line => line.StartsWith(begin, StringComparison.Ordinal), what);
        return Matched(pattern, lines[_at - 1].TrimEnd());
    }

    private Match Matched(Regex pattern, string line) => pattern.Match(line) is { Success: true } match ? match : throw Strange();

    private static FormatException Short(string what) => new(
        $"it ends before {what}: it is cut short, or was made with options other than 'xperf -i TRACE -a dpcisr'");

    private FormatException Strange() => _at >= lines.Length
        ? Short("its last line is whole")
        : new($"line {_at} is not as 'xperf -a dpcisr' writes it: damaged, changed, or with another language's digits");

    private Duration Micros(Match match, string group) => new(Number(match.Groups[group].Value) * 1000);

    /// <summary>A number of at most 15 digits: its thousandfold is one, too.</summary>
    private long Number(string digits) =>
        digits.Length <= 15 && long.TryParse(digits, NumberStyles.None, CultureInfo.InvariantCulture, out long number)
            ? number
            : throw Strange();

    [GeneratedRegex(@"^DPC Info\s*$", RegexOptions.Multiline)]
    private static partial Regex HeadLine();

    [GeneratedRegex("^CPU Usage from (?<from>[0-9]+) us to (?<to>[0-9]+) us:$")]
    private static partial Regex SpanLine();

    [GeneratedRegex("CPU [0-9]+ Usage")]
    private static partial Regex CpuHead();

    [GeneratedRegex(@"^(?: *(?<us>[0-9]+) +[0-9]+\.[0-9]{2},)+ (?<name>\S.*)$")]
    private static partial Regex ModuleLine();

    [GeneratedRegex(@"^Total = (?<count>[0-9]+)(?: for module (?<name>\S.*))?$")]
    private static partial Regex TotalLine();

    [GeneratedRegex(
        "^Elapsed Time, > +(?<over>[0-9]+) usecs AND <= +(?<most>[0-9]+) usecs, +(?<count>[0-9]+), "
        + @"or +[0-9]+\.[0-9]{2}%$")]
    private static partial Regex BucketLine();

    [GeneratedRegex("^Total, +(?<count>[0-9]+)$")]
    private static partial Regex SumLine();

    [GeneratedRegex("^All Module = +(?<modules>[0-9]+),  Total = (?<total>[0-9]+),   EQUAL$")]
    private static partial Regex AllLine();

    [GeneratedRegex(@"^Usage From [0-9]+ ms to [0-9]+ ms, Summing In [0-9]+ second intervals\. Intervals=(?<count>[0-9]+)$")]
    private static partial Regex IntervalsLine();

    [GeneratedRegex("^Total: *(?:, *(?<count>[0-9]+))+$")]
    private static partial Regex EndLine();

    [GeneratedRegex(@"^ *[0-9]+-[0-9]+ *:(?:, *[0-9]+ +[0-9]+\.[0-9]{2})+$")]
    private static partial Regex IntervalLine();
}
