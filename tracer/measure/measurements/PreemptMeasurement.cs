using System.Runtime.CompilerServices;
using Tracer.Measure.Ground;
using Tracer.Measure.Recording;

namespace Tracer.Measure.Measurements;

/// <summary>
/// <c>preempt</c>: how often and how long a thread that only computes is interrupted or preempted (Bernadat, section 6 and appendix B). It
/// reads the counter over and over, and what an iteration took beyond the shortest of them is counted within the iteration itself, so that
/// nothing is missed while it counts. Active and inactive times take turns.
/// </summary>
/// <param name="pause">How long it sleeps between; 0 for never.</param>
/// <param name="ratio">So many times the base time an iteration must take beyond it to count as interrupted.</param>
public sealed class PreemptMeasurement(Duration active, Duration pause, int ratio) : IMeasurement
{
    private const int Batch = 64;
    private const int Batches = 2_000;
    private const int Decimals = 2;

    private readonly TimeSeries _interruptions = new(
        "interruptions", "what iterations took beyond the base time, of those above the filter");
    private double _base;
    private long _filter;
    private long _activeTime;
    private long _iterations;
    private long _periods;
    private Int128 _below;

    public string Name => "preempt";

    public void Run(MeasureStage stage)
    {
        ArgumentNullException.ThrowIfNull(stage);
        stage.RunAlone(() => Measure(stage));
    }

    public MeasureResult ToResult()
    {
        decimal seconds = _activeTime / 1e9m;
        decimal share = _activeTime == 0 ? 0 : (decimal)_interruptions.Sum / _activeTime;
        decimal rate = seconds == 0 ? 0 : _interruptions.Count / seconds;
        long usual = _iterations - _interruptions.Count;
        return new MeasureResult(_interruptions.Count == 0
            ? $"Never interrupted for more than {ReadableDuration.Of(new Duration(_filter))} in "
                + $"{ReadableDuration.Of(new Duration(_activeTime))}."
            : $"Interrupted {rate.ToString("#,0.##", CultureInfo.InvariantCulture)} times a second of computing, "
                + $"for {Rounded(100 * share)} % of it, "
                + $"{ReadableDuration.Of(new Duration(_interruptions.Maximum))} at most.")
        {
            Figures =
            [
                new("base iteration", Rounded((decimal)_base), "ns", "the shortest iteration, over batches of 64"),
                new("filter", _filter, "ns", "what an iteration must take beyond the base time to count as interrupted"),
                new("active time", Rounded(seconds), "s", "time in which it computed"),
                new("active periods", _periods, "", "how often it began to compute"),
                new("iterations", _iterations, "", "readings of the counter"),
                new("interruptions", _interruptions.Count, "", "iterations above the filter"),
                new("interruptions per second", Rounded(rate), "1/s", "of active time"),
                new("interrupted", Math.Round(100 * share, 4), "%", "share of the active time"),
                new(
                    "other iterations", usual == 0 ? 0 : Rounded((decimal)_below / usual), "ns",
                    "mean of what iterations below the filter took beyond the base time"),
            ],
            Series = [_interruptions.ToReport()],
        };
    }

    private static decimal Rounded(decimal value) => Math.Round(value, Decimals);

    private void Measure(MeasureStage stage)
    {
        IMeasureMachine machine = stage.Machine;
        _base = BaseTime(stage);
        // A counter that is coarser than an iteration steps by more than the filter without anything having happened.
        _filter = Math.Max((long)Math.Ceiling(ratio * _base), 2 * stage.Time.ToNanoseconds(1));
        long begun = machine.Ticks;
        long end = begun + stage.Length;
        long activeTicks = Math.Max(1, stage.Time.ToTicks(active.Nanoseconds));
        while (machine.Ticks < end && !stage.Stop.IsCancellationRequested)
        {
            _periods++;
            Compute(stage, begun, activeTicks, (long)_base, _filter);
            if (pause > Duration.Zero)
            {
                long before = machine.Ticks;
                machine.Sleep(pause.Nanoseconds);
                if (machine.Ticks < before)
                {
                    stage.NoteBackward();
                }
            }
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Compute(MeasureStage stage, long begun, long activeTicks, long baseNs, long filter)
    {
        IMeasureMachine machine = stage.Machine;
        TickTime time = stage.Time;
        long first = machine.Ticks;
        long previous = first;
        long until = first + activeTicks;
        long below = 0;
        long iterations = 0;
        do
        {
            long now = machine.Ticks;
            long beyond = time.ToNanoseconds(now - previous) - baseNs;
            if (beyond < filter)
            {
                below += beyond;
                if (now < previous)
                {
                    stage.NoteBackward();
                }
            }
            else
            {
                _interruptions.Record(time.ToNanoseconds(previous - begun), beyond);
            }

            iterations++;
            previous = now;
        }
        while (previous < until);
        _below += below;
        _iterations += iterations;
        _activeTime += time.ToNanoseconds(previous - first);
    }

    /// <summary>The shortest time of an iteration. Batches, because a counter may be coarser than one.</summary>
    internal static double BaseTime(MeasureStage stage)
    {
        double least = double.MaxValue;
        for (int batch = 0; batch < Batches; batch++)
        {
            long first = stage.Machine.Ticks;
            long previous = first;
            for (int i = 0; i < Batch; i++)
            {
                long now = stage.Machine.Ticks;
                if (now < previous)
                {
                    stage.NoteBackward();
                }

                previous = now;
            }

            least = Math.Min(least, stage.Time.ToNanoseconds(previous - first) / (double)Batch);
        }

        return least;
    }
}
