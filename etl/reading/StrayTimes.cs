using System.Runtime.CompilerServices;

namespace Tracer.Etl.Reading;

/// <summary>
/// Puts the times of events right where they stand in a loaded buffer, before anybody sees them: a time that no neighbour supports becomes
/// that of the event before it, and is counted; those of a CPU whose clock is off move by what it is off.
/// </summary>
/// <param name="from">No event of the trace was earlier, in ticks.</param>
/// <param name="to">Nor later.</param>
internal sealed class StrayTimes(long from, long to)
{
    private readonly long[] _offsets = new long[EtlBufferHeader.MaximumProcessors];
    private bool _hasOffsets;

    /// <summary>Moves all times of a CPU from now on.</summary>
    /// <param name="cpu">Its index.</param>
    /// <param name="ticks">By so many ticks.</param>
    public void Move(int cpu, long ticks)
    {
        _offsets[cpu] += ticks;
        _hasOffsets = true;
    }

    /// <summary>By how many ticks the times of a CPU move.</summary>
    public long OffsetOf(int cpu) => _hasOffsets && (uint)cpu < (uint)_offsets.Length ? _offsets[cpu] : 0;

    /// <summary>Puts the times of a buffer right. Safe for use by several threads at once.</summary>
    /// <param name="data">The decompressed buffer, header included, up to the end of its data.</param>
    /// <param name="cpu">Its logical processor.</param>
    /// <param name="place">Where it was indexed.</param>
    /// <param name="health">Is told how many were stray, and of a buffer in which all are: its records may be of any time.</param>
    public void Settle(Span<byte> data, int cpu, in BufferIndex.Place place, TraceHealth health)
    {
        long offset = OffsetOf(cpu);
        if (!IsSound(data, EtlBufferHeader.HeaderBytes))
        {
            Support(data, place.FirstTicks - offset, place.Offset, offset, health);
        }

        if (offset != 0)
        {
            Move(data, offset);
        }
    }

    /// <summary>The times that are none of the trace's lie outside of these, in ticks.</summary>
    public (long From, long To) Limits => (from, to);

    /// <summary>Whether the times of four buffers are right as they stand, for sure; see <see cref="FourBuffers"/>.</summary>
    /// <param name="first">As for <see cref="Settle"/>.</param>
    /// <param name="second">Likewise.</param>
    /// <param name="third">Likewise.</param>
    /// <param name="fourth">Likewise.</param>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public bool AreSound(ReadOnlySpan<byte> first, ReadOnlySpan<byte> second, ReadOnlySpan<byte> third, ReadOnlySpan<byte> fourth)
    {
        if (_hasOffsets)
        {
            return false;
        }

        int at0 = EtlBufferHeader.HeaderBytes;
        int at1 = at0;
        int at2 = at0;
        int at3 = at0;
        while (TryPass(first, ref at0) && TryPass(second, ref at1) && TryPass(third, ref at2) && TryPass(fourth, ref at3))
        {
        }

        return IsSound(first, at0) && IsSound(second, at1) && IsSound(third, at2) && IsSound(fourth, at3);
    }

    /// <summary>Goes to the next event where this one is of the usual kind and its time right.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool TryPass(ReadOnlySpan<byte> data, ref int at)
    {
        if (!EventWalk.TryMeasure(data, at, out ReadOnlySpan<byte> record, out _, out long ticks) || ticks < from || ticks > to)
        {
            return false;
        }

        at = BufferHeaderLayout.Aligned(at + record.Length);
        return true;
    }

    /// <summary>Whether no time of a buffer is stray, for sure.</summary>
    /// <param name="data">As for <see cref="Settle"/>.</param>
    /// <param name="at">Where to begin.</param>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private bool IsSound(ReadOnlySpan<byte> data, int at)
    {
        long ticks = from;
        while (at < data.Length)
        {
            int next = EventWalk.Measure(data, ref at, 0, null, ref ticks);
            if (next == EventWalk.Stopped)
            {
                return true;
            }

            if (ticks < from || ticks > to)
            {
                return false;
            }

            at = next;
        }

        return true;
    }

    /// <summary>Events within the trace's time may be out of order: a merge writes what it adds where it has room.</summary>
    private bool IsStray(long ticks) => ticks < from || ticks > to;

    private void Support(Span<byte> data, long otherwise, long offset, long moved, TraceHealth health)
    {
        var times = new EventTimes();
        times.Take(data);
        ReadOnlySpan<EventTimes.Stamp> all = times.All;
        int first = 0;
        while (first < all.Length && IsStray(all[first].Ticks))
        {
            first++;
        }

        if (first == all.Length && offset > 0)
        {
            health.AddDamage(new DamagedBuffer(offset, "none of its times is of this trace: when it was written is not known"));
        }

        long before = first < all.Length ? all[first].Ticks : otherwise;
        long strayFrom = long.MaxValue;
        for (int i = 0; i < all.Length; i++)
        {
            EventTimes.Stamp stamp = all[i];
            if (!IsStray(stamp.Ticks))
            {
                before = stamp.Ticks;
                if (strayFrom != long.MaxValue)
                {
                    health.AddStray(new StrayStretch(offset, strayFrom, before + moved));
                    strayFrom = long.MaxValue;
                }
            }
            else
            {
                strayFrom = strayFrom != long.MaxValue ? strayFrom : i <= first ? long.MinValue : before + moved;
                RecordTimes.Put(data[stamp.Place..], before);
                health.Add(HealthCounter.StrayTimes);
            }
        }

        if (strayFrom != long.MaxValue)
        {
            health.AddStray(new StrayStretch(offset, strayFrom, long.MaxValue));
        }
    }

    private static void Move(Span<byte> data, long offset)
    {
        var times = new EventTimes();
        times.Take(data);
        foreach (ref readonly EventTimes.Stamp stamp in times.All)
        {
            RecordTimes.Move(data[stamp.Place..], offset);
        }
    }
}
