using System.Diagnostics;
using System.Runtime.InteropServices;
using Tracer.Capture.Driver;
using Tracer.Capture.Ground;

namespace Tracer.Capture.Triggers;

/// <summary>
/// Wake-ups that the driver measures, as a trigger: a thread waits in a read of the device, so that an episode is heard of within
/// milliseconds. The run hands over late wake-ups only; how many there were, and how long they took, its histogram tells. A late timer of
/// all CPUs is one measurement, of the CPU that ran its callback. The reading thread allocates nothing.
/// </summary>
public sealed class DriverTrigger : ITriggerSource, ITriggerRemarks
{
    /// <summary>Late timers that are remembered: the wake-ups of all CPUs tell of each, in any order.</summary>
    private const int TimersKept = 16;

    private static readonly TimeSpan BetweenCounts = TimeSpan.FromMilliseconds(500);

    private readonly DriverClient _client;
    private readonly DriverRunPlan _plan;
    private readonly long _qpcHz;
    private readonly CancellationTokenSource _stop = new();
    private readonly MeasurementQueue _queue = new();
    private readonly Thread _reader;
    private string? _failure;

    // The reading thread's.
    private readonly (ushort Cpu, ulong Tick)[] _lateTimers = new (ushort, ulong)[TimersKept];
    private int _nextTimer;
    private ulong _dropped;
    private RunClock _clock;
    private long _thresholdNs;

    // The draining thread's.
    private readonly UnmeasuredTime _unmeasured = new();
    private readonly List<(CaptureNoteLevel Level, string Text)> _remarks = [];
    private long _startedAt;
    private long _countedAt;
    private bool _isOn;

    /// <summary>Prepares a run of the driver, which starts with the capture.</summary>
    /// <param name="client">The driver; disposed of with this.</param>
    /// <param name="qpcHz">Ticks of the performance counter in a second.</param>
    /// <exception cref="DriverException">The driver does not answer.</exception>
    public DriverTrigger(DriverClient client, DriverRunPlan plan, long qpcHz)
    {
        (_client, _plan, _qpcHz) = (client, plan, qpcHz);
        FloorNs = DriverClient.FloorOf(client.Status()).Nanoseconds;
        _reader = new Thread(Read) { Name = "driver trigger", IsBackground = true, Priority = ThreadPriority.AboveNormal };
    }

    public TriggerKind Kind => TriggerKind.Driver;

    public TimeSpan Delay => TimeSpan.FromMilliseconds(30);

    public long FloorNs { get; private set; }

    /// <summary>Why no more measurements come; null while they do.</summary>
    public string? Failure => Volatile.Read(ref _failure);

    public void Start()
    {
        DriverStatus status;
        try
        {
            status = _client.Start(_plan);
        }
        catch (DriverException refused) when (refused.Refusal == DriverRefusal.Threshold && refused.Floor > Duration.Zero)
        {
            // The driver has measured its floor, and the threshold is below twice that: the capture answers it as it does the probe's.
            FloorNs = refused.Floor.Nanoseconds;
            return;
        }

        FloorNs = DriverClient.FloorOf(status).Nanoseconds;
        _thresholdNs = (long)Math.Min(status.ThresholdNs, long.MaxValue);
        _clock = new RunClock(status.Clock, status.ClockHz, _qpcHz);
        _isOn = true;
        _startedAt = _countedAt = Stopwatch.GetTimestamp();
        _reader.Start();
    }

    public void Drain(ITriggerSink sink)
    {
        ArgumentNullException.ThrowIfNull(sink);
        long lost = _queue.TakeLost();
        _queue.Drain(sink);

        if (_isOn && Stopwatch.GetElapsedTime(_countedAt) >= BetweenCounts)
        {
            Count(sink);
        }

        if (lost > 0)
        {
            sink.OnLost(Kind, lost);
        }
    }

    public IReadOnlyList<(CaptureNoteLevel Level, string Text)> TakeRemarks()
    {
        (CaptureNoteLevel, string)[] taken = [.. _remarks];
        _remarks.Clear();
        return taken;
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

    /// <summary>
    /// Asks for the histogram of all wake-ups. A question that is refused is asked again; where the run has ended, the reading thread tells
    /// why.
    /// </summary>
    private void Count(ITriggerSink sink)
    {
        _countedAt = Stopwatch.GetTimestamp();
        try
        {
            if (_client.Histogram(LatencyPhase.Total) is { Total: > 0 } all)
            {
                sink.OnAll(Kind, all);
            }

            var elapsed = new Duration(Stopwatch.GetElapsedTime(_startedAt).Ticks * TimeSpan.NanosecondsPerTick);
            var measured = new Duration((long)Math.Min(_client.Status().RunNs, long.MaxValue));
            if (_unmeasured.Look(elapsed, measured) is { } missed)
            {
                _remarks.Add((CaptureNoteLevel.Warning, missed));
            }
        }
        catch (DriverException)
        {
            // The next look counts from the start of the run, so nothing is left out.
        }
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

        Volatile.Write(ref _failure, failure);
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
        _queue.AddLost((long)Math.Min(lost, int.MaxValue));
    }

    /// <summary>
    /// A wake-up counts from when the timer of all CPUs queued its DPC, and that timer from its clock tick; where each CPU has a timer of
    /// its own, from when that was due.
    /// </summary>
    private void Take(in WakeupRecord wakeup)
    {
        Add(wakeup.Header.Cpu, wakeup.Callback == 0 ? wakeup.Expected : wakeup.Queued, wakeup.Thread);
        if (wakeup is { Tick: > 0, Callback: > 0 } && wakeup.Callback > wakeup.Tick
            && (!_clock.TryDate(wakeup.Tick, wakeup.Callback, out _, out long lateNs) || lateNs >= _thresholdNs)
            && !IsKnown(wakeup.TimerCpu, wakeup.Tick))
        {
            Add(wakeup.TimerCpu, wakeup.Tick, wakeup.Callback);
        }
    }

    /// <summary>Whether a late timer was told before; notes it.</summary>
    private bool IsKnown(ushort cpu, ulong tick)
    {
        if (Array.IndexOf(_lateTimers, (cpu, tick)) >= 0)
        {
            return true;
        }

        _lateTimers[_nextTimer] = (cpu, tick);
        _nextTimer = (_nextTimer + 1) % TimersKept;
        return false;
    }

    /// <summary>What can't be dated, or ends before it began, is lost.</summary>
    private void Add(ushort cpu, ulong begin, ulong end)
    {
        if (_clock.TryDate(begin, end, out long startQpc, out long latencyNs))
        {
            _queue.Put(new TriggerMeasurement(Kind, startQpc, latencyNs, cpu, 0));
        }
        else
        {
            _queue.AddLost(1);
        }
    }
}
