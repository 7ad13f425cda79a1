namespace Tracer.Etl;

/// <summary>The stretches of a trace of which a sample holds all events, equally long and equally far from each other.</summary>
/// <param name="FirstTicks">When the first begins.</param>
/// <param name="StepTicks">From the beginning of one to that of the next.</param>
/// <param name="LengthTicks">How long each is; no less than <paramref name="StepTicks"/> where the sample is the whole trace.</param>
public readonly record struct SampledTimes(long FirstTicks, double StepTicks, double LengthTicks)
{
    /// <summary>Whether the sample is the whole trace.</summary>
    public bool IsWhole => LengthTicks >= StepTicks;

    /// <summary>Whether the sample holds all events of a time.</summary>
    /// <param name="ticks">The time.</param>
    public bool Holds(long ticks) => IsWhole || (ticks >= FirstTicks && ((double)ticks - FirstTicks) % StepTicks < LengthTicks);

    /// <summary>When each stretch begins.</summary>
    /// <param name="toTicks">Up to this time.</param>
    public IEnumerable<long> Starts(long toTicks)
    {
        for (double start = 0; FirstTicks + start <= toTicks && StepTicks >= 1; start += StepTicks)
        {
            yield return FirstTicks + (long)start;
        }
    }
}
