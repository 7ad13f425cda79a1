using System.Buffers.Binary;

namespace Tracer.Etl.Kernel;

/// <summary>
/// Walks the entries of a <see cref="CompactContextSwitchRecord"/>, without allocation. An entry names the thread that was switched out;
/// the thread that was switched in is the old thread of the next entry.
/// </summary>
/// <remarks>
/// Source: Geoff Chappell's pages; not seen in a real file. Forms by the low two bits: 0, two bytes: idle out, delta in bits 2-15. 1,
/// four bytes: idle out, delta in bits 2-31. 2, four bytes: bits 2-5 thread, 6-8 priority above base, 9-14 StateWr, 15-31 delta. 3, eight
/// bytes: bits 2-31 delta, then bits 0-3 thread, 4-9 StateWr, 10-14 old priority, 15-31 the new thread's wait.
/// </remarks>
public ref struct CompactContextSwitchEnumerator
{
    private readonly CompactContextSwitchRecord _record;
    private ReadOnlySpan<byte> _rest;
    private uint _form;
    private uint _low;
    private uint _high;

    internal CompactContextSwitchEnumerator(CompactContextSwitchRecord record, ReadOnlySpan<byte> entries)
    {
        _record = record;
        _rest = entries;
        TimestampTicks = record.FirstTimeStamp;
    }

    /// <summary>When the switch happened, in ticks of the trace's clock.</summary>
    public long TimestampTicks { get; private set; }

    /// <summary>Thread that was switched out; 0 is idle.</summary>
    public readonly uint OldThreadId => ThreadIndex is int index ? _record.ThreadId(index) : 0;

    /// <summary>
    /// Wait reason of the old thread, or its state plus the number of wait reasons that the traced build has; null where it is idle.
    /// </summary>
    public readonly byte? StateWr => _form switch
    {
        2 => (byte)((_low >> 9) & 0x3F),
        3 => (byte)((_high >> 4) & 0x3F),
        _ => null,
    };

    /// <summary>Priority of the old thread; null where it is idle.</summary>
    public readonly int? OldThreadPriority => _form switch
    {
        2 => _record.BasePriority((int)(_low >> 2) & 15) + (int)((_low >> 6) & 7),
        3 => (int)((_high >> 10) & 0x1F),
        _ => null,
    };

    /// <summary>How long the new thread waited, in clock ticks; null where the entry does not say. Form 2 means at most one.</summary>
    public readonly uint? NewThreadWaitTime => _form == 3 ? _high >> 15 : null;

    /// <summary>The enumerator itself stands for the current entry.</summary>
    public readonly CompactContextSwitchEnumerator Current => this;

    private readonly int? ThreadIndex => _form switch
    {
        2 => (int)(_low >> 2) & 15,
        3 => (int)_high & 15,
        _ => null,
    };

    /// <summary>Whether <see cref="StateWr"/> is a wait reason, and which.</summary>
    /// <param name="waitReasonCount">How many wait reasons the traced build has (MaximumWaitReason).</param>
    /// <param name="reason">What the old thread waits for.</param>
    /// <returns>False where it is no wait: then the old thread is idle or in the state <paramref name="state"/>.</returns>
    /// <param name="state">What becomes of the old thread; null where it is idle.</param>
    public readonly bool TryGetWaitReason(int waitReasonCount, out WaitReason reason, out KernelThreadState? state)
    {
        bool isWait = StateWr < waitReasonCount;
        reason = isWait ? (WaitReason)StateWr.GetValueOrDefault() : default;
        state = isWait ? KernelThreadState.Waiting : (KernelThreadState?)(StateWr - waitReasonCount);
        return isWait;
    }

    /// <summary>Goes to the next entry.</summary>
    /// <returns>False after the last, and before one that the payload cuts off.</returns>
    public bool MoveNext()
    {
        uint form = _rest.IsEmpty ? 0 : _rest[0] & 3u;
        int bytes = form switch
        {
            0 => 2,
            3 => 8,
            _ => 4,
        };
        if (_rest.Length < bytes)
        {
            _rest = default;
            return false;
        }

        _form = form;
        _low = form == 0 ? BinaryPrimitives.ReadUInt16LittleEndian(_rest) : BinaryPrimitives.ReadUInt32LittleEndian(_rest);
        _high = form == 3 ? BinaryPrimitives.ReadUInt32LittleEndian(_rest[4..]) : 0;
        TimestampTicks = unchecked(TimestampTicks + (form == 2 ? _low >> 15 : _low >> 2));
        _rest = _rest[bytes..];
        return true;
    }

    /// <summary>Enumerates from the current place on.</summary>
    public readonly CompactContextSwitchEnumerator GetEnumerator() => this;
}
