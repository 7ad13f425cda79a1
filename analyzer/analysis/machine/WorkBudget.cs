namespace Tracer.Analysis;

/// <summary>
/// Limits the work of looking into episodes, and what is kept of them, to a multiple of what the trace holds: many that overlap would
/// otherwise look at the same records again and again. What is beyond it is counted.
/// </summary>
internal sealed class WorkBudget
{
    /// <summary>Records that may be looked at whatever the trace holds.</summary>
    public const long FixedRecords = 6_000_000;

    /// <summary>And so many times for each of its events.</summary>
    public const long RecordsPerEvent = 16;

    /// <summary>Parts of episodes that may be kept whatever the trace holds.</summary>
    public const long FixedParts = 250_000;

    /// <summary>And one more for so many of its events.</summary>
    public const long EventsPerPart = 8;

    private readonly long _records;
    private readonly long _parts;

    /// <summary>Makes one.</summary>
    /// <param name="events">Events of the trace.</param>
    /// <param name="fixedRecords">As <see cref="FixedRecords"/>.</param>
    /// <param name="fixedParts">As <see cref="FixedParts"/>.</param>
    public WorkBudget(long events, long fixedRecords = FixedRecords, long fixedParts = FixedParts)
    {
        _records = fixedRecords + (RecordsPerEvent * Math.Max(0, events));
        _parts = fixedParts + (Math.Max(0, events) / EventsPerPart);
    }

    /// <summary>Records that were looked at.</summary>
    public long Records { get; private set; }

    /// <summary>Parts that are kept.</summary>
    public long Parts { get; private set; }

    /// <summary>How often something was not looked into because too many records had been looked at.</summary>
    public long Refused { get; private set; }

    /// <summary>How often only the largest parts were kept.</summary>
    public long Cut { get; private set; }

    /// <summary>Takes records from it.</summary>
    /// <param name="records">Records that are to be looked at.</param>
    /// <returns>Whether that many were left.</returns>
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

    /// <summary>Takes parts from it.</summary>
    /// <param name="parts">Causes, functions, stretches of a strip that are to be kept.</param>
    /// <returns>Whether that many were left; if not, the largest few may be kept all the same.</returns>
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
