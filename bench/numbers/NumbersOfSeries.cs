using System.Text.RegularExpressions;
using Tracer.Forecast;

namespace Tracer.Bench.Numbers;

/// <summary>How often something was told, and how often that was right.</summary>
internal sealed class Kept
{
    public int Asked { get; private set; }

    public int Told { get; private set; }

    public int Right { get; private set; }

    public int TooLow { get; private set; }

    /// <summary>Counts one answer; null where nothing was told.</summary>
    public void Add((double Low, double High)? told, double truth)
    {
        Asked++;
        if (told is { } known)
        {
            Told++;
            Right += known.Low <= truth && truth <= known.High ? 1 : 0;
            TooLow += known.High < truth ? 1 : 0;
        }
    }

    public void Add(bool isTold, bool isRight)
    {
        Asked++;
        Told += isTold ? 1 : 0;
        Right += isTold && isRight ? 1 : 0;
    }

    public string RightOfTold => Told == 0 ? $"none of {Asked} told" : string.Create(CultureInfo.InvariantCulture,
        $"{100.0 * Right / Told:0.0} % of {Told}");

    public string FalseOfAsked => string.Create(
        CultureInfo.InvariantCulture, $"{100.0 * (Told - Right) / Math.Max(1, Asked):0.0} %, {Told} told");

    /// <summary>What was measured here and elsewhere.</summary>
    public void Join(Kept other) =>
        (Asked, Told, Right, TooLow) = (Asked + other.Asked, Told + other.Told, Right + other.Right, TooLow + other.TooLow);
}

/// <summary>What forecasts tell of the series of one family.</summary>
internal sealed partial class NumbersOfSeries
{
    private const long HourNs = 3_600_000_000_000;
    private const double ProbeNs = 1e9 / SeriesFamily.Rate;

    /// <summary>Return levels of an hour and of eight, by peaks over a threshold.</summary>
    public Kept[] Levels { get; } = [new(), new()];

    public Kept[] Blocks { get; } = [new(), new()];

    /// <summary>Promises for two and four buffers.</summary>
    public Kept[] Promises { get; } = [new(), new()];

    /// <summary>Dropouts an hour, of which 5 and 40 are in it.</summary>
    public Kept[] Dropouts { get; } = [new(), new()];

    /// <summary>A task that drops out a little more often than is permitted is told to keep up.</summary>
    public Kept Tasks { get; } = new();

    /// <summary>A task that drops out a fifth as often as is permitted is told to keep up.</summary>
    public Kept TaskPower { get; } = new();

    /// <summary>Forecasts from the first half that the second half bears out.</summary>
    public Kept SelfTests { get; } = new();

    public static NumbersOfSeries Of(SeriesFamily family, int number, int series)
    {
        var all = new NumbersOfSeries();
        object gate = new();
        Parallel.For(0, series, new ParallelOptions { MaxDegreeOfParallelism = 2 }, i =>
        {
            var one = new NumbersOfSeries();
            one.Measure(family, new RandomNumbers((ulong)(100_000 * (number + 1) + i)));
            lock (gate)
            {
                all.Join(one);
            }
        });
        return all;
    }

    private IEnumerable<Kept> Parts => [.. Levels, .. Blocks, .. Promises, .. Dropouts, Tasks, TaskPower, SelfTests];

    private void Join(NumbersOfSeries other)
    {
        foreach ((Kept own, Kept others) in Parts.Zip(other.Parts))
        {
            own.Join(others);
        }
    }

    private void Measure(SeriesFamily family, RandomNumbers random)
    {
        (LatencySeries series, HdrHistogram histogram) = family.Hours(random);
        var tail = new MeasuredTail(series, histogram);
        (ReturnLevels peaks, ReturnLevels blocks) = ExtremeValues.Of(series, [HourNs, 8 * HourNs]);
        for (int i = 0; i < 2; i++)
        {
            double truth = SeriesFamily.Level(family.Disturbs, SeriesFamily.Hour * (i == 0 ? 1 : 8));
            Levels[i].Add(IntervalOf(peaks, i), truth);
            Blocks[i].Add(IntervalOf(blocks, i), truth);
            double slack = SeriesFamily.Level(family.Exceeds, SeriesFamily.Hour / (i == 0 ? 5.0 : 40.0));
            double late = family.Exceeds(slack) * SeriesFamily.Hour;
            Dropouts dropouts = Forecast.Dropouts.Of(tail, new Buffering(2, ProbeNs, ProbeNs - slack))!;
            Dropouts[i].Add((dropouts.LowPerHour, dropouts.HighPerHour), late);
        }

        if (IntervalOf(peaks, 0) is { } hour)
        {
            Promise(family, tail, peaks, 2, hour.High * 1.01);
            Promise(family, tail, peaks, 4, hour.High * 1.01);
        }

        foreach (ForecastSelfTest test in SelfTestsOf(family, series))
        {
            SelfTests.Add(true, test.IsHit);
        }

        Task(family, tail, peaks, 1.05, Tasks);
        Task(family, tail, peaks, 0.2, TaskPower);
    }

    /// <summary>An application whose slack lies just above the interval of an hour.</summary>
    private void Promise(SeriesFamily family, MeasuredTail tail, ReturnLevels levels, int buffers, double slackNs)
    {
        double period = slackNs / (buffers - 1);
        for (int i = 0; i < 12; i++)
        {
            string sentence = ToldOf(tail, levels, new Buffering(buffers, period, 0));
            if (InPromise().Match(sentence) is { Success: true } promise)
            {
                double hours = double.Parse(promise.Groups[1].Value, CultureInfo.InvariantCulture);
                double waits = hours * HourNs / period;
                Promises[buffers / 4].Add(true, family.Exceeds(period * (buffers - 1)) * waits <= 1);
                return;
            }

            period *= 1.15;
        }

        Promises[buffers / 4].Add(false, false);
    }

    private static void Task(SeriesFamily family, MeasuredTail tail, ReturnLevels levels, double times, Kept kept)
    {
        // One dropout is permitted in a quarter of an hour.
        double level = SeriesFamily.Level(family.Exceeds, SeriesFamily.Hour / 4.0 / times);
        var task = new PeriodicTask("task", new Buffering(2, ProbeNs, ProbeNs - level));
        kept.Add(KeepsUp(tail, levels, task, HourNs / 4), family.Exceeds(level) * SeriesFamily.Hour / 4 <= 1);
    }

    private static (double Low, double High)? IntervalOf(ReturnLevels levels, int i) =>
        levels.Refusal is null && levels.Levels[i] is { Refusal: null, LevelNs: not null } level
            ? (level.LowNs ?? 0, level.HighNs ?? double.PositiveInfinity) : null;

    [GeneratedRegex("less than one in ([0-9.]+) h")]
    private static partial Regex InPromise();
}
