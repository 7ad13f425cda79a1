using Tracer.Analysis.Modules;

namespace Tracer.AnalyzerCommand.Commands.Blame;

/// <summary>
/// Prints what ISRs and DPCs took in the layout of <c>xperf -a dpcisr</c>, for scripts that parse that: lines end with CR LF, numbers are
/// whole microseconds, rounded. Its numbers are gross, and a framework's routine counts for the framework.
/// </summary>
internal static class XperfText
{
    private const string Ruler = "--------------------------";

    /// <summary>Seconds of an interval of the distribution.</summary>
    private const int IntervalSeconds = 2;

    /// <summary>Upper ends of the rows of the distribution, in percent.</summary>
    private static readonly int[] Rows = [1, 5, 10, 20, 40, 60, 80, 100];

    /// <summary>Prints the tables and histograms of 'xperf -a dpcisr'.</summary>
    public static void Write(LevelUsage usage, TextWriter output)
    {
        Line(output);
        WriteSection("DPC Info", usage, usage.Dpcs, usage.DpcSeconds, output);
        WriteSection("Interrupt Info", usage, usage.Isrs, usage.IsrSeconds, output);
        Line(output);
        WriteDistribution(usage, output);
    }

    private static void WriteSection(
        string name,
        LevelUsage usage,
        IReadOnlyList<ModuleUsage> modules,
        IReadOnlyList<IReadOnlyList<Duration>> seconds,
        TextWriter output)
    {
        Line(output, Ruler);
        Line(output, name);
        Line(output);
        Line(output, Ruler);
        Line(output, "CPU Usage Summing By Module For the Whole Trace");
        Line(output);
        Line(output, Text($"CPU Usage from 0 us to {Micros(usage.Span)} us:"));
        Line(output);
        Line(output, string.Concat(Cpus(usage).Select(cpu => Text($"     CPU {cpu} Usage, "))));
        Line(output, string.Join(", ", Cpus(usage).Select(_ => "     usec      %")) + ", Module");
        foreach (ModuleUsage module in modules)
        {
            Line(output, string.Join(", ", module.Times.Select(time => Cell(time, usage.Span))) + ", " + NameOf(module));
        }

        Line(output);
        long[] all = [.. Enumerable.Range(0, modules.Count > 0 ? modules[0].Histogram.Count : 0)
            .Select(bucket => modules.Sum(module => module.Histogram[bucket]))];
        WriteHistogram(string.Empty, all, output);
        foreach (ModuleUsage module in modules)
        {
            WriteHistogram(" for module " + NameOf(module), module.Histogram, output);
        }

        long total = all.Sum();
        Line(output, Text($"All Module = {modules.Sum(module => module.Histogram.Sum()),6},  Total = {total},   EQUAL"));
        Line(output);
        WriteSeconds(usage, seconds, output);
    }

    private static void WriteHistogram(string whose, IReadOnlyList<long> histogram, TextWriter output)
    {
        long total = histogram.Sum();
        Line(output, Text($"Total = {total}") + whose);
        long left = total;
        for (int bucket = 0; left > 0; left -= histogram[bucket++])
        {
            long low = bucket == 0 ? 0 : 1L << (bucket - 1);
            Line(output, Text($"Elapsed Time, > {low,8} usecs AND <= {1L << bucket,8} usecs")
                + Text($", {histogram[bucket],6}, or {100m * histogram[bucket] / total,6:0.00}%"));
        }

        Line(output, "Total," + new string(' ', 48) + Text($"{total,6}"));
        Line(output);
    }

    private static void WriteSeconds(LevelUsage usage, IReadOnlyList<IReadOnlyList<Duration>> seconds, TextWriter output)
    {
        long end = Rounded(usage.Span, 1_000_000);
        Line(output, Ruler);
        Line(output, Text($"Usage From 0 ms to {end} ms, Summing In 1 second intervals. Intervals={seconds.Count}"));
        Line(output);
        Line(output, "                       ," + string.Join(",", Cpus(usage).Select(cpu => Text($"      CPU {cpu} Usage "))));
        Line(output, "Start (ms) End (ms)    ," + string.Join(",", Cpus(usage).Select(_ => "    (usec)      % ")));
        for (int second = 0; second < seconds.Count; second++)
        {
            Duration length = LengthOf(usage, second);
            long from = second * 1000L;
            long to = second + 1 < seconds.Count ? from + 1000 : Math.Max(end, from);
            Line(output, Text($"{from,10}-{to,-10}:, ") + string.Join(", ", seconds[second].Select(time => Cell(time, length))));
        }

        Line(output);
    }

    /// <summary>
    /// How many intervals of two seconds had how much of DPCs, of ISRs, of both. The last one counts as two seconds, too, however soon the
    /// trace ends in it.
    /// </summary>
    private static void WriteDistribution(LevelUsage usage, TextWriter output)
    {
        Line(output, Text($"Distribution of number of {IntervalSeconds * 1000} ms intervals w.r.t. DPC/ISR usage:"));
        Line(output);
        Line(output, "                ," + string.Join(",", Cpus(usage).Select(cpu => Text($"                      CPU {cpu}"))));
        Line(output, " DPC/ISR Usage %," + string.Join(",", Cpus(usage).Select(_ => "      DPC      ISR Combined")));
        int intervals = (usage.DpcSeconds.Count + IntervalSeconds - 1) / IntervalSeconds;
        decimal length = Duration.FromSeconds(IntervalSeconds).Nanoseconds;
        long[,] counts = new long[Rows.Length, usage.Cpus * 3];
        for (int interval = 0; interval < intervals; interval++)
        {
            foreach (int cpu in Cpus(usage))
            {
                decimal dpc = Sum(usage.DpcSeconds, interval, cpu);
                decimal isr = Sum(usage.IsrSeconds, interval, cpu);
                counts[RowOf(dpc, length), cpu * 3]++;
                counts[RowOf(isr, length), (cpu * 3) + 1]++;
                counts[RowOf(dpc + isr, length), (cpu * 3) + 2]++;
            }
        }

        for (int row = 0; row < Rows.Length; row++)
        {
            string low = row == 0 ? ">=  0" : Text($"> {Rows[row - 1],3}");
            Line(output, Text($"{low} AND <= {Rows[row],3},") + Counts(column => counts[row, column], usage));
        }

        Line(output, "---");
        Line(output, "Total:          ," + Counts(_ => intervals, usage));
    }

    private static string Counts(Func<int, long> count, LevelUsage usage) =>
        string.Join(",", Enumerable.Range(0, usage.Cpus * 3).Select(column => Text($"{count(column),9}")));

    private static decimal Sum(IReadOnlyList<IReadOnlyList<Duration>> seconds, int interval, int cpu) =>
        seconds.Skip(interval * IntervalSeconds).Take(IntervalSeconds).Sum(second => (decimal)second[cpu].Nanoseconds);

    private static int RowOf(decimal time, decimal length)
    {
        int row = Array.FindIndex(Rows, percent => time * 100 <= length * percent);
        return row < 0 ? Rows.Length - 1 : row;
    }

    /// <summary>The length of a second; the last ends with the trace.</summary>
    private static Duration LengthOf(LevelUsage usage, int second)
    {
        var whole = Duration.FromSeconds(1);
        long left = usage.Span.Nanoseconds - (second * 1_000_000_000L);
        return left > 0 && left < whole.Nanoseconds ? new Duration(left) : whole;
    }

    private static IEnumerable<int> Cpus(LevelUsage usage) => Enumerable.Range(0, usage.Cpus);

    /// <summary>The name without what would end its cell or line.</summary>
    private static string NameOf(ModuleUsage module) => module.Name is { } name
        ? string.Concat(name.Select(letter => letter is ',' || char.IsControl(letter) ? '?' : letter))
        : "\"Unknown\"";

    private static string Cell(Duration time, Duration whole) =>
        Text($"{Micros(time),9}{(whole > Duration.Zero ? 100m * time.Nanoseconds / whole.Nanoseconds : 0),7:0.00}");

    private static long Micros(Duration time) => Rounded(time, 1000);

    /// <summary>Rounded to the nearest, a half up: xperf's sums of ticks of 100 ns show that it does.</summary>
    private static long Rounded(Duration time, long nanoseconds) => (time.Nanoseconds + (nanoseconds / 2)) / nanoseconds;

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);

    private static void Line(TextWriter output, string text = "")
    {
        output.Write(text);
        output.Write('\r');
        output.Write('\n');
    }
}
