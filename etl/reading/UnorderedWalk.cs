using System.Runtime.CompilerServices;

namespace Tracer.Etl.Reading;

/// <summary>
/// Gives the events of several buffers alternately, for whoever only counts: where the next event starts is known only when the size of
/// this one has been loaded, and with four buffers at once the CPU waits for four such loads at a time instead of one.
/// </summary>
internal sealed class UnorderedWalk
{
    private const int Lanes = 4;

    private readonly InputWindow _window;
    private readonly Lane[] _lanes = new Lane[Lanes];
    private int _count;
    private byte[] _decompressed = [];

    /// <summary>Walks through a window.</summary>
    public UnorderedWalk(InputWindow window) => _window = window;

    /// <summary>Gives all events.</summary>
    /// <param name="walk">At its start.</param>
    /// <param name="health">Is told what is odd.</param>
    /// <param name="sink">Takes the events.</param>
    /// <returns>False when the sink wants no more.</returns>
    public bool GiveAll<TSink>(BufferWalk walk, TraceHealth health, ref TSink sink)
        where TSink : IEtlEventSink, allows ref struct
    {
        _count = 0;
        while (walk.MoveNext())
        {
            if (walk.Header.IsCompressed || !_window.CanGoBack)
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
            return GiveFour(bytes, health, ref sink);
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

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private bool GiveFour<TSink>(ReadOnlySpan<byte> bytes, TraceHealth health, ref TSink sink)
        where TSink : IEtlEventSink, allows ref struct
    {
        Lane lane0 = _lanes[0];
        Lane lane1 = _lanes[1];
        Lane lane2 = _lanes[2];
        Lane lane3 = _lanes[3];
        ReadOnlySpan<byte> data0 = DataOf(bytes, 0);
        ReadOnlySpan<byte> data1 = DataOf(bytes, 1);
        ReadOnlySpan<byte> data2 = DataOf(bytes, 2);
        ReadOnlySpan<byte> data3 = DataOf(bytes, 3);
        int at0 = EtlBufferHeader.HeaderBytes;
        int at1 = at0;
        int at2 = at0;
        int at3 = at0;
        while (at0 < data0.Length && at1 < data1.Length && at2 < data2.Length && at3 < data3.Length)
        {
            if ((at0 = EventWalk.Give(data0, at0, lane0.Cpu, lane0.Offset, health, ref sink)) < 0
                || (at1 = EventWalk.Give(data1, at1, lane1.Cpu, lane1.Offset, health, ref sink)) < 0
                || (at2 = EventWalk.Give(data2, at2, lane2.Cpu, lane2.Offset, health, ref sink)) < 0
                || (at3 = EventWalk.Give(data3, at3, lane3.Cpu, lane3.Offset, health, ref sink)) < 0)
            {
                return false; // At once: a sink that wants no more is not called again.
            }
        }

        return EventWalk.GiveRest(data0, at0, lane0.Cpu, lane0.Offset, health, ref sink)
            && EventWalk.GiveRest(data1, at1, lane1.Cpu, lane1.Offset, health, ref sink)
            && EventWalk.GiveRest(data2, at2, lane2.Cpu, lane2.Offset, health, ref sink)
            && EventWalk.GiveRest(data3, at3, lane3.Cpu, lane3.Offset, health, ref sink);
    }

    private ReadOnlySpan<byte> DataOf(ReadOnlySpan<byte> bytes, int lane)
    {
        int start = (int)(_lanes[lane].Offset - _lanes[0].Offset);
        return start >= bytes.Length ? default : bytes.Slice(start, Math.Min(_lanes[lane].FilledBytes, bytes.Length - start));
    }

    private readonly record struct Lane(long Offset, int FilledBytes, int Cpu);
}
