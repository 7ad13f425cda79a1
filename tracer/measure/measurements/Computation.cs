using System.Runtime.CompilerServices;
using Tracer.Measure.Ground;

namespace Tracer.Measure.Measurements;

/// <summary>A fixed amount of work: so many readings of the counter.</summary>
internal static class Computation
{
    private const int Batches = 201;
    private const int Batch = 200;

    /// <summary>
    /// What one reading takes where nothing disturbs it, in nanoseconds: the median of short batches. The least of them is a speed that
    /// no processor keeps, and long ones are disturbed.
    /// </summary>
    public static double TimeOfTurn(MeasureStage stage)
    {
        Span<double> times = stackalloc double[Batches];
        foreach (ref double time in times)
        {
            long before = stage.Machine.Ticks;
            time = (double)stage.Time.ToNanoseconds(Run(stage.Machine, Batch) - before) / Batch;
        }

        times.Sort();
        // A counter that is coarser than a batch would tell nothing.
        return Math.Max(times[Batches / 2], 0.1);
    }

    /// <returns>The last of them; 0 where there was none.</returns>
    // Compiled well at the first call: it must take as long when it is measured as when it was timed.
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
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
