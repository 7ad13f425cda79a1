namespace Tracer.Analysis.Machine;

/// <summary>
/// Receives notifications while the second reading follows the machine, in order of time. Each call comes after the state contains the
/// record it is about.
/// </summary>
internal interface IMachineWatcher
{
    /// <summary>Time has advanced to a point; called before the event with this time is processed.</summary>
    /// <returns>From which time on it is to be called again.</returns>
    long Reach(long ticks);

    void Ready(CpuHistory cpu, in ReadyThreadRecord ready, long ticks);

    void Switched(CpuHistory cpu, in ContextSwitchRecord change, long ticks);

    void Faulted(in HardFaultRecord fault, long ticks);

    /// <summary>An ISR or DPC returned.</summary>
    /// <returns>The client that it ran for, as far as that run shows it.</returns>
    RunClient Ran(CpuHistory cpu, in LevelSpan span);

    /// <summary>A threaded DPC or passive-level ISR returned.</summary>
    void RanInThread(CpuHistory cpu, in ThreadRoutine routine);
}
