namespace Tracer.Etl.Reading;

/// <summary>
/// Finds buffers that are missing, whatever the file counts, by the gaps that they leave: a buffer is full at any time, and the next event
/// goes to the next one at once; a CPU that logs nothing right there, for far longer than ever within a buffer, has logged something.
/// </summary>
/// <param name="input">The file; it can go back.</param>
/// <param name="index">Its buffers.</param>
/// <param name="header">What its first event says; null where that could not be read.</param>
/// <param name="times">Puts times right; null where they stay as they are.</param>
internal sealed class GapsBehindBuffers(TraceInput input, BufferIndex index, EtlFileHeader? header, StrayTimes? times)
    : IDisposable
{
    /// <summary>So many buffers of each CPU, those with the longest time to the next, are looked at.</summary>
    private const int LookedAt = 8;

    /// <summary>The gap is more than this many times as long as the longest within those.</summary>
    private const int TimesWithin = 2;

    /// <summary>
    /// A buffer holds so many events at least: that of all times between two events the longest lies behind the last is chance in one of as
    /// many traces.
    /// </summary>
    private const int LeastEvents = 256;

    /// <summary>A buffer was full where no more than one byte in so many was left: then the next event went to the next at once.</summary>
    private const int OneLeftInFull = 32;

    /// <summary>What is shorter proves nothing: a thousandth of a second.</summary>
    private const int LeastPerSecond = 1000;

    private byte[] _stored = [];
    private byte[] _decompressed = [];

    /// <summary>The gaps in which buffers are missing.</summary>
    public List<TraceLoss> Find()
    {
        var found = new List<TraceLoss>();
        long least = (header?.Clock.TicksPerSecond ?? LogFileHeaderEvent.AssumedTicksPerSecond) / LeastPerSecond;
        for (int which = 0; which < index.Cpus.Count; which++)
        {
            BufferIndex.Place[] places = [.. index.Of(which)];
            int[] longest = [.. Enumerable.Range(0, Math.Max(0, places.Length - 1)).Where(i => places[i].Offset != 0)
                .OrderByDescending(i => places[i + 1].FirstTicks - places[i].FirstTicks).ThenBy(i => i).Take(LookedAt)];
            long within = 0;
            var gaps = new List<TraceLoss>();
            foreach (int i in longest)
            {
                (long last, long gap, bool isTelling) = Within(places[i]);
                within = Math.Max(within, gap);
                if (isTelling && places[i + 1].FirstTicks - last >= least)
                {
                    gaps.Add(new TraceLoss(index.Cpus[which], last, places[i + 1].FirstTicks, LossKind.MissingBuffer));
                }
            }

            found.AddRange(gaps.Where(gap => (gap.ToTicks - gap.FromTicks) / TimesWithin > within));
        }

        return found;
    }

    /// <summary>Gives its block to whoever reads next.</summary>
    public void Dispose()
    {
        input.Blocks.Give(_stored);
        _stored = [];
    }

    /// <summary>When the last event of a buffer was logged; when the first one was, where no more is known.</summary>
    public long LastTicks(BufferIndex.Place place) => Within(place).LastTicks;

    /// <summary>The last event of a buffer, the longest time without one in it, and whether it was full of events.</summary>
    private (long LastTicks, long GapTicks, bool IsTelling) Within(BufferIndex.Place place)
    {
        Span<byte> data = Load(in place, out long capacity);
        (long last, long gap, int events) = (place.FirstTicks, 0, 0);
        var unheard = new TraceHealth();
        for (int at = EtlBufferHeader.HeaderBytes; at >= 0 && at < data.Length;)
        {
            long ticks = last;
            at = EventWalk.Measure(data, ref at, place.Offset, unheard, ref ticks);
            gap = Math.Max(gap, ticks - last);
            events++;
            last = Math.Max(last, ticks);
        }

        return (last, gap, events >= LeastEvents && capacity - data.Length <= capacity / OneLeftInFull);
    }

    /// <summary>Loads a buffer and puts its times right.</summary>
    /// <param name="place">Where it is.</param>
    /// <param name="capacity">How many bytes it had room for.</param>
    /// <returns>Its bytes up to the end of its data; none where it is another by now.</returns>
    private Span<byte> Load(in BufferIndex.Place place, out long capacity)
    {
        capacity = 0;
        if (_stored.Length < place.StoredBytes)
        {
            _stored = input.Blocks.Take(place.StoredBytes);
        }

        int read = input.ReadFully(_stored.AsSpan(0, place.StoredBytes), place.Offset);
        if (!BufferIndex.IsStill(_stored.AsSpan(0, read), in place, out EtlBufferHeader own))
        {
            return [];
        }

        var unheard = new TraceHealth();
        Span<byte> data = BufferDecompression.OwnData(own, _stored.AsSpan(0, read), ref _decompressed, place.Offset, unheard);
        times?.Settle(data, own.Cpu, in place, unheard);
        capacity = Math.Max(header?.BufferBytes ?? 0, own.BufferSize);
        return data;
    }
}
