using Tracer.Measure.Ground;
using Tracer.Measure.Recording;

namespace Tracer.Measure.Measurements;

/// <summary>
/// <c>switch</c>: what it takes to go from one thread to another of the same priority on the same CPU (Drummond, "Context switch", figure
/// 2). Two threads wake each other in turn by events; half a round trip is one wake and one switch. What setting an event and waiting for
/// it costs without a switch is measured first, and taken off, as Drummond takes off his loops.
/// </summary>
public sealed class SwitchMeasurement : IMeasurement
{
    private const int Rounds = 20_000;

    private readonly TimeSeries _halves = new("half a round trip", "setting an event, waiting for another, and one switch of threads");
    private double _overhead;

    public string Name => "switch";

    public void Run(MeasureStage stage)
    {
        ArgumentNullException.ThrowIfNull(stage);
        int cpu = stage.Request.Cpu ?? stage.Machine.Cpus[^1];
        using IMeasureEvent there = stage.Machine.CreateEvent();
        using IMeasureEvent back = stage.Machine.CreateEvent();
        using IMeasureEvent alone = stage.Machine.CreateEvent();
        bool isOver = false;
        stage.Run(
            new MeasureThread("first thread", stage.Request.Priority, cpu, () =>
            {
                _overhead = Overhead(stage, alone);
                Measure(stage, there, back);
                Volatile.Write(ref isOver, true);
                there.Set();
            }),
            new MeasureThread("second thread", stage.Request.Priority, cpu, () =>
            {
                there.Wait();
                while (!Volatile.Read(ref isOver))
                {
                    back.Set();
                    there.Wait();
                }
            }));
    }

    public MeasureResult ToResult()
    {
        long net = Math.Max(0, (long)Math.Round(_halves.Mean - _overhead, MidpointRounding.AwayFromZero));
        return new MeasureResult(
            $"A switch of threads takes {ReadableDuration.Of(new Duration(net))} on average, without the "
            + $"{ReadableDuration.Of(new Duration((long)Math.Round(_overhead)))} of its events.")
        {
            Figures =
            [
                new("switch", net, "ns", "mean of half a round trip, less its events"),
                new("events", Math.Round((decimal)_overhead, 1), "ns", "setting an event and waiting for it, without a switch"),
            ],
            Series = [_halves.ToReport()],
        };
    }

    private static double Overhead(MeasureStage stage, IMeasureEvent alone)
    {
        long begun = stage.Machine.Ticks;
        for (int i = 0; i < Rounds; i++)
        {
            alone.Set();
            alone.Wait();
        }

        return (double)stage.Time.ToNanoseconds(stage.Machine.Ticks - begun) / Rounds;
    }

    private void Measure(MeasureStage stage, IMeasureEvent there, IMeasureEvent back)
    {
        IMeasureMachine machine = stage.Machine;
        long begun = machine.Ticks;
        long end = begun + stage.Length;
        long last = begun;
        while (last < end && !stage.Stop.IsCancellationRequested)
        {
            there.Set();
            back.Wait();
            long now = machine.Ticks;
            if (now < last)
            {
                stage.NoteBackward();
            }

            _halves.Record(stage.Time.ToNanoseconds(now - begun), stage.Time.ToNanoseconds(now - last) / 2);
            last = now;
        }
    }
}
