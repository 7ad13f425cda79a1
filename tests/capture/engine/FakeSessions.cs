using Tracer.Capture.Sessions;

namespace Tracer.Capture.Tests;

/// <summary>Sessions that write the files a test wants, and refuse what it says.</summary>
internal sealed class FakeSessions : ITraceSessions
{
    private uint _interval = 10_000;

    public List<string> RunningNames { get; } = [];

    public List<SessionPlan> Started { get; } = [];

    public Action<string> WriteSnapshot { get; set; } = static _ => { };

    public Action<string> WriteRundown { get; set; } = static _ => { };

    /// <summary>Refuses to start a session; null lets it start.</summary>
    public Func<SessionPlan, EtwException?> Refusal { get; set; } = static _ => null;

    public SessionCounters Counters { get; set; }

    /// <summary>Code that the next queries answer with; 0 for none.</summary>
    public int QueryRefusal { get; set; }

    /// <summary>Code that listing all sessions answers with; 0 for none.</summary>
    public int RunningRefusal { get; set; }

    /// <summary>Code that stopping one by name answers with; 0 for none.</summary>
    public int StopRefusal { get; set; }

    public Action? BeforeIntervalIsSet { get; set; }

    public Func<uint, uint> IntervalTaken { get; set; } = static wanted => wanted;

    public uint ProfileInterval
    {
        get => _interval;
        set
        {
            BeforeIntervalIsSet?.Invoke();
            _interval = IntervalTaken(value);
        }
    }

    public ITraceSession Start(SessionPlan plan)
    {
        if (Refusal(plan) is { } refusal)
        {
            throw refusal;
        }

        Started.Add(plan);
        lock (RunningNames)
        {
            RunningNames.Add(plan.Name);
        }

        return new Session(this, plan);
    }

    public IReadOnlyList<RunningSession> Running() => RunningRefusal != 0
        ? throw EtwFailures.Of("QueryAllTraces", RunningRefusal)
        : [.. RunningNames.Select(static name => new RunningSession(name, true))];

    public bool Stop(string name) => StopRefusal == 0 ? Remove(name) : throw EtwFailures.Of("ControlTrace (stop)", StopRefusal);

    public void ReadEvents(string name, IRealTimeSink sink) => throw new NotSupportedException();

    /// <summary>Nothing comes, until the session is stopped.</summary>
    public void ReadRealTime(string name, IInterruptWorkSink sink)
    {
        while (IsRunning(name))
        {
            Thread.Sleep(1);
        }
    }

    private bool IsRunning(string name)
    {
        lock (RunningNames)
        {
            return RunningNames.Contains(name);
        }
    }

    private bool Remove(string name)
    {
        lock (RunningNames)
        {
            return RunningNames.Remove(name);
        }
    }

    private sealed class Session(FakeSessions sessions, SessionPlan plan) : ITraceSession
    {
        public SessionPlan Plan { get; } = plan;

        public KernelMasks Granted { get; } = plan.Masks;

        public IReadOnlyList<StackRequest> GrantedStacks => Plan.Stacks;

        public SessionCounters Query() => sessions.QueryRefusal == 0
            ? sessions.Counters
            : throw EtwFailures.Of("ControlTrace (query)", sessions.QueryRefusal);

        public void Snapshot(string path) => sessions.WriteSnapshot(path);

        public void Stop()
        {
            if (sessions.Remove(Plan.Name) && Plan.FilePath is { } path)
            {
                sessions.WriteRundown(path);
            }
        }

        public void Dispose() => Stop();
    }
}
