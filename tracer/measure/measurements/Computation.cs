namespace Tracer.Measure;

/// <summary>A fixed amount of work: so many readings of the counter.</summary>
internal static class Computation
{
    /// <summary>Works.</summary>
    /// <param name="machine">The machine.</param>
    /// <param name="turns">How many readings.</param>
    /// <returns>The last of them; 0 where there was none.</returns>
    public static long Run(IMeasureMachine machine, long turns)
    {
        long last = 0;
        for (long i = 0; i < turns; i++)
        {
            last = machine.Ticks;
        }

        return last;
    }
}
