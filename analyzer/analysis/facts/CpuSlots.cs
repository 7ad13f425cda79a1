using System.Runtime.CompilerServices;

namespace Tracer.Analysis.Facts;

/// <summary>
/// One thing for each CPU that has any, by its number. Takes the memory, and to be gone through the time, of the CPUs up to the highest
/// seen, not of all that a trace may have.
/// </summary>
internal sealed class CpuSlots<T>
    where T : class
{
    private const int FirstSlots = 64;

    private T?[] _slots = new T?[FirstSlots];

    /// <summary>What there is, the lowest CPU first.</summary>
    public IEnumerable<(int Cpu, T Item)> All
    {
        get
        {
            for (int cpu = 0; cpu < _slots.Length; cpu++)
            {
                if (_slots[cpu] is { } item)
                {
                    yield return (cpu, item);
                }
            }
        }
    }

    /// <summary>What there is, the lowest CPU first, without the CPUs.</summary>
    public IEnumerable<T> Items => All.Select(static one => one.Item);

    /// <summary>That of a CPU; null where it has none, and for what is no CPU's number.</summary>
    public T? this[int cpu]
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => (uint)cpu < (uint)_slots.Length ? _slots[cpu] : null;
    }

    /// <param name="cpu">From 0 to what a trace may have, <see cref="EtlBufferHeader.MaximumProcessors"/>.</param>
    public T Add(int cpu, T item)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual((uint)cpu, (uint)EtlBufferHeader.MaximumProcessors, nameof(cpu));
        if (cpu >= _slots.Length)
        {
            Array.Resize(ref _slots, (int)System.Numerics.BitOperations.RoundUpToPowerOf2((uint)cpu + 1));
        }

        return _slots[cpu] = item;
    }
}
