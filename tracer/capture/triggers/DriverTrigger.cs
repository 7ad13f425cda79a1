using System.Runtime.InteropServices;
using Tracer.Contract;

namespace Tracer.Capture;

/// <summary>
/// Wake-ups that the driver measures, as a trigger: a thread waits in a read of the device, so that an episode is heard of within
/// milliseconds. The run records every wake-up. Nothing is allocated once it runs.
/// </summary>
public sealed class DriverTrigger : ITriggerSource
{
    private const int QueueLength = 1 << 14;

    private readonly DriverClient _client;
    private readonly DriverRunPlan _plan;
    private readonly long _qpcHz;
    private readonly CancellationTokenSource _stop = new();
    private readonly TriggerMeasurement[] _queue = new TriggerMeasurement[QueueLength];
    private readonly Lock _lock = new();
    private readonly Thread _reader;

    // Behind the lock.
    private int _first;
    private int _count;
    private long _lost;
    private string? _failure;

    // The reading thread's.
    private ulong _dropped;
    private RunClock _clock;

    /// <summary>Prepares a run of the driver, which starts with the capture.</summary>
    /// <param name="client">The driver; disposed of with this.</param>
    /// <param name="plan">The run; every wake-up is asked for in any case.</param>
    /// <param name="qpcHz">Ticks of the performance counter in a second.</param>
    /// <exception cref="DriverException">The driver does not answer.</exception>
    public DriverTrigger(DriverClient client, DriverRunPlan plan, long qpcHz)
    {
        (_client, _qpcHz) = (client, qpcHz);
        _plan = plan with { AllWakeups = true };
        FloorNs = DriverClient.FloorOf(client.Status()).Nanoseconds;
        _reader = new Thread(Read) { Name = "driver trigger", IsBackground = true, Priority = ThreadPriority.AboveNormal };
    }

    /// <inheritdoc/>
    public TriggerKind Kind => TriggerKind.Driver;

    /// <inheritdoc/>
    public TimeSpan Delay => TimeSpan.FromMilliseconds(10);

    /// <inheritdoc/>
    public long FloorNs { get; private set; }

    /// <summary>Why no more measurements come; null while they do.</summary>
    public string? Failure
    {
        get
        {
            lock (_lock)
            {
                return _failure;
            }
        }
    }

    /// <inheritdoc/>
    public void Start()
    {
        DriverStatus status = _client.Start(_plan);
        FloorNs = DriverClient.FloorOf(status).Nanoseconds;
        _clock = new RunClock(status.Clock, status.ClockHz, _qpcHz);
        _reader.Start();
    }

    /// <inheritdoc/>
    public void Drain(ITriggerSink sink)
    {
        ArgumentNullException.ThrowIfNull(sink);
        long lost;
        lock (_lock)
        {
            (lost, _lost) = (_lost, 0);
        }

        while (TryTake(out TriggerMeasurement measurement))
        {
            sink.OnMeasurement(in measurement);
        }

        if (lost > 0)
        {
            sink.OnLost(Kind, lost);
        }
    }

    /// <summary>Ends the run and closes the device.</summary>
    public void Dispose()
    {
        _stop.Cancel();
        if (_reader.IsAlive)
        {
            _reader.Join();
            try
            {
                _client.Stop();
            }
            catch (DriverException)
            {
                // The driver is gone, and its run with it.
            }
        }

        _client.Dispose();
        _stop.Dispose();
    }

    private void Read()
    {
        string failure = "the run of the driver was ended by somebody else";
        try
        {
            while (_client.TryRead(_stop.Token, out DriverBatch batch))
            {
                Take(in batch);
            }
        }
        catch (OperationCanceledException)
        {
            return;
        }
        catch (DriverException gone)
        {
            failure = gone.Message;
        }

        lock (_lock)
        {
            _failure = failure;
        }
    }

    private void Take(in DriverBatch batch)
    {
        foreach (ReadOnlySpan<byte> record in batch)
        {
            switch (DriverBatch.TypeOf(record))
            {
                case DriverRecordType.ClockSync:
                    _clock.Tie(MemoryMarshal.Read<ClockSyncRecord>(record));
                    break;
                case DriverRecordType.Wakeup:
                    Take(DriverRecordShape.WakeupOf(record));
                    break;
                default:
                    break;
            }
        }

        ulong lost = batch.Dropped > _dropped ? batch.Dropped - _dropped : 0;
        _dropped = batch.Dropped;
        lock (_lock)
        {
            _lost += (long)Math.Min(lost, int.MaxValue);
        }
    }

    /// <summary>A wake-up that can't be dated, or ends before it began, is lost.</summary>
    private void Take(in WakeupRecord wakeup)
    {
        bool isDated = _clock.TryDate(wakeup.Expected, wakeup.Thread, out long startQpc, out long latencyNs);
        var measurement = new TriggerMeasurement(Kind, startQpc, latencyNs, wakeup.Header.Cpu, 0);
        lock (_lock)
        {
            if (!isDated || _count == QueueLength)
            {
                _lost++;
                return;
            }

            _queue[(_first + _count++) & (QueueLength - 1)] = measurement;
        }
    }

    private bool TryTake(out TriggerMeasurement measurement)
    {
        lock (_lock)
        {
            measurement = _queue[_first];
            if (_count == 0)
            {
                return false;
            }

            _first = (_first + 1) & (QueueLength - 1);
            _count--;
            return true;
        }
    }
}
