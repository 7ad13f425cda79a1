using Tracer.AnalyzerCommand.Common.Symbols;
using Tracer.Etl.Decoding;
using Tracer.Etl.Stacks;

namespace Tracer.AnalyzerCommand.Commands.Dump;

/// <summary>
/// What a first reading of the whole trace finds for <c>analyzer dump</c>: what events are called, where images were, what stack keys mean,
/// all of which may stand anywhere; and which buffers hold events of the time that is asked for.
/// </summary>
internal sealed class DumpFacts
{
    private const int Threads = 2;

    private DumpFacts(EtlReader reader) => Modules = new TraceModules(reader.Header.PointerBytes);

    public TraceModules Modules { get; }

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
    public static DumpFacts Read(EtlReader reader, EventDecoder decoder, DumpFilter filter, DumpedStacks stacks)
    {
        reader.MakeRereadable();
        reader.Settle(eventTimes: false); // A dump shows what the file holds.
        var facts = new DumpFacts(reader);
        Counter[] counters = [.. Enumerable.Range(0, Threads).Select(_ => new Counter(new Counts(filter, stacks)))];
        var learner = new Learner(facts, decoder, stacks == DumpedStacks.Joined);
        reader.ReadCounting(counters, ref learner);
        facts.Health = reader.Health;
        foreach (Counter counter in counters)
        {
            counter.Counts.GiveThreads(facts.Modules);
        }

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

    private sealed class Counts(DumpFilter filter, DumpedStacks stacks)
    {
        /// <summary>Threads whose stack records are gathered, by the low bits of their ids, which are multiples of four.</summary>
        private readonly Seen[] _seen = new Seen[4096];

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

        /// <summary>Gathers the thread and process that a stack record tells, which are much the same for most of them.</summary>
        /// <returns>False where the record has to be looked at: the first of a thread, and of those that share its place here.</returns>
        public bool Gathers(in EtlEvent traceEvent)
        {
            uint thread;
            uint process;
            long ticks;
            if (traceEvent.HookId == KernelHook.Stack && StackRecord.TryRead(in traceEvent, out StackRecord stack))
            {
                (thread, process, ticks) = (stack.ThreadId, stack.ProcessId, stack.EventTimeStamp);
            }
            else if (traceEvent.HookId is KernelHook.StackKernelKey or KernelHook.StackUserKey
                && StackKeyRecord.TryRead(in traceEvent, out StackKeyRecord key))
            {
                (thread, process, ticks) = (key.ThreadId, key.ProcessId, key.EventTimeStamp);
            }
            else
            {
                return false;
            }

            ref Seen seen = ref _seen[(thread >> 2) & (uint)(_seen.Length - 1)];
            if (!seen.IsSet)
            {
                seen = new Seen(IsSet: true, thread, process, ticks, ticks);
                return false;
            }

            if (seen.Thread != thread || seen.Process != process)
            {
                return false;
            }

            if (ticks < seen.First || ticks > seen.Last)
            {
                seen = seen with { First = Math.Min(seen.First, ticks), Last = Math.Max(seen.Last, ticks) };
            }

            return true;
        }

        public void GiveThreads(TraceModules modules)
        {
            foreach (Seen seen in _seen)
            {
                if (seen.IsSet)
                {
                    modules.Threads.AddPair(seen.Thread, seen.Process, seen.First);
                    modules.Threads.AddPair(seen.Thread, seen.Process, seen.Last);
                }
            }
        }

        private static bool IsStackRecord(in EtlEvent traceEvent) =>
            traceEvent.HookId is KernelHook.Stack or (>= KernelHook.StackKeyCreate and <= KernelHook.StackUserKey);
    }

    /// <summary>A thread and the process that it was seen in, from when to when.</summary>
    private readonly record struct Seen(bool IsSet, uint Thread, uint Process, long First, long Last);

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
                KernelGroup.Process or KernelGroup.Image => false,
                KernelGroup.StackWalk => counts.Gathers(in traceEvent),
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
