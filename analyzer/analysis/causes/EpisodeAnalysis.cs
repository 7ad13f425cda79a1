using Tracer.Analysis.Delays;
using Tracer.Analysis.Facts;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Owners;

namespace Tracer.Analysis.Causes;

/// <summary>
/// Explains latencies shortly after they ended, when late records that belong to them have arrived: which CPU the victim waited for, what
/// took the time, and what the samples hit. Also turns gaps of CPUs into blackouts, and long blackouts into gap episodes.
/// </summary>
internal sealed class EpisodeAnalysis : IDelaySink
{
    /// <summary>Episodes that are explained; more are only counted. It bounds memory and work.</summary>
    public const int MostEpisodes = 50_000;

    /// <summary>
    /// Sampled instructions that are kept of one episode, the most frequent ones, once the limit on kept parts per trace is reached. It
    /// bounds memory.
    /// </summary>
    public const int MostAddressesOfMany = 16;

    /// <summary>This many sampled instructions count as one kept part: they are that much smaller.</summary>
    private const int AddressesOfPart = 8;

    /// <summary>A thread of this priority or higher that starves others is a hog. Windows' real-time priorities begin at 16.</summary>
    public const int HogPriority = 16;

    /// <summary>
    /// Where records of other CPUs are missing, the records of the victim's CPU must explain this part of a latency. Otherwise the latency
    /// is left out, because what is missing may be its cause.
    /// </summary>
    private const double MostlyExplained = 0.9;

    /// <summary>Above every thread priority (0 to 31): used for the wait for an interrupt or DPC, which no thread can delay.</summary>
    public const int AboveThreads = 32;

    private readonly EpisodeAnalysisSettings _settings;
    private readonly MachineState _machine;
    private readonly CpuHistory?[] _cpus;
    private readonly Blackouts _blackouts;
    private readonly BlackoutSearch _blackoutSearch;
    private readonly Accounting _accounting;
    private readonly EarlierWaits _earlier;
    private readonly StripDrawing _strips;
    private readonly LaneKeeping? _lanes;
    private readonly SettledSamples _samples;
    private readonly WorkBudget _budget;
    private readonly long[] _nextSampleGap;
    private readonly List<Delay> _pending = [];
    private readonly Queue<Delay> _measured;
    private readonly List<EpisodeCandidate> _done = [];
    private readonly Dictionary<ulong, SampleHits> _hits = [];
    private int _blackoutsSeen;

    /// <summary>Sets up the analysis.</summary>
    /// <param name="blackouts">The blackouts found so far.</param>
    /// <param name="earlier">Accounts for the time before a victim becomes ready.</param>
    /// <param name="lanes">Keeps what ran around the worst episodes; null where that is not wanted.</param>
    /// <param name="samples">Counts the samples by module, once their stacks are complete.</param>
    /// <param name="measured">Wake-ups at or above the threshold that a driver or probe measured, by end.</param>
    public EpisodeAnalysis(
        EpisodeAnalysisSettings settings,
        MachineState machine,
        Blackouts blackouts,
        BlackoutSearch blackoutSearch,
        Accounting accounting,
        EarlierWaits earlier,
        StripDrawing strips,
        LaneKeeping? lanes,
        SettledSamples samples,
        WorkBudget budget,
        IEnumerable<Delay> measured)
    {
        _settings = settings;
        _machine = machine;
        _cpus = machine.Cpus;
        _blackouts = blackouts;
        _blackoutSearch = blackoutSearch;
        _accounting = accounting;
        _earlier = earlier;
        _strips = strips;
        _lanes = lanes;
        _samples = samples;
        _budget = budget;
        _measured = new Queue<Delay>(measured);
        _nextSampleGap = new long[machine.Cpus.Length];
    }

    /// <summary>The examined episodes, in the order in which they ended. Several probes of one delay are still separate.</summary>
    public List<EpisodeCandidate> Done => _done;

    /// <summary>Number of episodes beyond <see cref="MostEpisodes"/>.</summary>
    public long Dropped { get; private set; }

    /// <summary>
    /// Wake-ups left out because records of other CPUs are missing meanwhile and nothing explains the wait, or because the machine slept.
    /// </summary>
    public long AcrossLoss { get; private set; }

    /// <summary>Latencies left out because Tracer's own flight recorder was writing meanwhile.</summary>
    public long InOwnWork { get; private set; }

    /// <summary>Adds a latency. It is explained once the trace is far enough beyond its end.</summary>
    public void Add(Delay delay)
    {
        if (IsWanted(delay))
        {
            _pending.Add(delay);
        }
    }

    /// <summary>The trace has been read up to a time, in ticks: explains what ended long enough before.</summary>
    /// <returns>From which time on it is to be called again.</returns>
    public long Reach(long ticks)
    {
        Settle(ticks - _settings.LagTicks);
        return ticks + (_settings.LagTicks / 2);
    }

    /// <summary>The whole trace was read: explains what is pending.</summary>
    public void Complete() => Settle(long.MaxValue);

    private void Settle(long untilTicks)
    {
        _samples.Settle(untilTicks);
        SettleSampleGaps(untilTicks);
        while (_measured.TryPeek(out Delay? measured) && measured.ToTicks <= untilTicks)
        {
            _measured.Dequeue();
            if (IsWanted(measured))
            {
                Examine(new EpisodeCandidate(measured));
            }
        }

        int kept = 0;
        for (int i = 0; i < _pending.Count; i++)
        {
            if (_pending[i].ToTicks <= untilTicks)
            {
                Examine(new EpisodeCandidate(_pending[i]));
            }
            else
            {
                _pending[kept++] = _pending[i];
            }
        }

        _pending.RemoveRange(kept, _pending.Count - kept);
    }

    private void SettleSampleGaps(long untilTicks)
    {
        foreach (CpuHistory? cpu in _cpus)
        {
            if (cpu is null)
            {
                continue;
            }

            ref long next = ref _nextSampleGap[cpu.Cpu];
            next = Math.Max(next, cpu.SampleGaps.First);
            while (next < cpu.SampleGaps.Next && cpu.SampleGaps[next].ToTicks <= untilTicks)
            {
                _blackoutSearch.Look(cpu, cpu.SampleGaps[next]);
                next++;
            }
        }

        for (; _blackoutsSeen < _blackouts.Found.Count; _blackoutsSeen++)
        {
            Blackout blackout = _blackouts.Found[_blackoutsSeen];
            if (_settings.WantsGaps && blackout.ToTicks - blackout.DueTicks >= _settings.ThresholdTicks)
            {
                var gap = new Delay
                {
                    Probe = ProbeKind.Gap,
                    FromTicks = blackout.DueTicks,
                    ToTicks = blackout.ToTicks,
                    Cpu = blackout.Cpu,
                };
                if (IsWanted(gap))
                {
                    Examine(new EpisodeCandidate(gap, blackout));
                }
            }
        }
    }

    private bool IsWanted(Delay delay)
    {
        bool isAsked = delay.FromTicks >= _settings.FromTicks && delay.FromTicks <= _settings.ToTicks
            && (ulong)delay.LatencyTicks <= (ulong)_settings.LongestTicks
            && (_settings.Cpus is null || _settings.Cpus.Contains(delay.Cpu))
            && !_settings.Recorder.IsBeyondWindow(delay.FromTicks, delay.ToTicks);
        bool isOurs = isAsked && _settings.Recorder.IsWork(delay.FromTicks, delay.ToTicks);
        InOwnWork += isOurs ? 1 : 0;
        return isAsked && !isOurs;
    }

    private void Examine(EpisodeCandidate candidate)
    {
        if (_done.Count >= MostEpisodes)
        {
            Dropped++;
            return;
        }

        if (_cpus[candidate.Cpu] is not { } cpu)
        {
            _done.Add(candidate); // A measured wake-up on a CPU without records: nothing explains it.
            return;
        }

        if (_blackouts.WasPaused(candidate.FromTicks, candidate.ToTicks))
        {
            AcrossLoss += candidate is { Probe: ProbeKind.Thread, IsOfHog: false } ? 1 : 0;
            return;
        }

        _earlier.Fill(candidate);
        if (candidate.LatencyTicks < _settings.ThresholdTicks && candidate.Delay.Wake is not null)
        {
            return; // Without a DPC's enqueue the wait began later: it is below the threshold.
        }

        candidate.Causes = CausesOn(cpu, candidate);
        if (candidate.Probe == ProbeKind.Thread && IsMostlyFree(candidate, candidate.Causes))
        {
            // The CPU that ran the thread was free most of the time. Before that the thread may have been on the deferred ready list or in
            // the ready queue of another CPU.
            _ = TryOther(candidate, candidate.Delay.ReadyCpu, IsDeferredOn(candidate))
                || TryOther(candidate, candidate.Delay.LastCpu, MayUse(candidate, candidate.Delay.LastCpu))
                || TryOther(candidate, candidate.Delay.IdealCpu, MayUse(candidate, candidate.Delay.IdealCpu));
            cpu = _cpus[candidate.Cpu]!;
        }

        if (candidate is { Path: { } path, Delay.Holds.Count: 0 }
            && 2 * (candidate.ReadyTicks - candidate.FromTicks) >= candidate.LatencyTicks && _cpus[path.DpcCpu] is { } waited)
        {
            // The victim's DPC waited for most of the time, so that the DPC's CPU is the one to look at.
            candidate.Cpu = path.DpcCpu;
            cpu = waited;
        }

        if (candidate.IsOfHog && !HasHog(candidate, _settings.ThresholdTicks))
        {
            return;
        }

        if (candidate.Delay.MustBeExplained && Explained(candidate.Causes) < MostlyExplained * candidate.LatencyTicks)
        {
            AcrossLoss += candidate.IsOfHog ? 0 : 1;
            return;
        }

        if (candidate.ThreadId is null && cpu.RunAt(candidate.FromTicks) is >= 0 and var run
            && cpu.Runs[run] is { IsKnown: true, IsIdle: false } stopped)
        {
            candidate.StoppedPriority = stopped.Priority;
        }

        candidate.UnansweredTicks = candidate.ThreadId is null
            ? 0
            : Math.Min(candidate.LatencyTicks - Explained(candidate.Causes), IdleTicks(cpu, candidate.ReadyTicks, candidate.ToTicks));
        candidate.Samples = Hits(cpu, candidate);
        if (_settings.WithStrips)
        {
            candidate.Strips = _strips.Draw(_cpus, candidate);
        }

        _lanes?.Offer(_cpus, candidate);

        _done.Add(candidate);
    }

    private static long Explained(IReadOnlyList<CauseShare> causes)
    {
        long sum = 0;
        foreach (CauseShare cause in causes)
        {
            sum += cause.Ticks;
        }

        return sum;
    }

    /// <summary>How long the idle thread ran on a CPU during a stretch, in ticks.</summary>
    private static long IdleTicks(CpuHistory cpu, long fromTicks, long toTicks)
    {
        long idle = 0;
        for (long run = Math.Max(cpu.RunAt(fromTicks), cpu.Runs.First); run < cpu.Runs.Next && cpu.Runs[run].StartTicks < toTicks; run++)
        {
            if (cpu.Runs[run].IsIdle)
            {
                long end = run + 1 < cpu.Runs.Next ? cpu.Runs[run + 1].StartTicks : toTicks;
                idle += Math.Max(0, Math.Min(end, toTicks) - Math.Max(cpu.Runs[run].StartTicks, fromTicks));
            }
        }

        return idle;
    }

    /// <summary>Whether the CPU's work explains less than half of the time since the victim became ready.</summary>
    private static bool IsMostlyFree(EpisodeCandidate candidate, IReadOnlyList<CauseShare> causes) =>
        (Explained(causes) - Explained(candidate.Before)) * 2 < candidate.ToTicks - candidate.ReadyTicks;

    /// <summary>Whether the victim's affinity allows a CPU, as far as is known.</summary>
    private bool MayUse(EpisodeCandidate candidate, int cpu) => candidate.ThreadId is { } thread
        && (_settings.AffinityOf(thread, candidate.ToTicks) is not { } affinity || ((affinity >> cpu) & 1) != 0);

    /// <summary>
    /// Whether the victim may have waited for the CPU that made it ready. Either it may run there; or the ISR or DPC that made it ready ran
    /// on for most of the wait, and threads are dispatched to other CPUs only after it returns.
    /// </summary>
    private bool IsDeferredOn(EpisodeCandidate candidate)
    {
        if (MayUse(candidate, candidate.Delay.ReadyCpu))
        {
            return true;
        }

        long ready = candidate.ReadyTicks;
        return _machine.Cpu(candidate.Delay.ReadyCpu) is { } by && _cpus[candidate.Cpu] is { } on
            && 2 * (DispatchedFrom(by, on, ready) - ready) >= candidate.ToTicks - ready;
    }

    private bool TryOther(EpisodeCandidate candidate, int other, bool isPossible)
    {
        if (!isPossible || other == candidate.Cpu || _machine.Cpu(other) is not { } cpu
            || (_settings.Cpus is not null && !_settings.Cpus.Contains(other))
            || _machine.Losses.Overlaps(other, candidate.FromTicks, candidate.ToTicks))
        {
            return false;
        }

        List<CauseShare> causes = MayUse(candidate, other)
            ? CausesOn(cpu, candidate)
            : CausesOfDeferral(cpu, _cpus[candidate.Cpu]!, candidate);
        if (IsMostlyFree(candidate, causes))
        {
            return false;
        }

        candidate.Causes = causes;
        candidate.Cpu = other;
        return true;
    }

    private List<CauseShare> CausesOn(CpuHistory cpu, EpisodeCandidate candidate)
    {
        if (candidate.Delay.Wakeup is { } wakeup)
        {
            return CausesOfMeasured(cpu, candidate, wakeup);
        }

        int priority = candidate.Probe == ProbeKind.Thread ? candidate.Priority : AboveThreads;
        return [.. candidate.Before, .. CausesFrom(candidate.ReadyTicks, candidate.ToTicks, cpu, candidate, priority)];
    }

    /// <summary>
    /// The victim may not run on the CPU that made it ready: it waited there only until the ISR or DPC returned that had made it ready, and
    /// for its own CPU from then on.
    /// </summary>
    private List<CauseShare> CausesOfDeferral(CpuHistory by, CpuHistory on, EpisodeCandidate candidate)
    {
        long until = Math.Clamp(DispatchedFrom(by, on, candidate.ReadyTicks), candidate.ReadyTicks, candidate.ToTicks);
        return
        [
            .. candidate.Before,
            .. CausesFrom(candidate.ReadyTicks, until, by, candidate, candidate.Priority),
            .. CausesFrom(until, candidate.ToTicks, on, candidate, candidate.Priority),
        ];
    }

    private List<CauseShare> CausesFrom(long fromTicks, long toTicks, CpuHistory cpu, EpisodeCandidate candidate, int priority)
    {
        IdleElsewhere? idle = candidate is { Probe: ProbeKind.Thread, ThreadId: { } thread }
            && _settings.AffinityOf(thread, candidate.ToTicks) is { } affinity
            ? IdleTimes.Of(_cpus, affinity, cpu.Cpu, fromTicks, toTicks, _settings.LeastIdleTicks, _settings.ParkedOf, _budget)
            : null;
        return _accounting.Of(
            cpu,
            fromTicks,
            toTicks,
            priority,
            _machine.SampleIntervalOf(cpu),
            candidate.ThreadId,
            idleElsewhere: idle,
            calledTicks: Math.Max(fromTicks, CalledAt(cpu, candidate)));
    }

    /// <summary>
    /// A measured wake-up first waits for the interrupt of its timer and for a DPC, which no thread can delay. Both are waited for on the
    /// CPU that served the timer, which need not be the victim's. Where the timer of all CPUs queued the DPC, only the DPC is waited for,
    /// on the victim's CPU: what came before is the timer's own delay.
    /// </summary>
    private List<CauseShare> CausesOfMeasured(CpuHistory cpu, EpisodeCandidate candidate, MeasuredWakeup wakeup)
    {
        (long Ticks, int Cpu)? ready = wakeup is { IsrTicks: null, DpcTicks: null, ThreadId: var thread }
            ? _settings.Readies.Last(thread, candidate.FromTicks, candidate.ToTicks)
            : null;
        CpuHistory server = ready is { } made && _cpus[made.Cpu] is { } other ? other : cpu;
        long interval = _machine.SampleIntervalOf(server);
        long tick = Within(candidate, _settings.Ticks.Of(server, in wakeup));
        long served = ready is { } known
            ? Math.Min(candidate.ToTicks, DispatchedFrom(server, cpu, known.Ticks))
            : Within(candidate, wakeup.DpcTicks ?? wakeup.IsrTicks ?? candidate.FromTicks);
        long dpc = Math.Max(tick, served);
        long isr = Math.Clamp(Within(candidate, wakeup.IsrTicks ?? candidate.FromTicks), tick, dpc);
        List<CauseShare> causes = [];
        if (tick > candidate.FromTicks)
        {
            causes.Add(new CauseShare
            {
                Mechanism = Mechanism.TimerTick,
                Ticks = tick - candidate.FromTicks,
                AtTicks = candidate.FromTicks,
            });
        }

        if (wakeup.IsrTicks is not null)
        {
            _blackoutSearch.LookAtInterrupt(cpu, tick, isr);
        }

        causes.AddRange(_accounting.Of(server, tick, isr, AboveThreads, interval, victim: null, Mechanism.Isr));
        // A CPU that was asked by its own timer's interrupt, or whose own callback queued the DPC, is awake.
        bool isAwake = wakeup.IsrTicks is not null || (wakeup.QueuedTicks is not null && wakeup.TimerCpu == wakeup.Cpu);
        causes.AddRange(_accounting.Of(server, isr, dpc, AboveThreads, interval, victim: null, Mechanism.Dpc, isAwake: isAwake));
        AddServed(cpu, dpc, candidate, _machine.SampleIntervalOf(cpu), causes);
        return causes;
    }

    /// <summary>
    /// From when a thread that one CPU made ready can be dispatched on another: after the ISR or DPC that made it ready returned.
    /// </summary>
    private static long DispatchedFrom(CpuHistory by, CpuHistory on, long readyTicks)
    {
        long from = readyTicks;
        for (long number = by == on ? -1 : by.FirstEndingFrom(readyTicks + 1); number >= 0; number = by.OuterOf(number))
        {
            LevelSpan span = by.Spans[number];
            from = span.StartTicks <= readyTicks ? Math.Max(from, span.EndTicks) : from;
        }

        return from;
    }

    /// <summary>
    /// When the CPU could first learn of the victim. If an ISR or DPC of another CPU made the victim ready, that is after its return.
    /// </summary>
    private long CalledAt(CpuHistory cpu, EpisodeCandidate candidate) => _machine.Cpu(candidate.Delay.ReadyCpu) is { } by
        ? DispatchedFrom(by, cpu, candidate.ReadyTicks)
        : candidate.ReadyTicks;

    /// <summary>
    /// Accounts for the time from the DPC of a measured wake-up to its thread. Suspensions by the thread's own runtime come first.
    /// </summary>
    private void AddServed(CpuHistory cpu, long fromTicks, EpisodeCandidate candidate, long interval, List<CauseShare> causes)
    {
        long at = fromTicks;
        uint victim = candidate.ThreadId ?? 0;
        bool isAwake = candidate.Delay.Wakeup is { } wakeup && (wakeup.DpcTicks ?? wakeup.IsrTicks) is not null;
        foreach (TickSpan pause in _settings.PausesOf(victim, fromTicks, candidate.ToTicks))
        {
            causes.AddRange(_accounting.Of(
                cpu, at, pause.StartTicks, candidate.Priority, interval, candidate.ThreadId, isAwake: isAwake));
            causes.Add(new CauseShare
            {
                Mechanism = Mechanism.Thread,
                Ticks = pause.EndTicks - pause.StartTicks,
                AtTicks = pause.StartTicks,
                IsInferred = true,
                Detail = new ThreadRan(victim, candidate.Priority, IsOwnPause: true),
            });
            at = pause.EndTicks;
        }

        causes.AddRange(_accounting.Of(
            cpu, at, candidate.ToTicks, candidate.Priority, interval, candidate.ThreadId, isAwake: isAwake));
    }

    private static long Within(EpisodeCandidate candidate, long ticks) => Math.Clamp(ticks, candidate.FromTicks, candidate.ToTicks);

    /// <summary>Whether hogs took at least the threshold and most of the wait. Otherwise the queue was long for other reasons.</summary>
    /// <param name="except">Threads that are no hogs, whatever their priority; null for none.</param>
    public static bool HasHog(EpisodeCandidate candidate, long thresholdTicks, IReadOnlySet<uint>? except = null)
    {
        long hogs = 0;
        foreach (CauseShare cause in candidate.Causes)
        {
            bool isHog = cause.Detail is ThreadRan { Priority: >= HogPriority } ran ? except?.Contains(ran.ThreadId) != true
                : cause.Detail is NotChosen { Priority: >= HogPriority };
            hogs += isHog ? cause.Ticks : 0;
        }

        return hogs >= thresholdTicks && 2 * hogs >= candidate.LatencyTicks;
    }

    private List<SampleHits> Hits(CpuHistory cpu, EpisodeCandidate candidate)
    {
        _hits.Clear();
        long first = cpu.FirstSampleFrom(candidate.FromTicks);
        if (!_budget.TrySpend(1 + cpu.Samples.FirstAfter(candidate.ToTicks) - first))
        {
            return [];
        }

        for (long number = first; number < cpu.Samples.Next; number++)
        {
            ref CpuSample sample = ref cpu.Samples[number];
            if (sample.Ticks > candidate.ToTicks)
            {
                break;
            }

            int count = _hits.TryGetValue(sample.Instruction, out SampleHits known) ? known.Count : 0;
            _hits[sample.Instruction] = new SampleHits(sample.Instruction, count + 1, count == 0 ? sample.ThreadId : known.ThreadId);
        }

        List<SampleHits> hits = [.. _hits.Values.OrderByDescending(hit => hit.Count).ThenBy(hit => hit.Address)];
        if (hits.Count > MostAddressesOfMany && !_budget.TryKeep(hits.Count / AddressesOfPart))
        {
            hits.RemoveRange(MostAddressesOfMany, hits.Count - MostAddressesOfMany);
            hits.TrimExcess();
        }

        return hits;
    }
}

/// <summary>What is analysed, and what is left out. Times in ticks of the trace's clock.</summary>
internal sealed record EpisodeAnalysisSettings
{
    /// <summary>A latency of this length or more is an episode.</summary>
    public required long ThresholdTicks { get; init; }

    /// <summary>A longer latency rests on a damaged time stamp and is left out.</summary>
    public required long LongestTicks { get; init; }

    /// <summary>How long after the end of an episode its records may still come.</summary>
    public required long LagTicks { get; init; }

    /// <summary>Episodes that begin earlier are left out.</summary>
    public required long FromTicks { get; init; }

    /// <summary>Episodes that begin later are left out.</summary>
    public required long ToTicks { get; init; }

    /// <summary>The CPUs whose episodes are wanted; null for all.</summary>
    public required IReadOnlySet<int>? Cpus { get; init; }

    /// <summary>Tells when Tracer's own flight recorder was writing: latencies then are left out.</summary>
    public required CaptureEvents Recorder { get; init; }

    /// <summary>Whether gaps in the samples are episodes.</summary>
    public required bool WantsGaps { get; init; }

    /// <summary>Whether to keep what ran on the CPUs during episodes.</summary>
    public required bool WithStrips { get; init; }

    /// <summary>
    /// The affinity of a thread at a time, one bit per CPU; null where not known, or where one mask does not hold all CPUs.
    /// </summary>
    public required Func<uint, long, ulong?> AffinityOf { get; init; }

    /// <summary>Tells when the threads of measured wake-ups were made ready.</summary>
    public required MeasuredReadies Readies { get; init; }

    /// <summary>Tells which clock ticks serve measured timers.</summary>
    public required TimerTicks Ticks { get; init; }

    /// <summary>The suspensions of a thread by its own runtime between two times, by time, without overlaps.</summary>
    public required Func<uint, long, long, IEnumerable<TickSpan>> PausesOf { get; init; }

    /// <summary>The times within a stretch at which a CPU was parked. Arguments: CPU, start, end.</summary>
    public required Func<int, long, long, List<TickSpan>> ParkedOf { get; init; }

    /// <summary>
    /// Another CPU must be idle for at least this long to count as free. If it is idle for less, it may already be on its way to the
    /// victim.
    /// </summary>
    public required long LeastIdleTicks { get; init; }
}
