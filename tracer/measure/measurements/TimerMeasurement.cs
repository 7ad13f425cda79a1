using Tracer.Measure.Ground;
using Tracer.Measure.Recording;

namespace Tracer.Measure.Measurements;

/// <summary>
/// <c>timer</c>: what lies between the expiries of a periodic timer, as a thread that waits for them sees it (Bernadat, section 7.2,
/// Table 9; Jones and Regehr, section 3.2, Tables 1 to 3).
/// </summary>
public sealed class TimerMeasurement(Duration period) : IMeasurement
{
    private const int Bins = 10;
    private const int MostBins = 40;

    private readonly TimeSeries _intervals = new("intervals", "from one wake-up to the next");
    private readonly TimeSeries _drift = new("drift", "intervals less the period", isSigned: true);
    private readonly long[] _tenths = new long[MostBins + 1];
    private Duration? _tick;
    private long _short;
    private long _long;

    public string Name => "timer";

    public void Run(MeasureStage stage)
    {
        ArgumentNullException.ThrowIfNull(stage);
        _tick = stage.Machine.Describe().ClockTick;
        using IMeasureTimer timer = stage.Machine.StartTimer(period.Nanoseconds);
        stage.RunAlone(() => Measure(stage, timer));
    }

    public MeasureResult ToResult() => new(_intervals.Count == 0
        ? $"No interval of {period} ended in the time of the measurement."
        : $"{Counted.Of(_intervals.Count, "interval")} of a timer of {period}: {ReadableDuration.Of(new Duration(_intervals.Mean))} on "
            + $"average, {ReadableDuration.Of(new Duration(_intervals.Minimum))} to "
            + $"{ReadableDuration.Of(new Duration(_intervals.Maximum))}.")
    {
        Figures =
        [
            new("less than half a period", _short, "", "intervals: the wake-up before was late, or the timer caught up"),
            new("more than one and a half", _long, "", "intervals: an expiry was missed or late"),
        ],
        Tables =
        [
            new(
                "intervals by tenths of a period",
                "counts of intervals, as Jones and Regehr's Table 2 has them for 1 ms; the last row has all that are longer",
                [new("intervals", "")],
                [
                    .. _tenths.Select((count, index) => (Count: count, Index: index)).Where(static one => one.Count > 0)
                        .Select(one => new MeasureRow(
                            TenthName(period, one.Index),
                            [one.Count])),
                ]),
        ],
        Series = [_drift.ToReport(), _intervals.ToReport()],
        Notes = [.. Beat()],
    };

    /// <summary>What a clock tick that the period is no multiple of does to the timer.</summary>
    private IEnumerable<string> Beat()
    {
        if (_tick is { Nanoseconds: > 0 } tick && period.Nanoseconds % tick.Nanoseconds != 0)
        {
            long whole = period.Nanoseconds / tick.Nanoseconds * tick.Nanoseconds;
            long rest = period.Nanoseconds - whole;
            double share = (double)rest / tick.Nanoseconds;
            yield return $"The clock ticks every {ReadableDuration.Of(tick)}, and a timer expires with a tick: intervals are "
                + $"{ReadableDuration.Of(new Duration(whole))}, and {Math.Round((decimal)share * 100, 1)} % of them a tick longer, so "
                + "that they keep the period on average.";
        }
    }

    /// <summary>What intervals of a tenth of a period are called.</summary>
    internal static string TenthName(Duration period, int index) => index < MostBins
        ? $"{Tenth(period, index)} to {Tenth(period, index + 1)}"
        : $"{Tenth(period, MostBins)} and more";

    private static string Tenth(Duration period, int index) =>
        ReadableDuration.Of(new Duration(period.Nanoseconds * index / Bins));

    private void Measure(MeasureStage stage, IMeasureTimer timer)
    {
        IMeasureMachine machine = stage.Machine;
        timer.Wait();
        long begun = machine.Ticks;
        long end = begun + stage.Length;
        long last = begun;
        while (last < end && !stage.Stop.IsCancellationRequested)
        {
            timer.Wait();
            long now = machine.Ticks;
            if (now < last)
            {
                stage.NoteBackward();
            }

            long interval = stage.Time.ToNanoseconds(now - last);
            long at = stage.Time.ToNanoseconds(now - begun);
            _intervals.Record(at, interval);
            _drift.Record(at, interval - period.Nanoseconds);
            _tenths[Math.Clamp(interval * Bins / period.Nanoseconds, 0, MostBins)]++;
            _short += 2 * interval < period.Nanoseconds ? 1 : 0;
            _long += 2 * interval > 3 * period.Nanoseconds ? 1 : 0;
            last = now;
        }
    }
}
