using Tracer.Measure.Ground;
using Tracer.Measure.Recording;

namespace Tracer.Measure.Measurements;

/// <summary>
/// <c>deadline</c>: a thread that computes for a time in each period, and how often it has not done by the end of the period (the tool that
/// Cota-Robles and Held announce, section 6.1; at thread level). The computation is a fixed amount, measured at the start where nothing
/// disturbs it: what takes the CPU away makes it end later.
/// </summary>
public sealed class DeadlineMeasurement(Duration period, Duration work) : IMeasurement
{
    private readonly TimeSeries _response = new("response", "from the start of a period until its computation is done");
    private long _missed;
    private long _left;

    public string Name => "deadline";

    public void Run(MeasureStage stage)
    {
        ArgumentNullException.ThrowIfNull(stage);
        stage.RunAlone(() => Measure(stage));
    }

    public MeasureResult ToResult() => new(
        $"{Counted.Of(_missed, "deadline")} of {Counted.Of(_response.Count + _left, "period")} of {period} missed; a computation of "
        + $"{work} was done after {ReadableDuration.Of(new Duration(_response.Mean))} on average, "
        + $"{ReadableDuration.Of(new Duration(_response.Maximum))} at most.")
    {
        Figures =
        [
            new("periods", _response.Count + _left, "", "that began"),
            new("missed", _missed, "", "periods whose computation was done after their end, or not begun before it"),
            new("left out", _left, "", "of these, periods whose computation was not begun: one before took their time"),
        ],
        Series = [_response.ToReport()],
    };

    private void Measure(MeasureStage stage)
    {
        IMeasureMachine machine = stage.Machine;
        long turns = Math.Max(1, (long)(work.Nanoseconds / Computation.TimeOfTurn(stage)));
        long step = Math.Max(1, stage.Time.ToTicks(period.Nanoseconds));
        long begun = machine.Ticks;
        long end = begun + stage.Length;
        long start = begun + step;
        while (start < end && !stage.Stop.IsCancellationRequested)
        {
            machine.SleepUntil(start);
            long done = Computation.Run(machine, turns);
            if (done < start)
            {
                stage.NoteBackward();
            }

            _response.Record(stage.Time.ToNanoseconds(start - begun), stage.Time.ToNanoseconds(done - start));
            bool isMissed = done > start + step;
            _missed += isMissed ? 1 : 0;
            start += step;
            while (start + step < done)
            {
                _missed++;
                _left++;
                start += step;
            }
        }
    }
}
