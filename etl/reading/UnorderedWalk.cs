namespace Tracer.Etl.Reading;

/// <summary>Gives the events of several buffers alternately (<see cref="FourBuffers"/>), for whoever only counts.</summary>
internal sealed class UnorderedWalk
{
    private const int Lanes = 4;

    private readonly InputWindow _window;
    private readonly Lane[] _lanes = new Lane[Lanes];
    private int _count;
    private byte[] _decompressed = [];

    public UnorderedWalk(InputWindow window) => _window = window;

    /// <returns>False when the sink wants no more.</returns>
    public bool GiveAll<TSink>(BufferWalk walk, TraceHealth health, ref TSink sink)
        where TSink : IEtlEventSink, allows ref struct
    {
        _count = 0;
        while (walk.MoveNext())
        {
            bool isEndKnown = walk.Header.WasFlushed && walk.StoredBytes >= walk.Header.BufferSize;
            if (walk.Header.IsCompressed || !isEndKnown || !_window.CanGoBack)
            {
                // Decompression takes longer than the walk; and a pipe does not give its bytes again.
                ReadOnlySpan<byte> data = walk.Data(ref _decompressed, health);
                if (!EventWalk.GiveAll(data, walk.Header.Cpu, walk.Offset, health, ref sink))
                {
                    return false;
                }

                continue;
            }

            if (_count > 0 && walk.Offset + walk.FilledBytes - _lanes[0].Offset > InputWindow.BlockBytes && !GiveLanes(health, ref sink))
            {
                return false;
            }

            _lanes[_count++] = new Lane(walk.Offset, walk.FilledBytes, walk.Header.Cpu);
            if (_count == Lanes && !GiveLanes(health, ref sink))
            {
                return false;
            }
        }

        return GiveLanes(health, ref sink);
    }

    private bool GiveLanes<TSink>(TraceHealth health, ref TSink sink)
        where TSink : IEtlEventSink, allows ref struct
    {
        int count = _count;
        _count = 0;
        if (count == 0)
        {
            return true;
        }

        // Where bytes are missing a buffer begins inside the one before it, and may end there: the last need not reach farthest.
        int wanted = 0;
        for (int i = 0; i < count; i++)
        {
            wanted = Math.Max(wanted, (int)(_lanes[i].Offset - _lanes[0].Offset) + _lanes[i].FilledBytes);
        }

        ReadOnlySpan<byte> bytes = _window.Peek(_lanes[0].Offset, wanted);
        if (count == Lanes && bytes.Length == wanted)
        {
            return FourBuffers.GiveAll(
                new FourBuffers.Buffer(DataOf(bytes, 0), _lanes[0].Cpu, _lanes[0].Offset),
                new FourBuffers.Buffer(DataOf(bytes, 1), _lanes[1].Cpu, _lanes[1].Offset),
                new FourBuffers.Buffer(DataOf(bytes, 2), _lanes[2].Cpu, _lanes[2].Offset),
                new FourBuffers.Buffer(DataOf(bytes, 3), _lanes[3].Cpu, _lanes[3].Offset),
                health,
                ref sink);
        }

        for (int i = 0; i < count; i++)
        {
            if (!EventWalk.GiveAll(DataOf(bytes, i), _lanes[i].Cpu, _lanes[i].Offset, health, ref sink))
            {
                return false;
            }
        }

        return true;
    }

    private ReadOnlySpan<byte> DataOf(ReadOnlySpan<byte> bytes, int lane)
    {
        int start = (int)(_lanes[lane].Offset - _lanes[0].Offset);
        return start >= bytes.Length ? default : bytes.Slice(start, Math.Min(_lanes[lane].FilledBytes, bytes.Length - start));
    }

    private readonly record struct Lane(long Offset, int FilledBytes, int Cpu);
}
