namespace Tracer.Analysis.Machine;

/// <summary>What kind of routine a CPU ran at raised level.</summary>
internal enum LevelKind : byte
{
    Dpc,

    /// <summary>A DPC that a timer queued.</summary>
    TimerDpc,

    /// <summary>An interrupt service routine.</summary>
    Isr,
}

/// <summary>A run of an ISR or DPC on a CPU, from entry to return. Times in ticks; they include nested routines.</summary>
internal struct LevelSpan : ITimed
{
    public readonly long OrderTicks => EndTicks;

    /// <summary>Time of entry.</summary>
    public long StartTicks;

    public long EndTicks;

    public ulong Routine;

    /// <summary>
    /// How many numbers farther on the ISR or DPC is that this one interrupted; 0 where there is none, or where it has not returned yet.
    /// </summary>
    public int Outer;

    /// <summary>
    /// An ISR's vector. A DPC has none: there it is the number of the line that queued it, see <see cref="CpuHistory.LineOf"/>.
    /// </summary>
    public ushort Vector;

    /// <summary>Depth of the routines nested in this one.</summary>
    public byte Inner;

    // One byte, so that two spans fit into a line of the cache.
    private Facts _facts;

    public LevelKind Kind
    {
        readonly get => (LevelKind)(_facts & Facts.Kind);
        set => _facts = (_facts & ~Facts.Kind) | (Facts)value;
    }

    /// <summary>Whether the ISR returned FALSE: the interrupt line is shared, and another device interrupted.</summary>
    public bool IsUnclaimed
    {
        readonly get => (_facts & Facts.IsUnclaimed) != 0;
        set => _facts = value ? _facts | Facts.IsUnclaimed : _facts & ~Facts.IsUnclaimed;
    }

    /// <summary>Whether this is the profile interrupt itself: the sample at its start belongs to the code that it interrupted.</summary>
    public bool IsProfile
    {
        readonly get => (_facts & Facts.IsProfile) != 0;
        set => _facts = value ? _facts | Facts.IsProfile : _facts & ~Facts.IsProfile;
    }

    public readonly bool IsIsr => Kind == LevelKind.Isr;

    [Flags]
    private enum Facts : byte
    {
        Kind = 3,
        IsUnclaimed = 4,
        IsProfile = 8,
    }
}

/// <summary>A routine of a driver that ran in a thread: a threaded DPC or a passive-level ISR. Times in ticks.</summary>
internal struct ThreadRoutine : ITimed
{
    public readonly long OrderTicks => EndTicks;

    /// <summary>Time of entry.</summary>
    public long StartTicks;

    public long EndTicks;

    public ulong Routine;

    public uint ThreadId;

    /// <summary>Whether the routine is a passive-level ISR; else a threaded DPC.</summary>
    public bool IsIsr;
}

/// <summary>A run of a thread on a CPU, up to the start of the next run; ISRs and DPCs may interrupt it.</summary>
internal struct RunStretch : ITimed
{
    public readonly long OrderTicks => StartTicks;

    /// <summary>When the thread was switched in, in ticks.</summary>
    public long StartTicks;

    /// <summary>Thread id; 0 is the idle thread.</summary>
    public uint ThreadId;

    /// <summary>Dynamic priority, 0 to 31.</summary>
    public sbyte Priority;

    /// <summary>False where records are missing, so that the running thread is unknown.</summary>
    public bool IsKnown;

    /// <summary>The idle state that the CPU left; 0 for the lightest state, and where the CPU was not idle.</summary>
    public byte IdleStateBefore;

    public readonly bool IsIdle => IsKnown && ThreadId == 0;
}

internal struct CpuSample : ITimed
{
    public readonly long OrderTicks => Ticks;

    /// <summary>Stands for an unknown thread.</summary>
    public const uint UnknownThread = 0xFFFFFFFF;

    public long Ticks;

    public ulong Instruction;

    /// <summary>Number of the sample's first stack frame in the CPU's ring of frames; the largest number before it has a stack.</summary>
    public long FirstFrame;

    /// <summary>The thread that was running or had been interrupted.</summary>
    public uint ThreadId;

    /// <summary>Number of kernel frames in the ring, innermost first; 0 where no stack was recorded.</summary>
    public ushort Frames;

    // One byte, so that two samples fit into a line of the cache.
    private Facts _facts;

    /// <summary>Whether the sample hit a DPC; false where the record does not tell.</summary>
    public bool IsInDpc
    {
        readonly get => Is(Facts.IsInDpc);
        set => Set(Facts.IsInDpc, value);
    }

    /// <summary>Whether the sample hit an ISR; false where the record does not tell.</summary>
    public bool IsInIsr
    {
        readonly get => Is(Facts.IsInIsr);
        set => Set(Facts.IsInIsr, value);
    }

    /// <summary>Whether the code had interrupts disabled; false where the record does not tell.</summary>
    public bool IsMasked
    {
        readonly get => Is(Facts.IsMasked);
        set => Set(Facts.IsMasked, value);
    }

    /// <summary>
    /// Whether the sample was taken by the interrupt whose latency our driver measures. Such samples show where that interrupt came late;
    /// they do not represent what runs how often.
    /// </summary>
    public bool IsLatency
    {
        readonly get => Is(Facts.IsLatency);
        set => Set(Facts.IsLatency, value);
    }

    /// <summary>Whether the sample hit the idle thread.</summary>
    public readonly bool IsIdle => ThreadId == 0 && (_facts & (Facts.IsInDpc | Facts.IsInIsr)) == 0;

    private readonly bool Is(Facts fact) => (_facts & fact) != 0;

    private void Set(Facts fact, bool value) => _facts = value ? _facts | fact : _facts & ~fact;

    [Flags]
    private enum Facts : byte
    {
        IsInDpc = 1,
        IsInIsr = 2,
        IsMasked = 4,
        IsLatency = 8,
    }
}

/// <summary>A request to a disk was completed.</summary>
internal struct DiskCompletion : ITimed
{
    public readonly long OrderTicks => Ticks;

    public long Ticks;
}

internal struct ClockInterrupt : ITimed
{
    public readonly long OrderTicks => Ticks;

    public long Ticks;
}

/// <summary>A callback: the driver framework was about to call its client.</summary>
internal struct CallbackEvent : ITimed
{
    public readonly long OrderTicks => Ticks;

    public long Ticks;

    /// <summary>Address of the client's routine.</summary>
    public ulong Routine;

    /// <summary>Whether it was an ISR callback; else a DPC callback.</summary>
    public bool IsInterrupt;
}

/// <summary>A stretch without any record of a CPU although a sample was due.</summary>
internal struct SampleGap : ITimed
{
    public readonly long OrderTicks => ToTicks;

    /// <summary>Time of the last record before the gap, in ticks.</summary>
    public long FromTicks;

    /// <summary>When the first missing sample was due, in ticks.</summary>
    public long DueTicks;

    /// <summary>Time of the first record after the gap, in ticks.</summary>
    public long ToTicks;

    /// <summary>Time of the last sample on time before the gap, in ticks.</summary>
    public long BeatTicks;

    /// <summary>The interval between samples then, in ticks; 0 where it is not known.</summary>
    public long IntervalTicks;

    /// <summary>Lateness of a sample, in ticks, above which it was evidence by itself.</summary>
    public long ToleranceTicks;

    /// <summary>Lateness of a sample, in ticks, that exceeded the CPU's usual jitter.</summary>
    public long JitterTicks;

    /// <summary>Whether it lies between two buffers of the file, so that others may be missing there.</summary>
    public bool IsBetweenBuffers;
}

/// <summary>When a record was logged.</summary>
internal struct TimeOfRecord : ITimed
{
    public readonly long OrderTicks => Ticks;

    public long Ticks;
}
