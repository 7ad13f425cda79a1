using Tracer.Measure.Ground;

namespace Tracer.Measure.Recording;

/// <summary>What a driver measured beside a program: a series for each part of a wake-up that it saw.</summary>
internal sealed class DriverSeries
{
    /// <summary>Until the first instruction of an ISR.</summary>
    public const string Interrupt = "driver: interrupt";

    /// <summary>Until the first instruction of a DPC.</summary>
    public const string Dpc = "driver: DPC";

    /// <summary>Until the first instruction of the thread.</summary>
    public const string Total = "driver: wake-up";

    private readonly TimeSeries _timer = new("driver: timer", "from the clock tick that served the timer until its callback ran");
    private readonly TimeSeries _interrupt = new(Interrupt, "from when the interrupt was due until the first instruction of its ISR");
    private readonly TimeSeries _dpc = new(Dpc, "from when the DPC was queued until its first instruction");
    private readonly TimeSeries _thread = new("driver: thread", "from the first instruction of the DPC to that of the thread");
    private readonly TimeSeries _total = new(
        Total, "from when the DPC was queued, or an interrupt of its own was due, to the first instruction of the thread");

    private DriverMeasured? _measured;

    /// <summary>How the driver was set; null before it has run.</summary>
    public MeasureSetting? Setting => _measured?.Setting;

    public void Run(IMeasureDriver driver, DriverWish wish, CancellationToken stop) => _measured = driver.Run(wish, Take, stop);

    public MeasureResult AddTo(MeasureResult result) => _measured is null || _total.Count == 0 ? result : result with
    {
        Figures =
        [
            .. result.Figures,
            new("driver: lost", _measured.Lost, "", "wake-ups of the driver that were not read in time, or can't be"),
            .. _measured.Floor is { } floor
                ? [new MeasureFigure("driver: floor", floor.Microseconds, "us", "how late an idle machine's wake-ups are, as it says")]
                : Array.Empty<MeasureFigure>(),
        ],
        Series =
        [
            .. result.Series,
            .. new[] { _timer, _interrupt, _dpc, _thread, _total }.Where(static one => one.Count > 0).Select(static one => one.ToReport()),
        ],
        Notes = [.. result.Notes, "The driver measured when the program had, for the same time, with threads and a timer of its own."],
    };

    private void Take(DriverWakeup wakeup)
    {
        Record(_timer, wakeup.At, wakeup.Timer);
        Record(_interrupt, wakeup.At, wakeup.Interrupt);
        Record(_dpc, wakeup.At, wakeup.Dpc);
        _thread.Record(wakeup.At, wakeup.Thread);
        _total.Record(wakeup.At, wakeup.Total);
    }

    private static void Record(TimeSeries series, long at, long? value)
    {
        if (value is { } measured)
        {
            series.Record(at, measured);
        }
    }
}
