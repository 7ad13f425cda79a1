using Tracer.Measure.Ground;
using Tracer.Measure.Recording;

namespace Tracer.Measure.Measurements;

/// <summary>
/// <c>sleep</c>: how much longer or shorter than wanted a sleep is (Bernadat, section 7.1, Table 8). Before each sleep the thread is busy
/// for a random time, or every sleep would begin at the clock tick that ended the last one.
/// </summary>
/// <param name="spread">The random time is below this.</param>
public sealed class SleepMeasurement(Duration length, Duration spread) : IMeasurement
{
    private readonly TimeSeries _deviations = new("deviation", "how much longer than wanted a sleep was; below 0: shorter", isSigned: true);

    public string Name => "sleep";

    public void Run(MeasureStage stage)
    {
        ArgumentNullException.ThrowIfNull(stage);
        var random = new RandomPauses(stage.Request.Seed);
        stage.RunAlone(() => Measure(stage, random));
    }

    public MeasureResult ToResult() => new(_deviations.Count == 0
        ? $"No sleep of {length} ended in the time of the measurement."
        : $"{Counted.Of(_deviations.Count, "sleep")} of {length}: {ReadableDuration.Of(new Duration(_deviations.Mean))} longer than wanted "
            + $"on average, {ReadableDuration.Of(new Duration(_deviations.Maximum))} at most.")
    {
        Series = [_deviations.ToReport()],
    };

    private void Measure(MeasureStage stage, RandomPauses random)
    {
        IMeasureMachine machine = stage.Machine;
        long lengthTicks = stage.Time.ToTicks(length.Nanoseconds);
        long spreadTicks = stage.Time.ToTicks(spread.Nanoseconds);
        long begun = machine.Ticks;
        long end = begun + stage.Length;
        long now = begun;
        while (now < end && !stage.Stop.IsCancellationRequested)
        {
            long until = now + random.Next(spreadTicks);
            long before = now;
            while (before < until)
            {
                before = machine.Ticks;
            }

            machine.Sleep(length.Nanoseconds);
            now = machine.Ticks;
            if (now < before)
            {
                stage.NoteBackward();
            }

            _deviations.Record(stage.Time.ToNanoseconds(now - begun), stage.Time.ToNanoseconds(now - before) - length.Nanoseconds);
            stage.NoteWakeup(before + lengthTicks, now);
        }
    }
}
