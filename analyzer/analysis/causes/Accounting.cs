using Tracer.Analysis.Facts;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Modules;
using Tracer.Analysis.Owners;

namespace Tracer.Analysis.Causes;

/// <summary>
/// Accounts for every tick of an episode: names what the CPU did while the victim waited. The parts are ISRs and DPCs (net of what nests in
/// them), threads by priority, kernel code that kept a lower-priority thread on the CPU, and blackouts. What none of these explains stays
/// unexplained.
/// </summary>
internal sealed class Accounting
{
    /// <summary>
    /// How many parts of one stretch are kept, the largest ones, once the work budget's limit on parts per trace is reached. It bounds
    /// memory; four show the main causes.
    /// </summary>
    public const int MostOfMany = 4;

    private readonly OwnerSearch _owners;
    private readonly ModuleMap _modules;
    private readonly Blackouts _blackouts;
    private readonly Func<uint, long, uint?> _processOf;
    private readonly bool _hasLevels;
    private readonly bool _hasInterruptions;
    private readonly SpinSearch _spins;
    private readonly ReadyTimes _readyTimes;
    private readonly IdleExitSearch _idleExits;
    private readonly LevelSegments _segments = new();
    private readonly List<CauseShare> _shares = [];
    private readonly List<Blackout> _touching = [];
    private readonly CauseSums _sums = new();
    private readonly WorkBudget _budget;
    private readonly RoutineGroups _groups;
    private readonly ThreadRoutineTimes _routines = new();
    private readonly LowerThreads _lower;
    private IReadOnlyList<SpinStretch> _waits = [];
    private IdleElsewhere _idleElsewhere = IdleElsewhere.None;
    private IdleExit? _idleExit;
    private long _idleExitTicks;
    private long _calledTicks;
    private int _firstWait;

    /// <summary>Sets up the accounting for one machine.</summary>
    /// <param name="blackouts">The blackouts found so far.</param>
    /// <param name="processOf">The process that a thread belonged to at a time; null where not known.</param>
    /// <param name="hasLevels">Whether ISRs and DPCs were recorded. If not, the flags of profile samples show them.</param>
    /// <param name="hasInterruptions">Whether all that may interrupt a thread was recorded.</param>
    public Accounting(
        OwnersOfCode owners,
        Blackouts blackouts,
        Func<uint, long, uint?> processOf,
        bool hasLevels,
        bool hasInterruptions,
        SpinSearch spins,
        MachineState machine,
        WorkBudget budget)
    {
        _budget = budget;
        _owners = owners.Search;
        _modules = owners.Modules;
        _groups = new RoutineGroups(
            owners.Search, machine.Power, machine.Cpus, TickRate.TicksOf(NearRuns.WithinNanoseconds, machine.TicksPerSecond));
        _lower = new LowerThreads(owners.Search, owners.Modules, owners.Kernel, hasLevels);
        _blackouts = blackouts;
        _processOf = processOf;
        _hasLevels = hasLevels;
        _hasInterruptions = hasInterruptions;
        _spins = spins;
        _idleExits = new IdleExitSearch(machine.TicksPerSecond);
        _readyTimes = machine.ReadyTimes;
    }

    /// <summary>Whether all that may interrupt a thread was recorded.</summary>
    public bool HasInterruptions => _hasInterruptions;

    /// <summary>Whether a thread belonged to the System process at a time.</summary>
    public bool IsOfSystem(uint thread, long ticks) => _processOf(thread, ticks) == ThreadTable.SystemProcess;

    /// <summary>Accounts for a stretch of time on one CPU.</summary>
    /// <param name="priority">Threads of this priority or higher keep the victim waiting; 32 where no thread may.</param>
    /// <param name="intervalTicks">The profile sample interval, in ticks; 0 where not known.</param>
    /// <param name="victim">The victim's thread; null for none.</param>
    /// <param name="unflagged">
    /// The level assumed for sampled kernel code where neither a record nor a flag shows whether it ran in an ISR, in a DPC or in a thread.
    /// </param>
    /// <param name="idleElsewhere">
    /// When another CPU that the victim may use was idle. At those times no thread kept the victim waiting.
    /// </param>
    /// <param name="calledTicks">
    /// When the CPU could first learn that the victim was ready, in ticks; null for the start of the stretch.
    /// </param>
    /// <param name="isAwake">Whether the CPU served the victim's interrupt just before, so that it had no idle state to leave.</param>
    /// <returns>The explained parts; together at most as long as the stretch.</returns>
    public List<CauseShare> Of(
        CpuHistory cpu,
        long fromTicks,
        long toTicks,
        int priority,
        long intervalTicks,
        uint? victim,
        CodeLevel unflagged = CodeLevel.Thread,
        IdleElsewhere? idleElsewhere = null,
        long? calledTicks = null,
        bool isAwake = false)
    {
        _idleExitTicks = 0;
        _shares.Clear();
        _lower.Clear();
        _sums.Clear();
        _touching.Clear();
        _touching.AddRange(_blackouts.Touching(cpu.Cpu, fromTicks, toTicks));
        IdleElsewhere idle = idleElsewhere ?? IdleElsewhere.None;
        if (!_budget.TrySpend((cpu.RecordsBetween(fromTicks, toTicks) * (1 + _touching.Count)) + idle.Any.Count + idle.Unparked.Count))
        {
            return [];
        }

        _idleElsewhere = idle;
        _firstWait = 0;

        _routines.Begin(cpu, fromTicks, toTicks);
        List<LevelSegment> segments = _segments.Cut(cpu, fromTicks, toTicks);
        _groups.Begin(cpu, _segments.Spans);
        _waits = _spins.Find(cpu, fromTicks, toTicks, _segments.Spans, priority, victim);
        _calledTicks = Math.Max(fromTicks, calledTicks ?? fromTicks);
        _idleExit = !isAwake && _calledTicks < toTicks ? _idleExits.Find(cpu, _calledTicks, toTicks) : null;
        foreach (LevelSegment segment in segments)
        {
            if (segment.Span >= 0)
            {
                AddLevel(segment);
            }
            else
            {
                AddThreads(cpu, segment.FromTicks, segment.ToTicks, priority, victim);
            }
        }

        _lower.AddShares(
            _shares, _sums, cpu, fromTicks, toTicks, intervalTicks, _touching, _hasLevels ? CodeLevel.Thread : unflagged);
        Collect(cpu, fromTicks, toTicks);
        return Kept();
    }

    /// <summary>All parts by time. Once the trace's limit on kept parts is reached, only the largest ones.</summary>
    private List<CauseShare> Kept()
    {
        if (!_budget.TryKeep(_shares.Count) && _shares.Count > MostOfMany)
        {
            _shares.Sort(static (one, other) => other.Ticks.CompareTo(one.Ticks));
            _shares.RemoveRange(MostOfMany, _shares.Count - MostOfMany);
        }

        static int ByTime(CauseShare one, CauseShare other) => one.AtTicks.CompareTo(other.AtTicks);
        _shares.Sort(ByTime);
        return [.. _shares];
    }

    private void AddLevel(LevelSegment segment)
    {
        long at = segment.FromTicks;
        while (at < segment.ToTicks)
        {
            long until = segment.ToTicks;
            Blackout? inside = BlackoutAt(at, ref until, isThreadsTime: false);
            inside = inside is { IsTentative: true } ? null : inside;
            if (SpinAt(at, ref until, segment.Span, inside) is { } spin)
            {
                Add(new CauseKey(SumKind.Spin, 0, 0, spin), at, until, _segments.Spans[segment.Span].StartTicks);
            }
            else
            {
                int group = _groups.Of(segment.Span, at, ref until);
                Add(new CauseKey(SumKind.Routine, group, 0, inside), at, until, _segments.Spans[segment.Span].StartTicks);
            }

            at = until;
        }
    }

    private void AddThreads(CpuHistory cpu, long fromTicks, long toTicks, int priority, uint? victim)
    {
        long at = fromTicks;
        while (at < toTicks)
        {
            long run = cpu.RunAt(at);
            long until = run >= 0 && run + 1 < cpu.Runs.Next ? Math.Min(toTicks, cpu.Runs[run + 1].StartTicks) : toTicks;
            if (run < 0 && cpu.Runs.Count > 0)
            {
                until = Math.Min(toTicks, cpu.Runs[cpu.Runs.First].StartTicks); // No older record: the history is bounded.
            }

            if (until <= at)
            {
                break;
            }

            RunStretch stretch = run >= 0 ? cpu.Runs[run] : default;
            while (at < until)
            {
                long next = until;
                bool isBlocking = IsBlocking(in stretch, priority, victim);
                Blackout? blackout = BlackoutAt(at, ref next, isBlocking || IsOwn(in stretch, victim));
                blackout = blackout is { IsTentative: true } && !stretch.IsIdle ? null : blackout;
                if (!stretch.IsIdle && SpinAt(at, ref next, LevelSegment.NoSpan, blackout) is { } spin)
                {
                    Add(new CauseKey(SumKind.Spin, 0, 0, spin), at, next, at);
                }
                else if (blackout is null && (isBlocking || IsChosen(in stretch, victim))
                    && IsIdleElsewhere(at, ref next, out bool isParked))
                {
                    Add(new CauseKey(SumKind.Scheduler, stretch.ThreadId, stretch.Priority, isParked), at, next, at);
                }
                else
                {
                    AddThread(cpu.Cpu, run, stretch, blackout, at, next, priority, victim);
                }

                at = next;
            }
        }
    }

    private void AddThread(
        int cpu, long run, in RunStretch stretch, Blackout? blackout, long from, long to, int priority, uint? victim)
    {
        bool isBlocking = IsBlocking(in stretch, priority, victim);
        // No thread can delay the profile interrupt, whatever its priority. And only a blackout keeps an idle CPU from running a ready
        // thread.
        if (blackout is not null && (blackout.IsWholeMachine || blackout.Cpu == cpu || stretch.IsIdle))
        {
            Add(new CauseKey(SumKind.Blackout, 0, 0, blackout), from, to, blackout.FromTicks);
        }
        else if (isBlocking)
        {
            long rest = to - from - _routines.Add(stretch.ThreadId, from, to);
            if (rest > 0)
            {
                long ready = _readyTimes.Of(cpu, run);
                Add(new CauseKey(SumKind.Thread, stretch.ThreadId, stretch.Priority), from, from + rest, ready);
            }
        }
        else if (_idleExit?.TicksWithin(from, to) is > 0 and var leaving)
        {
            _idleExitTicks += leaving;
        }
        else if ((!stretch.IsIdle || !_hasLevels) && !IsOwn(in stretch, victim))
        {
            _lower.Add(from, to);
        }
    }

    /// <summary>Whether it is the victim itself that runs: in the midst of its work.</summary>
    private static bool IsOwn(in RunStretch stretch, uint? victim) => victim is not null && stretch.ThreadId == victim;

    private static bool IsBlocking(in RunStretch stretch, int priority, uint? victim) =>
        stretch.IsKnown && stretch.ThreadId != 0 && stretch.Priority >= priority && stretch.ThreadId != victim;

    /// <summary>
    /// Whether a thread of lower priority was dispatched while the victim was ready. Then the victim was in the ready queue of another CPU.
    /// </summary>
    private bool IsChosen(in RunStretch stretch, uint? victim) =>
        victim is not null && stretch is { IsKnown: true, ThreadId: not 0 } && stretch.ThreadId != victim
        && stretch.StartTicks > _calledTicks;

    /// <summary>Whether another CPU that the victim may use was idle at a time; shortens <c>until</c> to where that changes.</summary>
    private bool IsIdleElsewhere(long at, ref long until, out bool isParked)
    {
        bool isIdle = IdleElsewhere.Covers(_idleElsewhere.Any, at, ref until);
        isParked = isIdle && !IdleElsewhere.Covers(_idleElsewhere.Unparked, at, ref until);
        return isIdle;
    }

    /// <summary>The spin wait of a routine or thread at a time, null for none; shortens <c>until</c> to where that changes.</summary>
    private SpinStretch? SpinAt(long at, ref long until, int span, Blackout? blackout)
    {
        while (_firstWait < _waits.Count && _waits[_firstWait].ToTicks <= at)
        {
            _firstWait++;
        }

        for (int i = _firstWait; i < _waits.Count && _waits[i].FromTicks < until; i++)
        {
            SpinStretch wait = _waits[i];
            if (wait.Span != span || wait.ToTicks <= at || (blackout is not null && !wait.IsRecorded))
            {
                continue;
            }

            until = Math.Min(until, wait.FromTicks > at ? wait.FromTicks : wait.ToTicks);
            if (wait.FromTicks <= at)
            {
                return wait;
            }
        }

        return null;
    }

    /// <summary>The blackout at a time; null for none.</summary>
    /// <param name="isThreadsTime">
    /// Whether a thread may have kept the CPU up to the blackout, or the victim itself ran. Then the blackout counts from its most likely
    /// start. Otherwise it counts from the last record before it: only the blackout, or a routine that is short unless something stops it,
    /// can have kept the victim waiting.
    /// </param>
    private Blackout? BlackoutAt(long at, ref long until, bool isThreadsTime)
    {
        Blackout? inside = null;
        foreach (Blackout blackout in _touching)
        {
            long from = isThreadsTime ? blackout.StartTicks : blackout.FromTicks;
            if (from <= at && at < blackout.ToTicks)
            {
                inside ??= blackout;
                until = Math.Min(until, blackout.ToTicks);
            }
            else if (from > at)
            {
                until = Math.Min(until, from);
            }
        }

        return inside;
    }

    private void Collect(CpuHistory cpu, long fromTicks, long toTicks)
    {
        foreach ((ThreadRoutine routine, long ticks, long at) in _routines.Ran)
        {
            _shares.Add(ThreadRoutineTimes.ShareOf(routine, ticks, at, _owners.OfSpan(cpu, ThreadRoutineTimes.SpanOf(in routine)), cpu));
        }

        foreach ((CauseKey key, CauseSum sum) in _sums.All)
        {
            if (key.Kind != SumKind.Lower)
            {
                _shares.Add(ShareOf(cpu, key, sum, fromTicks, toTicks) with
                {
                    Stretches = sum.Stretches,
                    IsCut = _sums.IsCut,
                });
            }
        }

        if (OfIdleExit(_idleExitTicks) is { } idleExit)
        {
            _shares.Add(idleExit);
        }
    }

    /// <summary>The time in which the CPU left its idle state; null for none.</summary>
    private CauseShare? OfIdleExit(long ticks) => ticks <= 0 || _idleExit is null
        ? null
        : new CauseShare
        {
            Ticks = ticks,
            AtTicks = _idleExit.FromTicks,
            Detail = _idleExit,
        };

    private CauseShare ShareOf(CpuHistory cpu, in CauseKey key, CauseSum sum, long fromTicks, long toTicks) => key.Kind switch
    {
        SumKind.Routine => _groups.ShareOf((int)key.Number, sum.Ticks, sum.AtTicks) with { Blackout = key.Object as Blackout },
        SumKind.Thread => OfThread(cpu, (uint)key.Number, key.Priority, sum.Ticks, sum.AtTicks, fromTicks, toTicks),
        SumKind.Blackout => OfBlackout((Blackout)key.Object!, sum.Ticks, sum.AtTicks),
        SumKind.Spin => OfSpin(cpu, (SpinStretch)key.Object!, sum),
        _ => new CauseShare
        {
            Ticks = sum.Ticks,
            AtTicks = sum.AtTicks,
            Detail = new NotChosen((uint)key.Number, key.Priority, key.Object is true),
        },
    };

    private CauseShare OfBlackout(Blackout blackout, long ticks, long at) => new()
    {
        Detail = NothingServed.Instance,
        Ticks = ticks,
        AtTicks = at,
        Blackout = blackout,
        Otherwise = blackout.IsTentative ? OfIdleExit(_idleExit?.TicksWithin(at, at + ticks) ?? 0) : null,
    };

    private CauseShare OfSpin(CpuHistory cpu, SpinStretch spin, CauseSum sum) => new()
    {
        Ticks = sum.Ticks,
        AtTicks = sum.AtTicks,
        Owner = spin.Holder,
        Blackout = spin.Blackout,
        Detail = new LockWait(spin.Waiter, spin.Pair, spin.IsRecorded, spin.ShownBy),
        Otherwise = !spin.IsGuess
            ? null
            : _groups.ShareOf(GroupOf(spin, sum), sum.Ticks, sum.AtTicks) with
            {
                Stretches = sum.Stretches,
                IsCut = _sums.IsCut,
            },
    };

    private int GroupOf(SpinStretch spin, CauseSum sum)
    {
        long until = sum.AtTicks + sum.Ticks;
        return _groups.Of(spin.Span, sum.AtTicks, ref until);
    }

    /// <summary>A thread's own work in a stretch of time, while another waits for it: all but what interrupted it. Null for none.</summary>
    public CauseShare? OwnWork(CpuHistory cpu, in ThreadVisit visit, long fromTicks, long toTicks, IReadOnlyList<CauseShare> interrupted)
    {
        List<CauseStretch> taken = [.. interrupted.SelectMany(share => share.Stretches.Count > 0
            ? share.Stretches
            : [new CauseStretch(share.AtTicks, share.AtTicks + share.Ticks, share.AtTicks)]).OrderBy(stretch => stretch.FromTicks)];
        List<CauseStretch> own = [];
        long at = fromTicks;
        foreach (CauseStretch stretch in taken.Append(new CauseStretch(toTicks, toTicks, toTicks)))
        {
            if (stretch.FromTicks > at)
            {
                own.Add(new CauseStretch(at, Math.Min(stretch.FromTicks, toTicks), at));
            }

            at = Math.Max(at, stretch.ToTicks);
        }

        long ticks = OwnTicks(cpu, visit.Thread, fromTicks, toTicks, own.Sum(stretch => stretch.ToTicks - stretch.FromTicks));
        return ticks == 0 ? null : OfThread(cpu, visit.Thread, visit.Priority, ticks, fromTicks, fromTicks, toTicks) with
        {
            Stretches = _hasInterruptions ? own : [],
            IsInferred = true,
        };
    }

    /// <summary>
    /// How much of the time that a thread had a CPU is known to be its own work, in ticks: all of it where the trace has the records of
    /// what could have interrupted it; else the part that samples of its program's own code show.
    /// </summary>
    /// <param name="ticks">The time that it had the CPU in the stretch, without what is known to have interrupted it.</param>
    public long OwnTicks(CpuHistory cpu, uint thread, long fromTicks, long toTicks, long ticks)
    {
        if (_hasInterruptions)
        {
            return ticks;
        }

        (long own, long all) = (0, 0);
        for (long number = cpu.FirstSampleFrom(fromTicks); number < cpu.Samples.Next && cpu.Samples[number].Ticks <= toTicks; number++)
        {
            CpuSample sample = cpu.Samples[number];
            all++;
            own += sample.ThreadId == thread && !sample.IsInDpc && !sample.IsInIsr
                && !_modules.Images.IsKernelAddress(sample.Instruction) ? 1 : 0;
        }

        return all == 0 ? 0 : (long)((Int128)ticks * own / all);
    }

    private CauseShare OfThread(CpuHistory cpu, uint thread, int priority, long ticks, long at, long fromTicks, long toTicks) => new()
    {
        Ticks = ticks,
        AtTicks = at,
        Detail = new ThreadRan(thread, priority),
        Owner = IsOfSystem(thread, at) ? DriverOf(cpu, thread, fromTicks, toTicks) : null,
    };

    /// <summary>The driver whose code a System thread runs, if more than half of the thread's samples show it.</summary>
    private OwnerFinding? DriverOf(CpuHistory cpu, uint thread, long fromTicks, long toTicks)
    {
        Dictionary<int, (OwnerFinding Finding, int Count)> votes = [];
        int asked = 0;
        for (long number = cpu.FirstSampleFrom(fromTicks); number < cpu.Samples.Next && cpu.Samples[number].Ticks <= toTicks; number++)
        {
            CpuSample sample = cpu.Samples[number];
            if (sample.ThreadId != thread || sample.IsInDpc || sample.IsInIsr)
            {
                continue;
            }

            asked++;
            OwnerFinding finding = _owners.OfThreadSample(cpu, in sample);
            if (finding.Owner is { } owner && _modules.RoleOf(owner) != ModuleRole.Kernel)
            {
                (OwnerFinding first, int count) = votes.GetValueOrDefault(owner.Number, (finding, 0));
                votes[owner.Number] = (first, count + 1);
            }
        }

        if (votes.Count == 0)
        {
            return null;
        }

        (OwnerFinding winner, int of) = votes.Values.MaxBy(vote => vote.Count);
        return of * 2 > asked ? winner with { Samples = of, SamplesAsked = asked } : null;
    }

    private void Add(in CauseKey key, long fromTicks, long toTicks, long sinceTicks) =>
        _sums.Add(in key, new CauseStretch(fromTicks, toTicks, sinceTicks));
}
