namespace Tracer.Forecast;

public sealed record PeriodicTask(string Name, Buffering Buffering);

/// <summary>Whether a task keeps up.</summary>
/// <param name="PseudoWorstNs">The pseudo worst case that it was computed with, in nanoseconds.</param>
/// <param name="ResponseNs">
/// From when it is due until it is done, at worst, in nanoseconds; null where that is more than its period: it does not keep up, and its
/// next release makes it later still.
/// </param>
public sealed record TaskResponse(PeriodicTask Task, double PseudoWorstNs, double? ResponseNs);

/// <summary>
/// Whether a set of periodic tasks keeps up on a system whose latencies are not bounded (Cota-Robles &amp; Held 5.2): one long latency is
/// allowed as often as one dropout is, and what it costs is spread over the cycles that the buffers give to catch up.
/// </summary>
public static class Schedulability
{
    /// <summary>
    /// The pseudo worst case: the latency that is as rare as a dropout may be, and mean ones for the rest of the n - 1 cycles that the
    /// buffers last, spread evenly over these. The paper names the idea and leaves the formula to another one; this is ours, and with two
    /// buffers it is the rare latency itself.
    /// </summary>
    /// <param name="rareNs">The latency that is exceeded as seldom as a dropout is permitted.</param>
    public static double PseudoWorstNs(double rareNs, double meanNs, int buffers) =>
        (rareNs + (buffers - 2) * meanNs) / (buffers - 1);

    /// <summary>
    /// Response times by rate-monotonic priorities, the shorter period first: R = C + L + the sum over shorter periods of ceil(R / T) C
    /// (Joseph and Pandya 1986), L being the task's pseudo worst case.
    /// </summary>
    /// <param name="rareNs">The latency that is exceeded as seldom as a dropout of a task is permitted, by its own rate of waits.</param>
    /// <returns>The tasks, the highest priority first.</returns>
    public static IReadOnlyList<TaskResponse> Of(IReadOnlyList<PeriodicTask> tasks, Func<PeriodicTask, double> rareNs, double meanNs)
    {
        ArgumentNullException.ThrowIfNull(rareNs);
        PeriodicTask[] byPriority = [.. tasks.OrderBy(task => task.Buffering.BufferNs)];
        var responses = new List<TaskResponse>();
        for (int i = 0; i < byPriority.Length; i++)
        {
            Buffering own = byPriority[i].Buffering;
            double pseudo = PseudoWorstNs(rareNs(byPriority[i]), meanNs, own.Buffers);
            responses.Add(new TaskResponse(byPriority[i], pseudo, Response(own, pseudo, byPriority.AsSpan(0, i))));
        }

        return responses;
    }

    /// <summary>The fixed point, which each step comes nearer to from below; null where it lies beyond the period.</summary>
    private static double? Response(Buffering own, double pseudo, ReadOnlySpan<PeriodicTask> higher)
    {
        double response = own.ComputeNs + pseudo;
        while (response <= own.BufferNs)
        {
            double next = own.ComputeNs + pseudo;
            foreach (PeriodicTask task in higher)
            {
                next += Math.Ceiling(response / task.Buffering.BufferNs - 1e-12) * task.Buffering.ComputeNs;
            }

            if (next <= response)
            {
                return response;
            }

            response = next;
        }

        return null;
    }
}
