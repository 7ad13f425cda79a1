using Tracer.Analysis.Beats;
using Tracer.Analysis.Tests.Beats;

namespace Tracer.Bench.Numbers;

/// <summary>Intervals that know nothing of each other, or of a beat only what wanders: none of them keeps a beat.</summary>
/// <param name="IsHeldOut">Whether nobody looked at its results while the rules were made.</param>
/// <param name="Make">Makes the times of so many events.</param>
internal sealed record LoopFamily(string Name, bool IsHeldOut, Func<MadeTimes, int, double[]> Make)
{
    public static IReadOnlyList<LoopFamily> All { get; } =
    [
        Renewal("normal, 1 %", false, made => 1 + 0.01 * made.Normal()),
        Renewal("normal, 2.5 %", false, made => 1 + 0.025 * made.Normal()),
        Renewal("two modes, 1 or 1.05, each 1 %", false, made => (made.Whole(0, 2) == 0 ? 1 : 1.05) * (1 + 0.01 * made.Normal())),
        Renewal("2 or 3 ticks", false, made => made.Whole(2, 4)),
        new("drift: grows by a fifth, 1 %", false, (made, events) => Drifting(made, events, i => 1 + 0.2 * i / events)),
        Renewal("lognormal, 3 %", true, made => Math.Exp(0.03 * made.Normal())),
        Renewal("uniform, 2 %", true, made => 1 + made.Uniform(-0.0346, 0.0346)),
        Renewal("two modes, three of four 1, else 1.3, each 1.5 %", true,
            made => (made.Whole(0, 4) > 0 ? 1 : 1.3) * (1 + 0.015 * made.Normal())),
        Renewal("4, 5 or 6 ticks", true, made => made.Whole(4, 7)),
        Renewal("9 or 10 ticks", true, made => made.Whole(9, 11)),
        Renewal("Laplace, 1.5 %", true, made => 1 + 0.0106 * (made.Whole(0, 2) == 0 ? 1 : -1) * made.Exponential()),
        new("drift: to and fro by 3 %, 1 %", true, (made, events) => Drifting(made, events, i => 1 + 0.03 * Math.Sin(6.3 * i / events))),
    ];

    private static LoopFamily Renewal(string name, bool isHeldOut, Func<MadeTimes, double> interval) =>
        new(name, isHeldOut, (made, events) => made.Renewal(events, interval));

    private static double[] Drifting(MadeTimes made, int events, Func<int, double> period)
    {
        double at = 0;
        return [.. Enumerable.Range(0, events).Select(i => at += period(i) * (1 + 0.01 * made.Normal()))];
    }
}

/// <summary>How often a beat is told where none is kept, and where one is.</summary>
internal static class NumbersOfBeats
{
    /// <summary>The part of series that are told to come "every" period.</summary>
    public static double False(LoopFamily family, int events, int series) =>
        Part(series, made => BeatTest.Find(family.Make(made, events)) is { } beat && IsTold(beat));

    /// <summary>The part of beats that is told with its period, as one that is kept, or at all.</summary>
    public static (double Every, double About) Power(int events, double jitter, double missed, int series)
    {
        Func<MadeTimes, Beat?> found = made => BeatTest.Find(made.Beat(1, events, jitter, missed)) is { } beat
            && Math.Abs(beat.Seconds - 1) < 0.02 ? beat : null;
        return (Part(series, made => found(made) is { } beat && IsTold(beat)), Part(series, made => found(made) is not null));
    }

    private static bool IsTold(Beat beat) => beat.IsKept;

    private static double Part(int series, Func<MadeTimes, bool> test)
    {
        int found = 0;
        Parallel.For(0, series, new ParallelOptions { MaxDegreeOfParallelism = 2 }, seed =>
        {
            if (test(new MadeTimes(seed + 7_000_000)))
            {
                Interlocked.Increment(ref found);
            }
        });
        return (double)found / series;
    }
}
