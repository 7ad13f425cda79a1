using System.Text.RegularExpressions;
using Tracer.Analysis.Modules;

namespace Tracer.Commands.Tests.Blame;

/// <summary>A text of <c>xperf -a dpcisr</c>, as far as it tells what to print again.</summary>
internal static partial class DpcIsrText
{
    public static LevelUsage Read(string text)
    {
        string[] lines = text.ReplaceLineEndings("\n").Split('\n');
        int isrsAt = Array.IndexOf(lines, "Interrupt Info");
        (Duration span, List<ModuleUsage> dpcs, List<IReadOnlyList<Duration>> dpcSeconds) = Level(lines[..isrsAt]);
        (_, List<ModuleUsage> isrs, List<IReadOnlyList<Duration>> isrSeconds) = Level(lines[isrsAt..]);
        return new LevelUsage(span, dpcSeconds[0].Count, dpcs, isrs, dpcSeconds, isrSeconds);
    }

    /// <summary>The first line that is laid out otherwise, or has another number; null where none has.</summary>
    /// <param name="isAlike">Whether a number, with so many decimals, may stand where another is expected.</param>
    public static string? FirstDifference(string expected, string actual, Func<string, double, double, bool> isAlike)
    {
        string[] old = expected.ReplaceLineEndings("\n").Split('\n');
        string[] now = actual.ReplaceLineEndings("\n").Split('\n');
        for (int i = 0; i < Math.Max(old.Length, now.Length); i++)
        {
            (string one, string other) = (i < old.Length ? old[i] : "(none)", i < now.Length ? now[i] : "(none)");
            bool isSame = Number().Replace(one, Blank) == Number().Replace(other, Blank)
                && Number().Matches(one).Zip(Number().Matches(other)).All(pair =>
                    pair.First.Value == pair.Second.Value || isAlike(one, Value(pair.First), Value(pair.Second)));
            if (!isSame)
            {
                return $"line {i + 1}\n{one}\n{other}";
            }
        }

        return null;

        // A number and the blanks that pad it to its column are as wide together, whatever the number is.
        static string Blank(Match match) => new('#', match.Length);
        static double Value(Match match) => double.Parse(match.Value, CultureInfo.InvariantCulture);
    }

    private static (Duration Span, List<ModuleUsage> Modules, List<IReadOnlyList<Duration>> Seconds) Level(string[] lines)
    {
        Duration span = default;
        List<(string Name, IReadOnlyList<Duration> Times)> times = [];
        Dictionary<string, long[]> histograms = [];
        List<IReadOnlyList<Duration>> seconds = [];
        long[]? histogram = null;
        foreach (string line in lines)
        {
            if (SpanLine().Match(line) is { Success: true } head)
            {
                span = Micros(head.Groups[1].Value);
            }
            else if (ModuleLine().Match(line) is { Success: true } module)
            {
                times.Add((module.Groups["name"].Value, [.. module.Groups["us"].Captures.Select(us => Micros(us.Value))]));
            }
            else if (TotalLine().Match(line) is { Success: true } total)
            {
                histograms.Add(total.Groups[1].Value, histogram = new long[31]);
            }
            else if (BucketLine().Match(line) is { Success: true } bucket && histogram is not null)
            {
                histogram[(int)Math.Log2(long.Parse(bucket.Groups[1].Value, CultureInfo.InvariantCulture))] =
                    long.Parse(bucket.Groups[2].Value, CultureInfo.InvariantCulture);
            }
            else if (SecondLine().Match(line) is { Success: true } second)
            {
                seconds.Add([.. second.Groups["us"].Captures.Select(us => Micros(us.Value))]);
            }
        }

        return (span, [.. times.Select(one =>
            new ModuleUsage(one.Name == "\"Unknown\"" ? null : one.Name, one.Times, histograms[one.Name]))], seconds);
    }

    private static Duration Micros(string text) => new(long.Parse(text, CultureInfo.InvariantCulture) * 1000);

    [GeneratedRegex(@" *\d+(\.\d+)?")]
    private static partial Regex Number();

    [GeneratedRegex(@"^CPU Usage from 0 us to (\d+) us:$")]
    private static partial Regex SpanLine();

    [GeneratedRegex(@"^( *(?<us>\d+) +\d+\.\d\d,)+ (?<name>.*)$")]
    private static partial Regex ModuleLine();

    [GeneratedRegex(@"^Total = \d+ for module (.*)$")]
    private static partial Regex TotalLine();

    [GeneratedRegex(@"^Elapsed Time, > +\d+ usecs AND <= +(\d+) usecs, +(\d+), or +\d+\.\d\d%$")]
    private static partial Regex BucketLine();

    [GeneratedRegex(@"^ *\d+-\d+ *:(, *(?<us>\d+) +\d+\.\d\d)+$")]
    private static partial Regex SecondLine();
}
