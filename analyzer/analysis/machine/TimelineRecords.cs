namespace Tracer.Analysis;

/// <summary>What a CPU ran at raised level.</summary>
internal enum LevelKind : byte
{
    /// <summary>A DPC.</summary>
    Dpc,

    /// <summary>A DPC that a timer queued.</summary>
    TimerDpc,

    /// <summary>An interrupt service routine.</summary>
    Isr,
}

/// <summary>An ISR or DPC that ran on a CPU, from its entry up to its return; times in ticks, what nests in it included.</summary>
internal struct LevelSpan : ITimed
{
    /// <inheritdoc/>
    public readonly long OrderTicks => EndTicks;

    /// <summary>Entry.</summary>
    public long StartTicks;

    /// <summary>Return.</summary>
    public long EndTicks;

    /// <summary>Address of the routine.</summary>
    public ulong Routine;

    /// <summary>Interrupt vector; 0 for a DPC.</summary>
    public ushort Vector;

    /// <summary>What it was.</summary>
    public LevelKind Kind;

    /// <summary>Whether it was an ISR that returned FALSE: the line is shared, and the interrupt was another's.</summary>
    public bool IsUnclaimed;

    /// <summary>Number of the ISR or DPC that it interrupted, plus one; 0 where there is none, or that has not returned yet.</summary>
    public long Outer;

    /// <summary>How many of those that it was interrupted by are inside each other.</summary>
    public byte Inner;

    /// <summary>
    /// Whether it is the profile interrupt's own record: the sample at its start belongs to the code that it interrupted.
    /// </summary>
    public bool IsProfile;

    /// <summary>Whether it was an ISR.</summary>
    public readonly bool IsIsr => Kind == LevelKind.Isr;
}

/// <summary>A routine of a driver that ran in a thread, at passive level: a threaded DPC or a passive ISR; times in ticks.</summary>
internal struct ThreadRoutine : ITimed
{
    /// <inheritdoc/>
    public readonly long OrderTicks => EndTicks;

    /// <summary>Entry.</summary>
    public long StartTicks;

    /// <summary>Return.</summary>
    public long EndTicks;

    /// <summary>Address of the routine.</summary>
    public ulong Routine;

    /// <summary>The thread it ran in.</summary>
    public uint ThreadId;

    /// <summary>Whether it was a passive ISR.</summary>
    public bool IsIsr;
}

/// <summary>A thread that ran on a CPU, from here up to the next stretch; ISRs and DPCs lie on top of it.</summary>
internal struct RunStretch : ITimed
{
    /// <inheritdoc/>
    public readonly long OrderTicks => StartTicks;

    /// <summary>When it was switched in, in ticks.</summary>
    public long StartTicks;

    /// <summary>When it was made ready, in ticks; <see cref="long.MinValue"/> where it was ready before, or that is not known.</summary>
    public long ReadyTicks;

    /// <summary>Thread id; 0 is the idle thread.</summary>
    public uint ThreadId;

    /// <summary>Dynamic priority, 0 to 31.</summary>
    public sbyte Priority;

    /// <summary>False where records are missing, so that it is not known who ran.</summary>
    public bool IsKnown;

    /// <summary>The idle state that the CPU was in before; 0 for the lightest, and where it was not idle.</summary>
    public byte IdleStateBefore;

    /// <summary>Whether the CPU had nothing to run.</summary>
    public readonly bool IsIdle => IsKnown && ThreadId == 0;
}

/// <summary>A profile sample of a CPU.</summary>
internal struct SampleMark : ITimed
{
    /// <inheritdoc/>
    public readonly long OrderTicks => Ticks;

    /// <summary>Stands for a thread that is not known.</summary>
    public const uint UnknownThread = 0xFFFFFFFF;

    /// <summary>When it was taken, in ticks.</summary>
    public long Ticks;

    /// <summary>Address of the instruction that it hit.</summary>
    public ulong Instruction;

    /// <summary>The thread that was running or was interrupted.</summary>
    public uint ThreadId;

    /// <summary>Number of its first stack frame in the CPU's ring of frames.</summary>
    public long FirstFrame;

    /// <summary>How many kernel frames the ring holds, innermost first; 0 where no stack was recorded.</summary>
    public ushort Frames;

    /// <summary>Whether it hit a DPC; false where the record does not tell.</summary>
    public bool IsInDpc;

    /// <summary>Whether it hit an interrupt routine; false where the record does not tell.</summary>
    public bool IsInIsr;

    /// <summary>Whether the code had interrupts masked; false where the record does not tell.</summary>
    public bool IsMasked;

    /// <summary>
    /// Whether the interrupt whose latency our driver measures took it: it tells where that came late, not what runs how often.
    /// </summary>
    public bool IsLatency;

    /// <summary>Whether it hit the idle thread.</summary>
    public readonly bool IsIdle => ThreadId == 0 && !IsInDpc && !IsInIsr;
}

/// <summary>The clock interrupted a CPU.</summary>
internal struct ClockMark : ITimed
{
    /// <inheritdoc/>
    public readonly long OrderTicks => Ticks;

    /// <summary>When, in ticks.</summary>
    public long Ticks;
}

/// <summary>The driver framework was about to call its client.</summary>
internal struct CallbackMark : ITimed
{
    /// <inheritdoc/>
    public readonly long OrderTicks => Ticks;

    /// <summary>When, in ticks.</summary>
    public long Ticks;

    /// <summary>Address of the client's routine.</summary>
    public ulong Routine;

    /// <summary>Whether it was an interrupt callback; else a DPC.</summary>
    public bool IsInterrupt;
}

/// <summary>A stretch of a CPU without any record although a sample was due.</summary>
internal struct Silence : ITimed
{
    /// <inheritdoc/>
    public readonly long OrderTicks => ToTicks;

    /// <summary>The last record before, in ticks.</summary>
    public long FromTicks;

    /// <summary>When the first sample that is missing was due, in ticks.</summary>
    public long DueTicks;

    /// <summary>The first record after, in ticks.</summary>
    public long ToTicks;

    /// <summary>The last sample on time before, in ticks.</summary>
    public long BeatTicks;
}
