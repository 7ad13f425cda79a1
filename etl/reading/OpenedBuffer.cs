namespace Tracer.Etl.Reading;

/// <summary>What is known of a buffer whose events were looked at, to find out which times of a trace are supported.</summary>
internal sealed class OpenedBuffer
{
    /// <summary>So many supported times of its beginning are kept, and as many of its end.</summary>
    private const int Kept = 32;

    /// <summary>So many times of a buffer are kept at most.</summary>
    public const int MostSamples = 2 * Kept;

    /// <summary>Place of its CPU in the index.</summary>
    public required int Which { get; init; }

    public required BufferIndex.Place Place { get; init; }

    /// <summary>When it was flushed, as its header tells; 0 where it does not.</summary>
    public required long FlushTicks { get; init; }

    /// <summary>The first time that its other events support.</summary>
    public required long FirstTicks { get; init; }

    public required long MinimumTicks { get; init; }

    public required long MaximumTicks { get; init; }

    /// <summary>Times that its other events support: those of its beginning and its end.</summary>
    public required long[] Samples { get; init; }

    /// <summary>Keeps what is needed of a buffer.</summary>
    /// <param name="which">Place of its CPU in the index.</param>
    /// <param name="place">Where it was indexed.</param>
    /// <param name="header">Its header.</param>
    /// <param name="times">Its times, judged.</param>
    public static OpenedBuffer Of(
        int which, in BufferIndex.Place place, in EtlBufferHeader header, ReadOnlySpan<EventTimes.Stamp> times)
    {
        var samples = new List<long>();
        long minimum = long.MaxValue;
        long maximum = long.MinValue;
        int supported = 0;
        foreach (ref readonly EventTimes.Stamp stamp in times)
        {
            supported += stamp.IsSupported ? 1 : 0;
            minimum = Math.Min(minimum, stamp.Ticks);
            maximum = Math.Max(maximum, stamp.Ticks);
        }

        int number = 0;
        foreach (ref readonly EventTimes.Stamp stamp in times)
        {
            if (stamp.IsSupported && (number++ < Kept || number > supported - Kept))
            {
                samples.Add(stamp.Ticks);
            }
        }

        return new OpenedBuffer
        {
            Which = which,
            Place = place,
            FlushTicks = header.TimeStamp,
            FirstTicks = times.IsEmpty || times[0].IsSupported ? place.FirstTicks : FirstOf(times) ?? place.FirstTicks,
            MinimumTicks = minimum,
            MaximumTicks = maximum,
            Samples = [.. samples],
        };
    }

    /// <summary>The first supported time; null where there is none.</summary>
    public static long? FirstOf(ReadOnlySpan<EventTimes.Stamp> times)
    {
        foreach (ref readonly EventTimes.Stamp stamp in times)
        {
            if (stamp.IsSupported)
            {
                return stamp.Ticks;
            }
        }

        return null;
    }
}
