using System.Text.RegularExpressions;

namespace Tracer.AnalyzerCommand.Common.Texts;

/// <summary>
/// Reads a report of LatencyMon, as it is saved or pasted into a forum. Its rows are six ranges of the lengths of all ISRs and of all DPCs;
/// of single drivers it names two at each level, without their number of runs.
/// </summary>
internal sealed partial class LatencyMonText(string path, string[] lines)
{
    private const string Old =
        "it is from an old LatencyMon, whose ranges leave out lengths between them (500-999 us); make one with version 7";

    private static readonly string[] Ranges = ["<250", "250-500", "500-1000", "1000-2000", "2000-4000", ">=4000"];

    /// <summary>Most lines of a report: 4,096 CPUs have a third of them.</summary>
    private const int MostLines = 100_000;

    private const string Unit = "[^)]{1,4}";
    private const string Percent = "%";

    private readonly List<string> _notes = [];
    private readonly Dictionary<(int Cpu, string Level, string What), string> _ofCpus = [];
    private string _decimal = ".";

    public static bool Is(string text) => text.Contains("LatencyMon", StringComparison.Ordinal)
        && (text.Contains("ISR", StringComparison.Ordinal) || text.Contains("DPC", StringComparison.Ordinal));

    /// <exception cref="FormatException">It is not as LatencyMon writes it, or is cut short.</exception>
    public TextReport Read()
    {
        if (lines.Length > MostLines)
        {
            throw new FormatException("it is too long for a report of LatencyMon");
        }

        Match time = Find(AnalysisLine(), "for how long it measured");
        Duration measured = Duration.FromSeconds(
            (Whole(time, "h") * 3600) + (Whole(time, "m") * 60) + Whole(time, "s"));
        if (lines.Any(line => OldRange().IsMatch(line)))
        {
            throw new FormatException(Old);
        }

        _decimal = DecimalSeparator();
        foreach (Match line in lines.Select(line => CpuLine().Match(line)).Where(match => match.Success))
        {
            int cpu = int.Parse(line.Groups["cpu"].Value, CultureInfo.InvariantCulture);
            _ofCpus.TryAdd((cpu, line.Groups["level"].Value, line.Groups["what"].Value), line.Groups["value"].Value);
        }

        string[] levels = ["ISR", "DPC"];
        List<ToldRunTimes> all = [.. levels.SelectMany(level => Level(level, measured))];
        AddMeasured();
        if (lines.Any(line => line.Contains("fixed reported CPU speed", StringComparison.Ordinal)))
        {
            _notes.Add("LatencyMon says that its lengths may be counted at one fixed speed of the CPU: they are wrong where it changed.");
        }

        _notes.Add("LatencyMon names the drivers of the longest run and of the largest sum only: about others this text says nothing.");
        return new TextReport(path, measured, all, [.. _notes.Select(note => $"{path}: {note}")]);
    }

    private IEnumerable<ToldRunTimes> Level(string level, Duration measured)
    {
        bool isIsr = level == "ISR";
        Duration longest = Micros(Find($"Highest {level} routine execution time", Unit));
        string? longestOf = Driver($"Driver with highest {level} routine execution time");
        decimal mostShare = Number(Find($"Highest reported total {level} routine time", Percent));
        string? mostOf = Driver($"Driver with highest {level} total (?:execution )?time");
        decimal share = Number(Find($"Total time spent in {level}s", Percent));
        (List<RunTimeBucket> buckets, List<string> ranges) = Rows(level, longest);
        (long count, Duration most, Duration total) = PerCpu(level);
        long rows = buckets.Sum(bucket => bucket.Count);
        Contradictions(level, longest, buckets, ranges);
        if (count != rows && CpuLine().IsMatch(lines.Last(line => line.Trim().Length > 0)))
        {
            throw new FormatException("it ends in the middle of its last line: it is cut short");
        }

        if (count != rows || most != longest)
        {
            _notes.Add($"LatencyMon contradicts itself: its CPUs had {count:N0} {level}s, the longest of {ReadableDuration.Of(most)}, "
                + $"and its ranges have {rows:N0}, the longest of {ReadableDuration.Of(longest)}.");
        }

        yield return ToldRunTimes.Of(path, RunTimeSource.LatencyMon, isIsr, null, measured, total, rows > 0 ? longest : null, buckets);
        foreach (string driver in new[] { longestOf, mostOf }.OfType<string>().Distinct(StringComparer.OrdinalIgnoreCase))
        {
            yield return ToldRunTimes.Of(path, RunTimeSource.LatencyMon, isIsr, driver, measured, null, null, []) with
            {
                Count = null,
                Total = IsSame(driver, mostOf) && share > 0 && mostShare <= share
                    ? new Duration((long)(total.Nanoseconds * (mostShare / share)))
                    : null,
                Longest = IsSame(driver, longestOf) ? longest : null,
                Percentiles = [],
            };
        }
    }

    private (List<RunTimeBucket> Buckets, List<string> Ranges) Rows(string level, Duration longest)
    {
        List<RunTimeBucket> buckets = [];
        List<string> ranges = [];
        foreach (string range in Ranges)
        {
            // Versions write 500-10000 for DPCs, and mean 500-1000: the next range begins there.
            string pattern = Regex.Escape(range) + (range == "500-1000" ? "0?" : "");
            Match row = Find(
                new Regex($@"^\s*{level} count \(execution time (?<range>{pattern}) [^)]{{1,4}}\):?\s+(?<count>[0-9].*)$"),
                $"'{level} count (execution time {range})'");
            string[] ends = row.Groups["range"].Value.TrimStart('<', '>', '=').Split('-');
            var from = new Duration(range[0] == '<' ? 0 : long.Parse(ends[0], CultureInfo.InvariantCulture) * 1000);
            Duration? to = range[0] == '>' ? null : new Duration(long.Parse(ends[^1], CultureInfo.InvariantCulture) * 1000);
            buckets.Add(new RunTimeBucket(from, to, Count(row.Groups["count"].Value)));
            ranges.Add(row.Groups["range"].Value);
        }

        return (buckets, ranges);
    }

    /// <summary>What the ranges cannot be, given the longest run.</summary>
    private void Contradictions(string level, Duration longest, List<RunTimeBucket> buckets, List<string> ranges)
    {
        if (ranges[2] != Ranges[2] && buckets[2].Count > 0)
        {
            _notes.Add($"LatencyMon contradicts itself: its range of {level}s of {ranges[2]} us overlaps those after it; its end as it is "
                + "written is taken for the bound.");
        }

        List<string> cannotBe = [];
        for (int i = 0; i < buckets.Count; i++)
        {
            bool isAbove = buckets[i].Count > 0 && buckets[i].Over > longest;
            bool isMissing = buckets[i].Count == 0 && buckets[i].Over < longest
                && (i == buckets.Count - 1 || longest < buckets[i + 1].Over);
            if (isAbove || isMissing)
            {
                cannotBe.Add($"{buckets[i].Count:N0} of {ranges[i]} us");
            }
        }

        if (cannotBe.Count > 0)
        {
            _notes.Add($"LatencyMon contradicts itself: its longest {level} took {ReadableDuration.Of(longest)}, and it counts "
                + $"{string.Join(" and ", cannotBe)}; in which range runs stand is not known, only that none took longer.");
        }
    }

    private (long Count, Duration Longest, Duration Total) PerCpu(string level)
    {
        long cpus = Whole(Find(ProcessorsLine(), "'Logical processors'"), "count");
        (long count, Duration longest, decimal seconds) = (0, Duration.Zero, 0);
        for (int cpu = 0; cpu < cpus; cpu++)
        {
            Duration one = Micros(OfCpu(cpu, "highest execution time"));
            longest = one > longest ? one : longest;
            seconds += Number(OfCpu(cpu, "total execution time"));
            count += Count(OfCpu(cpu, "count"));
        }

        return (count, longest, Nanoseconds(seconds, 1_000_000_000));

        string OfCpu(int cpu, string what) => _ofCpus.TryGetValue((cpu, level, what), out string? value)
            ? value
            : throw Lacks($"'CPU {cpu} {level} {what}'");
    }

    /// <summary>What it measured besides: latencies, of which it gives no distribution.</summary>
    private void AddMeasured()
    {
        Duration process = Micros(Find("Highest measured interrupt to process latency", Unit));
        Duration dpc = Micros(Find("Highest measured interrupt to DPC latency", Unit));
        _notes.Add($"LatencyMon measured at most {ReadableDuration.Of(process)} from interrupt to process and {ReadableDuration.Of(dpc)} "
            + "from interrupt to DPC, and gives no distribution of them.");
        if (dpc > process)
        {
            _notes.Add("LatencyMon contradicts itself: the way to the DPC is a part of that to the process, and its longest is longer.");
        }
    }

    private string? Driver(string label)
    {
        string value = Find(new Regex($@"^\s*{label}:(?<value>.*)$"), $"'{Plain(label)}'").Groups["value"].Value.Trim();
        int end = value.IndexOf(" - ", StringComparison.Ordinal);
        string name = (end < 0 ? value : value[..end]).Trim();
        return name.Length == 0 || name == "-" ? null : name;
    }

    private string Find(string label, string unit) => Find(
        new Regex($@"^\s*{label} \({unit}\):?\s+(?<value>\S.*?)\s*$"), $"'{label}'").Groups["value"].Value;

    private Match Find(Regex pattern, string what)
    {
        foreach (string line in lines)
        {
            if (pattern.Match(line) is { Success: true } match)
            {
                return match;
            }
        }

        throw Lacks(what);
    }

    private static FormatException Lacks(string what) => new($"it does not tell {what}: it is cut short, from an old LatencyMon, or in "
        + "another language; save the whole report of version 7");

    private static string Plain(string label) => label.Replace("(?:execution )?", "", StringComparison.Ordinal);

    /// <summary>
    /// Whether a comma or a point stands before decimals: LatencyMon writes many numbers with another number of them than three.
    /// </summary>
    private string DecimalSeparator()
    {
        string[] found =
        [
            .. lines.Select(line => DecimalLine().Match(line)).Where(match => match.Success)
                .Select(match => match.Groups["separator"].Value).Distinct(),
        ];
        return found.Length == 1
            ? found[0]
            : throw new FormatException("its digits do not tell whether a comma or a point stands before decimals");
    }

    private decimal Number(string text) =>
        text.Length <= 24 && NumberText().IsMatch(text)
        && decimal.TryParse(
            text.Replace(',', '.'), NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out decimal number)
        && !text.Contains(_decimal == "." ? ',' : '.')
            ? number
            : throw new FormatException($"'{Shown(text)}' is not a number as LatencyMon writes them");

    /// <summary>A whole number, in which only thousands may be set apart.</summary>
    private long Count(string text)
    {
        text = text.Trim();
        Match match = WholeText().Match(text);
        string[] separators = [.. match.Groups["separator"].Captures.Select(one => one.Value).Distinct()];
        return match.Success && (separators is [] || (separators is [{ } one] && one != _decimal))
            && long.TryParse(
                string.Concat(text.Where(char.IsAsciiDigit)), NumberStyles.None, CultureInfo.InvariantCulture, out long number)
            && number < 1L << 50
                ? number
                : throw new FormatException($"'{Shown(text)}' is not a count as LatencyMon writes them");
    }

    private static long Whole(Match match, string group) =>
        match.Groups[group].Value is { Length: <= 6 } digits
            ? long.Parse(digits, NumberStyles.None, CultureInfo.InvariantCulture)
            : throw new FormatException($"'{Shown(match.Groups[group].Value)}' is far too large");

    private Duration Micros(string text) => Nanoseconds(Number(text), 1000);

    private static Duration Nanoseconds(decimal number, int unit) => number < 9_000_000_000
        ? new Duration((long)(number * unit))
        : throw new FormatException("it has a time of hours in microseconds, or of centuries");

    private static string Shown(string text) =>
        string.Concat(text.Take(24).Select(letter => letter is >= ' ' and < '\u007f' ? letter : '?'));

    private static bool IsSame(string one, string? other) => string.Equals(one, other, StringComparison.OrdinalIgnoreCase);

    [GeneratedRegex(@"^\s*LatencyMon has been analyzing your system for\s+(?<h>[0-9]+):(?<m>[0-9]{2}):(?<s>[0-9]{2})\b")]
    private static partial Regex AnalysisLine();

    [GeneratedRegex(@"^\s*Logical processors:\s+(?<count>[0-9]+)\s*$")]
    private static partial Regex ProcessorsLine();

    [GeneratedRegex(
        @"^\s*CPU (?<cpu>[0-9]{1,5}) (?<level>ISR|DPC) (?<what>highest execution time|total execution time|count)"
        + @"(?: \([^)]{1,4}\))?:?\s+(?<value>\S.*?)\s*$")]
    private static partial Regex CpuLine();

    [GeneratedRegex(@"^\s*(?:ISR|DPC) count \(execution time (?:500-999|1000-1999|2000-3999)\b")]
    private static partial Regex OldRange();

    [GeneratedRegex(
        @"^\s*(?:Highest|Average|Total time|CPU [0-9]+ ).*\([^)]{1,4}\):?\s+[0-9]+(?<separator>[.,])(?:[0-9]{1,2}|[0-9]{4,})\s*$")]
    private static partial Regex DecimalLine();

    [GeneratedRegex("^[0-9]+(?:[.,][0-9]+)?$")]
    private static partial Regex NumberText();

    [GeneratedRegex(@"^[0-9]+$|^[0-9]{1,3}(?:(?<separator>[., '\u00a0\u202f])[0-9]{3})+$")]
    private static partial Regex WholeText();
}
