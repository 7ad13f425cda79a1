using System.Text.RegularExpressions;

namespace Tracer.Etl.Tests.Conformance;

/// <summary>What TraceEvent printed of one event.</summary>
/// <param name="Microseconds">Time from the header event.</param>
/// <param name="Name">Provider, task and opcode.</param>
/// <param name="Cpu">The processor ("ProceNum").</param>
/// <param name="PayloadBytes">Length of the payload ("DataLen").</param>
/// <param name="Fields">All it printed behind the name, in order, those above included.</param>
internal sealed record BaselineLine(
    int Number, long Microseconds, string Name, int Cpu, int PayloadBytes, IReadOnlyList<(string Name, string Value)> Fields)
{
    /// <summary>A value that every line has.</summary>
    public int Number32(string name) =>
        int.Parse(Fields.First(field => field.Name == name).Value, CultureInfo.InvariantCulture);
}

/// <summary>A baseline: events in TraceEvent's words, and how many of each name it counted.</summary>
internal sealed partial class BaselineFile
{
    public required IReadOnlyList<BaselineLine> Lines { get; init; }

    public required IReadOnlyDictionary<string, int> Counts { get; init; }

    public static IReadOnlyList<string> Traces { get; } =
        ["perfview-gcevents", "perfview-gcrundownevents", "perfview-net.4.5.2.x64", "perfview-primitive-types"];

    public static BaselineFile Read(string trace)
    {
        var lines = new List<BaselineLine>();
        var counts = new Dictionary<string, int>();
        int number = 0;
        foreach (string text in File.ReadLines(Path.Combine(RepositoryFiles.Corpus(), trace + ".baseline.txt")))
        {
            number++;
            if (CountLine().Match(text) is { Success: true } count)
            {
                counts.Add(count.Groups[1].Value, int.Parse(count.Groups[2].ValueSpan, CultureInfo.InvariantCulture));
            }
            else
            {
                lines.Add(Event(text, number));
            }
        }

        return new BaselineFile { Lines = lines, Counts = counts };
    }

    private static BaselineLine Event(string text, int number)
    {
        Match match = EventLine().Match(text);
        Assert.True(match.Success, $"line {number} is neither an event nor a count: {text}");
        (string Name, string Value)[] fields =
        [
            .. FieldText().Matches(match.Groups[3].Value).Select(field => (field.Groups[1].Value, field.Groups[2].Value)),
        ];
        decimal milliseconds = decimal.Parse(match.Groups[1].ValueSpan, NumberStyles.Number, CultureInfo.InvariantCulture);
        var line = new BaselineLine(number, (long)(milliseconds * 1000), match.Groups[2].Value, 0, 0, fields);
        return line with { Cpu = line.Number32("ProceNum"), PayloadBytes = line.Number32("DataLen") };
    }

    [GeneratedRegex(@"^EVENT\s+(\S+): (.*?) (PID=.*)$")]
    private static partial Regex EventLine();

    [GeneratedRegex(@"^COUNT (.*):(\d+)$")]
    private static partial Regex CountLine();

    // A value may hold a semicolon: it ends where the next name follows, or the line ends.
    [GeneratedRegex(@"(\w+)=(.*?);(?: (?=\w+=)|\s*$)")]
    private static partial Regex FieldText();
}
