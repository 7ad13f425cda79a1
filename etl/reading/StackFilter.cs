using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Tracer.Etl.Kernel;

namespace Tracer.Etl.Reading;

/// <summary>
/// Leaves out the stack records of one CPU that belong to no event of the kinds wanted. A stack is logged behind its event, on the same
/// CPU, and carries its event's time stamp (MOF StackWalk_Event, Microsoft Learn).
/// </summary>
internal sealed class StackFilter
{
    /// <summary>A stack is of one of so many events of the kinds wanted that were logged last, or of none.</summary>
    private const int Remembered = 8;

    private readonly ushort[] _hooks;
    private readonly long[] _latest = new long[Remembered];
    private int _next;

    public StackFilter(ushort[] hooks)
    {
        _hooks = hooks;
        Array.Fill(_latest, long.MinValue);
    }

    /// <summary>Whether the next event of the CPU is wanted: is to be asked for each, as written.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool Wants(ReadOnlySpan<byte> buffer, int place, long ticks)
    {
        if (!EventWalk.IsPerfInfo(buffer, place, out ushort hook))
        {
            if (EtlEvent.TryRead(buffer[place..], 0, 0, out EtlEvent other) && _hooks.AsSpan().Contains(other.HookId))
            {
                Remember(ticks); // With counters, say.
            }

            return true;
        }

        if (hook is KernelHook.Stack or KernelHook.StackKernelKey)
        {
            return IsWanted(buffer[place..]);
        }

        foreach (ushort wanted in _hooks)
        {
            if (hook == wanted)
            {
                Remember(ticks);
                break;
            }
        }

        return true;
    }

    private void Remember(long ticks) => _latest[_next++ % Remembered] = ticks;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool IsWanted(ReadOnlySpan<byte> record)
    {
        if (record.Length < EventHeaderLayout.PerfInfoBytes + sizeof(long))
        {
            return true;
        }

        long ticks = MemoryMarshal.Read<long>(record[EventHeaderLayout.PerfInfoBytes..]);
        bool isWanted = false;
        foreach (long latest in _latest)
        {
            isWanted |= latest == ticks; // All of them: how many are compared is nothing that the processor could guess wrong.
        }

        return isWanted;
    }
}
