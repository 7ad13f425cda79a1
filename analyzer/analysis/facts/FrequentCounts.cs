using System.Runtime.CompilerServices;

namespace Tracer.Analysis.Facts;

/// <summary>
/// Counts the most frequent kernel events of one CPU by hook id, for a reading that needs no more of them. The first event of each kind,
/// and those with another version than the first, are left to the caller.
/// </summary>
internal sealed class FrequentCounts
{
    /// <summary>This many first stacks of a CPU are all passed on: their headers name threads and processes.</summary>
    private const long FirstStacks = 4096;

    /// <summary>Of later stacks one in this many is passed on.</summary>
    private const long StacksForOne = 64;

    private static readonly ushort[] Hooks =
    [
        0,
        KernelHook.Stack,
        KernelHook.StackKernelKey,
        KernelHook.StackUserKey,
        KernelHook.ContextSwitch,
        KernelHook.ReadyThread,
        KernelHook.SampledProfile,
        KernelHook.Isr,
        KernelHook.IsrMessageSignalled,
        KernelHook.Dpc,
        KernelHook.TimerDpc,
        KernelHook.DpcEnqueue,
        KernelHook.DpcExecution,
    ];

    private static readonly byte[] SlotOfHook = MakeSlots();

    private static readonly int SampleSlot = Array.IndexOf(Hooks, KernelHook.SampledProfile);
    private static readonly int SwitchSlot = Array.IndexOf(Hooks, KernelHook.ContextSwitch);
    private static readonly int IsrSlot = Array.IndexOf(Hooks, KernelHook.Isr);
    private static readonly int DpcSlot = Array.IndexOf(Hooks, KernelHook.Dpc);
    private static readonly int TimerDpcSlot = Array.IndexOf(Hooks, KernelHook.TimerDpc);
    private static readonly int MessageIsrSlot = Array.IndexOf(Hooks, KernelHook.IsrMessageSignalled);
    private static readonly int StackSlot = Array.IndexOf(Hooks, KernelHook.Stack);

    private readonly Slot[] _slots = new Slot[Hooks.Length];

    private readonly CallStacks _stacks;

    public FrequentCounts(CallStacks stacks) => _stacks = stacks;

    /// <summary>Counts ISRs, including whether profile samples lie within their runs, and collects the routines of DPCs.</summary>
    public InterruptCounts Interrupts { get; } = new();

    /// <summary>Time stamp of the first counted event, in ticks.</summary>
    public long FirstTicks { get; private set; } = long.MaxValue;

    /// <summary>Time stamp of the last counted event, in ticks.</summary>
    public long LastTicks { get; private set; } = long.MinValue;

    /// <summary>The highest priority of a thread that ran, the idle thread left out; -1 where none did.</summary>
    public int HighestPriority { get; private set; } = -1;

    public IEnumerable<(ushort HookId, EtlHeaderKind Kind, ushort Version, long Count, long Bytes)> All =>
        from slot in Enumerable.Range(1, Hooks.Length - 1)
        where _slots[slot].Count > 0
        select (Hooks[slot], (EtlHeaderKind)(_slots[slot].Key & 0xFF), (ushort)((_slots[slot].Key >> 8) & 0xFFFF), _slots[slot].Count,
            _slots[slot].Bytes);

    /// <summary>Counts an event if it is of a frequent kind.</summary>
    /// <returns>Whether the event was counted; if not, the caller must look at it.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryCount(in EtlEvent traceEvent)
    {
        int number = SlotOfHook[traceEvent.HookId];
        if (number == 0)
        {
            return false;
        }

        // All of them, whether they are counted here or by the caller: which is which depends on how the file was cut.
        if (number == StackSlot)
        {
            _stacks.Add(in traceEvent);
        }
        else if (number == SampleSlot)
        {
            Interrupts.Sampled(traceEvent.BufferOffset, traceEvent.TimestampTicks);
        }
        else if (number == SwitchSlot)
        {
            Switched(in traceEvent);
        }
        else if (number == IsrSlot || number == MessageIsrSlot)
        {
            Interrupts.Returned(in traceEvent, traceEvent.TimestampTicks);
        }
        else if (number == DpcSlot || number == TimerDpcSlot)
        {
            Interrupts.Deferred(in traceEvent);
        }

        ref Slot slot = ref _slots[number];
        int key = (traceEvent.Version << 8) | (byte)traceEvent.Kind | Slot.IsSet;
        if (slot.Key != key || (number <= 3 && (++slot.Passed <= FirstStacks || (slot.Passed & (StacksForOne - 1)) == 0)))
        {
            slot.Key = slot.Key == 0 ? key : slot.Key;
            return false;
        }

        slot.Count++;
        slot.Bytes += traceEvent.Record.Length;
        long ticks = traceEvent.TimestampTicks;
        if (ticks < FirstTicks)
        {
            FirstTicks = ticks;
        }

        if (ticks > LastTicks)
        {
            LastTicks = ticks;
        }

        return true;
    }

    private void Switched(in EtlEvent traceEvent)
    {
        if (ContextSwitchRecord.TryRead(in traceEvent, out ContextSwitchRecord change) && change.NewThreadPriority > HighestPriority
            && change.NewThreadId != 0)
        {
            HighestPriority = change.NewThreadPriority;
        }
    }

    private static byte[] MakeSlots()
    {
        byte[] slots = new byte[ushort.MaxValue + 1];
        for (int i = 1; i < Hooks.Length; i++)
        {
            slots[Hooks[i]] = (byte)i;
        }

        return slots;
    }

    private struct Slot
    {
        public const int IsSet = 1 << 24;

        /// <summary>Header kind and version, once known.</summary>
        public int Key;

        public long Count;

        public long Bytes;

        public long Passed;
    }
}
