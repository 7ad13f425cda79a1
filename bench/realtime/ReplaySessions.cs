#pragma warning disable CA1416 // advapi32 is replaced, so it runs on any system.

using Tracer.Capture.Ground;
using Tracer.Capture.Sessions;
using Tracer.Capture.Triggers;

namespace Tracer.Bench.RealTime;

/// <summary>What one pass of the events through the trigger took.</summary>
/// <param name="Seconds">CPU time of the process from opening the session to its end.</param>
/// <param name="AllocatedBytes">By the thread, from the first event to the last.</param>
internal readonly record struct Pass(double Seconds, long AllocatedBytes);

/// <summary>
/// One real-time session, read as the product reads it. The thread that reads also drains the trigger now and then, as the engine's
/// thread would: so the whole path, from EVENT_RECORD to measurement, is timed on one core.
/// </summary>
internal sealed class ReplaySessions(int count) : ITraceSessions, ITraceSession
{
    private readonly EtwSessions _sessions = new();
    private readonly ManualResetEventSlim _asked = new();
    private readonly ManualResetEventSlim _done = new();
    private DrainingSink? _draining;
    private bool _isOver;

    public SessionPlan Plan { get; private set; } = null!;

    public KernelMasks Granted => Plan.Masks;

    public IReadOnlyList<StackRequest> GrantedStacks => [];

    public uint ProfileInterval { get; set; }

    /// <summary>What the last pass took.</summary>
    public Pass Last { get; private set; }

    /// <summary>Has the reading thread read all events once.</summary>
    /// <param name="trigger">Is drained in between.</param>
    /// <param name="measurements">Takes what it measured.</param>
    public void Replay(DpcIsrTrigger trigger, ITriggerSink measurements)
    {
        _draining = new DrainingSink(trigger, measurements, count);
        _done.Reset();
        _asked.Set();
        _done.Wait();
    }

    public void ReadEvents(string name, IRealTimeSink sink) => throw new NotSupportedException();

    public void ReadRealTime(string name, IInterruptWorkSink sink)
    {
        while (true)
        {
            _asked.Wait();
            _asked.Reset();
            if (_isOver)
            {
                return;
            }

            DrainingSink draining = _draining!;
            draining.Inner = sink;
            TimeSpan start = Environment.CpuUsage.TotalTime;
            _sessions.ReadRealTime(name, draining);
            Last = new Pass((Environment.CpuUsage.TotalTime - start).TotalSeconds, draining.AllocatedBytes);
            _done.Set();
        }
    }

    public ITraceSession Start(SessionPlan plan)
    {
        Plan = plan;
        return this;
    }

    public SessionCounters Query() => default;

    public void Stop()
    {
        _isOver = true;
        _asked.Set();
    }

    public void Dispose() => Stop();

    public bool Stop(string name) => false;

    public IReadOnlyList<RunningSession> Running() => [];

    public void Snapshot(string path) => throw new NotSupportedException();

    private sealed class DrainingSink(DpcIsrTrigger trigger, ITriggerSink measurements, int count) : IInterruptWorkSink
    {
        private const int EventsPerDrain = 1 << 15;

        private int _taken;
        private long _allocatedAtFirst;

        public IInterruptWorkSink Inner { get; set; } = null!;

        public long AllocatedBytes { get; private set; }

        public void OnWork(in InterruptWork work)
        {
            if (_taken == 0)
            {
                _allocatedAtFirst = GC.GetAllocatedBytesForCurrentThread();
            }

            Inner.OnWork(in work);
            _taken++;
            if (_taken % EventsPerDrain == 0 || _taken == count)
            {
                trigger.Drain(measurements);
                AllocatedBytes = GC.GetAllocatedBytesForCurrentThread() - _allocatedAtFirst;
            }
        }

        public void OnLost(int lost) => throw new InvalidOperationException("The replay loses nothing.");
    }
}
