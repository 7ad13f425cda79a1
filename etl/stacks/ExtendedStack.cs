using System.Buffers.Binary;
using System.Runtime.InteropServices;

namespace Tracer.Etl.Stacks;

/// <summary>
/// The stack that an EVENT_HEADER event carries in itself, as an extended item (EVENT_EXTENDED_ITEM_STACK_TRACE32 and 64 of evntcons.h).
/// </summary>
internal readonly ref struct ExtendedStack
{
    private const int FramesOffset = 8;

    private readonly ReadOnlySpan<byte> _frames;
    private readonly int _pointerBytes;

    private ExtendedStack(ReadOnlySpan<byte> data, int pointerBytes, bool isKey)
    {
        MatchId = BinaryPrimitives.ReadUInt64LittleEndian(data);
        _frames = data[FramesOffset..];
        _pointerBytes = pointerBytes;
        IsKey = isKey;
    }

    /// <summary>What the event with the user half of the stack has too; 0 where there is none.</summary>
    public ulong MatchId { get; }

    /// <summary>Whether it is a key instead of frames.</summary>
    public bool IsKey { get; }

    public ulong Key => Frame(0);

    /// <summary>How many frames there are.</summary>
    public int FrameCount => IsKey ? 0 : _frames.Length / _pointerBytes;

    /// <summary>How many of the frames, from the innermost, lie in the kernel.</summary>
    public int KernelFrameCount
    {
        get
        {
            int count = 0;
            while (count < FrameCount && StackHooks.IsKernelAddress(Frame(count), _pointerBytes))
            {
                count++;
            }

            return count;
        }
    }

    /// <returns>False where the event has none.</returns>
    public static bool TryRead(in EtlEvent traceEvent, out ExtendedStack stack)
    {
        foreach (EtlExtendedItemEnumerator item in traceEvent.ExtendedItems)
        {
            bool isKey = item.Kind is EtlExtendedItemKind.StackKey32 or EtlExtendedItemKind.StackKey64;
            int pointerBytes = item.Kind is EtlExtendedItemKind.StackTrace32 or EtlExtendedItemKind.StackKey32 ? 4 : 8;
            if ((isKey || item.Kind is EtlExtendedItemKind.StackTrace32 or EtlExtendedItemKind.StackTrace64)
                && item.Data.Length >= FramesOffset + (isKey ? pointerBytes : 0))
            {
                stack = new ExtendedStack(item.Data, pointerBytes, isKey);
                return true;
            }
        }

        stack = default;
        return false;
    }

    public void CopyTo(Span<ulong> frames)
    {
        if (_pointerBytes == sizeof(ulong) && BitConverter.IsLittleEndian)
        {
            _frames[..(FrameCount * sizeof(ulong))].CopyTo(MemoryMarshal.AsBytes(frames));
            return;
        }

        for (int i = 0; i < FrameCount; i++)
        {
            frames[i] = Frame(i);
        }
    }

    private ulong Frame(int index) => _pointerBytes == sizeof(ulong)
        ? BinaryPrimitives.ReadUInt64LittleEndian(_frames[(index * sizeof(ulong))..])
        : BinaryPrimitives.ReadUInt32LittleEndian(_frames[(index * sizeof(uint))..]);
}
