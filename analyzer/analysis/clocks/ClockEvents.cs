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

    /// <summary>So many events are kept.</summary>
    private const int MostEvents = 1 << 20;

    private readonly List<ClockEvent> _events = [];
    private readonly List<ClockStay> _stays = [];
    private readonly Dictionary<int, ClockRange> _ranges = [];
    private (uint Thread, long Ticks, long Buffer) _running;

    /// <summary>The events, in no order.</summary>
    public ReadOnlySpan<ClockEvent> All => CollectionsMarshal.AsSpan(_events);

    /// <summary>Stays of threads on CPUs that lie within one buffer, so that nothing is missing of them.</summary>
    public ReadOnlySpan<ClockStay> Stays => CollectionsMarshal.AsSpan(_stays);

    /// <summary>From when to when each CPU has events of the kernel.</summary>
    public IReadOnlyDictionary<int, ClockRange> Ranges => _ranges;

    /// <summary>Reads what is needed.</summary>
    /// <param name="reader">The trace; it can be read again.</param>
    /// <exception cref="IOException">The storage failed.</exception>
    public static ClockEvents Read(EtlReader reader)
    {
        var events = new ClockEvents();
        var sink = new Sink(events);
        reader.ReadSample(Stretches, SampleBytes, ref sink);
        return events;
    }

    /// <summary>Adds an event; those of other kinds are ignored.</summary>
    /// <returns>Whether there is room for more.</returns>
    public bool Add(in EtlEvent traceEvent)
    {
        ref ClockRange range = ref CollectionsMarshal.GetValueRefOrAddDefault(_ranges, traceEvent.Cpu, out bool isKnown);
        range = isKnown ? range.With(traceEvent.TimestampTicks) : new ClockRange(traceEvent.TimestampTicks, traceEvent.TimestampTicks, 1);
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

            _running = (change.NewThreadId, traceEvent.TimestampTicks, traceEvent.BufferOffset);
            if (change.NewThreadId != 0)
            {
                Add(in traceEvent, ClockEventKind.Run, change.NewThreadId);
            }
        }

        return _events.Count < MostEvents;
    }

    private void Add(in EtlEvent traceEvent, ClockEventKind kind, uint thread) =>
        _events.Add(new ClockEvent(traceEvent.TimestampTicks, thread, (ushort)traceEvent.Cpu, kind));

    private readonly struct Sink(ClockEvents events) : IEtlEventSink
    {
        public bool OnEvent(scoped in EtlEvent traceEvent) => !traceEvent.IsKernelHook || events.Add(in traceEvent);
    }
}

/// <summary>What happened to a thread, in the order in which it must be at equal times.</summary>
internal enum ClockEventKind : byte
{
    /// <summary>It left its CPU without waiting.</summary>
    Leave,

    /// <summary>It left its CPU to wait.</summary>
    Wait,

    /// <summary>It was made ready.</summary>
    Ready,

    /// <summary>It began to run.</summary>
    Run,
}

/// <summary>What happened to a thread.</summary>
/// <param name="Ticks">When, by the clock of <paramref name="Cpu"/>.</param>
/// <param name="Thread">Its id.</param>
/// <param name="Cpu">The CPU that logged it.</param>
/// <param name="Kind">What.</param>
internal readonly record struct ClockEvent(long Ticks, uint Thread, ushort Cpu, ClockEventKind Kind);

/// <summary>A stay of a thread on a CPU, by the clock of that CPU.</summary>
internal readonly record struct ClockStay(long FromTicks, long ToTicks, uint Thread, int Cpu);

/// <summary>From when to when a CPU has events, by its clock, and how many.</summary>
internal readonly record struct ClockRange(long FirstTicks, long LastTicks, long Count)
{
    public ClockRange With(long ticks) => new(Math.Min(FirstTicks, ticks), Math.Max(LastTicks, ticks), Count + 1);
}
