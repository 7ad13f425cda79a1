using Tracer.Analysis.Facts;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Mechanisms;

namespace Tracer.Analysis.Verdicts;

/// <summary>
/// The stretches of what was asked about in which an episode may be hidden: as long as the threshold or longer, without the records of a
/// CPU that the victims used, however these were lost.
/// </summary>
internal sealed class Holes
{
    /// <summary>
    /// A CPU that is silent at the beginning or end of the trace for more than this many times its longest gap in between has not
    /// idled: its records are missing.
    /// </summary>
    private const int GapsOfIdle = 2;

    /// <summary>A CPU with fewer records does not show for how long it may be silent; the longest gap of any CPU has to do.</summary>
    private const int FewRecords = 100;

    /// <summary>If less than this part of the time of a CPU is there, nobody knows that no victim used it.</summary>
    private const double KnownUnused = 0.5;

    /// <summary>Stands for all CPUs.</summary>
    private const int EveryCpu = -1;

    private readonly BlameFindings _findings;
    private readonly TraceFacts _facts;
    private readonly RecordedTimes _recorded;
    private readonly TracePart _asked;
    private readonly List<Hole> _found = [];
    private readonly long _startTicks;
    private readonly long _endTicks;

    /// <param name="used">The CPUs that the victims used; null for all.</param>
    public Holes(BlameFindings findings, IReadOnlySet<int>? used)
    {
        _findings = findings;
        _facts = findings.Facts;
        _recorded = findings.Machine.Recorded;
        _asked = findings.Machine.Asked;
        long first = _recorded.FirstTicks ?? _facts.FirstTicks;
        long last = _recorded.LastTicks ?? _facts.LastTicks;
        FromTicks = Math.Max(first, _asked.FromTicks);
        ToTicks = Math.Min(last, _asked.ToTicks);

        // What the recording was meant to hold may begin earlier and end later than what is left of it.
        long header = findings.Clock.HeaderTicks;
        _startTicks = Math.Max(header > 0 && header < first ? header : first, _asked.FromTicks);
        _endTicks = Math.Min(Math.Max(last, _facts.EndTicks ?? last), _asked.ToTicks);
        AddOverwritten();
        AddLosses();
        AddGaps(used);
        HashSet<int> unused = [.. _found.GroupBy(hole => hole.Cpu).Where(holes => !MayBeUsed(holes, used)).Select(holes => holes.Key)];
        _found.RemoveAll(hole => unused.Contains(hole.Cpu));
    }

    /// <summary>Where the records that were asked about begin, in ticks.</summary>
    public long FromTicks { get; private set; }

    /// <summary>Where they end, in ticks.</summary>
    public long ToTicks { get; private set; }

    /// <summary>Which records are missing, as the rest of a sentence; null where no episode can be hidden.</summary>
    public string? Reason()
    {
        if (_found.Count == 0)
        {
            return _facts.Losses.Count == 0 && ToTicks - FromTicks >= _findings.ThresholdTicks ? Unplaced() : null;
        }

        // The CPU of which least is there, and what took the longest stretch of it.
        var (cpu, missing, longest) = _found.GroupBy(hole => hole.Cpu)
            .Select(holes => (Cpu: holes.Key, Missing: Joined(holes), Longest: holes.MaxBy(hole => hole.Ticks)))
            .OrderByDescending(one => one.Missing).ThenBy(one => one.Cpu).First();
        long all = Math.Max(ToTicks, _found.Max(hole => hole.ToTicks)) - Math.Min(FromTicks, _found.Min(hole => hole.FromTicks));
        string of = cpu == EveryCpu ? "of all CPUs" : Text($"of CPU {cpu}");
        string from = longest.FromTicks <= _startTicks ? "from the start on" : Text($"from {Time(longest.FromTicks)} on");
        string stretch = longest.Ticks == missing ? from : Text($"the longest stretch of them, {Length(longest.Ticks)}, {from}");
        string what = missing >= all
            ? "nothing is there"
            : Text($"the records of {Length(missing)} of {Length(all)} are missing, {stretch}");
        return Text($"{longest.Why}; {of} {what}, and what was late then is not in it");
    }

    /// <summary>Whether most of what one CPU did is missing.</summary>
    public bool HasLostCpu => _found.GroupBy(hole => hole.Cpu).Any(holes => Joined(holes) > KnownUnused * (_endTicks - _startTicks));

    private static string Text(InvariantText text) => text.Take();

    /// <summary>The length of all, what overlaps counted once.</summary>
    private static long Joined(IEnumerable<Hole> holes)
    {
        long sum = 0;
        long until = long.MinValue;
        foreach (Hole hole in holes.OrderBy(hole => hole.FromTicks))
        {
            sum += Math.Max(0, hole.ToTicks - Math.Max(until, hole.FromTicks));
            until = Math.Max(until, hole.ToTicks);
        }

        return sum;
    }

    private string Length(long ticks) => ReadableDuration.Of(_findings.Length(ticks));

    private string Time(long ticks) => ReadableDuration.At(_findings.Time(ticks));

    /// <summary>What was lost of which nothing tells when; null where nothing was.</summary>
    private string? Unplaced()
    {
        TraceSummary trace = _findings.Summary;
        return (trace.EventsLost, trace.BuffersLost, trace.DamagedBuffers) switch
        {
            ( > 0, _, _) => Text($"{Counted.Of(trace.EventsLost, "event")} got lost, and nothing tells when"),
            (_, > 0, _) => Text($"{Counted.Of(trace.BuffersLost, "buffer")} got lost, and nothing tells when"),
            (_, _, > 0) => Text($"{Counted.Of(trace.DamagedBuffers, "buffer")} cannot be read, and nothing tells of which time"),
            _ => trace.Truncated ? "the file is cut off, and nothing tells how much of it is missing" : null,
        };
    }

    /// <summary>Whether a victim may have used a CPU, as far as is known.</summary>
    private bool MayBeUsed(IGrouping<int, Hole> holes, IReadOnlySet<int>? used) => holes.Key == EveryCpu
        || (_asked.Cpus?.Contains(holes.Key) != false && (used is null || used.Contains(holes.Key)
            || Joined(holes) > KnownUnused * (_endTicks - _startTicks)));

    /// <summary>Adds what a ring had no more room for.</summary>
    private void AddOverwritten()
    {
        if ((_facts.KeepsNewest || _facts.Tracer.Recorder.Captures.Count > 0) && _facts.Cpus.Count > 0)
        {
            // The names of what was there at the start may be kept, or be all that a recording begins with.
            long longest = GapsOfIdle * _recorded.LongestGap;
            bool hasNames = _facts.Cpus.Min(cpu => cpu.FirstTicks) < FromTicks - longest;
            AddGap(
                EveryCpu, _startTicks, FromTicks,
                hasNames ? Math.Max(longest, GapsOfIdle * _findings.Ticks(new Duration(MachineStart.IdleNanoseconds))) : longest,
                "the recording had no room for more and was overwritten");
        }
    }

    private void AddLosses()
    {
        foreach (TraceLoss loss in _facts.Losses)
        {
            // Behind the last record of what ran only the names of processes and images follow, unless the file ends too soon.
            long to = loss.Kind == LossKind.CutOff ? loss.ToTicks : Math.Min(loss.ToTicks, ToTicks);
            Add(loss.Cpu ?? EveryCpu, loss.FromTicks, to, loss.Kind switch
            {
                LossKind.MissingBuffer => "buffers are missing",
                LossKind.DamagedBuffer => "buffers are damaged",
                LossKind.EventsLost => "the session lost events",
                LossKind.BufferLost => "the session lost buffers",
                LossKind.StrayTimes => "time stamps do not belong to this trace",
                _ => "the file ends before its session did",
            });
        }

        foreach ((int cpu, long from, long to) in _findings.Machine.Losses.Broken)
        {
            Add(cpu, from, Math.Min(to, ToTicks), "records are missing, as its context switches show");
        }

        foreach ((int cpu, long from, long to) in _findings.Machine.Losses.Holes)
        {
            Add(cpu, from, Math.Min(to, ToTicks), "buffers are missing, as samples that were due between two of them show");
        }
    }

    /// <summary>
    /// Adds the time before the first record of all, and the times at both ends at which a CPU is silent though it never was so for as long
    /// in between.
    /// </summary>
    private void AddGaps(IReadOnlySet<int>? used)
    {
        int cpus = Math.Max(_findings.Summary.Cpus ?? 0, _facts.Cpus.Count > 0 ? _facts.Cpus[^1].Cpu + 1 : 0);
        long longest = _recorded.LongestGap;
        if (!_facts.KeepsNewest && _facts.Tracer.Recorder.Captures.Count == 0 && _findings.Machine.Counts.Switches > 0)
        {
            long from = Math.Max(_startTicks, _facts.Tracer.Recorder.Slice?.KeptFromTicks ?? long.MinValue);
            AddGap(
                EveryCpu, from, FromTicks, Math.Max(GapsOfIdle * longest, _findings.Ticks(new Duration(MachineStart.IdleNanoseconds))),
                "the records begin later than the recording");
        }

        for (int cpu = 0; cpu < cpus && _findings.Machine.Counts.Switches > 0; cpu++)
        {
            RecordedTimes.Recorded recorded = _recorded.Of(cpu);
            long usual = GapsOfIdle * (recorded.Count < FewRecords ? longest : recorded.Longest);
            long idle = Math.Max(usual, _findings.Ticks(new Duration(MachineStart.IdleNanoseconds)));
            if (recorded.Count == 0 && _findings.Machine.SilentCpus.Contains(cpu))
            {
                AddGap(cpu, FromTicks, ToTicks, idle, "a CPU of the machine has no records");
            }
            else if (recorded.Count > 0 && used?.Contains(cpu) != false)
            {
                // In a ring something of each CPU was overwritten; elsewhere it may have idled.
                AddGap(cpu, FromTicks, recorded.First, _facts.KeepsNewest ? usual : idle, "a CPU has records of its later work only");
                AddGap(cpu, recorded.Last, ToTicks, idle, "a CPU has records of its earlier work only");
            }
        }
    }

    private void AddGap(int cpu, long fromTicks, long toTicks, long longestTicks, string why)
    {
        if (toTicks - fromTicks > longestTicks)
        {
            Add(cpu, fromTicks, toTicks, why);
        }
    }

    private void Add(int cpu, long fromTicks, long toTicks, string why)
    {
        fromTicks = Math.Max(fromTicks, _startTicks);
        toTicks = Math.Min(toTicks, _endTicks);
        if (toTicks > fromTicks && toTicks - fromTicks >= _findings.ThresholdTicks)
        {
            _found.Add(new Hole(cpu, fromTicks, toTicks, why));
        }
    }

    private readonly record struct Hole(int Cpu, long FromTicks, long ToTicks, string Why)
    {
        public long Ticks => ToTicks - FromTicks;
    }
}
