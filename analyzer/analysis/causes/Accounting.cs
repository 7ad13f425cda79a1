using Tracer.Contract;

namespace Tracer.Analysis;

/// <summary>
/// Accounts for every tick of an episode: what the CPU did that the victim waited for. ISRs and DPCs net of what nests in them, threads
/// by priority, kernel code that kept a lower thread on the CPU, blackouts. What nothing explains is left over.
/// </summary>
internal sealed class Accounting
{
    /// <summary>Parts that are kept of a stretch once too many are kept of the trace.</summary>
    public const int MostOfMany = 4;

    private readonly OwnerSearch _owners;
    private readonly ModuleMap _modules;
    private readonly Blackouts _blackouts;
    private readonly Func<uint, long, uint?> _processOf;
    private readonly bool _hasLevels;
    private readonly SpinSearch _spins;
    private readonly IdleExitSearch _idleExits;
    private readonly LevelSlices _slices = new();
    private readonly List<CauseShare> _shares = [];
    private readonly List<Blackout> _touching = [];
    private readonly CauseSums _sums = new();
    private readonly WorkBudget _budget;
    private readonly RoutineGroups _groups;
    private readonly ThreadRoutineTimes _routines = new();
    private readonly LowerThreads _lower;
    private IReadOnlyList<SpinWait> _waits = [];
    private IdleElsewhere _idleElsewhere = IdleElsewhere.None;
    private IdleExit? _idleExit;
    private long _idleExitTicks;
    private long _calledTicks;
    private int _firstWait;

    /// <summary>Makes an accounting.</summary>
    /// <param name="owners">Finds owners.</param>
    /// <param name="blackouts">The blackouts found so far.</param>
    /// <param name="processOf">The process of a thread at a time; null where not known.</param>
    /// <param name="hasLevels">Whether ISRs and DPCs were recorded; where not, the flags of samples tell of them.</param>
    /// <param name="spins">Finds waits for locks and for other CPUs.</param>
    /// <param name="power">Idle states and speeds of the CPUs.</param>
    /// <param name="ticksPerSecond">Ticks of a second.</param>
    /// <param name="budget">Limits the work.</param>
    public Accounting(
        OwnersOfCode owners,
        Blackouts blackouts,
        Func<uint, long, uint?> processOf,
        bool hasLevels,
        SpinSearch spins,
        PowerHistory power,
        long ticksPerSecond,
        WorkBudget budget)
    {
        _budget = budget;
        _owners = owners.Search;
        _modules = owners.Modules;
        _groups = new RoutineGroups(owners.Search, power);
        _lower = new LowerThreads(owners.Search, owners.Modules, owners.Kernel, hasLevels);
        _blackouts = blackouts;
        _processOf = processOf;
        _hasLevels = hasLevels;
        _spins = spins;
        _idleExits = new IdleExitSearch(power, ticksPerSecond);
    }

    /// <summary>Accounts for a stretch of one CPU.</summary>
    /// <param name="cpu">The CPU.</param>
    /// <param name="fromTicks">Start.</param>
    /// <param name="toTicks">End.</param>
    /// <param name="priority">Threads of this priority or a higher one keep the victim waiting; 32 where none may.</param>
    /// <param name="intervalTicks">The sample interval; 0 where not known.</param>
    /// <param name="victim">The victim's thread; null for none.</param>
    /// <param name="unflagged">What kernel code that a sample hit does to the victim where neither record nor flag tells its level.</param>
    /// <param name="idleElsewhere">
    /// When another CPU that the victim may use had nothing to do: then no thread is in its way.
    /// </param>
    /// <param name="calledTicks">When the CPU could first know of the victim; null for the start.</param>
    /// <param name="isAwake">Whether the CPU served the victim's interrupt before, so that no idle state had to be left.</param>
    /// <returns>The parts that are explained; together at most the stretch.</returns>
    public List<CauseShare> Of(
        CpuHistory cpu,
        long fromTicks,
        long toTicks,
        int priority,
        long intervalTicks,
        uint? victim,
        Mechanism unflagged = Mechanism.RaisedIrql,
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
        List<LevelSlice> slices = _slices.Cut(cpu, fromTicks, toTicks);
        _groups.Begin(cpu, _slices.Spans);
        _waits = _spins.Find(cpu, fromTicks, toTicks, _slices.Spans, priority, victim);
        _calledTicks = Math.Max(fromTicks, calledTicks ?? fromTicks);
        _idleExit = !isAwake && _calledTicks < toTicks ? _idleExits.Find(cpu, _calledTicks, toTicks) : null;
        foreach (LevelSlice slice in slices)
        {
            if (slice.Span >= 0)
            {
                AddLevel(slice);
            }
            else
            {
                AddThreads(cpu, slice.FromTicks, slice.ToTicks, priority, victim);
            }
        }

        _lower.AddShares(
            _shares, _sums, cpu, fromTicks, toTicks, intervalTicks, _touching, _hasLevels ? Mechanism.RaisedIrql : unflagged);
        Collect(cpu, fromTicks, toTicks);
        return Kept();
    }

    /// <summary>All parts, by time; the largest alone where too many are kept already.</summary>
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

    private void AddLevel(LevelSlice slice)
    {
        long at = slice.FromTicks;
        while (at < slice.ToTicks)
        {
            long until = slice.ToTicks;
            Blackout? inside = BlackoutAt(at, ref until, isThreadsTime: false);
            inside = inside is { IsTentative: true } ? null : inside;
            if (SpinAt(at, ref until, slice.Span, inside) is { } spin)
            {
                Add(new CauseKey(SumKind.Spin, 0, 0, spin), at, until, _slices.Spans[slice.Span].StartTicks);
            }
            else
            {
                int group = _groups.Of(slice.Span, until - at);
                Add(new CauseKey(SumKind.Routine, group, 0, inside), at, until, _slices.Spans[slice.Span].StartTicks);
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
                until = Math.Min(toTicks, cpu.Runs[cpu.Runs.First].StartTicks); // Forgotten.
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
                Blackout? blackout = BlackoutAt(at, ref next, isBlocking);
                blackout = blackout is { IsTentative: true } && !stretch.IsIdle ? null : blackout;
                if (!stretch.IsIdle && SpinAt(at, ref next, LevelSlice.NoSpan, blackout) is { } spin && (spin.IsRecorded || !isBlocking))
                {
                    Add(new CauseKey(SumKind.Spin, 0, 0, spin), at, next, at);
                }
                else if (blackout is null && (isBlocking || IsChosen(in stretch, victim))
                    && IsIdleElsewhere(at, ref next, out bool isParked))
                {
                    Add(new CauseKey(SumKind.Scheduler, isParked ? 1 : 0, stretch.Priority), at, next, at);
                }
                else
                {
                    AddThread(cpu.Cpu, stretch, blackout, at, next, priority, victim);
                }

                at = next;
            }
        }
    }

    private void AddThread(int cpu, in RunStretch stretch, Blackout? blackout, long from, long to, int priority, uint? victim)
    {
        bool isBlocking = IsBlocking(in stretch, priority, victim);
        // No thread can keep the profile interrupt from being served, whatever its priority; and nothing else than a stop keeps an idle CPU
        // from a thread that is ready.
        if (blackout is not null && (blackout.IsWholeMachine || blackout.Cpu == cpu || stretch.IsIdle))
        {
            Add(new CauseKey(SumKind.Blackout, 0, 0, blackout), from, to, blackout.FromTicks);
        }
        else if (isBlocking)
        {
            long rest = to - from - _routines.Add(stretch.ThreadId, from, to);
            if (rest > 0)
            {
                Add(new CauseKey(SumKind.Thread, stretch.ThreadId, stretch.Priority), from, from + rest, stretch.ReadyTicks);
            }
        }
        else if (stretch.IsIdle && _idleExit is { } exit && exit.FromTicks < to && exit.ToTicks > from)
        {
            _idleExitTicks += exit.TicksWithin(from, to);
        }
        else if (!stretch.IsIdle || !_hasLevels)
        {
            _lower.Add(from, to);
        }
    }

    private static bool IsBlocking(in RunStretch stretch, int priority, uint? victim) =>
        stretch.IsKnown && stretch.ThreadId != 0 && stretch.Priority >= priority && stretch.ThreadId != victim;

    /// <summary>
    /// Whether a thread of low priority was dispatched while the victim was ready: then the victim stood in the queue of another CPU.
    /// </summary>
    private bool IsChosen(in RunStretch stretch, uint? victim) =>
        victim is not null && stretch is { IsKnown: true, ThreadId: not 0 } && stretch.ThreadId != victim
        && stretch.StartTicks > _calledTicks;

    /// <summary>Whether another CPU had nothing to do at a time, and until when that is so.</summary>
    private bool IsIdleElsewhere(long at, ref long until, out bool isParked)
    {
        bool isIdle = IdleElsewhere.Covers(_idleElsewhere.Any, at, ref until);
        isParked = isIdle && !IdleElsewhere.Covers(_idleElsewhere.Unparked, at, ref until);
        return isIdle;
    }

    /// <summary>The wait of a routine, or of a thread, for somebody else at a time, and until when that is so.</summary>
    private SpinWait? SpinAt(long at, ref long until, int span, Blackout? blackout)
    {
        while (_firstWait < _waits.Count && _waits[_firstWait].ToTicks <= at)
        {
            _firstWait++;
        }

        for (int i = _firstWait; i < _waits.Count && _waits[i].FromTicks < until; i++)
        {
            SpinWait wait = _waits[i];
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

    /// <summary>The blackout at a time, and until when that is so.</summary>
    /// <param name="at">The time.</param>
    /// <param name="until">Is shortened to where that changes.</param>
    /// <param name="isThreadsTime">
    /// Whether a thread may have kept the CPU up to the blackout: then it counts from when it most likely began. Else it counts from the
    /// last record before it: only the blackout can have kept the victim waiting, or a routine that is short when nothing stops it.
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

    /// <summary>Time in which the CPU left its idle state; null for none.</summary>
    private CauseShare? OfIdleExit(long ticks) => ticks <= 0 || _idleExit is null
        ? null
        : new CauseShare
        {
            Mechanism = Mechanism.IdleExit,
            Ticks = ticks,
            AtTicks = _idleExit.FromTicks,
            Detail = _idleExit,
            AtMost = _idleExit is { IsRecorded: true, IsDeep: true } ? Confidence.Likely : Confidence.Possible,
        };

    private CauseShare ShareOf(CpuHistory cpu, in CauseKey key, CauseSum sum, long fromTicks, long toTicks) => key.Kind switch
    {
        SumKind.Routine => _groups.ShareOf((int)key.Number, sum.Ticks, sum.AtTicks) with { Blackout = key.Object as Blackout },
        SumKind.Thread => new CauseShare
        {
            Mechanism = Mechanism.Thread,
            Ticks = sum.Ticks,
            AtTicks = sum.AtTicks,
            Detail = new ThreadRan((uint)key.Number, key.Priority),
            Owner = _processOf((uint)key.Number, sum.AtTicks) == ThreadTable.SystemProcess
                ? DriverOf(cpu, (uint)key.Number, fromTicks, toTicks)
                : null,
        },
        SumKind.Blackout => OfBlackout((Blackout)key.Object!, sum.Ticks, sum.AtTicks),
        SumKind.Spin => OfSpin(cpu, (SpinWait)key.Object!, sum),
        _ => new CauseShare
        {
            Mechanism = Mechanism.Scheduler,
            Ticks = sum.Ticks,
            AtTicks = sum.AtTicks,
            Detail = new NotChosen(key.Priority, key.Number != 0),
        },
    };

    private CauseShare OfBlackout(Blackout blackout, long ticks, long at) => new()
    {
        Mechanism = Mechanism.Blackout,
        Ticks = ticks,
        AtTicks = at,
        Blackout = blackout,
        Otherwise = blackout.IsTentative ? OfIdleExit(Math.Min(ticks, _idleExit?.TicksWithin(at, at + ticks) ?? 0)) : null,
    };

    private CauseShare OfSpin(CpuHistory cpu, SpinWait spin, CauseSum sum) => new()
    {
        Mechanism = Mechanism.SpinWait,
        Ticks = sum.Ticks,
        AtTicks = sum.AtTicks,
        Owner = spin.Holder,
        Blackout = spin.Blackout,
        Detail = new LockWait(spin.Waiter, spin.Pair, spin.IsRecorded),
        AtMost = spin.AtMost,
        Otherwise = !spin.IsGuess
            ? null
            : _groups.ShareOf(_groups.Of(spin.Span, sum.Ticks), sum.Ticks, sum.AtTicks) with
            {
                Stretches = sum.Stretches,
                IsCut = _sums.IsCut,
            },
    };

    /// <summary>The driver whose code a thread of the system runs, where most of its samples show one.</summary>
    private OwnerFinding? DriverOf(CpuHistory cpu, uint thread, long fromTicks, long toTicks)
    {
        Dictionary<int, (OwnerFinding Finding, int Count)> votes = [];
        int asked = 0;
        for (long number = cpu.FirstSampleFrom(fromTicks); number < cpu.Samples.Next && cpu.Samples[number].Ticks <= toTicks; number++)
        {
            SampleMark sample = cpu.Samples[number];
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
