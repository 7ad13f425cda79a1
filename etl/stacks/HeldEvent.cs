namespace Tracer.Etl.Stacks;

internal enum StackWait : byte
{
    /// <summary>Nothing: it can go as soon as those before it have gone.</summary>
    None,

    /// <summary>The first part of its stack, if there is one; for a limited time.</summary>
    FirstPart,

    /// <summary>A user part of its own: it has that of an earlier event of its thread, and gives it up if one comes right behind.</summary>
    OwnUserPart,

    /// <summary>The user part, which is logged when its thread returns to user mode.</summary>
    UserPart,

    /// <summary>The event that carries the user half of the stack in its extended item.</summary>
    UserHalf,
}

/// <summary>Where the frames of one part of a stack are.</summary>
/// <param name="Place">In the held memory; where its segment is negative, that is the complement of a defined list's number.</param>
/// <param name="Count">How many frames are there.</param>
internal readonly record struct FramesPlace(HeldPlace Place, int Count)
{
    /// <summary>The start of a list of <see cref="StackDefinitions"/>.</summary>
    public static HeldPlace OfList(int list) => new(~list, 0);
}

/// <summary>An event that is held back until its stack is there.</summary>
internal struct HeldEvent
{
    /// <summary>Its time stamp in ticks.</summary>
    public long Ticks;

    /// <summary>File offset of its buffer in bytes.</summary>
    public long BufferOffset;

    /// <summary>Where its bytes are.</summary>
    public HeldPlace Record;

    /// <summary>How many bytes it has.</summary>
    public int RecordBytes;

    /// <summary>Its logical processor.</summary>
    public int Cpu;

    /// <summary>The thread whose stack is meant, or <see cref="EtlEvent.NotInHeader"/> until a part of the stack tells.</summary>
    public uint ThreadId;

    public StackWait Wait;

    /// <summary>When it was given the user part of an earlier event, in ticks.</summary>
    public long SharedTicks;

    /// <summary>Whether stack records may belong to it, so that it is in the table of times.</summary>
    public bool IsFoundByTime;

    public EventStackParts Parts;

    public FramesPlace Kernel;

    public FramesPlace User;

    /// <summary>Tells which user half is its, where that is a separate event.</summary>
    public ulong MatchId;

    /// <summary>The next older event in the same slot of the table of times; -1 for none.</summary>
    public long OlderInSlot;

    /// <summary>The next older event that waits for the same user part or half; -1 for none.</summary>
    public long OlderOfWait;
}
