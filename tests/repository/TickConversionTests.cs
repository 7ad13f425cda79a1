using System.Text.RegularExpressions;
using Tracer.Tests;

namespace Tracer.Repository.Tests;

/// <summary>
/// From seconds and nanoseconds to ticks and back leads one way, <c>TickRate</c> and <c>TraceClock</c>: a product by hand overflows, or
/// rounds otherwise.
/// </summary>
public partial class TickConversionTests
{
    /// <summary>The pages that convert, and those that compute with a rate and convert no length.</summary>
    private static readonly Dictionary<string, string> May = new()
    {
        ["tracer/measure/ground/TickTime.cs"] = "converts where the library for traces is not known",
        ["analyzer/analysis/delays/TimerGrid.cs"] = "a period is a fraction of ticks",
        ["analyzer/analysis/machine/LockHistory.cs"] = "from cycles of a CPU to ticks of another clock",
        ["tracer/capture/engine/RecorderWatch.cs"] = "bytes a second",
        ["tracer/capture/probe/ProbeThread.cs"] = "fractions of a period, drawn at random",
        ["tracer/capture/driver/RunClock.cs"] = "from one clock to another",
        ["tracer/commands/import/ImportedTrace.cs"] = "from one clock to another",
    };

    [Fact]
    public void No_page_converts_by_hand()
    {
        string[] paths = [.. ChildProcess.Output("git", "ls-files", "analyzer/*.cs", "etl/*.cs", "tracer/*.cs", "contract/*.cs")
            .Split('\n', StringSplitOptions.RemoveEmptyEntries).Where(path => File.Exists(InRepository(path)))];
        Assert.True(paths.Length > 500, $"only {paths.Length} files were found");
        Assert.Empty(paths.Where(path => !May.ContainsKey(path)).SelectMany(path => ByHand(File.ReadAllText(InRepository(path)))
            .Select(found => $"{path}: {found}")));
        Assert.All(May.Keys, path => Assert.NotEmpty(ByHand(File.ReadAllText(InRepository(path)))));
    }

    [Theory]
    [InlineData("long x = Seconds * clock.TicksPerSecond;", true)]
    [InlineData("long x = (long)(0.5 * _ticksPerSecond);", true)]
    [InlineData("long x = (Int128)ticksPerSecond * Seconds;", true)]
    [InlineData("long x = clock.TicksPerSecond / 4;", true)]
    [InlineData("long x = span.TotalSeconds * Stopwatch.Frequency;", true)]
    [InlineData("long x = clock.TicksOfSeconds(Seconds);", false)]
    [InlineData("long x = ticksPerSecond / FlushesPerSecond;", false)]
    [InlineData("double seconds = ticks / (double)clock.TicksPerSecond;", false)]
    [InlineData("double share = ticks / ticksPerSecond / cpuSeconds;", false)]
    [InlineData("double share = ticks / (double)header.Clock.TicksPerSecond / cpuSeconds;", false)]
    [InlineData("string mhz = Number(clock.TicksPerSecond / 1e6);", false)]
    [InlineData("long fileTime = Days * TimeSpan.TicksPerSecond;", false)]
    [InlineData("// Days * ticksPerSecond", false)]
    public void What_converts_by_hand_is_found(string line, bool isFound) => Assert.Equal(isFound, ByHand(line).Any());

    private static IEnumerable<string> ByHand(string text) =>
        text.Split('\n').Where(line => ProductOrPart().IsMatch(Comment().Replace(line, ""))).Select(line => line.Trim());

    private static string InRepository(string path) => Path.Combine(RepositoryFiles.Root, path);

    [GeneratedRegex("//.*")]
    private static partial Regex Comment();

    /// <summary>
    /// A product with a rate, or a part of one; no length in seconds by a rate, no rate of something else (<c>FlushesPerSecond</c>), no
    /// number of MHz.
    /// </summary>
    [GeneratedRegex(
        @"\* \(?(\((ulong|double|Int128)\))?(?!TimeSpan\.)(\w+\.)*(_?[tT]icksPerSecond|Frequency|_?hz|Hz|_?qpcHz|QpcHz)\b"
        + @"|(?<!TimeSpan\.)(?<!/ (\(double\))?(\w+\.)*)\b(_?[tT]icksPerSecond|Frequency|_?hz|Hz|_?qpcHz|QpcHz)\)?"
        + @" (\*|/ (?!\w+PerSecond\b|1e6))")]
    private static partial Regex ProductOrPart();
}
