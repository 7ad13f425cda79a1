namespace Tracer.Etl.Reading;

/// <summary>Gives the events of some stretches of a trace, spread over all of it, CPU by CPU.</summary>
internal static class SampleWalk
{
    /// <summary>Gives them to a sink; all events where these take no more bytes.</summary>
    /// <returns>Of which times all events were given; null when the sink wanted no more.</returns>
    public static SampledTimes? GiveAll<TSink>(
        TraceInput input, BufferIndex index, StrayTimes? times, TraceHealth health, int stretches, long bytes, ref TSink sink)
        where TSink : IEtlEventSink, allows ref struct
    {
        long first = long.MaxValue;
        long last = long.MinValue;
        long all = 0;
        for (int which = 0; which < index.Cpus.Count; which++)
        {
            foreach (ref readonly BufferIndex.Place place in index.Of(which))
            {
                all += place.StoredBytes;
                (first, last) = (Math.Min(first, place.FirstTicks), Math.Max(last, place.FirstTicks));
            }
        }

        using var walk = new CpuWalk(input, times, health);
        double step = ((double)last - first) / stretches;
        double length = all <= bytes ? step : step * bytes / all;
        for (int which = 0; which < index.Cpus.Count; which++)
        {
            ReadOnlySpan<BufferIndex.Place> places = index.Of(which);
            for (int i = 0; i < places.Length; i++)
            {
                double from = (double)places[i].FirstTicks - first;
                // How far the last buffer of a CPU reaches is not known before it is read.
                double to = i + 1 < places.Length ? (double)places[i + 1].FirstTicks - first : double.PositiveInfinity;
                bool isInside = all <= bytes || (from % step) < length || Math.Floor(from / step) < Math.Floor(to / step);
                if (isInside && !walk.GiveAll(places.Slice(i, 1), ref sink))
                {
                    return null;
                }
            }
        }

        return new SampledTimes(first, step, length, stretches);
    }
}
