using System.Numerics;

namespace Tracer.Simulator.Engine;

/// <summary>The ready threads of a CPU, or of several that share them: one queue for each priority.</summary>
internal sealed class ReadyQueue
{
    private readonly LinkedList<SimulatedThread>[] _byPriority = new LinkedList<SimulatedThread>[32];
    private uint _occupied;

    public ReadyQueue()
    {
        for (int i = 0; i < _byPriority.Length; i++)
        {
            _byPriority[i] = new LinkedList<SimulatedThread>();
        }
    }

    public void Add(SimulatedThread thread, bool atHead)
    {
        LinkedList<SimulatedThread> queue = _byPriority[thread.Priority];
        if (atHead)
        {
            queue.AddFirst(thread);
        }
        else
        {
            queue.AddLast(thread);
        }

        _occupied |= 1u << thread.Priority;
    }

    /// <summary>The thread of the highest priority, at least a least one, that a CPU may run; null where there is none.</summary>
    public SimulatedThread? Best(int cpu, int leastPriority)
    {
        uint left = _occupied;
        while (left != 0)
        {
            int priority = 31 - BitOperations.LeadingZeroCount(left);
            if (priority < leastPriority)
            {
                return null;
            }

            for (LinkedListNode<SimulatedThread>? node = _byPriority[priority].First; node is not null; node = node.Next)
            {
                if (node.Value.MayUse(cpu))
                {
                    return node.Value;
                }
            }

            left &= ~(1u << priority);
        }

        return null;
    }

    public bool Has(SimulatedThread thread) => _byPriority[thread.Priority].Contains(thread);

    public void Remove(SimulatedThread thread)
    {
        LinkedList<SimulatedThread> queue = _byPriority[thread.Priority];
        queue.Remove(thread);
        if (queue.Count == 0)
        {
            _occupied &= ~(1u << thread.Priority);
        }
    }
}
