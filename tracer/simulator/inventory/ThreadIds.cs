using Tracer.Simulator.Draws;

namespace Tracer.Simulator.Inventory;

/// <summary>Hands out ids of processes and threads, which come from one table: multiples of 4 below 65,536, none twice.</summary>
/// <param name="least">Ids below are left to threads that the kernel makes when it starts.</param>
internal sealed class ThreadIds(RandomSequence random, uint least)
{
    /// <summary>Id of the process of the kernel's own threads.</summary>
    public const uint SystemProcess = 4;

    private const int Step = 4;
    private const uint Limit = 0x1_0000;

    private readonly HashSet<uint> _taken = [];
    private readonly long _choices = (Limit - least) / Step;

    /// <summary>An id that was never used.</summary>
    /// <exception cref="InvalidOperationException">All are used.</exception>
    public uint Next()
    {
        if (_taken.Count == _choices)
        {
            throw new InvalidOperationException($"All {_choices} ids of processes and threads are used.");
        }

        uint id;
        do
        {
            id = least + ((uint)random.NextBelow(_choices) * Step);
        }
        while (!_taken.Add(id));
        return id;
    }
}
