using System.Runtime.InteropServices;

namespace Tracer.Analysis.Modules;

/// <summary>
/// Adds up the time of ISRs and DPCs by the module of their routine, by CPU and by second, as older tools do. Times are gross: each runs
/// from start to end, including what interrupted it, and a framework's routine counts for the framework. What a vendor's driver really took
/// is in the driver table.
/// </summary>
internal sealed class UsagePerModule
{
    /// <summary>
    /// Buckets of the histogram: up to 1 us, then each with twice the limit of the previous one. The last ends at 18 minutes: records that
    /// claim more than a minute are damaged and were dropped before.
    /// </summary>
    private const int Buckets = 31;

    /// <summary>
    /// Table cells allowed for any trace: an hour on one CPU, a minute on 64. Each ISR and DPC allows one more. The limit is needed because
    /// a trace with one bad time stamp claims to last for years, and one with a bad buffer to have 65,536 CPUs.
    /// </summary>
    private const int CellsOfAny = 1 << 12;

    /// <summary>
    /// CPUs below this number are believed to exist even without having run anything; higher ones only if a quarter of the CPUs up to them
    /// have.
    /// </summary>
    private const int CpusOfAny = 64;

    private readonly ModuleMap _modules;
    private readonly long _fromTicks;
    private readonly long _ticksPerSecond;
    private readonly Dictionary<(int Image, bool IsIsr), Counts> _counts = [];
    private readonly Dictionary<(int Cpu, bool IsIsr), Dictionary<long, long>> _seconds = [];
    private long _routines;

    /// <summary>Creates an empty table.</summary>
    public UsagePerModule(ModuleMap modules, long fromTicks, long ticksPerSecond)
    {
        _modules = modules;
        _fromTicks = fromTicks;
        _ticksPerSecond = Math.Max(1, ticksPerSecond);
    }

    public void Add(int cpu, ulong routine, bool isIsr, long startTicks, long endTicks)
    {
        const int NoImage = -1;
        int image = _modules.Find(routine, endTicks)?.Number ?? NoImage;
        if (!_counts.TryGetValue((image, isIsr), out Counts? counts))
        {
            _counts.Add((image, isIsr), counts = new Counts());
        }

        _routines++;
        long ticks = endTicks - startTicks;
        counts.Histogram[BucketOf(ticks)]++;
        counts.CpuTicks[cpu] = counts.CpuTicks.GetValueOrDefault(cpu) + ticks;
        AddSeconds(cpu, isIsr, Math.Max(0, startTicks - _fromTicks), Math.Max(0, endTicks - _fromTicks));
    }

    /// <summary>An empty table for the reading of one CPU: it shares nothing that changes.</summary>
    public UsagePerModule OfLane() => new(_modules.OfLane(), _fromTicks, _ticksPerSecond);

    /// <summary>Adds what another CPU ran.</summary>
    public void Add(UsagePerModule other)
    {
        _routines += other._routines;
        foreach (((int Image, bool IsIsr) key, Counts added) in other._counts)
        {
            if (!_counts.TryGetValue(key, out Counts? counts))
            {
                _counts.Add(key, added);
                continue;
            }

            for (int bucket = 0; bucket < Buckets; bucket++)
            {
                counts.Histogram[bucket] += added.Histogram[bucket];
            }

            foreach ((int cpu, long ticks) in added.CpuTicks)
            {
                counts.CpuTicks[cpu] = counts.CpuTicks.GetValueOrDefault(cpu) + ticks;
            }
        }

        foreach (((int Cpu, bool IsIsr) key, Dictionary<long, long> seconds) in other._seconds)
        {
            _seconds.Add(key, seconds); // Each CPU is read once.
        }
    }

    /// <param name="span">From the first event of the trace to the last.</param>
    public LevelUsage Result(TraceClock clock, IEnumerable<int> known, Contract.Duration span)
    {
        SortedSet<int> seen = [.. _counts.Values.SelectMany(counts => counts.CpuTicks.Keys), .. known];
        long cells = CellsOfAny + _routines;
        int cpus = Math.Min(CpusOf(seen), (int)Math.Max(CpusOfAny, cells / Math.Max(1, _counts.Count)));
        // A last second of which less than half a millisecond was recorded gets no row: rows are given in milliseconds.
        long milliseconds = (span.Nanoseconds + 500_000) / 1_000_000;
        long seconds = Math.Max(1, (milliseconds + 999) / 1000);
        int rows = (int)Math.Min(seconds, Math.Max(1, cells / cpus));
        return new LevelUsage(
            span,
            cpus,
            Modules(isIsr: false),
            Modules(isIsr: true),
            Seconds(isIsr: false),
            Seconds(isIsr: true))
        {
            CpusLeftOut = seen.Count(cpu => cpu >= cpus),
            SecondsLeftOut = seconds - rows,
        };

        Contract.Duration Length(long ticks) => new(clock.NanosecondsOf(ticks));

        IReadOnlyList<ModuleUsage> Modules(bool isIsr) =>
        [
            .. _counts.Where(one => one.Key.IsIsr == isIsr)
                .GroupBy(one => NameOf(one.Key.Image), one => one.Value, StringComparer.OrdinalIgnoreCase)
                .OrderBy(module => module.Key.Length == 0).ThenBy(module => module.Key, StringComparer.Ordinal)
                .Select(module => new ModuleUsage(
                    module.Key.Length == 0 ? null : module.Key,
                    [.. Enumerable.Range(0, cpus).Select(cpu => Length(module.Sum(one => one.CpuTicks.GetValueOrDefault(cpu))))],
                    [.. Enumerable.Range(0, Buckets).Select(bucket => module.Sum(one => one.Histogram[bucket]))])),
        ];

        IReadOnlyList<IReadOnlyList<Contract.Duration>> Seconds(bool isIsr) =>
        [
            .. Enumerable.Range(0, rows).Select(second => (IReadOnlyList<Contract.Duration>)
                [.. Enumerable.Range(0, cpus).Select(cpu => Length(TicksIn(cpu, isIsr, second, second == rows - 1)))]),
        ];
    }

    private string NameOf(int image) => image < 0 ? string.Empty : _modules.Images.Images[image].Name;

    /// <summary>Number of CPUs, by the numbers of those that occurred: a number far above all others is damage.</summary>
    private static int CpusOf(SortedSet<int> seen)
    {
        int cpus = 1;
        int rank = 0;
        foreach (int cpu in seen)
        {
            cpus = cpu < Math.Max(CpusOfAny, 4 * ++rank) ? cpu + 1 : cpus;
        }

        return cpus;
    }

    /// <summary>Time within a second; the last row includes all later seconds.</summary>
    private long TicksIn(int cpu, bool isIsr, int second, bool isLast)
    {
        if (!_seconds.TryGetValue((cpu, isIsr), out Dictionary<long, long>? seconds))
        {
            return 0;
        }

        return isLast ? seconds.Sum(one => one.Key >= second ? one.Value : 0) : seconds.GetValueOrDefault(second);
    }

    private int BucketOf(long ticks)
    {
        Int128 micros = (Int128)ticks * 1_000_000;
        int bucket = 0;
        while (bucket < Buckets - 1 && micros > (Int128)_ticksPerSecond << bucket)
        {
            bucket++;
        }

        return bucket;
    }

    private void AddSeconds(int cpu, bool isIsr, long fromTicks, long toTicks)
    {
        if (!_seconds.TryGetValue((cpu, isIsr), out Dictionary<long, long>? seconds))
        {
            _seconds.Add((cpu, isIsr), seconds = []);
        }

        // A run spans a minute at most: records that claim more are damaged and were dropped before.
        for (long at = fromTicks; at < toTicks;)
        {
            (long second, long into) = Math.DivRem(at, _ticksPerSecond);
            long left = _ticksPerSecond - into;
            long end = toTicks - at <= left ? toTicks : at + left;
            CollectionsMarshal.GetValueRefOrAddDefault(seconds, second, out _) += end - at;
            at = end;
        }
    }

    private sealed class Counts
    {
        public long[] Histogram { get; } = new long[Buckets];

        public Dictionary<int, long> CpuTicks { get; } = [];
    }
}
