using System.Runtime.InteropServices;

namespace Tracer.Analysis.Machine;

/// <summary>
/// Number and net times of the runs of each routine, that is, without nested ISRs and DPCs; the client a run was for, where a callback of
/// the driver framework or samples in the run show it; and how long DPCs were queued. The sum of what was counted on each CPU.
/// </summary>
internal sealed class RoutineCounts
{
    /// <summary>Most routines that are tracked: a kernel has a few hundred, but a damaged trace may claim any number.</summary>
    private const int MostRoutines = 100_000;

    private readonly Dictionary<RoutineKey, LongestRuns> _longest = [];
    private readonly List<LongestRuns> _longestByNumber = [];
    private readonly Dictionary<ulong, long> _queueDelays = [];
    private readonly TracePart _part;
    private readonly RoutineCounts? _ofPart;
    private List<RoutineCount> _all = [];
    private Dictionary<(ulong Routine, bool IsIsr), long>? _runsOf;

    /// <param name="asked">The part that <see cref="Asked"/> counts; null for all.</param>
    public RoutineCounts(TracePart? asked = null)
    {
        _part = asked ?? TracePart.Whole;
        _ofPart = _part.IsWhole ? null : new RoutineCounts();
    }

    /// <summary>The same counts, of what began in the part of the trace that was asked about.</summary>
    public RoutineCounts Asked => _ofPart ?? this;

    /// <summary>Where time is also counted by bins: when the first begins, and how long it is at first, in ticks. Else null.</summary>
    public (long FromTicks, long FirstTicks)? Bins { get; private set; }

    /// <summary>The routines with their times, separately for each client. Valid after <see cref="Complete"/>.</summary>
    public IReadOnlyList<RoutineCount> All => _all;

    /// <summary>Whether runs during which a measured thread waited may be missing.</summary>
    public bool MissesWaits { get; private set; }

    /// <summary>Keeps the times of routines by bins of time, too.</summary>
    public void KeepTimeBins(long fromTicks, long firstTicks)
    {
        Bins = (fromTicks, firstTicks);
        _ofPart?.KeepTimeBins(fromTicks, firstTicks);
    }

    /// <summary>Number of runs of a routine, for all clients. Valid after <see cref="Complete"/>.</summary>
    /// <param name="isIsr">Whether its runs as an ISR count; else those as a DPC.</param>
    public long RunsOf(ulong routine, bool isIsr) =>
        (_runsOf ??= All.GroupBy(count => (count.Routine, count.IsIsr))
            .ToDictionary(one => one.Key, one => one.Sum(count => count.Times.Count)))
            .GetValueOrDefault((routine, isIsr));

    /// <summary>The net time of the middle one of a routine's runs without its longest ones, for all clients, in ticks.</summary>
    /// <param name="isIsr">Whether its runs as an ISR count; else those as a DPC.</param>
    /// <param name="longest">How many of the longest do not count.</param>
    /// <returns>Null where there are no others.</returns>
    public long? MedianOfOthers(ulong routine, bool isIsr, int longest)
    {
        var times = new DurationCounts();
        foreach (RoutineCount count in All)
        {
            if (count.Routine == routine && count.IsIsr == isIsr)
            {
                times.Add(count.Times);
            }
        }

        return times.Count > longest ? times.At(Math.Max(1, (times.Count - longest + 1) / 2)) : null;
    }

    /// <summary>The longest time that a DPC of a routine was queued, in ticks; null where its enqueues were not recorded.</summary>
    public long? LongestQueued(ulong routine) => _queueDelays.TryGetValue(routine, out long ticks) ? ticks : null;

    /// <summary>Adds the time that a DPC was queued.</summary>
    public void AddQueued(int cpu, ulong routine, long queuedTicks, long startTicks)
    {
        if (_ofPart is not null && _part.Holds(cpu, queuedTicks))
        {
            _ofPart.AddQueued(cpu, routine, queuedTicks, startTicks);
        }

        long ticks = startTicks - queuedTicks;
        if (_queueDelays.Count < MostRoutines || _queueDelays.ContainsKey(routine))
        {
            ref long longest = ref CollectionsMarshal.GetValueRefOrAddDefault(_queueDelays, routine, out _);
            longest = Math.Max(longest, ticks);
        }
    }

    /// <summary>
    /// The longest runs of a routine, on all CPUs. A lane asks whether a run may be among them, and has it added in its turn
    /// (<see cref="LaneRecordKind.LongRun"/>). Several lanes may ask at once.
    /// </summary>
    /// <param name="number">The number by which <see cref="AddLong"/> knows them.</param>
    public LongestRuns LongestOf(in RoutineKey key, out int number)
    {
        lock (_longest)
        {
            if (!_longest.TryGetValue(key, out LongestRuns? longest))
            {
                _longest.Add(key, longest = new LongestRuns(_longestByNumber.Count));
                _longestByNumber.Add(longest);
            }

            number = longest.Number;
            return longest;
        }
    }

    /// <summary>Adds a run that may be among the longest, in the order in which runs ended.</summary>
    public void AddLong(int number, in LongRun run)
    {
        LongestRuns longest;
        lock (_longest)
        {
            longest = _longestByNumber[number];
        }

        longest.Add(in run);
    }

    /// <summary>Adds up what was counted on each CPU, in the order of the CPUs.</summary>
    public void Complete(IEnumerable<LaneRoutines> lanes)
    {
        Dictionary<RoutineKey, RoutineCount> sums = [];
        List<LaneRoutines> ofPart = [];
        foreach (LaneRoutines lane in lanes)
        {
            MissesWaits |= lane.MissesWaits;
            foreach (RoutineCount counted in lane.All)
            {
                if (!sums.TryAdd(counted.Key, counted))
                {
                    sums[counted.Key] = sums[counted.Key].With(counted);
                }
            }

            if (lane.Asked != lane)
            {
                ofPart.Add(lane.Asked);
            }
        }

        _all =
        [
            .. sums.Values.OrderBy(count => count.AtTicks).Take(MostRoutines)
                .OrderBy(count => count.Routine).ThenBy(count => count.Client.Callback).ThenBy(count => count.Client.Image)
                .ThenBy(count => count.Client.Line.Cpu).ThenBy(count => count.Client.Line.Vector).ThenBy(count => count.Client.Line.Isr)
                .ThenBy(count => count.Client.Line.Dpc)
                .ThenBy(count => count.IsIsr),
        ];
        _ofPart?.Complete(ofPart);
    }
}

/// <param name="IsIsr">Whether it ran as an ISR; else as a DPC.</param>
internal readonly record struct RoutineKey(ulong Routine, RunClient Client, bool IsIsr);

/// <param name="AtTicks">Start of the first run, in ticks.</param>
internal sealed record RoutineCount(RoutineKey Key, DurationCounts Times, long AtTicks)
{
    public ulong Routine => Key.Routine;

    public RunClient Client => Key.Client;

    /// <summary>Whether it is an ISR; else a DPC.</summary>
    public bool IsIsr => Key.IsIsr;

    /// <summary>Its longest runs on all CPUs.</summary>
    public required LongestRuns Longest { get; init; }

    public required PerCpuRuns PerCpu { get; init; }

    /// <summary>Their time by bins; null where those are not kept.</summary>
    public RunTimeBins? TimeBins { get; init; }

    /// <summary>Which measured threads waited during the runs.</summary>
    public required RunFacts Facts { get; init; }

    /// <summary>The sum with the runs on another CPU; takes over what this one has.</summary>
    public RoutineCount With(RoutineCount other)
    {
        Times.Add(other.Times);
        foreach (CpuRun runs in other.PerCpu.All)
        {
            PerCpu.Add(in runs);
        }

        if (other.TimeBins is { } bins)
        {
            TimeBins?.Add(bins);
        }

        Facts.Add(other.Facts);
        return this with { AtTicks = Math.Min(AtTicks, other.AtTicks) };
    }
}

/// <summary>The client that a run of a routine was for, as far as that run itself shows it.</summary>
/// <param name="Callback">Address of the client's callback that the driver framework announced during the run; 0 for none.</param>
/// <param name="Image">Number of the image that samples in the run show as the client; -1 for none.</param>
/// <param name="Line">What queued a framework's DPC in which no client was seen: devices differ in it.</param>
internal readonly record struct RunClient(ulong Callback, int Image, QueueLine Line)
{
    /// <summary>Nothing in the run shows the client.</summary>
    public static RunClient NotSeen { get; } = new(0, -1, default);
}
