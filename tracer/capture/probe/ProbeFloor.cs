namespace Tracer.Capture.Probe;

/// <summary>The latency that the probe shows on an idle machine, and what may be asked of it.</summary>
public static class ProbeFloor
{
    /// <summary>A threshold below so many floors would report the probe's own noise.</summary>
    public const int LeastFloors = 2;

    /// <summary>Nine of ten wake-ups are not longer: what a troubled machine does to fewer than one of ten does not raise it.</summary>
    private const int Percent = 90;

    /// <summary>Finds the floor in the latencies of some wake-ups.</summary>
    /// <param name="latencies">Latencies in any unit; sorted when this returns. At least one.</param>
    internal static long Of(Span<long> latencies)
    {
        latencies.Sort();
        return latencies[Math.Min(latencies.Length * Percent / 100, latencies.Length - 1)];
    }

    /// <summary>Whether wake-ups tell what is late by a threshold.</summary>
    public static bool CanMeasure(Duration threshold, long floorNs) => threshold.Nanoseconds / LeastFloors >= floorNs;

    /// <summary>Why wake-ups can't be measured against a threshold.</summary>
    /// <returns>A sentence without a full stop; null where they can.</returns>
    public static string? Refusal(Duration threshold, Duration floor) => CanMeasure(threshold, floor.Nanoseconds)
        ? null
        : $"a threshold of {threshold} is below twice what the probe shows when nothing is wrong ({ReadableDuration.Of(floor)}): "
            + $"wake-ups of {ReadableDuration.Of(new Duration(RoundedUp(LeastFloors * floor.Nanoseconds)))} or more can be measured here";

    /// <summary>To whole ten microseconds.</summary>
    private static long RoundedUp(long nanoseconds)
    {
        const long Step = 10_000;
        return (nanoseconds + Step - 1) / Step * Step;
    }
}
