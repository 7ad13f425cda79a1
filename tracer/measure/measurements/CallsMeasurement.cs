using Tracer.Measure.Ground;
using Tracer.Measure.Recording;

namespace Tracer.Measure.Measurements;

/// <summary>
/// <c>syscalls</c>: what calls of the system that have to do with processes, threads and time take; the 90th percentile, as Ramamritham and
/// others give it (section 3.2, Table 1).
/// </summary>
public sealed class CallsMeasurement(int calls) : IMeasurement
{
    private readonly List<TimeSeries> _series = [];

    public string Name => "syscalls";

    public void Run(MeasureStage stage)
    {
        ArgumentNullException.ThrowIfNull(stage);
        _series.AddRange(stage.Machine.Calls.Select(static call => new TimeSeries(call.Name, "one call")));
        stage.RunAlone(() => Measure(stage));
    }

    public MeasureResult ToResult() => new(
        $"Of {Counted.Of(_series.Count, "kind")} of calls, the slowest is {_series.MaxBy(static one => one.Mean)!.Name}: "
        + $"{ReadableDuration.Of(new Duration(_series.Max(static one => one.Mean)))} on average.")
    {
        Tables =
        [
            new(
                "calls",
                "the 90th percentile, the mean and the maximum; the counter is read once in each",
                [new("90 %", "us"), new("mean", "us"), new("most", "us"), new("calls", "")],
                [
                    .. _series.Select(static one => new MeasureRow(
                        one.Name,
                        [
                            one.AtPercentile(90) is { } value ? value / 1000m : null, one.Mean / 1000m, one.Maximum / 1000m, one.Count,
                        ])),
                ]),
        ],
        Series = [.. _series.Select(static one => one.ToReport())],
    };

    /// <summary>One kind after the other: what one of them leaves behind is not the next one's.</summary>
    private void Measure(MeasureStage stage)
    {
        IMeasureMachine machine = stage.Machine;
        long begun = machine.Ticks;
        long share = stage.Length / Math.Max(1, machine.Calls.Count);
        for (int kind = 0; kind < _series.Count; kind++)
        {
            TimedCall call = machine.Calls[kind];
            long end = begun + ((kind + 1) * share);
            call.After?.Invoke();
            for (int i = 0; i < calls && !stage.Stop.IsCancellationRequested; i++)
            {
                long before = machine.Ticks;
                call.Call();
                long after = machine.Ticks;
                call.After?.Invoke();
                _series[kind].Record(stage.Time.ToNanoseconds(before - begun), stage.Time.ToNanoseconds(after - before));
                if (after >= end)
                {
                    break;
                }
            }
        }
    }
}
