using Tracer.Capture.Ground;

namespace Tracer.Capture.Tests;

/// <summary>A trigger that measures what a test says, and is heard of late as a test says.</summary>
internal sealed class FakeTrigger(VirtualClock clock, TriggerKind kind) : ITriggerSource, IOwnProcess
{
    private readonly List<(long Heard, TriggerMeasurement Measurement)> _coming = [];

    public TriggerKind Kind => kind;

    public TimeSpan Delay { get; set; } = TimeSpan.FromMilliseconds(10);

    public long FloorNs { get; set; }

    public Exception? Refusal { get; set; }

    /// <summary>Thrown by each drain; null for none.</summary>
    public Exception? Failure { get; set; }

    public LeftProcess? Process { get; set; }

    public bool IsStarted { get; private set; }

    public bool IsDisposed { get; private set; }

    /// <param name="afterSeconds">When it begins, from now.</param>
    public void Measure(double afterSeconds, long latencyUs)
    {
        long start = clock.Qpc + (long)(afterSeconds * clock.QpcHz);
        _coming.Add((start + (latencyUs * 10) + Delay.Ticks, new TriggerMeasurement(kind, start, latencyUs * 1000, 1, 0)));
    }

    public void Start()
    {
        if (Refusal is not null)
        {
            throw Refusal;
        }

        IsStarted = true;
    }

    public void Drain(ITriggerSink sink)
    {
        if (Failure is not null)
        {
            throw Failure;
        }

        for (int i = 0; i < _coming.Count;)
        {
            if (_coming[i].Heard <= clock.Qpc)
            {
                TriggerMeasurement measurement = _coming[i].Measurement;
                _coming.RemoveAt(i);
                sink.OnMeasurement(in measurement);
            }
            else
            {
                i++;
            }
        }
    }

    public void Dispose() => IsDisposed = true;
}
