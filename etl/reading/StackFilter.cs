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

    /// <summary>Makes a filter.</summary>
    /// <param name="hooks">Hook ids of the events whose stacks are wanted.</param>
    public StackFilter(ushort[] hooks)
    {
        _hooks = hooks;
        Array.Fill(_latest, long.MinValue);
    }

    /// <summary>Goes through the events of the CPU's next buffer, and moves those that are wanted together.</summary>
    /// <param name="buffer">The buffer's data.</param>
    /// <param name="times">When each event was logged, in ticks.</param>
    /// <param name="places">Where each starts in the buffer.</param>
    /// <returns>How many are wanted.</returns>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public int Keep(ReadOnlySpan<byte> buffer, Span<long> times, Span<int> places)
    {
        int kept = 0;
        for (int i = 0; i < places.Length; i++)
        {
            int place = places[i];
            if (EventWalk.IsPerfInfo(buffer, place, out ushort hook))
            {
                if (hook is KernelHook.Stack or KernelHook.StackKernelKey)
                {
                    if (!IsWanted(buffer[place..]))
                    {
                        continue;
                    }
                }
                else if (_hooks.AsSpan().Contains(hook))
                {
                    Remember(times[i]);
                }
            }
            else if (EtlEvent.TryRead(buffer[place..], 0, 0, out EtlEvent other) && _hooks.AsSpan().Contains(other.HookId))
            {
                Remember(times[i]); // With counters, say.
            }

            times[kept] = times[i];
            places[kept++] = place;
        }

        return kept;
    }

    private void Remember(long ticks) => _latest[_next++ % Remembered] = ticks;

    private bool IsWanted(ReadOnlySpan<byte> record) =>
        record.Length < EventHeaderLayout.PerfInfoBytes + sizeof(long)
        || _latest.AsSpan().Contains(MemoryMarshal.Read<long>(record[EventHeaderLayout.PerfInfoBytes..]));
}
