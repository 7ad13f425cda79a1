using System.Text.RegularExpressions;

namespace Tracer.Etl.Tests.Conformance;

/// <summary>How long the routines of one module ran, in microseconds, as the facts file rounds it.</summary>
internal sealed record RoutineTimes(
    string Module, int Count, decimal Median, decimal P90, decimal P99, decimal P999, decimal Longest, decimal TotalMilliseconds)
{
    /// <summary>Computes it of durations in ticks, with the facts file's rule for quantiles.</summary>
    public static RoutineTimes Of(string module, IEnumerable<long> ticks, long ticksPerSecond)
    {
        decimal[] sorted = [.. ticks.Order().Select(one => one * 1_000_000m / ticksPerSecond)];
        decimal At(double part) => Math.Round(sorted[Math.Min(sorted.Length - 1, (int)(sorted.Length * part))], 2);
        return new RoutineTimes(
            module, sorted.Length, At(0.5), At(0.9), At(0.99), At(0.999), Math.Round(sorted[^1], 2), Math.Round(sorted.Sum() / 1000, 3));
    }
}

/// <summary>
/// What another author's decoder says of the real trace with DPCs and ISRs: the first part of randomascii-slowppt.facts.txt.
/// </summary>
internal sealed partial class LatencyFacts
{
    /// <summary>The headings of the tables, and which routines they are about.</summary>
    public static readonly (string Heading, string Routines)[] Tables =
    [
        ("DPC 0x0f44", "DPC"),
        ("TimerDPC", "timer DPC"),
        ("ThreadedDPC", "threaded DPC"),
        ("ISR line", "ISR of a line"),
        ("ISR msi", "ISR of a message"),
    ];

    private readonly string[] _lines;

    public LatencyFacts() =>
        _lines = File.ReadAllLines(Path.Combine(RepositoryFiles.Corpus(), "randomascii-slowppt.facts.txt"));

    /// <summary>How many records of a kind: dpc (all kinds), isr (both), cs, samples, stacks.</summary>
    public int Count(string kind) => Number(_lines.First(line => line.StartsWith("dpc ", StringComparison.Ordinal)), kind);

    public int KernelImages => Number(_lines.First(line => line.StartsWith("kernel images", StringComparison.Ordinal)), "kernel images");

    /// <summary>ISR records by vector, module of the routine and hook id, as "0xfd hal.dll 0xf43".</summary>
    public Dictionary<string, int> Vectors => VectorEntry()
        .Matches(_lines.First(line => line.Contains("vectors [", StringComparison.Ordinal)))
        .ToDictionary(
            match => $"{match.Groups[1].Value} {match.Groups[2].Value} {match.Groups[3].Value}",
            match => int.Parse(match.Groups[4].ValueSpan, CultureInfo.InvariantCulture));

    /// <summary>What ISR records return, by value.</summary>
    public Dictionary<int, int> ReturnValues => Pairs(Between("retvals Counter({", "})"));

    /// <summary>DPCs of all kinds by CPU.</summary>
    public Dictionary<int, int> DpcsOfCpu => Pairs(Between("per cpu dpc Counter({", "})"));

    /// <summary>ISRs but those of the profile interrupt, by CPU.</summary>
    public Dictionary<int, int> DeviceIsrsOfCpu => Pairs(Between("isr nonprofile Counter({", "})"));

    public Dictionary<int, int> SwitchesOfCpu => Pairs(Between("cs per cpu {", "}"));

    /// <summary>The table of a kind of routine by module; its heading begins so.</summary>
    public List<RoutineTimes> Table(string heading) =>
    [
        .. _lines.SkipWhile(line => !line.StartsWith(heading, StringComparison.Ordinal)).Skip(1)
            .TakeWhile(line => line.StartsWith("  ", StringComparison.Ordinal))
            .Select(line => line.Split(' ', StringSplitOptions.RemoveEmptyEntries))
            .Select(cells => new RoutineTimes(
                cells[0],
                int.Parse(cells[1], CultureInfo.InvariantCulture),
                Decimal(cells[3]),
                Decimal(cells[4]),
                Decimal(cells[5]),
                Decimal(cells[6]),
                Decimal(cells[7]),
                Decimal(cells[8]))),
    ];

    private static decimal Decimal(string text) => decimal.Parse(text, CultureInfo.InvariantCulture);

    private static int Number(string line, string name) => int.Parse(
        Regex.Match(line, $@"\b{Regex.Escape(name)} (\d+)").Groups[1].ValueSpan, CultureInfo.InvariantCulture);

    private static Dictionary<int, int> Pairs(string text) => text.Split(", ").Select(pair => pair.Split(": ")).ToDictionary(
        pair => int.Parse(pair[0], CultureInfo.InvariantCulture), pair => int.Parse(pair[1], CultureInfo.InvariantCulture));

    private string Between(string start, string end)
    {
        string line = _lines.First(line => line.Contains(start, StringComparison.Ordinal));
        int from = line.IndexOf(start, StringComparison.Ordinal) + start.Length;
        return line[from..line.IndexOf(end, from, StringComparison.Ordinal)];
    }

    [GeneratedRegex(@"\(\('(0x\w+)', '([^']+)', '(0x\w+)'\), (\d+)\)")]
    private static partial Regex VectorEntry();
}
