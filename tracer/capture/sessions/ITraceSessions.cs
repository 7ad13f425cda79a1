using Tracer.Capture.Sessions.Native;

namespace Tracer.Capture.Sessions;

/// <summary>
/// The trace sessions of a machine, for the flight recorder. Every member throws <see cref="EtwException"/> with the Win32 code where
/// Windows refuses.
/// </summary>
public interface ITraceSessions
{
    /// <summary>Starts a session and asks Windows what it granted of what was wanted.</summary>
    /// <returns>The session; disposing it stops it.</returns>
    ITraceSession Start(SessionPlan plan);

    /// <summary>The sessions that run on the machine, whoever started them.</summary>
    IReadOnlyList<RunningSession> Running();

    /// <summary>Stops a session of ours by name, such as one that a crash left behind.</summary>
    /// <returns>False where there is none of this name.</returns>
    /// <exception cref="ArgumentException">The name is not one of ours.</exception>
    bool Stop(string name);

    /// <summary>Reads the events of a real-time session until it stops; returns then. Blocks: for a thread of its own.</summary>
    /// <param name="sink">Takes what comes; valid during the call only.</param>
    void ReadRealTime(string name, IInterruptWorkSink sink);

    /// <summary>The same with every event of the session, as a reader of files would give them.</summary>
    /// <param name="sink">Takes what comes; valid during the call only.</param>
    void ReadEvents(string name, IRealTimeSink sink);

    /// <summary>Places for sessions of all kinds; null where Windows does not tell.</summary>
    int? Places => null;

    /// <summary>Sampling interval of the machine, in units of 100 ns.</summary>
    uint ProfileInterval { get; set; }
}

public interface ITraceSession : IDisposable
{
    SessionPlan Plan { get; }

    /// <summary>Kernel events that Windows says are on; what it took where it does not say.</summary>
    KernelMasks Granted { get; }

    bool IsGrantedTold => true;

    /// <summary>Stacks that Windows says are on; empty where it does not say.</summary>
    IReadOnlyList<StackRequest> GrantedStacks { get; }

    /// <summary>What was wanted and Windows did not grant, in the words of wpr and xperf; for the trace and the report.</summary>
    IReadOnlyList<string> Missing => RecordedEvents.Missing(Plan.Masks, Granted);

    /// <summary>
    /// Calls that Windows refused and what was done instead, or what is not known because of it: a sentence each, each once. Others are
    /// added while it runs.
    /// </summary>
    IReadOnlyList<string> Refusals => [];

    SessionCounters Query();

    /// <summary>Writes the whole ring of a recorder into a file; the session goes on.</summary>
    void Snapshot(string path);

    /// <summary>Stops it; a rundown's closing records are in its file when this returns. Nothing happens the second time.</summary>
    void Stop();
}

/// <summary>Counters of a session as ControlTrace gives them.</summary>
/// <param name="FreeBuffers">Buffers allocated and not in use.</param>
/// <param name="EventsLost">Events that found no buffer.</param>
/// <param name="RealTimeBuffersLost">Buffers that a real-time reader was too slow for.</param>
public readonly record struct SessionCounters(
    uint Buffers, uint FreeBuffers, uint BuffersWritten, uint EventsLost, uint RealTimeBuffersLost);

/// <param name="IsSystemLogger">Whether it takes one of the eight places for kernel events.</param>
public readonly record struct RunningSession(string Name, bool IsSystemLogger);

/// <summary>A DPC or ISR that ended, as the trigger session tells it, within a second or two.</summary>
/// <param name="BeginQpc">First instruction, in ticks of the performance counter.</param>
public readonly record struct InterruptWork(bool IsIsr, int Cpu, long BeginQpc, long EndQpc, ulong Routine);

/// <summary>Takes the events of a trigger session, one after the other, on the reading thread.</summary>
public interface IInterruptWorkSink
{
    /// <summary>One DPC or ISR. Allocates nothing.</summary>
    void OnWork(in InterruptWork work);

    /// <summary>Events that the reader missed.</summary>
    void OnLost(int count);
}

/// <summary>Windows refused a call of the tracing functions.</summary>
/// <param name="code">Win32 error code.</param>
public sealed class EtwException(string function, int code, string explanation)
    : Exception($"{function} failed with {code}: {explanation}")
{
    public string Function { get; } = function;

    /// <summary>Win32 error code.</summary>
    public int Code { get; } = code;

    /// <summary>Whether it says that there is no such session any more; other refusals may be of the moment.</summary>
    public bool IsOfGoneSession => Code is EtwError.InstanceNotFound or EtwError.InvalidHandle;

    /// <summary>Whether less memory asked for may help.</summary>
    public bool IsMemoryShort { get; init; } = code is EtwError.NotEnoughMemory or EtwError.OutOfMemory;
}
