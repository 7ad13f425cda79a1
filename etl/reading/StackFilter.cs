using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using Tracer.Etl.Kernel;

namespace Tracer.Etl.Reading;

/// <summary>
/// Leaves out the stack records of one CPU that belong to no event of the kinds wanted. A stack is logged behind its event, on the same
/// CPU, and carries its event's time stamp (MOF StackWalk_Event, Microsoft Learn).
/// </summary>
internal sealed class StackFilter
{
    /// <summary>
    /// A stack is of one of so many events of the kinds wanted that were logged last, or of none; <see cref="IsWanted"/> compares as many.
    /// </summary>
    private const int Remembered = 8;

    private readonly ushort[] _hooks;
    private readonly long[] _latest = new long[Remembered];
    private readonly long[] _before = new long[Remembered];
    private readonly int _firstHook;
    private int _next;
    private int _nextBefore;

    public StackFilter(ushort[] hooks)
    {
        _hooks = hooks;
        _firstHook = hooks.Length > 0 ? hooks[0] : -1;
        Array.Fill(_latest, long.MinValue);
    }

    /// <summary>
    /// Whether the next event of the CPU is wanted, a PERFINFO record without counters; is to be asked for each, as written.
    /// </summary>
    /// <param name="record">The record.</param>
    /// <param name="hook">Its hook id.</param>
    /// <param name="ticks">When it was logged.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool Wants(ReadOnlySpan<byte> record, ushort hook, long ticks)
    {
        if (hook is KernelHook.Stack or KernelHook.StackKernelKey)
        {
            return IsWanted(record);
        }

        if (hook == _firstHook || (_hooks.Length > 1 && _hooks.AsSpan().Contains(hook)))
        {
            Remember(ticks);
        }

        return true;
    }

    /// <summary>Asked instead where <see cref="EventWalk.TryMeasure"/> found none at first: all but bare stacks are wanted.</summary>
    /// <param name="buffer">The buffer's data.</param>
    /// <param name="place">Where the event is in it.</param>
    /// <param name="ticks">When it was logged.</param>
    public bool WantsOther(ReadOnlySpan<byte> buffer, int place, long ticks)
    {
        if (EventWalk.TryMeasure(buffer, place, out ReadOnlySpan<byte> record, out ushort hook, out _))
        {
            return Wants(record, hook, ticks);
        }

        if (EtlEvent.TryRead(buffer[place..], 0, 0, out EtlEvent other) && _hooks.AsSpan().Contains(other.HookId))
        {
            Remember(ticks); // With counters, say.
        }

        return true;
    }

    /// <summary>A buffer begins: <see cref="Return"/> goes back to here.</summary>
    public void Begin()
    {
        _latest.CopyTo(_before.AsSpan());
        _nextBefore = _next;
    }

    /// <summary>Forgets what was asked since <see cref="Begin"/>: the buffer is asked again.</summary>
    public void Return()
    {
        _before.CopyTo(_latest.AsSpan());
        _next = _nextBefore;
    }

    private void Remember(long ticks) => _latest[_next++ & (Remembered - 1)] = ticks;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool IsWanted(ReadOnlySpan<byte> record)
    {
        if (record.Length < EventHeaderLayout.PerfInfoBytes + sizeof(long))
        {
            return true;
        }

        // All of them at once: how many are compared is nothing that the processor could guess wrong.
        Vector128<long> asked = Vector128.Create(MemoryMarshal.Read<long>(record[EventHeaderLayout.PerfInfoBytes..]));
        ref long latest = ref MemoryMarshal.GetArrayDataReference(_latest);
        Vector128<long> equal = Vector128.Equals(Vector128.LoadUnsafe(ref latest), asked)
            | Vector128.Equals(Vector128.LoadUnsafe(ref latest, 2), asked)
            | Vector128.Equals(Vector128.LoadUnsafe(ref latest, 4), asked)
            | Vector128.Equals(Vector128.LoadUnsafe(ref latest, 6), asked);
        return equal != Vector128<long>.Zero;
    }
}
