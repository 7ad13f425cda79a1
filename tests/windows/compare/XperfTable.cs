using System.Text.RegularExpressions;

namespace Tracer.WindowsProof;

/// <summary>What one module took at one level.</summary>
/// <param name="Count">ISRs or DPCs.</param>
/// <param name="Microseconds">What they took on all CPUs.</param>
public readonly record struct LevelUse(long Count, long Microseconds);

/// <summary>
/// The tables of <c>xperf -a dpcisr</c>, by xperf itself or by <c>analyzer blame --style xperf</c>: both are read by the same lines.
/// </summary>
public sealed partial class XperfTable
{
    private const string Dpcs = "DPC Info";
    private const string Isrs = "Interrupt Info";

    private readonly Dictionary<(string Level, string Module), LevelUse> _uses = [];

    /// <summary>What each module took, by level and name.</summary>
    public IReadOnlyDictionary<(string Level, string Module), LevelUse> Uses => _uses;

    /// <summary>Reads the text; null where it has no such table.</summary>
    public static XperfTable? Read(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        var table = new XperfTable();
        string? level = null;
        bool isSums = false;
        foreach (string line in text.Split('\n').Select(static one => one.TrimEnd('\r')))
        {
            if (line.Trim() is Dpcs or Isrs)
            {
                level = line.Trim() == Dpcs ? "DPC" : "ISR";
                isSums = false;
            }
            else if (level is not null && line.StartsWith("CPU Usage Summing By Module", StringComparison.Ordinal))
            {
                isSums = true;
            }
            else if (level is not null && CountLine().Match(line) is { Success: true } count)
            {
                isSums = false;
                table.Add(level, count.Groups[2].Value, new LevelUse(Number(count.Groups[1].Value), 0));
            }
            else if (level is not null && isSums && SumLine().Match(line) is { Success: true } sum)
            {
                long microseconds = SumCell().Matches(sum.Groups[1].Value).Sum(one => Number(one.Groups[1].Value));
                table.Add(level, sum.Groups[2].Value, new LevelUse(0, microseconds));
            }
        }

        return table._uses.Count == 0 ? null : table;
    }

    /// <summary>Where two tables differ by more than a tolerance, a row each.</summary>
    /// <returns>Rows of level, module and both numbers; none where they agree.</returns>
    public static IReadOnlyList<string> Differences(XperfTable ours, XperfTable theirs)
    {
        ArgumentNullException.ThrowIfNull(ours);
        ArgumentNullException.ThrowIfNull(theirs);
        List<string> rows = [];
        foreach ((string Level, string Module) key in ours._uses.Keys.Union(theirs._uses.Keys).Order())
        {
            LevelUse one = ours._uses.GetValueOrDefault(key);
            LevelUse other = theirs._uses.GetValueOrDefault(key);
            if (!IsAlike(one.Count, other.Count, 0) || !IsAlike(one.Microseconds, other.Microseconds, one.Count))
            {
                rows.Add(string.Create(
                    CultureInfo.InvariantCulture,
                    $"{key.Level} {key.Module}: {one.Count} in {one.Microseconds} us by ours, ")
                    + string.Create(CultureInfo.InvariantCulture, $"{other.Count} in {other.Microseconds} us by xperf"));
            }
        }

        return rows;
    }

    /// <summary>Half a percent, and what rounding each of so many to whole microseconds can make.</summary>
    private static bool IsAlike(long one, long other, long rounded) => Math.Abs(one - other) <= (0.005 * Math.Max(one, other)) + rounded;

    private static long Number(string text) => long.Parse(text, NumberStyles.None, CultureInfo.InvariantCulture);

    [GeneratedRegex(@"^\s*Total = (\d{1,15}) for module (.+?)\s*$")]
    private static partial Regex CountLine();

    [GeneratedRegex(@"^((?:\s*\d{1,15}\s+\d{1,3}\.\d{2},)+)\s*(\S.*?)\s*$")]
    private static partial Regex SumLine();

    [GeneratedRegex(@"(\d{1,15})\s+\d{1,3}\.\d{2},")]
    private static partial Regex SumCell();

    private void Add(string level, string module, LevelUse use)
    {
        (string, string) key = (level, module.ToUpperInvariant());
        LevelUse known = _uses.GetValueOrDefault(key);
        _uses[key] = new LevelUse(known.Count + use.Count, known.Microseconds + use.Microseconds);
    }
}
