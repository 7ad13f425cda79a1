using System.Runtime.InteropServices;
using Tracer.Etl;
using Tracer.Etl.Kernel;

namespace Tracer.Analysis;

/// <summary>
/// The distinct kernel stacks of a trace with their counts, as far as they fit into a limit: they show who calls whom. Stacks of one or two
/// frames show no caller of a driver and are ignored.
/// </summary>
internal sealed class CallStacks
{
    private const int FewestFrames = 3;
    private const int MostFrames = 64;
    private const int MostStacks = 1 << 16;

    /// <summary>Frames are kept in blocks, so that nothing is copied when there are more; a stack lies in one of them.</summary>
    private const int FramesOfBlock = 1 << 15;
    private const int MostBlocks = 32;

    private Dictionary<ulong, int> _numbers = [];
    private List<Entry> _stacks = [];
    private List<ulong[]> _frames = [];
    private int _used = FramesOfBlock;
    private readonly ulong[] _buffer = new ulong[MostFrames];
    private readonly int _pointerBytes;

    /// <summary>Creates an empty collection.</summary>
    /// <param name="pointerBytes">Width of the kernel's pointers: 4 or 8.</param>
    public CallStacks(int pointerBytes) => _pointerBytes = pointerBytes;

    /// <summary>The stacks: frames (innermost first), count, and time of the first occurrence in ticks.</summary>
    public IEnumerable<(ReadOnlyMemory<ulong> Frames, int Count, long Ticks)> All =>
        from stack in _stacks
        select ((ReadOnlyMemory<ulong>)_frames[stack.Block].AsMemory(stack.First, stack.Length), stack.Count, stack.Ticks);

    /// <summary>Forgets all stacks.</summary>
    public void Clear()
    {
        _numbers = [];
        _stacks = [];
        _frames = [];
        _used = FramesOfBlock;
    }

    /// <summary>Adds a stack record.</summary>
    /// <param name="traceEvent">The event; one too short for a stack record is ignored.</param>
    public void Add(in EtlEvent traceEvent)
    {
        if (StackRecord.TryRead(in traceEvent, out StackRecord record) && record.FrameCount >= FewestFrames)
        {
            Add(record.Frames(_buffer), record.EventTimeStamp);
        }
    }

    /// <summary>Adds a stack; its user-mode frames are ignored.</summary>
    /// <param name="frames">Return addresses, innermost first.</param>
    /// <param name="ticks">Time of the stack, in ticks.</param>
    public void Add(ReadOnlySpan<ulong> frames, long ticks)
    {
        frames = KernelPart(frames[..Math.Min(frames.Length, MostFrames)]);
        if (frames.Length < FewestFrames)
        {
            return;
        }

        ulong hash = HashOf(frames);
        if (_numbers.TryGetValue(hash, out int number))
        {
            CollectionsMarshal.AsSpan(_stacks)[number].Count++;
        }
        else if (_stacks.Count < MostStacks && HasRoom(frames.Length))
        {
            _numbers.Add(hash, _stacks.Count);
            _stacks.Add(new Entry { Block = _frames.Count - 1, First = _used, Length = frames.Length, Count = 1, Ticks = ticks });
            frames.CopyTo(_frames[^1].AsSpan(_used));
            _used += frames.Length;
        }
    }

    private bool HasRoom(int frames)
    {
        if (_used + frames > FramesOfBlock)
        {
            if (_frames.Count == MostBlocks)
            {
                return false;
            }

            _frames.Add(new ulong[FramesOfBlock]);
            _used = 0;
        }

        return true;
    }

    private ReadOnlySpan<ulong> KernelPart(ReadOnlySpan<ulong> frames)
    {
        int count = 0;
        while (count < frames.Length && ImageSighting.IsKernelAddress(frames[count], _pointerBytes))
        {
            count++;
        }

        return frames[..count];
    }

    /// <summary>Tells stacks apart, but for coincidence. Four frames at a time, which do not wait for each other's product.</summary>
    private static ulong HashOf(ReadOnlySpan<ulong> frames)
    {
        const ulong Factor = 1099511628211;
        (ulong a, ulong b, ulong c, ulong d) = (14695981039346656037, 1, 2, (ulong)frames.Length);
        for (; frames.Length >= 4; frames = frames[4..])
        {
            a = Mixed(a, frames[0]);
            b = Mixed(b, frames[1]);
            c = Mixed(c, frames[2]);
            d = Mixed(d, frames[3]);
        }

        foreach (ulong frame in frames)
        {
            a = Mixed(a, frame);
        }

        return Mixed(Mixed(Mixed(a, b), c), d);

        static ulong Mixed(ulong hash, ulong frame)
        {
            hash = (hash ^ frame) * Factor;
            return hash ^ (hash >> 29);
        }
    }

    private struct Entry
    {
        public int Block;
        public int First;
        public int Length;
        public int Count;
        public long Ticks;
    }
}
