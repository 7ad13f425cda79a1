using Tracer.Measure.Ground;
using Tracer.Measure.Recording;

namespace Tracer.Measure.Measurements;

/// <summary>
/// <c>background</c> on the machine at hand: once a second each thread is asked how long it has run (Ramamritham and others, section 3.3).
/// What began and ended between two looks is not seen.
/// </summary>
public sealed class BackgroundMeasurement : IMeasurement
{
    private const long Second = 1_000_000_000;

    private readonly BackgroundTally _tally = new();

    public string Name => "background";

    public void Run(MeasureStage stage)
    {
        ArgumentNullException.ThrowIfNull(stage);
        stage.RunUncounted(new MeasureThread("thread that looks", stage.Request.Priority, stage.Request.Cpu, () => Look(stage)));
    }

    public MeasureResult ToResult()
    {
        MeasureResult result = _tally.ToResult((uint)Environment.ProcessId);
        return result with
        {
            Notes =
            [
                "What begins and ends between two looks is not seen, and looking costs time of its own: a trace has neither fault.",
                .. result.Notes,
            ],
        };
    }

    private void Look(MeasureStage stage)
    {
        IMeasureMachine machine = stage.Machine;
        Dictionary<(uint Process, uint Thread), long> before = machine.ThreadTimes()
            .ToDictionary(static one => (one.Process, one.Thread), static one => one.Nanoseconds);
        long begun = machine.Ticks;
        long step = stage.Time.ToTicks(Second);
        long seconds = stage.Length / step;
        for (long second = 0; second < seconds && !stage.Stop.IsCancellationRequested; second++)
        {
            // In parts, so that Ctrl+C is heard.
            for (int part = 1; part <= 4 && !stage.Stop.IsCancellationRequested; part++)
            {
                machine.SleepUntil(begun + (second * step) + (part * step / 4));
            }

            if (stage.Stop.IsCancellationRequested)
            {
                break;
            }

            Dictionary<(uint Process, uint Thread), long> now = [];
            foreach (ThreadTime one in machine.ThreadTimes())
            {
                long ran = one.Nanoseconds - before.GetValueOrDefault((one.Process, one.Thread));
                now[(one.Process, one.Thread)] = one.Nanoseconds;
                if (ran > 0)
                {
                    _tally.Add(one.Process, one.Name, one.Thread, second, ran);
                }
            }

            before = now;
            _tally.EndSecond(second);
        }
    }
}
