using System.Buffers.Binary;
using Tracer.Etl.Kernel;

namespace Tracer.Etl.Reading;

/// <summary>The times in a record as it stands in a buffer: its time stamp, and what its payload tells in the same clock.</summary>
internal static class RecordTimes
{
    /// <summary>
    /// Puts another time stamp into the record that starts here; it must have one. What it tells of an ISR, a DPC or a page fault begins
    /// then as well: how long that took is not known.
    /// </summary>
    /// <param name="record">From the start of the record on.</param>
    /// <param name="ticks">The time stamp.</param>
    public static void Put(Span<byte> record, long ticks)
    {
        if (EventHeaderLayout.TimeOffset(record) is >= 0 and int offset)
        {
            BinaryPrimitives.WriteInt64LittleEndian(record[offset..], ticks);
            if (EtlEvent.TryRead(record, 0, 0, out EtlEvent read) && IsOfStretch(read.HookId) && read.Payload.Length >= sizeof(long))
            {
                BinaryPrimitives.WriteInt64LittleEndian(record[(read.Record.Length - read.Payload.Length)..], ticks);
            }
        }
    }

    /// <summary>
    /// Moves all times of a record that its own CPU took: the time stamp, when an ISR, a DPC or a page fault began, and which event
    /// a stack belongs to.
    /// </summary>
    /// <param name="record">From the start of the record on.</param>
    /// <param name="by">By how many ticks.</param>
    public static void Move(Span<byte> record, long by)
    {
        if (!EtlEvent.TryRead(record, 0, 0, out EtlEvent read) || EventHeaderLayout.TimeOffset(record) is not (>= 0 and int offset))
        {
            return;
        }

        int payload = read.Record.Length - read.Payload.Length;
        bool hasTime = BeginsWithTime(read.HookId) && read.Payload.Length >= sizeof(long);
        Add(record[offset..], by);
        if (hasTime)
        {
            Add(record[payload..], by);
        }
    }

    private static bool BeginsWithTime(ushort hookId) =>
        IsOfStretch(hookId) || hookId is KernelHook.Stack or KernelHook.StackKernelKey or KernelHook.StackUserKey;

    private static bool IsOfStretch(ushort hookId) => hookId is KernelHook.Isr or KernelHook.IsrMessageSignalled or KernelHook.PassiveIsr
        or KernelHook.Dpc or KernelHook.ThreadedDpc or KernelHook.TimerDpc or KernelHook.IoTimerDpc or KernelHook.HardFault;

    private static void Add(Span<byte> time, long by) => BinaryPrimitives.WriteInt64LittleEndian(
        time, unchecked(BinaryPrimitives.ReadInt64LittleEndian(time) + by));
}
