using Tracer.Analysis.Contents;
using Tracer.Analysis.Facts;

namespace Tracer.Analysis.Machine;

/// <summary>How long a thread ran in one second of a trace.</summary>
/// <param name="Second">The second, counted from the trace's first context switch, from 0.</param>
/// <param name="ProcessId">Its process; null where the trace does not tell.</param>
/// <param name="Process">The process' image; null where the trace does not tell.</param>
/// <param name="Ticks">How long it ran on all CPUs; interrupts and DPCs in it count.</param>
public readonly record struct ThreadSecond(long Second, uint? ProcessId, string? Process, uint ThreadId, long Ticks);

/// <summary>Receives what ran, second by second.</summary>
public interface IThreadSeconds
{
    /// <summary>A thread ran in the second at hand.</summary>
    void Take(ThreadSecond one);

    /// <summary>All that ran in a second has been told. Seconds that are left out are never told.</summary>
    void EndSecond(long second);
}

/// <summary>What of a trace was told by seconds.</summary>
/// <param name="Seconds">Whole seconds that were told; 0 where the trace has no two switches a second apart.</param>
/// <param name="Pauses">Stretches that were left out, because no CPU switched for so long that no machine was recorded.</param>
/// <param name="WithLosses">Seconds told of which records are missing: what ran across that does not count.</param>
public readonly record struct ThreadSecondsRead(long Seconds, int Pauses, long WithLosses);

/// <summary>
/// Reads a trace for what each thread ran in each second, by the context switches. Memory is bounded by the threads that ran in the second
/// at hand, time by the number of switches. What a CPU did before its first switch is not known, and idle threads are left out.
/// </summary>
public sealed class ThreadSeconds
{
    /// <summary>Seconds. A running Windows switches threads all the time: without any, time is left out, or a stamp is bad.</summary>
    public const int LongestPause = 10;

    /// <summary>Further threads of a second are left out, to bound memory.</summary>
    private const int MostThreads = 1 << 16;

    private readonly long _ticksPerSecond;
    private readonly long _pause;
    private readonly LossMap _losses;
    private readonly Action<uint, long, long, long> _ranIn;
    private readonly Action<long> _endSecond;
    private readonly (uint Thread, long Since)?[] _running = new (uint, long)?[EtlBufferHeader.MaximumProcessors];
    private readonly Dictionary<uint, long> _ran = [];
    private int _cpus;
    private long _first = -1;
    private long _last;
    private long _second;
    private bool _isWhole = true;
    private long _told;
    private int _pauses;
    private long _withLosses;

    /// <param name="ticksPerSecond">Ticks of a second.</param>
    /// <param name="ranIn">Takes a thread, the second, its end, and how long the thread ran in it.</param>
    /// <param name="endSecond">Takes a second that has been told.</param>
    internal ThreadSeconds(long ticksPerSecond, LossMap losses, Action<uint, long, long, long> ranIn, Action<long> endSecond)
    {
        (_ticksPerSecond, _losses, _ranIn, _endSecond) = (ticksPerSecond, losses, ranIn, endSecond);
        _pause = TickRate.TicksOfSeconds(LongestPause, ticksPerSecond);
    }

    /// <summary>What was told so far. The last second is not whole: what ran in it is left out.</summary>
    internal ThreadSecondsRead Told => new(_told, _pauses, _withLosses);

    /// <param name="facts">What a first reading learnt.</param>
    /// <param name="sink">Given what each thread ran, second by second.</param>
    /// <exception cref="IOException">The storage failed.</exception>
    public static ThreadSecondsRead Read(EtlReader reader, TraceFacts facts, IThreadSeconds sink)
    {
        ArgumentNullException.ThrowIfNull(reader);
        ArgumentNullException.ThrowIfNull(facts);
        ArgumentNullException.ThrowIfNull(sink);
        var seconds = new ThreadSeconds(
            reader.Header.Clock.TicksPerSecond,
            MachineStart.LossesOf(facts, reader.Header.Mode),
            (thread, second, end, ticks) =>
            {
                uint? process = facts.Threads.ProcessOf(thread, end - 1);
                sink.Take(new ThreadSecond(
                    second, process, process is { } id ? facts.Threads.NameOf(id, end - 1) : null, thread, ticks));
            },
            sink.EndSecond);
        var events = new Sink(seconds, facts.Tracer.Recorder.Slice);
        reader.Read(EtlOrder.Time, ref events);
        return seconds.Told;
    }

    internal void Switch(int cpu, long ticks, uint oldThread, uint newThread)
    {
        if ((uint)cpu >= (uint)_running.Length || ticks < 0)
        {
            return;
        }

        if (_first < 0)
        {
            (_first, _last) = (ticks, ticks);
        }

        if (ticks - _last > _pause)
        {
            Skip(ticks);
        }

        _last = Math.Max(_last, ticks);
        // What still runs has run up to the end of each second that is over.
        while ((ticks - _first) / _ticksPerSecond > _second)
        {
            Finish();
        }

        if (_running[cpu] is { } running && running.Thread == oldThread)
        {
            Ran(cpu, running.Thread, running.Since, ticks);
        }

        _running[cpu] = (newThread, ticks);
        _cpus = Math.Max(_cpus, cpu + 1);
    }

    /// <summary>Continues after a pause: what ran in it is unknown, and the seconds that it cuts are left out.</summary>
    private void Skip(long ticks)
    {
        _pauses++;
        _ran.Clear();
        Array.Clear(_running);
        _second = (ticks - _first) / _ticksPerSecond;
        _isWhole = false;
    }

    private void Finish()
    {
        long begin = _first + TickRate.TicksOfSeconds(_second, _ticksPerSecond);
        long end = begin + _ticksPerSecond;
        for (int cpu = 0; cpu < _cpus; cpu++)
        {
            if (_running[cpu] is { } running)
            {
                _running[cpu] = Ran(cpu, running.Thread, running.Since, end) ? (running.Thread, end) : null;
            }
        }

        if (_isWhole)
        {
            foreach ((uint thread, long ticks) in _ran)
            {
                _ranIn(thread, _second, end, ticks);
            }

            _endSecond(_second);
            _told++;
            _withLosses += _losses.OverlapsAny(begin, end) ? 1 : 0;
        }

        _ran.Clear();
        _second++;
        _isWhole = true;
    }

    /// <returns>False where records are missing between: it does not count.</returns>
    private bool Ran(int cpu, uint thread, long from, long to)
    {
        if (_losses.Overlaps(cpu, from, to))
        {
            return false;
        }

        if (thread != 0 && to > from && (_ran.Count < MostThreads || _ran.ContainsKey(thread)))
        {
            _ran[thread] = _ran.GetValueOrDefault(thread) + to - from;
        }

        return true;
    }

    private readonly struct Sink(ThreadSeconds seconds, SliceOrigin? slice) : IEtlEventSink
    {
        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            ushort hook = traceEvent.IsKernelHook ? traceEvent.HookId : KernelHook.Of(in traceEvent) ?? 0;
            // A slice also has the last switch of each CPU before it.
            long ticks = traceEvent.TimestampTicks;
            if (hook == KernelHook.ContextSwitch && !(slice is { } kept && (ticks < kept.KeptFromTicks || ticks > kept.KeptToTicks))
                && ContextSwitchRecord.TryRead(in traceEvent, out ContextSwitchRecord change))
            {
                seconds.Switch(traceEvent.Cpu, ticks, change.OldThreadId, change.NewThreadId);
            }

            return true;
        }
    }
}
