using Tracer.Analysis.Facts;
using Tracer.Analysis.Machine;

namespace Tracer.Analysis.Mechanisms;

/// <summary>
/// The interrupts that every machine has and no driver is to blame for, where ISR records show them: the profile interrupt, which takes the
/// samples, and the clock interrupt.
/// </summary>
internal sealed class PeriodicInterrupts(ProfileInterrupt profile, ClockInterrupts clock)
{
    /// <summary>The name of such an interrupt in reports; null for any other routine.</summary>
    public string? NameOf(ulong routine) =>
        profile.Is(routine) ? CulpritName.Recording
        : clock.Is(routine) ? CulpritName.Clock
        : null;

    /// <summary>The average length of one run of such an interrupt, in ticks; null for any other routine.</summary>
    /// <param name="exceptTicks">The length of one run to leave out of the average, in ticks.</param>
    public long? MeanOf(ulong routine, long exceptTicks)
    {
        InterruptTotal? total = profile.Is(routine) ? profile.Total : clock.Is(routine) ? clock.Total : null;
        return total is { Count: > 1 } known ? (known.Ticks - exceptTicks) / (known.Count - 1) : null;
    }
}
