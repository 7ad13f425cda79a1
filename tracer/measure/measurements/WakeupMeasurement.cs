using Tracer.Measure.Ground;
using Tracer.Measure.Recording;

namespace Tracer.Measure.Measurements;

/// <summary>
/// <c>wakeup</c>: how late a thread runs that wanted to be woken at a time (absolute) and after a time (relative), in turn. Bernadat's
/// Table 12 counts from the interrupt, which only a driver sees: beside it, where there is one; this counts from when the timer was due.
/// </summary>
/// <param name="interval">From one wake-up to the next.</param>
public sealed class WakeupMeasurement(Duration interval) : IDriverAided
{
    private readonly TimeSeries _absolute = new("absolute", "from the time that was asked for until the thread runs");
    private readonly TimeSeries _relative = new("relative", "from the end of the time that was asked for until the thread runs");

    public string Name => "wakeup";

    public Duration Interval => interval;

    public void Run(MeasureStage stage)
    {
        ArgumentNullException.ThrowIfNull(stage);
        stage.RunAlone(() => Measure(stage));
    }

    public MeasureResult ToResult() => new(
        $"{Counted.Of(_absolute.Count + _relative.Count, "wake-up")}: {ReadableDuration.Of(new Duration(_absolute.Mean))} late on average "
        + $"where a time was asked for, {ReadableDuration.Of(new Duration(_absolute.Maximum))} at most.")
    {
        Series = [_absolute.ToReport(), _relative.ToReport()],
    };

    private void Measure(MeasureStage stage)
    {
        IMeasureMachine machine = stage.Machine;
        long step = stage.Time.ToTicks(interval.Nanoseconds);
        long begun = machine.Ticks;
        long end = begun + stage.Length;
        long now = begun;
        while (now < end && !stage.Stop.IsCancellationRequested)
        {
            long before = now;
            long due = now + step;
            machine.SleepUntil(due);
            now = machine.Ticks;
            NoteIfBackward(stage, before, now);
            _absolute.Record(stage.Time.ToNanoseconds(now - begun), stage.Time.ToNanoseconds(now - due));
            stage.NoteWakeup(due, now);
            before = machine.Ticks;
            machine.Sleep(interval.Nanoseconds);
            now = machine.Ticks;
            NoteIfBackward(stage, before, now);
            _relative.Record(
                stage.Time.ToNanoseconds(now - begun), stage.Time.ToNanoseconds(now - before) - interval.Nanoseconds);
            stage.NoteWakeup(before + step, now);
        }
    }

    private static void NoteIfBackward(MeasureStage stage, long before, long now)
    {
        if (now < before)
        {
            stage.NoteBackward();
        }
    }
}
