using Tracer.Capture.Sessions;

namespace Tracer.Capture.Triggers;

/// <summary>
/// A bounded queue from one thread to another: the reader of the trigger session puts, the engine takes. Neither waits, locks or allocates.
/// What finds it full is counted.
/// </summary>
internal sealed class InterruptWorkRing
{
    private readonly InterruptWork[] _slots;
    private long _put;
    private long _taken;
    private long _lost;

    /// <summary>Makes an empty ring.</summary>
    /// <param name="slots">How many it holds; a power of two.</param>
    public InterruptWorkRing(int slots)
    {
        ArgumentOutOfRangeException.ThrowIfNotEqual(int.IsPow2(slots), true, nameof(slots));
        _slots = new InterruptWork[slots];
    }

    /// <summary>How many found the ring full so far.</summary>
    public long Lost => Volatile.Read(ref _lost);

    /// <summary>Adds one; counts it as lost where there is no room. For the putting thread.</summary>
    public void Put(in InterruptWork work)
    {
        long put = _put;
        if (put - Volatile.Read(ref _taken) == _slots.Length)
        {
            Volatile.Write(ref _lost, _lost + 1);
            return;
        }

        _slots[put & (_slots.Length - 1)] = work;
        Volatile.Write(ref _put, put + 1); // Only now may it be taken.
    }

    /// <summary>Takes the oldest. For the taking thread.</summary>
    /// <returns>False where the ring is empty.</returns>
    public bool TryTake(out InterruptWork work)
    {
        long taken = _taken;
        if (taken == Volatile.Read(ref _put))
        {
            work = default;
            return false;
        }

        work = _slots[taken & (_slots.Length - 1)];
        Volatile.Write(ref _taken, taken + 1); // Only now may it be overwritten.
        return true;
    }
}
