namespace Tracer.Etl.Reading;

/// <summary>
/// Gives the events of one CPU's buffers, one buffer after the other. Its blocks are used again for the next CPU.
/// </summary>
/// <param name="input">The file.</param>
/// <param name="times">Puts times right; null where they stay as they are.</param>
/// <param name="health">Is told what is odd.</param>
internal sealed class CpuWalk(TraceInput input, StrayTimes? times, TraceHealth health) : IDisposable
{
    private byte[] _stored = [];
    private byte[] _decompressed = [];

    /// <summary>Gives those of all CPUs to a sink, one CPU after the other.</summary>
    /// <returns>False when the sink wants no more.</returns>
    public bool GiveAll<TSink>(BufferIndex index, ref TSink sink)
        where TSink : IEtlEventSink, allows ref struct
    {
        for (int which = 0; which < index.Cpus.Count; which++)
        {
            if (!GiveAll(index.Of(which), ref sink))
            {
                return false;
            }
        }

        return true;
    }

    /// <summary>Gives them to a sink; see <see cref="MergeCursor"/> for buffers whose events are not in order.</summary>
    /// <param name="places">Where the buffers are.</param>
    /// <param name="sink">Takes the events.</param>
    /// <returns>False when the sink wants no more.</returns>
    public bool GiveAll<TSink>(ReadOnlySpan<BufferIndex.Place> places, ref TSink sink)
        where TSink : IEtlEventSink, allows ref struct
    {
        foreach (ref readonly BufferIndex.Place place in places)
        {
            if (_stored.Length < place.StoredBytes)
            {
                _stored = input.Blocks.Take(place.StoredBytes);
            }

            int read = input.ReadFully(_stored.AsSpan(0, place.StoredBytes), place.Offset);
            if (!BufferIndex.IsStill(_stored.AsSpan(0, read), in place, out EtlBufferHeader header))
            {
                continue;
            }

            Span<byte> data = BufferDecompression.OwnData(header, _stored.AsSpan(0, read), ref _decompressed, place.Offset, health);
            times?.Settle(data, header.Cpu, in place, health);
            if (!EventWalk.GiveAll(data, header.Cpu, place.Offset, health, ref sink))
            {
                return false;
            }
        }

        return true;
    }

    /// <summary>Gives its block to the next reading.</summary>
    public void Dispose()
    {
        input.Blocks.Give(_stored);
        _stored = [];
    }
}
