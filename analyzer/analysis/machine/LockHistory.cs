namespace Tracer.Analysis.Machine;

/// <summary>
/// Which spin locks were held recently, on which CPU, and how long their holder had waited for them, sorted by release. Bounded.
/// </summary>
internal sealed class LockHistory
{
    /// <summary>Most holds that are kept.</summary>
    private const int Kept = 1 << 16;

    /// <summary>Most time in seconds between the release and its record, which is logged at the release or very soon after it.</summary>
    private const long LatestSeconds = 1;

    private readonly long _ticksPerSecond;
    private readonly long _cyclesPerSecond;

    /// <summary>Creates an empty history.</summary>
    /// <param name="ticksPerSecond">Ticks of a second.</param>
    /// <param name="mhz">Frequency of the cycle counter; null where the trace does not give it.</param>
    public LockHistory(long ticksPerSecond, int? mhz)
    {
        _ticksPerSecond = ticksPerSecond;
        _cyclesPerSecond = (mhz ?? 0) * 1_000_000L;
    }

    /// <summary>The holds, sorted by release.</summary>
    public Ring<LockHold> Holds { get; } = new(Kept);

    /// <summary>Reads a record of a spin lock; what it gives does not depend on what was read before.</summary>
    public bool TryRead(int cpu, in EtlEvent traceEvent, long ticks, out LockHold hold)
    {
        hold = default;
        if (!SpinLockRecord.TryRead(in traceEvent, out SpinLockRecord record) || record.ReleaseTime < record.AcquireTime)
        {
            return false;
        }

        // The unit of the record's times is not documented: they are taken as the trace's clock where that fits, otherwise as cycles before
        // the record.
        ulong held = record.ReleaseTime - record.AcquireTime;
        long release = ticks;
        long acquire;
        if (record.ReleaseTime <= (ulong)ticks
            && (ulong)ticks - record.ReleaseTime <= (ulong)TickRate.TicksOfSeconds(LatestSeconds, _ticksPerSecond))
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
            return false;
        }

        // Without the frequency of the cycle counter it is known only whether the holder had to wait.
        long? waited = record.WaitTimeInCycles == 0 ? 0 : TicksOfCycles(record.WaitTimeInCycles);
        hold = new LockHold
        {
            Lock = record.LockAddress,
            Caller = record.Caller,
            AcquireTicks = acquire,
            ReleaseTicks = release,
            WaitedTicks = waited ?? LockHold.UnknownWait,
            ThreadId = record.ThreadId,
            Cpu = cpu,
        };
        return true;
    }

    /// <summary>Adds a hold, in order of the records' times.</summary>
    public void Add(LockHold hold)
    {
        if (Holds.Count > 0)
        {
            hold.ReleaseTicks = Math.Max(hold.ReleaseTicks, Holds.Newest.ReleaseTicks);
        }

        hold.AcquireTicks = Math.Min(hold.AcquireTicks, hold.ReleaseTicks);
        Holds.Add(in hold);
    }

    private long? TicksOfCycles(ulong cycles) =>
        _cyclesPerSecond > 0 && (UInt128)cycles * (ulong)_ticksPerSecond / (ulong)_cyclesPerSecond is var ticks && ticks < long.MaxValue / 4
            ? (long)ticks
            : null;
}

/// <summary>A hold of a spin lock; times in ticks.</summary>
internal struct LockHold : ITimed
{
    /// <summary>The holder waited for an unknown time.</summary>
    public const long UnknownWait = -1;

    public readonly long OrderTicks => ReleaseTicks;

    /// <summary>Address of the spin lock.</summary>
    public ulong Lock;

    /// <summary>Address of the code that acquired the lock.</summary>
    public ulong Caller;

    public long AcquireTicks;

    public long ReleaseTicks;

    /// <summary>
    /// How long the holder had waited before it acquired the lock; <see cref="UnknownWait"/> where the length is unknown.
    /// </summary>
    public long WaitedTicks;

    /// <summary>The thread that acquired the lock, or that was interrupted by the holder.</summary>
    public uint ThreadId;

    public int Cpu;
}
