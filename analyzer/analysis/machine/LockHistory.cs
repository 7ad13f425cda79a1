using Tracer.Etl;
using Tracer.Etl.Kernel;

namespace Tracer.Analysis;

/// <summary>Who held spin locks lately, on which CPU, and how long it had waited for them; by release. Holds a bounded past.</summary>
internal sealed class LockHistory
{
    /// <summary>Holds that are remembered.</summary>
    private const int Kept = 1 << 16;

    /// <summary>A record is logged when the lock is released, or very soon after, in seconds.</summary>
    private const long LatestSeconds = 1;

    private readonly long _ticksPerSecond;
    private readonly long _cyclesPerSecond;

    /// <summary>Starts with nothing.</summary>
    /// <param name="ticksPerSecond">Ticks of a second.</param>
    /// <param name="mhz">Speed of the cycle counter; null where the trace does not tell.</param>
    public LockHistory(long ticksPerSecond, int? mhz)
    {
        _ticksPerSecond = ticksPerSecond;
        _cyclesPerSecond = (mhz ?? 0) * 1_000_000L;
    }

    /// <summary>The locks that were held, by release.</summary>
    public Ring<LockHold> Holds { get; } = new(Kept);

    /// <summary>Takes a record.</summary>
    /// <param name="cpu">The CPU that logged it.</param>
    /// <param name="traceEvent">The event.</param>
    /// <param name="ticks">When it was logged.</param>
    public void Take(int cpu, in EtlEvent traceEvent, long ticks)
    {
        if (!SpinLockRecord.TryRead(in traceEvent, out SpinLockRecord record) || record.ReleaseTime < record.AcquireTime)
        {
            return;
        }

        // The unit of its times is not public: the trace's clock where they fit it, else cycles before the record.
        ulong held = record.ReleaseTime - record.AcquireTime;
        long release = ticks;
        long acquire;
        if (record.ReleaseTime <= (ulong)ticks && (ulong)ticks - record.ReleaseTime <= (ulong)(LatestSeconds * _ticksPerSecond))
        {
            release = (long)record.ReleaseTime;
            acquire = (long)record.AcquireTime;
        }
        else if (TicksOfCycles(held) is { } heldTicks && heldTicks <= ticks)
        {
            acquire = ticks - heldTicks;
        }
        else
        {
            return;
        }

        // Where the speed of the counter is not known all that can be said is that it waited, or did not.
        long? waited = record.WaitTimeInCycles == 0 ? 0 : TicksOfCycles(record.WaitTimeInCycles);
        if (Holds.Count > 0)
        {
            release = Math.Max(release, Holds[Holds.Next - 1].ReleaseTicks);
        }

        Holds.Add(new LockHold
        {
            Lock = record.LockAddress,
            Caller = record.Caller,
            AcquireTicks = Math.Min(acquire, release),
            ReleaseTicks = release,
            WaitedTicks = waited ?? LockHold.UnknownWait,
            ThreadId = record.ThreadId,
            Cpu = cpu,
        });
    }

    private long? TicksOfCycles(ulong cycles) =>
        _cyclesPerSecond > 0 && (UInt128)cycles * (ulong)_ticksPerSecond / (ulong)_cyclesPerSecond is var ticks && ticks < long.MaxValue / 4
            ? (long)ticks
            : null;
}

/// <summary>A spin lock that was held; times in ticks.</summary>
internal struct LockHold : ITimed
{
    /// <summary>It waited, but how long can't be told.</summary>
    public const long UnknownWait = -1;

    /// <inheritdoc/>
    public readonly long OrderTicks => ReleaseTicks;

    /// <summary>Address of the lock.</summary>
    public ulong Lock;

    /// <summary>The code that took it.</summary>
    public ulong Caller;

    /// <summary>When it got it.</summary>
    public long AcquireTicks;

    /// <summary>When it let it go.</summary>
    public long ReleaseTicks;

    /// <summary>How long it had waited before it got it; <see cref="UnknownWait"/> where it did for an unknown time.</summary>
    public long WaitedTicks;

    /// <summary>The thread that took it, or was interrupted.</summary>
    public uint ThreadId;

    /// <summary>Where.</summary>
    public int Cpu;
}
