using Tracer.Etl;
using Tracer.Etl.Decoding;
using Tracer.Etl.Kernel;
using Tracer.Etl.Stacks;

namespace Tracer.AnalyzerCommand;

/// <summary>
/// What a first reading of the whole trace finds for <c>analyzer dump</c>: what events are called, where images were, what stack keys mean,
/// all of which may stand anywhere; and which buffers hold events of the time that is asked for.
/// </summary>
internal sealed class DumpFacts
{
    private const int Threads = 2;

    private DumpFacts(EtlReader reader) => Modules = new TraceModules(reader.Header.PointerBytes);

    /// <summary>Images and threads.</summary>
    public TraceModules Modules { get; }

    /// <summary>What stack keys mean.</summary>
    public StackDefinitions Definitions { get; } = new();

    /// <summary>How many events the trace has.</summary>
    public long Events { get; private set; }

    /// <summary>How many events of the time that is asked for are printed unless another filter leaves them out; never too few.</summary>
    public long EventsInTime { get; private set; }

    /// <summary>The buffers that are to be read; null for all.</summary>
    public BufferSelection? Buffers { get; private set; }

    /// <summary>What was odd about the trace, all of which was read.</summary>
    public TraceHealth Health { get; private set; } = new();

    /// <summary>Reads a whole trace, in the fastest order.</summary>
    /// <param name="reader">The trace; a pipe is copied to a temporary file.</param>
    /// <param name="decoder">Learns what events are called.</param>
    /// <param name="filter">Tells the time that is asked for.</param>
    /// <param name="stacks">What is done with stack records.</param>
    public static DumpFacts Read(EtlReader reader, EventDecoder decoder, DumpFilter filter, DumpedStacks stacks)
    {
        reader.MakeRereadable();
        var facts = new DumpFacts(reader);
        Counter[] counters = [.. Enumerable.Range(0, Threads).Select(_ => new Counter(new Counts(filter, stacks)))];
        var learner = new Learner(facts, decoder, stacks == DumpedStacks.Joined);
        reader.ReadCounting(counters, ref learner);
        facts.Health = reader.Health;
        facts.Modules.Complete();
        facts.Buffers = filter.FromTicks > long.MinValue ? new BufferSelection(filter.FromTicks) : null;
        foreach (Counter counter in counters)
        {
            facts.Events += counter.Counts.Events;
            facts.EventsInTime += counter.Counts.EventsInTime;
            facts.Buffers?.Add(counter.Counts.Buffers);
        }

        return facts;
    }

    /// <summary>What one thread has counted.</summary>
    private sealed class Counts(DumpFilter filter, DumpedStacks stacks)
    {
        private readonly long _fromTicks = filter.FromTicks;
        private readonly long _toTicks = filter.ToTicks;
        private readonly bool _isAllAsked = filter.FromTicks == long.MinValue;
        private readonly bool _joinsStacks = stacks == DumpedStacks.Joined;

        public BufferSelection Buffers { get; } = new(filter.FromTicks);

        public long Events { get; private set; }

        public long EventsInTime { get; private set; }

        public void Add(in EtlEvent traceEvent)
        {
            Events++;
            long ticks = traceEvent.TimestampTicks;
            if (ticks < _fromTicks)
            {
                return;
            }

            if (!_isAllAsked)
            {
                Buffers.Look(in traceEvent);
            }

            // The joiner takes stack records for itself, and halves of stacks, too: those only make the reading end later.
            EventsInTime += ticks <= _toTicks && !(_joinsStacks && IsStackRecord(in traceEvent)) ? 1 : 0;
        }

        private static bool IsStackRecord(in EtlEvent traceEvent) =>
            traceEvent.HookId is KernelHook.Stack or (>= KernelHook.StackKeyCreate and <= KernelHook.StackUserKey);
    }

    /// <summary>Counts events; leaves those to the learner of which more must be known.</summary>
    private readonly struct Counter(Counts counts) : IEtlEventCounter
    {
        public Counts Counts => counts;

        public bool TryCount(scoped in EtlEvent traceEvent)
        {
            counts.Add(in traceEvent);
            if (traceEvent.Kind is not (EtlHeaderKind.PerfInfo64 or EtlHeaderKind.PerfInfo32))
            {
                return false; // Its header names a thread, or it describes others.
            }

            return (KernelGroup)(traceEvent.HookId >> 8) switch
            {
                KernelGroup.Process or KernelGroup.Image or KernelGroup.StackWalk => false,
                KernelGroup.Thread => traceEvent.HookId
                    is KernelHook.ContextSwitch or KernelHook.CompactContextSwitch or KernelHook.ReadyThread or KernelHook.SpinLock,
                _ => true,
            };
        }
    }

    private readonly struct Learner(DumpFacts facts, EventDecoder decoder, bool joinsStacks) : IEtlEventSink
    {
        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            facts.Modules.Add(in traceEvent);
            if (!traceEvent.IsKernelHook)
            {
                decoder.Learn(in traceEvent);
            }

            if (joinsStacks)
            {
                facts.Definitions.OnEvent(in traceEvent);
            }

            return true;
        }
    }
}
