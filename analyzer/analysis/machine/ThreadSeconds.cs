using Tracer.Etl;
using Tracer.Etl.Kernel;

namespace Tracer.Analysis;

/// <summary>How long a thread ran in one second of a trace.</summary>
/// <param name="Second">The second, from the trace's first event, from 0.</param>
/// <param name="ProcessId">Its process; null where the trace does not tell.</param>
/// <param name="Process">The process' image; null where the trace does not tell.</param>
/// <param name="ThreadId">The thread.</param>
/// <param name="Ticks">How long it ran on all CPUs; interrupts and DPCs in it count.</param>
public readonly record struct ThreadSecond(long Second, uint? ProcessId, string? Process, uint ThreadId, long Ticks);

/// <summary>
/// Reads a trace for what each thread ran in each second, by the context switches. Memory is bounded: the threads that ran in the second
/// at hand. What a CPU did before its first switch is not known, and idle threads are left out.
/// </summary>
public sealed class ThreadSeconds
{
    /// <summary>Most threads of one second.</summary>
    private const int MostThreads = 1 << 16;

    private readonly TraceFacts _facts;
    private readonly long _ticksPerSecond;
    private readonly Action<ThreadSecond> _take;
    private readonly (uint Thread, long Since)?[] _running = new (uint, long)?[EtlBufferHeader.MaximumProcessors];
    private readonly Dictionary<uint, long> _ran = [];
    private long _first = -1;
    private long _second;

    private ThreadSeconds(TraceFacts facts, long ticksPerSecond, Action<ThreadSecond> take) =>
        (_facts, _ticksPerSecond, _take) = (facts, ticksPerSecond, take);

    /// <summary>Reads a trace by time.</summary>
    /// <param name="reader">The trace.</param>
    /// <param name="facts">What a first reading learnt.</param>
    /// <param name="take">Given what each thread ran, second by second.</param>
    /// <returns>Whole seconds from the first context switch to the last; 0 where the trace has none.</returns>
    /// <exception cref="IOException">The storage failed.</exception>
    public static long Read(EtlReader reader, TraceFacts facts, Action<ThreadSecond> take)
    {
        ArgumentNullException.ThrowIfNull(reader);
        ArgumentNullException.ThrowIfNull(facts);
        ArgumentNullException.ThrowIfNull(take);
        var reading = new ThreadSeconds(facts, reader.Header.Clock.TicksPerSecond, take);
        var sink = new Sink(reading);
        reader.Read(EtlOrder.Time, ref sink);
        // The last second is not whole: what ran in it is left out.
        return reading._second;
    }

    private void Add(in EtlEvent traceEvent)
    {
        ushort hook = traceEvent.IsKernelHook ? traceEvent.HookId : KernelHook.Of(in traceEvent) ?? 0;
        long ticks = traceEvent.TimestampTicks;
        if (hook != KernelHook.ContextSwitch || (uint)traceEvent.Cpu >= (uint)_running.Length || ticks < 0
            || !ContextSwitchRecord.TryRead(in traceEvent, out ContextSwitchRecord change))
        {
            return;
        }

        _first = _first < 0 ? ticks : _first;
        // What still runs has run up to the end of each second that is over.
        for (long end = EndOf(_second); ticks >= end; end = EndOf(_second))
        {
            Finish(end);
        }

        if (_running[traceEvent.Cpu] is { } running && running.Thread == change.OldThreadId)
        {
            Ran(running.Thread, ticks - running.Since);
        }

        _running[traceEvent.Cpu] = (change.NewThreadId, ticks);
    }

    private long EndOf(long second) => _first + ((second + 1) * _ticksPerSecond);

    private void Finish(long end)
    {
        for (int cpu = 0; cpu < _running.Length; cpu++)
        {
            if (_running[cpu] is { } running)
            {
                Ran(running.Thread, end - running.Since);
                _running[cpu] = (running.Thread, end);
            }
        }

        foreach ((uint thread, long ticks) in _ran)
        {
            uint? process = _facts.Threads.ProcessOf(thread, end - 1);
            _take(new ThreadSecond(_second, process, process is { } id ? _facts.Threads.NameOf(id, end - 1) : null, thread, ticks));
        }

        _ran.Clear();
        _second++;
    }

    private void Ran(uint thread, long ticks)
    {
        if (thread != 0 && ticks > 0 && (_ran.Count < MostThreads || _ran.ContainsKey(thread)))
        {
            _ran[thread] = _ran.GetValueOrDefault(thread) + ticks;
        }
    }

    private readonly struct Sink(ThreadSeconds reading) : IEtlEventSink
    {
        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            reading.Add(in traceEvent);
            return true;
        }
    }
}
