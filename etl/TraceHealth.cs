namespace Tracer.Etl;

/// <summary>How much an oddity matters to what is concluded from the trace.</summary>
public enum HealthSeverity
{
    /// <summary>Odd, but nothing is missing because of it.</summary>
    Info,

    /// <summary>Something that happened is missing from what was read.</summary>
    DataLoss,
}

/// <summary>Everything odd that can be met in a trace, one counter each.</summary>
public enum HealthCounter
{
    /// <summary>Events that the writing system says it lost.</summary>
    EventsLost,

    /// <summary>Buffers that the writing system says it lost.</summary>
    BuffersLost,

    /// <summary>Buffers whose flags say that events were lost before they were written.</summary>
    BuffersMarkedEventsLost,

    /// <summary>Buffers whose flags say that a buffer was lost before them.</summary>
    BuffersMarkedBufferLost,

    /// <summary>Buffers that were skipped or cut short because of damage; see <see cref="TraceHealth.Damage"/>.</summary>
    DamagedBuffers,

    /// <summary>Bytes at the end of the file that are less than the buffer they begin.</summary>
    TruncatedBytes,

    /// <summary>Buffers that the header counts but the file does not hold: the file was cut. A ring that wrapped does not count.</summary>
    MissingBuffers,

    /// <summary>Sequence numbers missing between two buffers of the file.</summary>
    SequenceGaps,

    /// <summary>The first event of the file could not be read: clock, CPU count and machine are not known.</summary>
    MissingHeader,

    /// <summary>The header was never finalised: the session crashed or still runs.</summary>
    UnfinishedHeader,

    /// <summary>
    /// Blank buffers of space that was set aside and never written; a blank one that must have been written counts as damaged.
    /// </summary>
    UnusedBuffers,

    /// <summary>
    /// Buffers that the file holds once more, byte for byte: in order of time they are read once, as the file has them twice.
    /// </summary>
    RepeatedBuffers,

    /// <summary>Buffers of a type that holds no events.</summary>
    OtherBuffers,

    /// <summary>Buffers with flags or of a type that no known system writes; they were read like any other.</summary>
    UnknownBufferMarks,

    /// <summary>Records of no known kind or an impossible size: the rest of their buffer could not be read.</summary>
    UnknownRecords,

    /// <summary>Records of no known kind that tell their size: skipped, the rest of the buffer was read.</summary>
    SkippedRecords,

    /// <summary>Records whose own size is good but whose inner lengths are not: skipped, the rest of the buffer was read.</summary>
    DamagedRecords,

    /// <summary>TIMED records, skipped: their layout is unknown.</summary>
    TimedRecords,

    /// <summary>ERROR records, skipped: their layout is unknown.</summary>
    ErrorRecords,

    /// <summary>WNODE records, skipped: their layout is unknown.</summary>
    WnodeRecords,

    /// <summary>Events whose time stamp precedes that of the event before them on the same CPU.</summary>
    TimeInversions,

    /// <summary>
    /// Events whose time no neighbour supports: it is not used, they count as logged with the event before them. Counted only where a
    /// reader was asked for that (<see cref="EtlReader.Settle"/>).
    /// </summary>
    StrayTimes,

    /// <summary>Stack records whose event was not found among the events that waited for one.</summary>
    UnmatchedStacks,

    /// <summary>
    /// Events whose payload is shorter than its version asks for. A reader does not look at payloads: whoever decodes them counts.
    /// </summary>
    ShortPayloads,

    /// <summary>
    /// Names of providers, events, fields and values that were cut because they are too long to be repeated with every event. A reader
    /// does not look at names: whoever decodes them counts.
    /// </summary>
    CutNames,

    /// <summary>
    /// Events of which not all fields were given, because their descriptions make much more text of them than they have bytes. Whoever
    /// decodes them counts.
    /// </summary>
    CutPayloads,

    /// <summary>Stack records that came after events of their time had already been given on without waiting any longer.</summary>
    LateStacks,

    /// <summary>Events given on while they still waited for a part of their stack, because no more could be held back.</summary>
    StackWaitsEvicted,

    /// <summary>Stack keys for which the trace holds no definition, or none that was kept.</summary>
    UnresolvedStackKeys,

    /// <summary>
    /// Stack keys of a kernel part whose definition has user frames, or the reverse: the right definition is not in the trace, and keys
    /// that seem right may be wrong too.
    /// </summary>
    ContradictoryStackKeys,

    /// <summary>Definitions of stack keys that were not kept, because they would have taken more memory than allowed.</summary>
    DroppedStackDefinitions,
}

/// <summary>One buffer that could not be read whole.</summary>
/// <param name="FileOffset">Where it starts in the file, in bytes.</param>
/// <param name="Reason">What is wrong with it, as a phrase for a person.</param>
public sealed record DamagedBuffer(long FileOffset, string Reason);

/// <summary>A stretch of a buffer whose events have a time that no neighbour supports.</summary>
/// <param name="FileOffset">Where the buffer starts in the file, in bytes.</param>
/// <param name="FromTicks">The time of the event before them; long.MinValue where there is none in the buffer.</param>
/// <param name="ToTicks">That of the event behind them; long.MaxValue where there is none.</param>
internal readonly record struct StrayStretch(long FileOffset, long FromTicks, long ToTicks);

/// <summary>
/// What was odd about a trace: named counters and the places of damage. A reader fills it while it reads; whoever draws conclusions from
/// the trace says them with this in mind. Memory is bounded whatever the trace holds. Not safe for use by several threads at once: each
/// reads with its own and <see cref="Add(TraceHealth)"/> joins them.
/// </summary>
public sealed class TraceHealth
{
    /// <summary>How many damaged buffers are kept with their place; the counter goes on beyond it.</summary>
    public const int MaximumDamageKept = 1000;

    private static readonly HealthCounter[] AllCounters = Enum.GetValues<HealthCounter>();

    private readonly long[] _counts = new long[AllCounters.Length];
    private readonly List<DamagedBuffer> _damage = [];

    /// <summary>The damaged buffers in the order they were met, the first <see cref="MaximumDamageKept"/> of them.</summary>
    public IReadOnlyList<DamagedBuffer> Damage => _damage;

    /// <summary>Between which times events have a time that no neighbour supports, as far as they are kept.</summary>
    internal List<StrayStretch> Strays { get; } = [];

    /// <summary>Whether something that happened is missing from what was read.</summary>
    public bool HasDataLoss => Array.Exists(AllCounters, counter => SeverityOf(counter) == HealthSeverity.DataLoss && this[counter] > 0);

    /// <summary>The count of one oddity.</summary>
    public long this[HealthCounter counter] => _counts[(int)counter];

    /// <summary>
    /// Work beyond going through the events once: bytes that were searched, tried out or decompressed, buffers and events put in order,
    /// questions asked for losses. Tests hold it against the size of the input.
    /// </summary>
    internal long Work { get; private set; }

    /// <summary>How much an oddity matters.</summary>
    public static HealthSeverity SeverityOf(HealthCounter counter) => counter switch
    {
        HealthCounter.EventsLost or HealthCounter.BuffersLost or HealthCounter.DamagedBuffers or HealthCounter.TruncatedBytes
            or HealthCounter.UnknownRecords or HealthCounter.SkippedRecords or HealthCounter.DamagedRecords or HealthCounter.ShortPayloads
            or HealthCounter.BuffersMarkedEventsLost or HealthCounter.BuffersMarkedBufferLost or HealthCounter.MissingHeader
            or HealthCounter.MissingBuffers or HealthCounter.DroppedStackDefinitions
            or HealthCounter.ContradictoryStackKeys => HealthSeverity.DataLoss,
        _ => HealthSeverity.Info,
    };

    /// <summary>Counts an oddity.</summary>
    /// <param name="counter">Which.</param>
    /// <param name="count">How many; at least 0. A counter stays at its maximum instead of overflowing.</param>
    /// <exception cref="ArgumentOutOfRangeException">The count is negative.</exception>
    public void Add(HealthCounter counter, long count = 1)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        ref long total = ref _counts[(int)counter];
        total = total > long.MaxValue - count ? long.MaxValue : total + count;
    }

    internal void AddWork(long units) => Work += units;

    /// <summary>Counts a damaged buffer and keeps its place.</summary>
    public void AddDamage(DamagedBuffer damaged)
    {
        Add(HealthCounter.DamagedBuffers);
        Keep(damaged);
    }

    /// <summary>Keeps between which times the time of events is not known.</summary>
    internal void AddStray(in StrayStretch stretch)
    {
        if (Strays.Count < MaximumDamageKept)
        {
            Strays.Add(stretch);
        }
    }

    /// <summary>Adds what another reader met.</summary>
    public void Add(TraceHealth other)
    {
        ArgumentNullException.ThrowIfNull(other);
        foreach (StrayStretch stretch in other.Strays)
        {
            AddStray(in stretch);
        }

        foreach (HealthCounter counter in AllCounters)
        {
            Add(counter, other[counter]);
        }

        Work += other.Work;

        foreach (DamagedBuffer damaged in other._damage)
        {
            Keep(damaged);
        }
    }

    /// <summary>Forgets all, to be used again.</summary>
    internal void Clear()
    {
        Array.Clear(_counts);
        _damage.Clear();
        Work = 0;
    }

    private void Keep(DamagedBuffer damaged)
    {
        if (_damage.Count < MaximumDamageKept)
        {
            _damage.Add(damaged);
        }
    }
}
