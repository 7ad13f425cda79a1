using Tracer.Analysis.Facts;
using Tracer.Etl.Stacks;

namespace Tracer.AnalyzerCommand.Commands.Export;

/// <summary>
/// The stacks of samples as a tree from the outermost frame inwards: equal beginnings are kept once. Its size is limited; a stack beyond
/// that is cut where the tree ends.
/// </summary>
internal sealed class StackTree(ExportedTrace trace)
{
    public const int MostNodes = 1 << 20;

    private readonly Dictionary<(int Parent, int Frame), int> _children = [];
    private readonly List<(int Parent, int Frame)> _nodes = [];
    private readonly Dictionary<string, int> _frames = new(StringComparer.Ordinal);
    private readonly List<string> _names = [];

    public IReadOnlyList<string> Frames => _names;

    public long Cut { get; private set; }

    public int Frame(string name)
    {
        if (!_frames.TryGetValue(name, out int number))
        {
            number = _names.Count;
            _names.Add(name);
            _frames.Add(name, number);
        }

        return number;
    }

    /// <returns>The node of its innermost frame; null where it is not of the culprit that is asked for, or nothing could be kept.</returns>
    public int? Add(in ExportedSample sample, in EventStack stack)
    {
        (uint thread, long ticks) = (sample.ThreadId, sample.Ticks);
        uint? process = thread == 0 ? 0 : trace.Facts.Threads.ProcessOf(thread, ticks);
        bool isMeant = trace.Culprit is null
            || (process is { } id && ThreadTable.IsMeant(trace.Culprit, id, trace.Facts.Threads.NameOf(id, ticks)));
        List<(string Name, LoadedImage? Image)> inwards = [];
        for (int i = stack.FrameCount - 1; i >= 0; i--)
        {
            // The innermost frame of a sample's stack is the instruction that it hit.
            Add(stack[i], isReturn: i > 0, inwards, thread, ticks);
        }

        if (stack.FrameCount == 0)
        {
            Add(sample.Instruction, isReturn: false, inwards, thread, ticks);
        }

        isMeant |= inwards.Exists(one => string.Equals(one.Image?.Name, trace.Culprit, StringComparison.OrdinalIgnoreCase));
        if (!isMeant)
        {
            return null;
        }

        int node = Child(-1, trace.Names.Process(process, ticks));
        string? level = sample.IsInIsr ? "(ISR)" : sample.IsInDpc ? "(DPC)" : null;
        bool isWhole = node >= 0;
        foreach (string name in inwards.Select(one => one.Name).Prepend(level).OfType<string>())
        {
            int child = isWhole ? Child(node, name) : -1;
            isWhole &= child >= 0;
            node = isWhole ? child : node;
        }

        Cut += isWhole ? 0 : 1;
        return node >= 0 ? node : null;
    }

    /// <summary>The frames of a node from the outermost inwards.</summary>
    public int[] PathOf(int node)
    {
        var path = new List<int>();
        for (int at = node; at >= 0; at = _nodes[at].Parent)
        {
            path.Add(_nodes[at].Frame);
        }

        path.Reverse();
        return [.. path];
    }

    /// <summary>The node within which a node lies, and its frame; a parent below 0 for none.</summary>
    public (int Parent, int Frame) this[int node] => _nodes[node];

    private void Add(ulong address, bool isReturn, List<(string Name, LoadedImage? Image)> inwards, uint thread, long ticks)
    {
        LoadedImage? image = trace.Names.Image(address, thread, ticks);
        inwards.Add((trace.Names.Frame(address, image, isReturn), image));
    }

    private int Child(int parent, string name)
    {
        var key = (parent, _frames.TryGetValue(name, out int known) ? known : -1);
        if (key.Item2 >= 0 && _children.TryGetValue(key, out int node))
        {
            return node;
        }

        if (_nodes.Count >= MostNodes)
        {
            return -1;
        }

        key.Item2 = Frame(name);
        node = _nodes.Count;
        _nodes.Add(key);
        _children.Add(key, node);
        return node;
    }
}
