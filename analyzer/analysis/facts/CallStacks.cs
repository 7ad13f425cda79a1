using System.Runtime.InteropServices;
using Tracer.Etl;
using Tracer.Etl.Kernel;

namespace Tracer.Analysis;

/// <summary>
/// The different kernel stacks of a trace with how often each came, as far as they fit into a limit: who calls whom. Stacks of one or two
/// frames tell nothing of that and are passed over.
/// </summary>
internal sealed class CallStacks
{
    private const int FewestFrames = 3;
    private const int MostFrames = 64;
    private const int MostStacks = 1 << 16;
    private const int MostFramesKept = 1 << 20;

    private readonly Dictionary<ulong, int> _numbers = [];
    private readonly List<Entry> _stacks = [];
    private readonly List<ulong> _frames = [];
    private readonly ulong[] _buffer = new ulong[MostFrames];
    private readonly int _pointerBytes;

    /// <summary>Starts with nothing.</summary>
    /// <param name="pointerBytes">Width of the kernel's pointers: 4 or 8.</param>
    public CallStacks(int pointerBytes) => _pointerBytes = pointerBytes;

    /// <summary>The stacks: frames innermost first, how often, and when the first of them came, in ticks.</summary>
    public IEnumerable<(ReadOnlyMemory<ulong> Frames, int Count, long Ticks)> All
    {
        get
        {
            ulong[] frames = [.. _frames];
            foreach (Entry stack in _stacks)
            {
                yield return (frames.AsMemory(stack.First, stack.Length), stack.Count, stack.Ticks);
            }
        }
    }

    /// <summary>Takes a stack's record.</summary>
    /// <param name="traceEvent">The event; one too short to be such a record is passed over.</param>
    public void Add(in EtlEvent traceEvent)
    {
        if (StackRecord.TryRead(in traceEvent, out StackRecord record) && record.FrameCount >= FewestFrames)
        {
            Add(_buffer.AsSpan(0, record.CopyFrames(_buffer)), record.EventTimeStamp);
        }
    }

    /// <summary>Takes a stack; what it has of a process is left out.</summary>
    /// <param name="frames">Return addresses, innermost first.</param>
    /// <param name="ticks">When, in ticks.</param>
    public void Add(ReadOnlySpan<ulong> frames, long ticks)
    {
        int count = 0;
        ulong hash = 14695981039346656037;
        for (; count < Math.Min(frames.Length, MostFrames) && ImageSighting.IsKernelAddress(frames[count], _pointerBytes); count++)
        {
            hash = (hash ^ frames[count]) * 1099511628211;
            hash ^= hash >> 29;
        }

        if (count < FewestFrames)
        {
            return;
        }

        if (_numbers.TryGetValue(hash, out int number))
        {
            CollectionsMarshal.AsSpan(_stacks)[number].Count++;
        }
        else if (_stacks.Count < MostStacks && _frames.Count + count <= MostFramesKept)
        {
            _numbers.Add(hash, _stacks.Count);
            _stacks.Add(new Entry { First = _frames.Count, Length = count, Count = 1, Ticks = ticks });
            _frames.AddRange(frames[..count]);
        }
    }

    private struct Entry
    {
        public int First;
        public int Length;
        public int Count;
        public long Ticks;
    }
}
