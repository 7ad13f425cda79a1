namespace Tracer.Analysis.Machine;

/// <summary>
/// Limits the work on episodes, and what is kept of them, to a multiple of the trace's content: many overlapping episodes would otherwise
/// examine the same records again and again. What exceeds the budget is counted.
/// </summary>
internal sealed class WorkBudget
{
    /// <summary>Records that may be examined in any trace, however small.</summary>
    public const long FixedRecords = 6_000_000;

    /// <summary>Records that may be examined in addition for each event of the trace.</summary>
    public const long RecordsPerEvent = 16;

    /// <summary>Parts of episodes that may be kept in any trace, however small.</summary>
    public const long FixedParts = 150_000;

    /// <summary>One more part may be kept for each this many events of the trace.</summary>
    public const long EventsPerPart = 8;

    private readonly long _records;
    private readonly long _parts;

    public WorkBudget(long events, long fixedRecords = FixedRecords, long fixedParts = FixedParts)
    {
        _records = fixedRecords + (RecordsPerEvent * Math.Max(0, events));
        _parts = fixedParts + (Math.Max(0, events) / EventsPerPart);
    }

    /// <summary>Number of records examined so far.</summary>
    public long Records { get; private set; }

    /// <summary>Number of parts kept so far.</summary>
    public long Parts { get; private set; }

    /// <summary>How often something was not examined because the budget of records was used up.</summary>
    public long Refused { get; private set; }

    /// <summary>How often only the largest parts were kept.</summary>
    public long Cut { get; private set; }

    public bool TrySpend(long records)
    {
        if (records > _records - Records)
        {
            Refused++;
            return false;
        }

        Records += records;
        return true;
    }

    /// <param name="parts">Number of causes, functions or stretches of a strip to be kept.</param>
    /// <returns>Whether the budget allows them; if not, the largest few may be kept all the same.</returns>
    public bool TryKeep(long parts)
    {
        if (parts > _parts - Parts)
        {
            Cut++;
            return false;
        }

        Parts += parts;
        return true;
    }
}
