using System.Buffers.Binary;
using Tracer.Etl.Kernel;

namespace Tracer.Capture.Tests;

/// <summary>
/// The processes, threads and images that there are at a moment: what a session tells when it starts (DCStart) and stops (DCEnd). The
/// payload of a start or load is that of its DCStart, so that the record is kept and its hook id changed.
/// </summary>
internal sealed class AliveRecords
{
    private const int HookOffset = 6;

    private readonly OrderedDictionary<(byte What, ulong Key, uint Process), byte[]> _records = [];

    /// <summary>Forgets all and takes what there is at the start.</summary>
    public void Begin(IEnumerable<byte[]> dcStarts)
    {
        _records.Clear();
        foreach (byte[] record in dcStarts)
        {
            Apply(record);
        }
    }

    /// <summary>Something began or ended.</summary>
    public void Apply(ReadOnlySpan<byte> record)
    {
        if (!EtlEvent.TryRead(record, 0, 0, out EtlEvent traceEvent))
        {
            return;
        }

        (byte what, ulong key, uint process) = KeyOf(traceEvent);
        if (traceEvent.HookId is 0x0302 or 0x0502 or KernelHook.ImageUnload)
        {
            _records.Remove((what, key, process));
        }
        else
        {
            _records[(what, key, process)] = record.ToArray();
        }
    }

    /// <summary>What a session tells that has some of the three switches on.</summary>
    /// <param name="flags">Word 0 of its masks.</param>
    /// <param name="atEnd">DCEnd, not DCStart.</param>
    public IEnumerable<byte[]> Rundown(uint flags, bool atEnd, long ticks)
    {
        foreach (((byte what, _, _), byte[] record) in _records)
        {
            if ((flags & what) == 0)
            {
                continue;
            }

            ushort hook = BinaryPrimitives.ReadUInt16LittleEndian(record.AsSpan(HookOffset));
            hook = (what, hook) switch
            {
                ((byte)KernelSwitch.Process, _) => 0x0303,
                ((byte)KernelSwitch.Thread, _) => 0x0503,
                (_, 0x1421 or 0x1422) => hook,
                _ => KernelHook.ImageDCStart,
            };
            hook += (ushort)(atEnd && hook is not (0x1421 or 0x1422) ? 1 : 0);
            byte[] copy = [.. record];
            BinaryPrimitives.WriteUInt16LittleEndian(copy.AsSpan(HookOffset), hook);
            RecordTime.Set(copy, ticks);
            yield return copy;
        }
    }

    private static (byte What, ulong Key, uint Process) KeyOf(in EtlEvent traceEvent)
    {
        if (traceEvent.HookId is 0x1421 or 0x1422)
        {
            return ((byte)KernelSwitch.Image, traceEvent.HookId, uint.MaxValue);
        }

        if (traceEvent.Group == KernelGroup.Thread && ThreadRecord.TryRead(traceEvent, out ThreadRecord thread))
        {
            // Each CPU has an idle thread, and all have the number 0.
            return ((byte)KernelSwitch.Thread, thread.ThreadId, thread.ThreadId == 0 ? (uint)((thread.StackBase ?? 0) >> 12) : 0);
        }

        bool isImage = traceEvent.HookId is KernelHook.ImageLoad || (byte)(traceEvent.HookId >> 8) == 0x14;
        if (isImage && ImageRecord.TryRead(traceEvent, out ImageRecord image))
        {
            return ((byte)KernelSwitch.Image, image.ImageBase, image.ProcessId ?? 0);
        }

        return ProcessRecord.TryRead(traceEvent, out ProcessRecord process)
            ? ((byte)KernelSwitch.Process, (ulong)process.ProcessId, 0u)
            : throw new InvalidOperationException($"Hook 0x{traceEvent.HookId:X4} tells nothing that begins or ends.");
    }
}
