using System.Numerics;

namespace Tracer.Analysis.Machine;

/// <summary>One stay of a thread on a CPU, and how it came to it. 64 bytes. Times in ticks.</summary>
internal struct ThreadVisit
{
    /// <summary>When the thread was made ready for it; <see cref="long.MinValue"/> where no record tells.</summary>
    public long ReadyTicks;

    /// <summary>When it was switched in.</summary>
    public long InTicks;

    /// <summary>When it was switched out; the largest time where it still runs.</summary>
    public long OutTicks;

    /// <summary>Number of the thread's stay before; -1 for none.</summary>
    public long Previous;

    /// <summary>How long ISRs and DPCs of the CPU took of it.</summary>
    public long InterruptedTicks;

    /// <summary>The longest stretch at ISR or DPC level in it.</summary>
    public long LongestTicks;

    public uint Thread;

    /// <summary>The CPU that made it ready; -1 where that is not known.</summary>
    public short ReadyCpu;

    public short Cpu;

    /// <summary>Its priority when it was switched in.</summary>
    public sbyte Priority;

    /// <summary>Whether the record says that a DPC made it ready.</summary>
    public bool IsFromDpc;

    /// <summary>What became of it when it was switched out.</summary>
    public KernelThreadState State;

    /// <summary>What it waits for since then.</summary>
    public WaitReason Reason;

    public readonly bool HasLeftToWait => OutTicks != long.MaxValue && State is KernelThreadState.Waiting or KernelThreadState.GateWait;

    /// <summary>Whether it lost its CPU in the midst of its work, and was ready all the time until it ran again.</summary>
    public readonly bool WasPreempted => OutTicks != long.MaxValue
        && State is KernelThreadState.Ready or KernelThreadState.Standby or KernelThreadState.DeferredReady;

    /// <summary>Whether what it had to do goes on with its next stay: it has neither waited for its next turn nor ended.</summary>
    public readonly bool GoesOn => WasPreempted || (HasLeftToWait && !IsDone);

    /// <summary>Whether it waits for its next turn: what it had to do is done.</summary>
    public bool IsDone;

    /// <summary>Whether it waits because the runtime of its process had suspended it.</summary>
    public bool IsPaused;

    /// <summary>
    /// Whether a thread may wait in the midst of its work: for a lock of its program, in the kernel for a device, or for the answer of
    /// another process. Some threads wait so for their next turn.
    /// </summary>
    public static bool MayBeInside(WaitReason reason) => reason is WaitReason.Executive or WaitReason.WrExecutive or WaitReason.WrLpcReply
        or WaitReason.WrKeyedEvent or WaitReason.WrAlertByThreadId;
}

/// <summary>
/// Where the threads of the machine recently ran, and what made them run: the newest stays on CPUs of all threads, each with the number of
/// the stay before of the same thread. The thread pass adds them. Memory is bounded.
/// </summary>
internal sealed class ThreadVisits
{
    /// <summary>Most stays that are kept, of all threads together: those of a second or more of a busy machine.</summary>
    private const int MostKept = 1 << 15;

    /// <summary>Threads with ids below this are looked up in an array indexed by id.</summary>
    private const uint LargestIndexed = 1 << 20;

    private readonly Ring<ThreadVisit> _visits = new(MostKept);
    private readonly Dictionary<uint, long> _lastOfLargeIds = [];
    private long[] _last = new long[1 << 14];

    /// <summary>Number of a thread's newest stay that is kept; -1 for none.</summary>
    public long LastOf(uint thread)
    {
        long last = thread < (uint)_last.Length ? _last[thread] - 1 : _lastOfLargeIds.TryGetValue(thread, out long large) ? large : -1;
        return last >= _visits.First ? last : -1;
    }

    /// <summary>Number of the stay before of the same thread; -1 where none is kept.</summary>
    public long Before(long number) => _visits[number].Previous is var before && before >= _visits.First ? before : -1;

    public bool Has(long number) => number >= _visits.First && number < _visits.Next;

    /// <summary>The stay of a number that is kept.</summary>
    public ref readonly ThreadVisit this[long number] => ref _visits[number];

    /// <summary>A CPU switches to a thread.</summary>
    /// <param name="visit">The stay, but for what its end tells.</param>
    /// <returns>Its number.</returns>
    public long Begin(ThreadVisit visit)
    {
        visit.Previous = LastOf(visit.Thread);
        visit.OutTicks = long.MaxValue;
        _visits.Add(in visit);
        Remember(visit.Thread, _visits.Next - 1);
        return _visits.Next - 1;
    }

    /// <summary>A CPU switches away from a thread.</summary>
    /// <returns>Number of the stay that it ends; -1 where that is not known.</returns>
    public long End(int cpu, in LaneRecord change)
    {
        long number = LastOf(change.Other);
        if (number < 0 || _visits[number].Cpu != cpu || _visits[number].OutTicks != long.MaxValue)
        {
            return -1;
        }

        ref ThreadVisit visit = ref _visits[number];
        visit.OutTicks = change.Ticks;
        (visit.InterruptedTicks, visit.LongestTicks) = (Math.Min(change.B, change.Ticks - visit.InTicks), change.C);
        (visit.State, visit.Reason) = (change.State, change.Reason);
        return number;
    }

    /// <summary>A thread that left its CPU waits for its next turn.</summary>
    public void Done(long number) => _visits[number].IsDone = true;

    /// <summary>A thread that left its CPU did not wait for its next turn.</summary>
    public void GoesOn(long number) => _visits[number].IsDone = false;

    /// <summary>A thread that left its CPU was suspended by the runtime of its process.</summary>
    public void Paused(long number) => _visits[number].IsPaused = true;

    private void Remember(uint thread, long number)
    {
        if (thread >= LargestIndexed)
        {
            const int MostLargeIds = 1 << 17;
            if (_lastOfLargeIds.Count >= MostLargeIds && !_lastOfLargeIds.ContainsKey(thread))
            {
                _lastOfLargeIds.Clear(); // Only a damaged trace has so many.
            }

            _lastOfLargeIds[thread] = number;
            return;
        }

        if (thread >= _last.Length)
        {
            Array.Resize(ref _last, (int)BitOperations.RoundUpToPowerOf2(thread + 1));
        }

        _last[thread] = number + 1;
    }
}
