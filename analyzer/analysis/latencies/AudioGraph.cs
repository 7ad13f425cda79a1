namespace Tracer.Analysis.Latencies;

/// <summary>A thread of an application that is not on the machine yet: what it has to do, how often, and at which priority.</summary>
/// <param name="PeriodNs">From one time it is due to the next, in nanoseconds.</param>
/// <param name="WorkNs">How long it computes each time, in nanoseconds.</param>
/// <param name="Buffers">With so many buffers it may be done n - 1 periods after it was due.</param>
/// <param name="After">The nodes, by index, that must be done before it begins; they have its period.</param>
public sealed record GraphNode(string Name, long PeriodNs, long WorkNs, int Priority, int Buffers, IReadOnlyList<int> After)
{
    /// <summary>How long after it was due it must be done, in nanoseconds.</summary>
    public long DeadlineNs => (Buffers - 1) * PeriodNs;
}

/// <summary>The nodes of an application, all of them threads of one CPU.</summary>
/// <param name="Process">The program whose threads in the trace are the graph's own and delay nothing; null for none.</param>
public sealed record AudioGraph(IReadOnlyList<GraphNode> Nodes, string? Process)
{
    internal IReadOnlyList<NodeDemand> Demands() => [.. Nodes.Select((_, i) => DemandOf(i))];

    private NodeDemand DemandOf(int index)
    {
        HashSet<int> chain = ChainOf(index);
        int level = chain.Min(one => Nodes[one].Priority);
        return new NodeDemand(
            Nodes[index],
            chain.Sum(one => Nodes[one].WorkNs),
            level,
            [.. Nodes.Where((other, i) => !chain.Contains(i) && other.Priority >= level)],
            [.. Nodes.Where((other, i) => !chain.Contains(i) && other.Priority >= level && !ChainOf(i).Contains(index))]);
    }

    /// <summary>A node and all that must be done before it.</summary>
    private HashSet<int> ChainOf(int index)
    {
        HashSet<int> chain = [];
        var open = new Stack<int>([index]);
        while (open.TryPop(out int one))
        {
            if (chain.Add(one))
            {
                foreach (int before in Nodes[one].After)
                {
                    open.Push(before);
                }
            }
        }

        return chain;
    }
}

/// <summary>What a node asks of its CPU.</summary>
/// <param name="WorkNs">Its work and that of all that must be done before it.</param>
/// <param name="Level">The lowest priority among these: what runs at it or above delays the node.</param>
/// <param name="Others">The nodes that may delay it besides.</param>
/// <param name="Unordered">Those of them that do not come after it: they delay it in its own cycle, too.</param>
internal sealed record NodeDemand(
    GraphNode Node, long WorkNs, int Level, IReadOnlyList<GraphNode> Others, IReadOnlyList<GraphNode> Unordered)
{
    /// <summary>The work of its own cycles and of the other nodes' in a window that begins when all are due.</summary>
    /// <param name="isLeast">Without nodes that come after it, of which none may be left of an earlier cycle.</param>
    public double WorkIn(double windowNs, int cycles, bool isLeast)
    {
        double work = (double)cycles * WorkNs;
        foreach (GraphNode other in isLeast ? Unordered : Others)
        {
            work += WorkOf(other, windowNs);
        }

        return work;
    }

    public static double WorkOf(GraphNode other, double windowNs) => Math.Ceiling(windowNs / other.PeriodNs) * other.WorkNs;
}
