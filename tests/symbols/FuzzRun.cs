using System.Diagnostics;

namespace Tracer.Symbols.Tests;

/// <summary>
/// A run over made-up damage. Few by default; tests/symbols/fuzz.sh makes more. TRACER_FUZZ_FILES says how many, TRACER_FUZZ_SEED which,
/// and TRACER_FUZZ_REPORT names a file that the figures are added to.
/// </summary>
internal static class FuzzRun
{
    private const int DefaultSeed = 20_261_121;

    /// <summary>One case may take so long, in seconds, on a machine that others use, too: most take milliseconds.</summary>
    private const double SlowSeconds = 10;

    /// <summary>Runs cases and reports the slowest. A failure tells the seed that shows it again.</summary>
    /// <param name="what">What the cases are, in words.</param>
    /// <param name="defaultCount">How many, unless told otherwise.</param>
    /// <param name="run">One case, from its own random numbers.</param>
    public static void Run(string what, int defaultCount, Action<Random> run)
    {
        int count = Setting.Number("TRACER_FUZZ_FILES", defaultCount);
        int seed = Setting.Number("TRACER_FUZZ_SEED", DefaultSeed);
        double slowest = 0;
        long mostBytes = 0;
        var watch = Stopwatch.StartNew();
        for (int i = 0; i < count; i++)
        {
            double begun = watch.Elapsed.TotalSeconds;
            long allocated = GC.GetAllocatedBytesForCurrentThread();
            try
            {
                run(new Random(seed + i));
            }
            catch (Exception fault)
            {
                throw new InvalidOperationException($"TRACER_FUZZ_FILES=1 TRACER_FUZZ_SEED={seed + i} shows it again: {what}", fault);
            }

            slowest = i == 0 ? 0 : Math.Max(slowest, watch.Elapsed.TotalSeconds - begun); // The first is compiled while it runs.
            mostBytes = Math.Max(mostBytes, GC.GetAllocatedBytesForCurrentThread() - allocated);
        }

        string figures = string.Create(
            CultureInfo.InvariantCulture,
            $"{what}: {count}, seed {seed}, seconds {watch.Elapsed.TotalSeconds:f1}, slowest {slowest * 1000:f1} ms, "
            + $"most allocated {mostBytes / 1024.0:f0} KiB");
        FuzzReport.Add(figures);
        Assert.True(slowest < SlowSeconds, figures);
        Assert.True(mostBytes < 64 * 1024 * 1024, figures);
    }
}
