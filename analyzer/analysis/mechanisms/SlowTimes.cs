using Tracer.Analysis.Causes;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Modules;

namespace Tracer.Analysis.Mechanisms;

/// <summary>
/// Tells by the lengths of ISRs alone when a CPU ran slowly, as a throttled one does, which no record says: ISRs of several owners then
/// take longer by one factor. If the kernel's, the clock interrupt's above all, are as short as ever, the CPU was not slow.
/// </summary>
internal sealed class SlowTimes(RoutineCounts routines, ModuleMap modules)
{
    /// <summary>Fewest runs of an ISR by which its usual length is known.</summary>
    private const int FewestRuns = 30;

    /// <summary>
    /// The usual length of an ISR is at most this many times that of a short run, one of ten; else its length tells of its work.
    /// </summary>
    private const double MostOfShort = 2.5;

    /// <summary>A slowed ISR takes at least this many times its mean on that CPU, or the core is never faster.</summary>
    private const double LeastOfMean = 1.25;

    /// <summary>The factors of the slowed ISRs are at most this many times that of all, and at least as many times less.</summary>
    private const double OneFactor = 2;

    /// <summary>Least part of the ISRs' runs near by that are of those slowed by that factor.</summary>
    private const double LeastSlowed = 0.75;

    /// <summary>
    /// Fewest owners of slowed ISRs, the kernel's counted twice, as the clock's is among them; a driver and its framework may be busy
    /// together.
    /// </summary>
    private const int FewestOwners = 3;

    /// <summary>Greatest probability with which chance may explain that so many runs near by are long.</summary>
    private const double MostChance = 1e-3;

    private readonly Dictionary<(ulong Routine, int? Cpu), UsualRuns?> _usual = [];
    private ILookup<ulong, RoutineCount>? _counts;

    /// <summary>
    /// How much slower than usual the CPU was while a routine ran, by the ISRs of others near by: on this CPU, or where those are too few,
    /// on all. Null where it was not, or where nothing shows it.
    /// </summary>
    /// <param name="atTicks">When it ran, in ticks.</param>
    public Slowdown? Of(RoutineRan ran, long atTicks)
    {
        int? own = modules.Find(ran.Routine, atTicks)?.Number;
        List<Witness> here = WitnessesOf(ran.Near);
        return Of(here) ?? (here.Exists(one => !one.IsLong) ? null : Of([.. here, .. WitnessesOf(ran.Elsewhere)]));

        List<Witness> WitnessesOf(IReadOnlyList<NearRuns> all) =>
        [
            .. all.Select(near =>
                    modules.Find(near.Routine, atTicks) is { } image && image.Number != own && UsualOf(near.Routine, near.Cpu) is { } usual
                    ? new Witness(near, usual, image.Number, modules.RoleOf(image) == ModuleRole.Kernel)
                    : null)
                .OfType<Witness>(),
        ];
    }

    private static Slowdown? Of(List<Witness> all)
    {
        double times = all.Sum(one => (double)one.Near.Runs * one.Near.MedianTicks)
            / Math.Max(1, all.Sum(one => (double)one.Near.Runs * one.Usual.Ticks));
        List<Witness> slowed = [.. all.Where(one => one.IsLong && one.Times <= OneFactor * times && one.Times * OneFactor >= times)];
        return slowed.DistinctBy(one => one.Image).Sum(one => one.IsKernels ? 2 : 1) < FewestOwners
            || slowed.Sum(one => one.Near.Runs) < LeastSlowed * all.Sum(one => one.Near.Runs)
            || all.Except(slowed).Any(one => one.IsKernels)
            || slowed.Aggregate(1.0, (chance, one) => chance * one.Chance) > MostChance
            ? null
            : new Slowdown(times, 0, 0, 0, slowed.Count)
            {
                Meanwhile = [.. slowed.DistinctBy(one => one.Near.Routine)
                    .Select(one => new SlowedIsr(one.Near.Routine, one.Times, one.Usual.Ticks))],
            };
    }

    /// <summary>What is usual for an ISR; null where that is not known, or where it has now much, now little to do.</summary>
    private UsualRuns? UsualOf(ulong routine, int? cpu)
    {
        if (_usual.TryGetValue((routine, cpu), out UsualRuns? known))
        {
            return known;
        }

        _counts ??= routines.All.Where(count => count.IsIsr).ToLookup(count => count.Routine);
        var times = new DurationCounts();
        (long runsThere, long ticksThere) = (0, 0);
        foreach (RoutineCount count in _counts[routine])
        {
            times.Add(count.Times);
            foreach (CpuRun runs in count.PerCpu.All)
            {
                if (cpu is null || runs.Cpu == cpu)
                {
                    (runsThere, ticksThere) = (runsThere + runs.Count, ticksThere + runs.Ticks);
                }
            }
        }

        UsualRuns? usual = null;
        if (times.Count >= FewestRuns)
        {
            long ticks = TwoModes.Of(times)?.ShortTicks ?? times.Percentile(50);
            long beyond = times.Buckets.Where(bucket => bucket.MostTicks >= PowerHistory.LeastSlowdown * ticks).Sum(bucket => bucket.Count);
            usual = ticks > 0 && ticks <= MostOfShort * times.Percentile(10)
                ? new UsualRuns(ticks, beyond / (double)times.Count, ticksThere / Math.Max(1.0, runsThere))
                : null;
        }

        _usual.Add((routine, cpu), usual);
        return usual;
    }

    /// <param name="Ticks">The usual length, in ticks.</param>
    /// <param name="LongShare">The part of the runs that are as long as on a slow CPU.</param>
    /// <param name="MeanTicks">The mean length on the CPU, in ticks.</param>
    private sealed record UsualRuns(long Ticks, double LongShare, double MeanTicks);

    private sealed record Witness(NearRuns Near, UsualRuns Usual, int Image, bool IsKernels)
    {
        /// <summary>How much longer than usual it takes.</summary>
        public double Times => Near.MedianTicks / (double)Usual.Ticks;

        public bool IsLong => Times >= PowerHistory.LeastSlowdown && Near.MedianTicks >= LeastOfMean * Usual.MeanTicks;

        /// <summary>With what probability half of its runs near by would be long by chance.</summary>
        public double Chance => Math.Pow(Usual.LongShare, (Near.Runs + 1) / 2);
    }
}
