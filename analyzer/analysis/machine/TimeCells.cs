namespace Tracer.Analysis.Machine;

/// <summary>
/// Cuts time into cells of one length, from the first event of the trace on. The past of a CPU can be asked as of the end of any cell, and
/// what is due is examined then.
/// </summary>
/// <param name="OriginTicks">When the first cell begins, in ticks; cells lie before it, too.</param>
/// <param name="LengthTicks">How long a cell is, in ticks; at least 1.</param>
internal readonly record struct TimeCells(long OriginTicks, long LengthTicks)
{
    /// <summary>The end of the cell that a time is in, in ticks: behind that time. The largest time where it would be beyond.</summary>
    public long EndOf(long ticks)
    {
        Int128 since = (Int128)ticks - OriginTicks;
        Int128 past = ((since % LengthTicks) + LengthTicks) % LengthTicks;
        return (long)Int128.Min(ticks - past + LengthTicks, long.MaxValue);
    }
}
