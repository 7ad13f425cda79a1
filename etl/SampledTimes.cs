namespace Tracer.Etl;

/// <summary>The stretches of a trace of which a sample holds all events, equally long and equally far from each other.</summary>
/// <param name="FirstTicks">When the first begins.</param>
/// <param name="StepTicks">From the beginning of one to that of the next.</param>
/// <param name="LengthTicks">How long each is; no less than <paramref name="StepTicks"/> where the sample is the whole trace.</param>
/// <param name="Stretches">How many there are.</param>
public readonly record struct SampledTimes(long FirstTicks, double StepTicks, double LengthTicks, int Stretches)
{
    /// <summary>Whether the sample is the whole trace.</summary>
    public bool IsWhole => LengthTicks >= StepTicks;

    /// <summary>Whether the sample holds all events of a time.</summary>
    /// <param name="ticks">The time.</param>
    public bool Holds(long ticks) => IsWhole || (ticks >= FirstTicks && (double)ticks - FirstTicks < Stretches * StepTicks
        && ((double)ticks - FirstTicks) % StepTicks < LengthTicks);

    /// <summary>When each stretch begins.</summary>
    public IEnumerable<long> Starts()
    {
        for (int number = 0; number < Stretches; number++)
        {
            yield return FirstTicks + (long)(number * StepTicks);
        }
    }
}
