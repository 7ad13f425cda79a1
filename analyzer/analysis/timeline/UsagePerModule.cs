namespace Tracer.Analysis;

/// <summary>
/// Counts what ISRs and DPCs took by the module that their routine lies in, by CPU and by second, as older tools do: gross, each from its
/// start to its end with whatever interrupted it, and a framework's routine counts for the framework. What a vendor's driver really took
/// stands in <see cref="DriverTable"/>.
/// </summary>
internal sealed class UsagePerModule
{
    /// <summary>Buckets of the histogram: up to 1 us, then each twice as long as the one before, the last without an end.</summary>
    public const int Buckets = 13;

    /// <summary>Seconds of all CPUs together that are kept apart: a damaged trace may last as long as it claims.</summary>
    private const int MostSeconds = 1 << 20;

    private readonly ModuleMap _modules;
    private readonly long _fromTicks;
    private readonly long _ticksPerSecond;
    private readonly Dictionary<(int Image, bool IsIsr), Counts> _counts = [];
    private readonly Dictionary<(int Cpu, bool IsIsr), List<long>> _seconds = [];
    private int _secondsKept;

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

        long ticks = endTicks - startTicks;
        counts.Histogram[BucketOf(ticks)]++;
        counts.CpuTicks[cpu] = counts.CpuTicks.GetValueOrDefault(cpu) + ticks;
        AddSeconds(cpu, isIsr, Math.Max(0, startTicks - _fromTicks), Math.Max(0, endTicks - _fromTicks));
    }

    /// <summary>The result.</summary>
    /// <param name="findings">Knows the clock and the CPUs.</param>
    public LevelUsage Result(BlameFindings findings)
    {
        int highest = _counts.Values.SelectMany(counts => counts.CpuTicks.Keys).DefaultIfEmpty().Max();
        int cpus = Math.Max(highest + 1, findings.Facts.Cpus.Count > 0 ? findings.Facts.Cpus[^1].Cpu + 1 : 1);
        // A last second of which less than a millisecond is there is no row of its own: rows are told by milliseconds.
        long milliseconds = findings.Summary.Duration.Nanoseconds / 1_000_000;
        int rows = (int)Math.Clamp((milliseconds + 999) / 1000, 1, Math.Max(1, MostSeconds / cpus));
        return new LevelUsage(
            findings.Summary.Duration,
            cpus,
            Modules(isIsr: false),
            Modules(isIsr: true),
            Seconds(isIsr: false),
            Seconds(isIsr: true));

        IReadOnlyList<ModuleUsage> Modules(bool isIsr) =>
        [
            .. _counts.Where(one => one.Key.IsIsr == isIsr)
                .GroupBy(one => NameOf(one.Key.Image), one => one.Value, StringComparer.OrdinalIgnoreCase)
                .OrderBy(module => module.Key.Length == 0).ThenBy(module => module.Key, StringComparer.OrdinalIgnoreCase)
                .Select(module => new ModuleUsage(
                    module.Key.Length == 0 ? null : module.Key,
                    [.. Enumerable.Range(0, cpus).Select(cpu => findings.Length(module.Sum(one => one.CpuTicks.GetValueOrDefault(cpu))))],
                    [.. Enumerable.Range(0, Buckets).Select(bucket => module.Sum(one => one.Histogram[bucket]))])),
        ];

        IReadOnlyList<IReadOnlyList<Contract.Duration>> Seconds(bool isIsr) =>
        [
            .. Enumerable.Range(0, rows).Select(second => (IReadOnlyList<Contract.Duration>)
                [.. Enumerable.Range(0, cpus).Select(cpu => findings.Length(TicksIn(cpu, isIsr, second, second == rows - 1)))]),
        ];
    }

    private string NameOf(int image) => image < 0 ? string.Empty : _modules.Images.Images[image].Name;

    private long TicksIn(int cpu, bool isIsr, int second, bool isLast) => _seconds.TryGetValue((cpu, isIsr), out List<long>? seconds)
        ? seconds.Skip(second).Take(isLast ? seconds.Count : 1).Sum()
        : 0;

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
        if (!_seconds.TryGetValue((cpu, isIsr), out List<long>? seconds))
        {
            _seconds.Add((cpu, isIsr), seconds = []);
        }

        for (long at = fromTicks; at < toTicks;)
        {
            long second = at / _ticksPerSecond;
            long end = Math.Min(toTicks, (second + 1) * _ticksPerSecond);
            long missing = second + 1 - seconds.Count;
            if (missing > MostSeconds - _secondsKept)
            {
                return;
            }

            if (missing > 0)
            {
                _secondsKept += (int)missing;
                seconds.AddRange(Enumerable.Repeat(0L, (int)missing));
            }

            seconds[(int)second] += end - at;
            at = end;
        }
    }

    private sealed class Counts
    {
        public long[] Histogram { get; } = new long[Buckets];

        public Dictionary<int, long> CpuTicks { get; } = [];
    }
}
