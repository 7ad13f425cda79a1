using Tracer.Etl.Kernel;

namespace Tracer.Analysis;

/// <summary>What is told while the machine's state is read, by time: each call after the state holds what it is about.</summary>
internal interface IMachineWatcher
{
    /// <summary>Time has come to a point; told before the event that has this time is taken.</summary>
    void Reach(long ticks);

    /// <summary>A thread was made ready.</summary>
    void Ready(CpuHistory cpu, in ReadyThreadRecord ready, long ticks);

    /// <summary>A CPU switched threads.</summary>
    void Switched(CpuHistory cpu, in ContextSwitchRecord change, long ticks);

    /// <summary>A hard fault was served.</summary>
    void Faulted(in HardFaultRecord fault, long ticks);

    /// <summary>An ISR or DPC returned.</summary>
    /// <returns>Whom it ran for, as far as that run shows it.</returns>
    RunClient Ran(CpuHistory cpu, in LevelSpan span);

    /// <summary>A threaded DPC or passive ISR returned.</summary>
    void RanInThread(CpuHistory cpu, in ThreadRoutine routine);
}
