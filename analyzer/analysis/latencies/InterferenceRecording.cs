using System.Runtime.InteropServices;
using Tracer.Analysis.Facts;

namespace Tracer.Analysis.Latencies;

/// <summary>
/// Measures, while a trace is read in order of time, what would delay the nodes of a graph: the ISRs and DPCs of each driver and the
/// threads of each program at their priority or above, on each CPU, and how late a node would have been had it been due whenever the CPU
/// began to be busy. Several traces may follow each other.
/// </summary>
/// <param name="graph">What is asked about.</param>
public sealed class InterferenceRecording(AudioGraph graph)
{
    /// <summary>A wait of a thread is held against what ran meanwhile if it is no longer.</summary>
    private const long LongestWaitNs = 1_000_000_000;

    /// <summary>Most curves, and most routines whose module is kept; what is beyond counts together.</summary>
    private const int MostCurves = 1 << 13;

    private const string Rest = "others";

    private readonly IReadOnlyList<NodeDemand> _nodes = graph.Demands();
    private readonly int[] _levels = [.. graph.Demands().Select(node => node.Level).Distinct().Order()];
    private readonly Dictionary<Source, ArrivalCurve> _curves = [];
    private readonly Dictionary<(ulong Routine, bool IsIsr), string> _names = [];
    private readonly long[] _unexplained = new long[32];
    private readonly List<Cpu> _all = [];
    private TraceFacts? _facts;
    private TraceClock _clock;
    private string _trace = "";

    /// <summary>The most unexplained part of a wait at a priority or above, in nanoseconds.</summary>
    internal long UnexplainedNs(int level) => _unexplained[level];

    internal IReadOnlyList<NodeDemand> Nodes => _nodes;

    internal IEnumerable<int> Cpus => Enumerable.Range(0, _all.Count).Where(cpu => _all[cpu].HasRun);

    /// <summary>How long all CPUs together were followed, in nanoseconds.</summary>
    internal long FollowedNs { get; private set; }

    /// <summary>Whether waits were recorded at all.</summary>
    internal bool HasWaits { get; private set; }

    /// <summary>The latest that a node would have been done, for each; null where no stretch tells.</summary>
    internal ObservedResponse?[] Worst { get; } = new ObservedResponse?[graph.Nodes.Count];

    /// <summary>What delays a level on a CPU.</summary>
    internal IEnumerable<(InterferenceKind Kind, string Name, ArrivalCurve Curve)> On(int cpu, int level) => _curves
        .Where(one => one.Key.Cpu == cpu && (one.Key.Level == 0 || one.Key.Level == level))
        .Select(one => (one.Key.Kind, one.Key.Name, one.Value));

    internal void Begin(string trace, TraceFacts facts, TraceClock clock, int cpus)
    {
        (_trace, _facts, _clock) = (trace, facts, clock);
        _names.Clear();
        while (_all.Count < cpus)
        {
            _all.Add(new Cpu(_levels.Length, _nodes.Count));
        }

        for (int cpu = 0; cpu < _all.Count; cpu++)
        {
            Break(cpu);
        }
    }

    /// <summary>Records of a CPU are missing, or what follows is not asked about.</summary>
    internal void Break(int cpu)
    {
        if (!_all[cpu].IsOpen)
        {
            return;
        }

        _all[cpu].Clear();
    }

    /// <summary>An ISR or DPC returned.</summary>
    internal void Returned(int cpu, ulong routine, bool isIsr, long fromTicks, long toTicks)
    {
        Cpu on = _all[cpu];
        if (!on.IsOpen || toTicks < fromTicks)
        {
            return;
        }

        (long from, long to) = (Math.Max(on.FromNs, NsOf(fromTicks)), NsOf(toTicks));
        if (to <= from)
        {
            return;
        }

        long work = to - from - on.Interrupts.BusyIn(from, to);
        on.Interrupts.Add(from, to);
        foreach (BusyStretches level in on.Levels)
        {
            level.Add(from, to);
        }

        if (!_names.TryGetValue((routine, isIsr), out string? name))
        {
            name = _facts!.Images.Find(routine, toTicks)?.Name ?? $"0x{routine:x}";
            if (_names.Count < MostCurves)
            {
                _names.Add((routine, isIsr), name);
            }
        }

        CurveOf(new Source(isIsr ? InterferenceKind.Isr : InterferenceKind.Dpc, name, cpu, 0)).Add(from, to, work);
    }

    /// <summary>A CPU switched to another thread: no ISR or DPC is under way on it, so that all before is told.</summary>
    internal void Switched(int cpu, uint newThread, int priority, long ticks)
    {
        Cpu on = _all[cpu];
        long now = NsOf(ticks);
        if (on.IsOpen)
        {
            EndOfRun(cpu, on, now);
            Resolve(cpu, on, now);
            FollowedNs += Math.Max(0, now - on.SwitchNs);
        }
        else
        {
            on.Open(now);
        }

        on.SwitchNs = now;
        on.Program = newThread == 0 || priority < _levels[0] ? null : ProgramOf(newThread, ticks);
        on.Priority = priority;
    }

    /// <summary>A thread that was made ready runs: what of its wait nothing explains delays a node as well.</summary>
    internal void Waited(int cpu, int priority, long fromTicks, long toTicks)
    {
        HasWaits = true;
        Cpu on = _all[cpu];
        (long from, long to) = (NsOf(fromTicks), NsOf(toTicks));
        if (!on.IsOpen || from < on.FromNs || from < on.OwnUntilNs || to - from > LongestWaitNs || priority is < 0 or > 31)
        {
            return;
        }

        for (int i = 0; i < _levels.Length && _levels[i] <= priority; i++)
        {
            long unexplained = to - from - on.Levels[i].BusyIn(from, to);
            _unexplained[_levels[i]] = Math.Max(_unexplained[_levels[i]], unexplained);
        }
    }

    private void EndOfRun(int cpu, Cpu on, long now)
    {
        if (on.Program is not { } program || now <= on.SwitchNs)
        {
            return;
        }

        if (program.Length == 0)
        {
            on.OwnUntilNs = now;
            return;
        }

        long work = now - on.SwitchNs - on.Interrupts.BusyIn(on.SwitchNs, now);
        for (int i = 0; i < _levels.Length && _levels[i] <= on.Priority; i++)
        {
            on.Levels[i].Add(on.SwitchNs, now);
            CurveOf(new Source(InterferenceKind.Threads, program, cpu, _levels[i])).Add(on.SwitchNs, now, work);
        }
    }

    /// <summary>Tells of each node when it would have been done that was due when the CPU began to be busy, up to now.</summary>
    private void Resolve(int cpu, Cpu on, long now)
    {
        Span<long> keep = stackalloc long[_levels.Length];
        keep.Fill(long.MaxValue);
        for (int i = 0; i < _nodes.Count; i++)
        {
            int level = Array.IndexOf(_levels, _nodes[i].Level);
            BusyStretches busy = on.Levels[level];
            ref long next = ref on.Next[i];
            for (next = Math.Max(next, busy.First); next < busy.End; next++)
            {
                long due = busy.StartOf(next);
                if (ResponseOf(_nodes[i], busy, next, due, now) is not { } response)
                {
                    break;
                }

                if (Worst[i] is not { } worst || response > worst.Ns)
                {
                    Worst[i] = new ObservedResponse(response, _trace, cpu, due);
                }
            }

            keep[level] = Math.Min(keep[level], next);
        }

        for (int level = 0; level < keep.Length; level++)
        {
            on.Levels[level].Forget(now - LongestWaitNs, keep[level]);
        }

        on.Interrupts.Forget(on.SwitchNs, long.MaxValue);
    }

    /// <returns>Null where what is known ends before.</returns>
    private static double? ResponseOf(NodeDemand node, BusyStretches busy, long number, long due, long now)
    {
        // More than twice its time is late, and how late need not be followed.
        double most = 2.0 * node.Node.DeadlineNs;
        double window = node.WorkNs;
        while (true)
        {
            double done = busy.DoneAt(number, node.WorkIn(window, 1, isLeast: true)) - due;
            if (done > most)
            {
                return now - due >= most ? double.PositiveInfinity : null;
            }

            if (due + done > now)
            {
                return null;
            }

            if (done <= window)
            {
                return done;
            }

            window = done;
        }
    }

    private ArrivalCurve CurveOf(in Source source)
    {
        Source kept = _curves.Count < MostCurves || _curves.ContainsKey(source) ? source : source with { Name = Rest };
        ref ArrivalCurve? curve = ref CollectionsMarshal.GetValueRefOrAddDefault(_curves, kept, out _);
        curve ??= new ArrivalCurve();
        curve.GoOnIn(_all[source.Cpu].Rows);
        return curve;
    }

    /// <summary>The program of a thread; empty for the one whose threads are the graph's own.</summary>
    private string ProgramOf(uint thread, long ticks)
    {
        uint? process = _facts!.Threads.ProcessOf(thread, ticks);
        string? name = process is { } id ? _facts.Threads.NameOf(id, ticks) : null;
        return graph.Process is { } own && process is { } known && ThreadTable.IsMeant(own, known, name) ? ""
            : name is { Length: > 0 } ? name : "unknown process";
    }

    private long NsOf(long ticks) => _clock.NanosecondsFromHeader(ticks);

    /// <param name="Level">The level that it delays; 0 for all.</param>
    private readonly record struct Source(InterferenceKind Kind, string Name, int Cpu, int Level);

    private sealed class Cpu(int levels, int nodes)
    {
        public BusyStretches Interrupts { get; } = new();

        /// <summary>When it was busy with what delays each level.</summary>
        public BusyStretches[] Levels { get; } = [.. Enumerable.Range(0, levels).Select(_ => new BusyStretches())];

        /// <summary>The next stretch that each node is tried at.</summary>
        public long[] Next { get; } = new long[nodes];

        public bool IsOpen { get; private set; }

        /// <summary>How often records were missing: what follows is not in a row with what was.</summary>
        public int Rows { get; private set; }

        /// <summary>Whether it was followed at all.</summary>
        public bool HasRun { get; private set; }

        public long FromNs { get; private set; }

        public long SwitchNs { get; set; }

        /// <summary>Until when a thread of the graph's own program ran.</summary>
        public long OwnUntilNs { get; set; } = long.MinValue;

        /// <summary>The program that runs; null where it delays no level.</summary>
        public string? Program { get; set; }

        public int Priority { get; set; }

        public void Open(long ns) => (IsOpen, HasRun, FromNs, SwitchNs) = (true, true, ns, ns);

        public void Clear()
        {
            Interrupts.Clear();
            foreach (BusyStretches level in Levels)
            {
                level.Clear();
            }

            (IsOpen, OwnUntilNs, Program, Rows) = (false, long.MinValue, null, Rows + 1);
        }
    }
}

/// <summary>When a node would have been done that was due at a time of a trace.</summary>
/// <param name="Ns">From when it was due, in nanoseconds; infinite where that is more than twice the time it has.</param>
/// <param name="AtNs">When it was due, in nanoseconds from the header event.</param>
internal readonly record struct ObservedResponse(double Ns, string Trace, int Cpu, long AtNs);
