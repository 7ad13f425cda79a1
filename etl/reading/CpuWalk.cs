namespace Tracer.Etl.Reading;

/// <summary>Gives the events of one CPU's buffers, one buffer after the other.</summary>
internal static class CpuWalk
{
    /// <summary>Gives them to a sink; see <see cref="MergeCursor"/> for buffers whose events are not in order.</summary>
    /// <returns>False when the sink wants no more.</returns>
    public static bool GiveAll<TSink>(
        TraceInput input, ReadOnlySpan<BufferIndex.Place> places, StrayTimes? times, TraceHealth health, ref TSink sink)
        where TSink : IEtlEventSink, allows ref struct
    {
        byte[] stored = [];
        byte[] decompressed = [];
        foreach (ref readonly BufferIndex.Place place in places)
        {
            if (stored.Length < place.StoredBytes)
            {
                stored = new byte[place.StoredBytes];
            }

            int read = input.ReadFully(stored.AsSpan(0, place.StoredBytes), place.Offset);
            if (!BufferIndex.IsStill(stored.AsSpan(0, read), in place, out EtlBufferHeader header))
            {
                continue;
            }

            Span<byte> data = BufferDecompression.OwnData(header, stored.AsSpan(0, read), ref decompressed, place.Offset, health);
            times?.Settle(data, header.Cpu, in place, health);
            if (!EventWalk.GiveAll(data, header.Cpu, place.Offset, health, ref sink))
            {
                return false;
            }
        }

        return true;
    }
}
