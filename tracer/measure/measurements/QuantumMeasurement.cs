using Tracer.Measure.Ground;
using Tracer.Measure.Recording;

namespace Tracer.Measure.Measurements;

/// <summary>
/// <c>quantum</c>: how long one of two threads computes that never wait, of one priority and on one CPU, until the other has its turn: the
/// time slice of the system's round robin.
/// </summary>
public sealed class QuantumMeasurement : IMeasurement
{
    private readonly TimeSeries _turns = new("turns", "how long a thread ran until the other had run");
    private readonly long[] _steps = new long[2];
    private long _end;

    public string Name => "quantum";

    public void Run(MeasureStage stage)
    {
        ArgumentNullException.ThrowIfNull(stage);
        int cpu = stage.Request.Cpu ?? stage.Machine.Cpus[^1];
        long begun = stage.Machine.Ticks;
        _end = begun + stage.Length;
        stage.Run([.. Enumerable.Range(0, _steps.Length).Select(me => new MeasureThread(
            me == 0 ? "first thread" : "second thread", stage.Request.Priority, cpu, () => Compute(stage, me, begun))
        {
            TakesTurns = true,
        })]);
    }

    public MeasureResult ToResult() => new(_turns.Count == 0
        ? "Two computing threads of one priority on one CPU did not take turns: the system lets one run until it waits, or the time was "
            + "too short."
        : $"Of two computing threads of one priority on one CPU, one runs for {ReadableDuration.Of(new Duration(_turns.Mean))} on average "
            + $"until the other has its turn, and {ReadableDuration.Of(new Duration(_turns.Maximum))} at most.")
    {
        Series = [_turns.ToReport()],
        Notes = ["What interrupts both counts to the one that ran. The first and the last turn of each are left out: they are not whole."],
    };

    /// <summary>
    /// Reads the counter over and over. Where the other thread has computed since the last time, this one's turn had ended then. Only
    /// one of them runs at a time, so the histogram needs no lock.
    /// </summary>
    private void Compute(MeasureStage stage, int me, long begun)
    {
        IMeasureMachine machine = stage.Machine;
        long others = Volatile.Read(ref _steps[1 - me]);
        long first = -1;
        long last = machine.Ticks;
        while (!stage.Stop.IsCancellationRequested)
        {
            long now = machine.Ticks;
            if (now >= _end)
            {
                return;
            }

            long computed = Volatile.Read(ref _steps[1 - me]);
            if (computed != others)
            {
                if (first >= 0)
                {
                    _turns.Record(stage.Time.ToNanoseconds(first - begun), stage.Time.ToNanoseconds(last - first));
                }

                (others, first) = (computed, now);
            }

            last = now;
            Volatile.Write(ref _steps[me], _steps[me] + 1);
        }
    }
}
