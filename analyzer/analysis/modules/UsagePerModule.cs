using System.Runtime.InteropServices;
using Tracer.Etl;

namespace Tracer.Analysis;

/// <summary>
/// Counts what ISRs and DPCs took by the module that their routine lies in, by CPU and by second, as older tools do: gross, each from its
/// start to its end with whatever interrupted it, and a framework's routine counts for the framework. What a vendor's driver really took
/// stands in the driver table.
/// </summary>
internal sealed class UsagePerModule
{
    /// <summary>Buckets of the histogram: up to 1 us, then each twice as long as the one before, the last without an end.</summary>
    public const int Buckets = 13;

    /// <summary>
    /// Cells of a table that any trace may have, whatever it holds: an hour on one CPU, a minute on 64. Beyond, there are as many as there
    /// are ISRs and DPCs: a trace with one bad time stamp claims to last for years, one with a bad buffer to have 65,536 CPUs.
    /// </summary>
    private const int CellsOfAny = 1 << 12;

    /// <summary>CPUs that are believed to be there without having run anything; more if a good part of them has.</summary>
    private const int CpusOfAny = 64;

    private readonly ModuleMap _modules;
    private readonly long _fromTicks;
    private readonly long _ticksPerSecond;
    private readonly Dictionary<(int Image, bool IsIsr), Counts> _counts = [];
    private readonly Dictionary<(int Cpu, bool IsIsr), Dictionary<long, long>> _seconds = [];
    private long _routines;

    /// <summary>Starts with nothing.</summary>
    /// <param name="modules">The images.</param>
    /// <param name="fromTicks">When the trace begins.</param>
    /// <param name="ticksPerSecond">The clock.</param>
    public UsagePerModule(ModuleMap modules, long fromTicks, long ticksPerSecond)
    {
        _modules = modules;
        _fromTicks = fromTicks;
        _ticksPerSecond = Math.Max(1, ticksPerSecond);
    }

    /// <summary>Takes an ISR or DPC.</summary>
    /// <param name="cpu">Where it ran.</param>
    /// <param name="routine">Its routine.</param>
    /// <param name="isIsr">Whether it is an ISR.</param>
    /// <param name="startTicks">Its start.</param>
    /// <param name="endTicks">Its end.</param>
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

    /// <summary>The result.</summary>
    /// <param name="clock">The trace's clock.</param>
    /// <param name="known">The CPUs that have events.</param>
    /// <param name="span">From the first event of the trace to the last.</param>
    public LevelUsage Result(TraceClock clock, IEnumerable<int> known, Contract.Duration span)
    {
        SortedSet<int> seen = [.. _counts.Values.SelectMany(counts => counts.CpuTicks.Keys), .. known];
        long cells = CellsOfAny + _routines;
        int cpus = Math.Min(CpusOf(seen), (int)Math.Max(CpusOfAny, cells / Math.Max(1, _counts.Count)));
        // A last second of which less than a millisecond is there is no row of its own: rows are told by milliseconds.
        long milliseconds = span.Nanoseconds / 1_000_000;
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
                .OrderBy(module => module.Key.Length == 0).ThenBy(module => module.Key, StringComparer.OrdinalIgnoreCase)
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

    /// <summary>How many CPUs there are, by the numbers of those that were seen: a number far above all others is damage.</summary>
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

    /// <summary>What ran in a second; the last row has what is behind it, too.</summary>
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

        // A minute's worth at most: longer ones are damage, and were left out.
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
