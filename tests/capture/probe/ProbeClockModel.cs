namespace Tracer.Capture.Tests;

/// <summary>
/// How the clock of a machine serves timers. Times in units of 100 ns but where told; clocks and tails as reviewers who know such machines
/// want them, not as one that was measured.
/// </summary>
internal sealed record ProbeClockModel
{
    private const double UnitsPerUs = 10;

    /// <summary>What it is called in the document.</summary>
    public required string Name { get; init; }

    /// <summary>From one tick to the next, and since when, from the start of the machine; the first since 0.</summary>
    public required IReadOnlyList<(long Since, double Period)> Periods { get; init; }

    /// <summary>Median from the tick to the thread, us.</summary>
    public double MedianUs { get; init; } = 5;

    /// <summary>Standard deviation of the logarithm of that.</summary>
    public double Sigma { get; init; } = 0.5;

    /// <summary>How often a timer is not served by the tick that should, but by the next one, if not again; 0 to 1.</summary>
    public double Missed { get; init; }

    /// <summary>How often the CPU has to leave a deep idle state first, 0 to 1, and how long that takes, us.</summary>
    public (double Chance, double Us) IdleExit { get; init; }

    /// <summary>A hypervisor takes the processor away: every so often, and for how long; 0 for never.</summary>
    public (long Every, long Length) Pause { get; init; }

    /// <summary>The tick that serves a timer.</summary>
    /// <param name="start">When the machine was started.</param>
    /// <param name="random">Chance.</param>
    public double ServingTick(long due, long start, Random random)
    {
        int at = Periods.Count - 1;
        while (at > 0 && start + Periods[at].Since > due)
        {
            at--;
        }

        double tick = Next(due, start, at);
        while (random.NextDouble() < Missed)
        {
            tick = Next((long)tick + 1, start, at);
        }

        return tick;
    }

    /// <summary>From the tick to the first instruction of the thread.</summary>
    /// <param name="random">Chance.</param>
    public long Service(Random random)
    {
        double normal = Math.Sqrt(-2 * Math.Log(1 - random.NextDouble())) * Math.Cos(Math.Tau * random.NextDouble());
        double exit = random.NextDouble() < IdleExit.Chance ? IdleExit.Us * (0.5 + random.NextDouble()) : 0;
        return (long)(UnitsPerUs * ((MedianUs * Math.Exp(Sigma * normal)) + exit));
    }

    /// <summary>A moment that falls into a pause of the hypervisor comes at its end.</summary>
    /// <param name="start">When the machine was started.</param>
    public long AfterPauses(long time, long start)
    {
        if (Pause.Every == 0)
        {
            return time;
        }

        long into = (time - start) % Pause.Every;
        return into < Pause.Length ? time + Pause.Length - into : time;
    }

    private double Next(long due, long start, int at)
    {
        // Ticks of another rate come at another phase.
        double origin = start + Periods[at].Since + 377;
        double tick = origin + (Math.Ceiling((due - origin) / Periods[at].Period) * Periods[at].Period);
        return at + 1 < Periods.Count && tick >= start + Periods[at + 1].Since ? Next(due, start, at + 1) : tick;
    }
}
