namespace Tracer.Etl.Reading;

/// <summary>Looks into buffers, one after the other; its blocks are used again.</summary>
/// <param name="input">The file.</param>
/// <param name="header">What its first event says; null where that could not be read.</param>
internal sealed class BufferOpening(TraceInput input, EtlFileHeader? header) : IDisposable
{
    private readonly EventTimes _times = new();
    private readonly TraceHealth _unheard = new();
    private byte[] _stored = [];
    private byte[] _decompressed = [];

    /// <summary>What is needed of a buffer to find out which times of the trace are supported, and the widths of its pointers.</summary>
    /// <param name="which">Place of its CPU in the index.</param>
    /// <param name="place">Where it is.</param>
    /// <returns>No buffer where it is another by now.</returns>
    public (OpenedBuffer? Buffer, Widths Widths) Open(int which, in BufferIndex.Place place)
    {
        if (!TryRead(in place, out EtlBufferHeader own, out ReadOnlySpan<byte> data))
        {
            return default;
        }

        _times.Take(data);
        _times.Judge(long.MinValue, long.MaxValue, TimeSupport.DisorderOf(header));
        return (OpenedBuffer.Of(which, in place, in own, _times.All), WidthsOf(data));
    }

    /// <summary>When a buffer begins by the times that are supported; null where none of its times is.</summary>
    /// <returns>Whether it is still there.</returns>
    public bool TryFirst(in BufferIndex.Place place, TimeSupport support, out long? ticks)
    {
        ticks = null;
        if (!TryRead(in place, out _, out ReadOnlySpan<byte> data))
        {
            return false;
        }

        _times.Take(data);
        _times.Judge(support.From, support.To, support.Disorder);
        ticks = OpenedBuffer.FirstOf(_times.All);
        return true;
    }

    /// <summary>Gives its block to whoever reads next.</summary>
    public void Dispose()
    {
        input.Blocks.Give(_stored);
        _stored = [];
    }

    private bool TryRead(in BufferIndex.Place place, out EtlBufferHeader own, out ReadOnlySpan<byte> data)
    {
        if (_stored.Length < place.StoredBytes)
        {
            _stored = input.Blocks.Take(place.StoredBytes);
        }

        data = default;
        int read = input.ReadFully(_stored.AsSpan(0, place.StoredBytes), place.Offset);
        if (!BufferIndex.IsStill(_stored.AsSpan(0, read), in place, out own))
        {
            return false;
        }

        data = BufferDecompression.Data(own, _stored.AsSpan(0, read), ref _decompressed, place.Offset, _unheard);
        return true;
    }

    private Widths WidthsOf(ReadOnlySpan<byte> data)
    {
        var sink = new WidthSink();
        foreach (ref readonly EventTimes.Stamp stamp in _times.All)
        {
            EventWalk.GiveFound(data, stamp.Place, 0, 0, ref sink);
        }

        return sink.Widths;
    }

    private struct WidthSink : IEtlEventSink
    {
        private Widths _widths;

        public readonly Widths Widths => _widths;

        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            // The records of the header are the writing program's; all others with a hook id are the kernel's.
            bool isWide = traceEvent.PointerBytes == sizeof(ulong);
            if (!traceEvent.IsKernelHook)
            {
                _widths.Programs64 += isWide ? 1 : 0;
            }
            else if (traceEvent.Group != KernelGroup.Header)
            {
                _widths.Kernels64 += isWide ? 1 : 0;
                _widths.Kernels32 += isWide ? 0 : 1;
            }

            return true;
        }
    }
}

/// <summary>How many events have pointers of which width.</summary>
/// <param name="Kernels32">Of the kernel, 32 bits.</param>
/// <param name="Kernels64">Of the kernel, 64 bits.</param>
/// <param name="Programs64">Of programs, 64 bits.</param>
internal record struct Widths(long Kernels32, long Kernels64, long Programs64)
{
    public readonly Widths Plus(in Widths more) =>
        new(Kernels32 + more.Kernels32, Kernels64 + more.Kernels64, Programs64 + more.Programs64);
}
