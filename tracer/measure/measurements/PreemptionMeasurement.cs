using Tracer.Measure.Ground;
using Tracer.Measure.Recording;

namespace Tracer.Measure.Measurements;

/// <summary>
/// <c>preemption</c>: how long it takes until a thread of higher priority runs that a thread of lower priority on the same CPU has just
/// woken (Drummond, "Pre-emption", figure 3).
/// </summary>
public sealed class PreemptionMeasurement : IMeasurement
{
    private readonly TimeSeries _times = new("preemption", "from when the lower thread wakes the higher one until that runs");

    public string Name => "preemption";

    public void Run(MeasureStage stage)
    {
        ArgumentNullException.ThrowIfNull(stage);
        if (stage.Request.Priority == MeasurePriority.TimeCritical)
        {
            throw new MeasureException("preemption needs a thread above the one that is measured: choose a --priority below time-critical");
        }

        int cpu = stage.Request.Cpu ?? stage.Machine.Cpus[^1];
        IMeasureMachine machine = stage.Machine;
        using IMeasureEvent wake = machine.CreateEvent();
        long woken = 0;
        long begun = 0;
        bool isOver = false;
        stage.Run(
            new MeasureThread("higher thread", MeasurePriority.TimeCritical, cpu, () =>
            {
                wake.Wait();
                while (!Volatile.Read(ref isOver))
                {
                    long now = machine.Ticks;
                    long from = Volatile.Read(ref woken);
                    if (now < from)
                    {
                        stage.NoteBackward();
                    }

                    _times.Record(stage.Time.ToNanoseconds(now - begun), stage.Time.ToNanoseconds(now - from));
                    stage.NoteWakeup(from, now);
                    wake.Wait();
                }
            }),
            new MeasureThread("lower thread", stage.Request.Priority, cpu, () =>
            {
                long now = begun = machine.Ticks;
                long end = begun + stage.Length;
                while (now < end && !stage.Stop.IsCancellationRequested)
                {
                    Volatile.Write(ref woken, machine.Ticks);
                    wake.Set();
                    now = machine.Ticks;
                }

                Volatile.Write(ref isOver, true);
                wake.Set();
            }));
    }

    public MeasureResult ToResult() => new(
        $"A higher thread preempts a lower one in {ReadableDuration.Of(new Duration(_times.Mean))} on average, "
        + $"{ReadableDuration.Of(new Duration(_times.Maximum))} at most.")
    {
        Series = [_times.ToReport()],
        Notes = ["It includes waking the thread, one switch of threads and one reading of the counter."],
    };
}
