using Tracer.Analysis.Modules;

namespace Tracer.Commands.Tests.Blame;

/// <summary>
/// Simulated machines of today beside the genuine texts of <c>xperf -a dpcisr</c> that they were calibrated to: as many ISRs and DPCs, as
/// long. docs/generated/calibration.md has all classes.
/// </summary>
public sealed class SimulatedUsageTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-test-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Theory]
    [InlineData("game", "win11/game.dpcisr.txt", 1)]
    [InlineData("idle", "win11/idle.dpcisr.txt", 2)]
    [InlineData("hyperv", "win11/baseline.dpcisr.txt", 3)]
    public void A_machine_is_like_the_one_that_was_measured(string machine, string text, int seconds)
    {
        LevelUsage real = DpcIsrText.Read(File.ReadAllText(Path.Combine(RepositoryFiles.Corpus(), text)));
        string trace = Path.Combine(_folder, "t.etl");
        string[] simulate =
        [
            "simulate", "clean", "--machine", machine, "--cpus", "16", "--load", "idle", "--duration", $"{seconds}s", "--no-second-run",
            "-o", trace,
        ];
        Assert.Equal(0, CommandRun.Tracer(simulate).ExitCode);
        (int exitCode, string output, _) = CommandRun.Analyzer("blame", trace, "--style", "xperf");
        Assert.Equal(0, exitCode);
        LevelUsage simulated = DpcIsrText.Read(output);

        int compared = 0;
        foreach ((ModuleUsage one, ModuleUsage? other) in
            Pairs(real.Dpcs, simulated.Dpcs).Concat(Pairs(real.Isrs, simulated.Isrs)))
        {
            double perSecond = one.Histogram.Sum() / (real.Span.Nanoseconds / 1e9);
            if (perSecond < 100 || one.Name == "nvlddmkm.sys")
            {
                continue; // Too few in so short a time; and the display driver has an invented name.
            }

            Assert.True(other is not null, one.Name);
            double simulatedPerSecond = other.Histogram.Sum() / (simulated.Span.Nanoseconds / 1e9);
            Assert.True(
                simulatedPerSecond / perSecond is > 0.8 and < 1.25, $"{one.Name}: {perSecond} a second, simulated {simulatedPerSecond}");
            foreach (double part in (double[])[0.5, 0.9, 0.99])
            {
                if (UsageQuantiles.At(other, part) is { } length)
                {
                    compared++;
                    double factor = length / UsageQuantiles.At(one, part)!.Value;
                    Assert.True(factor is > 1 / 1.5 and < 1.5, $"{one.Name}: {part} of its runs are {factor} times as long");
                }
            }
        }

        Assert.True(compared >= 6, $"{compared}");
    }

    private static IEnumerable<(ModuleUsage One, ModuleUsage? Other)> Pairs(
        IReadOnlyList<ModuleUsage> ones, IReadOnlyList<ModuleUsage> others) => ones.Select(one => (one, others.FirstOrDefault(other =>
            string.Equals(one.Name, other.Name, StringComparison.OrdinalIgnoreCase))));
}
