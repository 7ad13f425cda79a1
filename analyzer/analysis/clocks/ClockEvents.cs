using System.Runtime.InteropServices;

namespace Tracer.Analysis.Clocks;

/// <summary>
/// What a trace, or stretches of it, tell of when threads were made ready, ran and began to wait: what the clocks of CPUs must agree on.
/// Memory is bounded.
/// </summary>
internal sealed class ClockEvents
{
    /// <summary>So many stretches of a long trace are looked at, so that clocks that drift are told from those that are off.</summary>
    private const int Stretches = 16;

    /// <summary>About so many bytes of a trace are looked at.</summary>
    private const long SampleBytes = 6 * 1024 * 1024;

    /// <summary>A CPU that spent more than one part in so many of it in ISRs and DPCs was not free.</summary>
    private const int MostOfLevel = 8;

    /// <summary>So many events are kept.</summary>
    private const int MostEvents = 1 << 20;

    /// <summary>
    /// The first part of a stretch, one of so many, shows no thread that runs too early: what made it ready may lie before.
    /// </summary>
    private const int UnsureOfStretch = 4;

    /// <summary>The upper half of a DPC object's address is folded into the lower one to stand for a thread.</summary>
    private const int KeyShift = 32;

    private readonly List<ClockEvent> _events = [];
    private readonly List<ClockEvent> _dpcs = [];
    private readonly List<ClockStay> _stays = [];
    private Dictionary<int, ClockRange> _ranges = [];
    private (uint Thread, long Ticks, long Buffer) _running;
    private long _levelTicks;

    /// <summary>The events, in no order.</summary>
    public ReadOnlySpan<ClockEvent> All => CollectionsMarshal.AsSpan(_events);

    /// <summary>
    /// When CPUs asked for DPCs and ran them, in no order: each DPC object as a thread that is made ready, runs, and waits at once.
    /// </summary>
    public ReadOnlySpan<ClockEvent> Dpcs => CollectionsMarshal.AsSpan(_dpcs);

    /// <summary>Stays of threads on CPUs that lie within one buffer, so that nothing is missing of them.</summary>
    public ReadOnlySpan<ClockStay> Stays => CollectionsMarshal.AsSpan(_stays);

    /// <summary>From when to when each CPU has events of the kernel.</summary>
    public IReadOnlyDictionary<int, ClockRange> Ranges => _ranges;

    /// <param name="reader">The trace; it can be read again.</param>
    /// <exception cref="IOException">The storage failed.</exception>
    public static ClockEvents Read(EtlReader reader)
    {
        var events = new ClockEvents();
        events._ranges = BesideWork.Do(reader.Threads, () => RangesOf(reader), () =>
        {
            var sink = new Sink(events);
            if (reader.ReadSample(Stretches, SampleBytes, ref sink) is { IsWhole: false } times)
            {
                events.Cut(in times);
            }
        });
        return events;
    }

    /// <summary>Adds an event; those of other kinds are ignored.</summary>
    /// <returns>Whether there is room for more.</returns>
    public bool Add(in EtlEvent traceEvent)
    {
        if (traceEvent.HookId == KernelHook.ReadyThread)
        {
            if (ReadyThreadRecord.TryRead(in traceEvent, out ReadyThreadRecord ready) && ready.ThreadId != 0)
            {
                Add(in traceEvent, ClockEventKind.Ready, ready.ThreadId);
            }
        }
        else if (traceEvent.HookId == KernelHook.ContextSwitch
            && ContextSwitchRecord.TryRead(in traceEvent, out ContextSwitchRecord change))
        {
            if (change.OldThreadId != 0)
            {
                if (_running.Thread == change.OldThreadId && _running.Buffer == traceEvent.BufferOffset)
                {
                    _stays.Add(new ClockStay(_running.Ticks, traceEvent.TimestampTicks, change.OldThreadId, traceEvent.Cpu));
                }

                Add(
                    in traceEvent,
                    change.OldThreadState == KernelThreadState.Waiting ? ClockEventKind.Wait : ClockEventKind.Leave,
                    change.OldThreadId);
            }

            bool isAtOnce = change.OldThreadId == 0
                || (change.OldThreadState != KernelThreadState.Waiting && change.NewThreadPriority > change.OldThreadPriority);
            long before = traceEvent.TimestampTicks - _running.Ticks;
            bool isKnown = _running.Thread == change.OldThreadId && _running.Buffer == traceEvent.BufferOffset
                && _levelTicks * MostOfLevel <= before;
            _running = (change.NewThreadId, traceEvent.TimestampTicks, traceEvent.BufferOffset);
            _levelTicks = 0;
            if (change.NewThreadId != 0)
            {
                Add(in traceEvent, ClockEventKind.Run, change.NewThreadId, isAtOnce && isKnown ? (int)Math.Min(int.MaxValue, before) : 0);
            }
        }
        else if (traceEvent.HookId is KernelHook.Dpc or KernelHook.TimerDpc && DpcRecord.TryRead(in traceEvent, out DpcRecord dpc))
        {
            _levelTicks += Math.Max(0, traceEvent.TimestampTicks - dpc.InitialTime);
        }
        else if (traceEvent.HookId is KernelHook.Isr or KernelHook.IsrMessageSignalled
            && IsrRecord.TryRead(in traceEvent, out IsrRecord isr))
        {
            _levelTicks += Math.Max(0, traceEvent.TimestampTicks - isr.InitialTime);
        }
        else if (traceEvent.HookId == KernelHook.DpcEnqueue && DpcEnqueueRecord.TryRead(in traceEvent, out DpcEnqueueRecord asked))
        {
            AddDpc(in traceEvent, ClockEventKind.Ready, asked.Key);
        }
        else if (traceEvent.HookId == KernelHook.DpcExecution
            && DpcExecutionRecord.TryRead(in traceEvent, out DpcExecutionRecord taken))
        {
            AddDpc(in traceEvent, ClockEventKind.Run, taken.Key);
            AddDpc(in traceEvent, ClockEventKind.Wait, taken.Key, later: 1);
        }

        return _events.Count < MostEvents && _dpcs.Count < MostEvents;
    }

    /// <summary>Leaves out what only some CPUs were read of, and marks where each stretch begins.</summary>
    internal void Cut(in SampledTimes times)
    {
        foreach (List<ClockEvent> list in new[] { _events, _dpcs })
        {
            SampledTimes held = times;
            list.RemoveAll(one => !held.Holds(one.Ticks));
            int unsure = (int)Math.Min(int.MaxValue, times.LengthTicks / UnsureOfStretch);
            list.AddRange(times.Starts().Select(start => new ClockEvent(start, 0, 0, ClockEventKind.Cut, unsure)));
        }
    }

    private static Dictionary<int, ClockRange> RangesOf(EtlReader reader)
    {
        var ends = new EndsSink([]);
        reader.ReadEnds(ref ends);
        return ends.ByCpu.ToDictionary(one => one.Key, one => one.Value.Range);
    }

    private void AddDpc(in EtlEvent traceEvent, ClockEventKind kind, ulong key, int later = 0) => _dpcs.Add(
        new ClockEvent(traceEvent.TimestampTicks + later, (uint)(key ^ (key >> KeyShift)), (ushort)traceEvent.Cpu, kind));

    private void Add(in EtlEvent traceEvent, ClockEventKind kind, uint thread, int freeTicks = 0) =>
        _events.Add(new ClockEvent(traceEvent.TimestampTicks, thread, (ushort)traceEvent.Cpu, kind, freeTicks));

    private readonly struct Sink(ClockEvents events) : IEtlEventSink
    {
        public bool OnEvent(scoped in EtlEvent traceEvent) => !traceEvent.IsKernelHook || events.Add(in traceEvent);
    }

    /// <summary>Notes from when to when each CPU has events; those of the file's header are no CPU's.</summary>
    private struct EndsSink(Dictionary<int, Ends> byCpu) : IEtlEventSink
    {
        private const int GroupShift = 8;

        /// <summary>The CPU of the event before.</summary>
        private Ends? _ends;
        private int _cpu;

        public readonly IReadOnlyDictionary<int, Ends> ByCpu => byCpu;

        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            if (!traceEvent.IsKernelHook || traceEvent.HookId >> GroupShift == 0)
            {
                return true;
            }

            if (_ends is null || _cpu != traceEvent.Cpu)
            {
                _cpu = traceEvent.Cpu;
                if (!byCpu.TryGetValue(_cpu, out _ends))
                {
                    byCpu.Add(_cpu, _ends = new Ends());
                }
            }

            _ends.Add(traceEvent.TimestampTicks, traceEvent.BufferOffset);
            return true;
        }
    }

    /// <summary>What was looked at of a CPU, buffer by buffer.</summary>
    private sealed class Ends
    {
        private long _firstTicks = long.MaxValue;
        private long _lastTicks = long.MinValue;
        private long _unseenTicks;
        private long _count;

        /// <summary>The buffer at hand, its first time, and the last time of those before it.</summary>
        private long _buffer = -1;
        private long _bufferTicks;
        private long _beforeTicks;

        public ClockRange Range => new(_firstTicks, _lastTicks, _count, _unseenTicks + Unseen);

        private long Unseen => _beforeTicks == long.MinValue ? 0 : Math.Max(0, _bufferTicks - _beforeTicks);

        public void Add(long ticks, long buffer)
        {
            if (buffer != _buffer)
            {
                _unseenTicks += _buffer < 0 ? 0 : Unseen;
                (_buffer, _bufferTicks, _beforeTicks) = (buffer, ticks, _lastTicks);
            }

            _bufferTicks = Math.Min(_bufferTicks, ticks); // Events of a buffer may be out of order.
            _firstTicks = Math.Min(_firstTicks, ticks);
            _lastTicks = Math.Max(_lastTicks, ticks);
            _count++;
        }
    }
}

/// <summary>What happened to a thread, in the order in which it must be at equal times.</summary>
internal enum ClockEventKind : byte
{
    /// <summary>None did anything: what was before is not known.</summary>
    Cut,

    /// <summary>It left its CPU without waiting.</summary>
    Leave,

    /// <summary>It left its CPU to wait.</summary>
    Wait,

    /// <summary>It was made ready.</summary>
    Ready,

    /// <summary>It began to run.</summary>
    Run,
}

/// <param name="Ticks">When, by the clock of <paramref name="Cpu"/>.</param>
/// <param name="FreeTicks">
/// For how long its CPU had idled until then, or run a thread that it preempted; 0 for neither. Of a cut: for how long what follows may go
/// back to what is not known.
/// </param>
internal readonly record struct ClockEvent(long Ticks, uint Thread, ushort Cpu, ClockEventKind Kind, int FreeTicks = 0);

internal readonly record struct ClockStay(long FromTicks, long ToTicks, uint Thread, int Cpu);

/// <summary>From when to when a CPU has events, by its clock.</summary>
/// <param name="Count">How many of them were looked at.</param>
/// <param name="UnseenTicks">How much of that time was not looked at.</param>
internal readonly record struct ClockRange(long FirstTicks, long LastTicks, long Count, long UnseenTicks = 0);
