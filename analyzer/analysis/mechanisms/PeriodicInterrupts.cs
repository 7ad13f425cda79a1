using Tracer.Contract;

namespace Tracer.Analysis;

/// <summary>
/// The interrupts that every machine has and nobody answers for, where the trace has ISR records of them: the one that takes the samples,
/// and the clock's.
/// </summary>
internal sealed class PeriodicInterrupts(ProfileInterrupt profile, ClockInterrupts clock)
{
    /// <summary>What reports call such an interrupt; null for any other routine.</summary>
    /// <param name="routine">Address of the ISR.</param>
    public string? NameOf(ulong routine) =>
        profile.Is(routine) ? CulpritName.Recording
        : clock.Is(routine) ? CulpritName.Clock
        : null;

    /// <summary>What one run of such an interrupt takes on average, in ticks; null for any other routine.</summary>
    /// <param name="routine">Address of the ISR.</param>
    /// <param name="exceptTicks">One run that does not count.</param>
    public long? MeanOf(ulong routine, long exceptTicks)
    {
        InterruptTotal? total = profile.Is(routine) ? profile.Total : clock.Is(routine) ? clock.Total : null;
        return total is { Count: > 1 } known ? (known.Ticks - exceptTicks) / (known.Count - 1) : null;
    }
}
