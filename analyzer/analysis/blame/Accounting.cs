using Tracer.Contract;

namespace Tracer.Analysis;

/// <summary>
/// Accounts for every tick of an episode: what the CPU did that the victim waited for. ISRs and DPCs net of what nests in them, threads
/// by priority, kernel code that kept a lower thread on the CPU, blackouts. What nothing explains is left over.
/// </summary>
internal sealed class Accounting
{
    private readonly OwnerSearch _owners;
    private readonly ModuleMap _modules;
    private readonly BlackoutSearch _blackouts;
    private readonly Func<uint, long, uint?> _processOf;
    private readonly bool _hasLevels;
    private readonly SpinSearch _spins;
    private readonly IdleExitSearch _idleExits;
    private readonly PowerHistory _power;
    private readonly LevelSlices _slices = new();
    private readonly List<CauseShare> _shares = [];
    private readonly List<Blackout> _touching = [];
    private readonly Dictionary<(int Span, Blackout? Blackout), (long Ticks, long At)> _spanTicks = [];
    private readonly Dictionary<(uint Thread, sbyte Priority), (long Ticks, long At)> _threadTicks = [];
    private readonly Dictionary<Blackout, (long Ticks, long At)> _blackoutTicks = [];
    private readonly ThreadRoutines _routines = new();
    private readonly LowerThreads _lower;
    private readonly Dictionary<SpinWait, (long Ticks, long At)> _spinTicks = [];
    private readonly Dictionary<(bool IsParked, sbyte Priority), (long Ticks, long At)> _schedulerTicks = [];
    private IReadOnlyList<SpinWait> _waits = [];
    private IdleElsewhere _idleElsewhere = IdleElsewhere.None;
    private IdleExit? _idleExit;
    private long _idleExitTicks;
    private long _calledTicks;
    private readonly CauseStretches _stretches = new();

    /// <summary>Makes an accounting.</summary>
    /// <param name="owners">Finds owners.</param>
    /// <param name="modules">The images.</param>
    /// <param name="blackouts">The blackouts found so far.</param>
    /// <param name="processOf">The process of a thread at a time; null where not known.</param>
    /// <param name="hasLevels">Whether ISRs and DPCs were recorded; where not, the flags of samples tell of them.</param>
    /// <param name="spins">Finds waits for locks and for other CPUs.</param>
    /// <param name="idleExits">Finds what leaving idle states took.</param>
    /// <param name="power">The speeds of the CPUs.</param>
    /// <param name="routines">The kernel's routines.</param>
    public Accounting(
        OwnerSearch owners,
        ModuleMap modules,
        BlackoutSearch blackouts,
        Func<uint, long, uint?> processOf,
        bool hasLevels,
        SpinSearch spins,
        IdleExitSearch idleExits,
        PowerHistory power,
        KernelRoutines routines)
    {
        _owners = owners;
        _lower = new LowerThreads(owners, modules, routines, hasLevels);
        _modules = modules;
        _blackouts = blackouts;
        _processOf = processOf;
        _hasLevels = hasLevels;
        _spins = spins;
        _idleExits = idleExits;
        _power = power;
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
        _idleElsewhere = idleElsewhere ?? IdleElsewhere.None;
        _schedulerTicks.Clear();
        _spinTicks.Clear();
        _idleExitTicks = 0;
        _shares.Clear();
        _lower.Clear();
        _spanTicks.Clear();
        _threadTicks.Clear();
        _blackoutTicks.Clear();
        _stretches.Clear();
        _routines.Begin(cpu, fromTicks, toTicks);
        _touching.Clear();
        _touching.AddRange(_blackouts.Touching(cpu.Cpu, fromTicks, toTicks));
        List<LevelSlice> slices = _slices.Cut(cpu, fromTicks, toTicks);
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
            _shares, _stretches, cpu, fromTicks, toTicks, intervalTicks, _slices.Spans, _touching,
            _hasLevels ? Mechanism.RaisedIrql : unflagged);
        Collect(cpu, fromTicks, toTicks);
        return [.. _shares];
    }

    private void AddLevel(LevelSlice slice)
    {
        long at = slice.FromTicks;
        while (at < slice.ToTicks)
        {
            long until = slice.ToTicks;
            Blackout? inside = BlackoutAt(at, ref until);
            if (SpinAt(at, ref until, slice.Span, inside) is { } spin)
            {
                Add(_spinTicks, spin, until - at, at, _slices.Spans[slice.Span].StartTicks);
            }
            else
            {
                Add(_spanTicks, (slice.Span, inside), until - at, at, _slices.Spans[slice.Span].StartTicks);
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
                Blackout? blackout = BlackoutAt(at, ref next);
                bool isBlocking = IsBlocking(in stretch, priority, victim);
                if (!stretch.IsIdle && SpinAt(at, ref next, LevelSlice.NoSpan, blackout) is { } spin && (spin.IsRecorded || !isBlocking))
                {
                    Add(_spinTicks, spin, next - at, at, at);
                }
                else if (blackout is null && (isBlocking || IsChosen(in stretch, victim))
                    && IsIdleElsewhere(at, ref next, out bool isParked))
                {
                    Add(_schedulerTicks, (isParked, stretch.Priority), next - at, at, at);
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
        // Nothing else than a stop of the whole machine keeps an idle CPU from a thread that is ready.
        if (blackout is not null && (blackout.IsWholeMachine || (!isBlocking && (blackout.Cpu == cpu || stretch.IsIdle))))
        {
            Add(_blackoutTicks, blackout, to - from, from, blackout.FromTicks);
        }
        else if (isBlocking)
        {
            long rest = to - from - _routines.Add(stretch.ThreadId, from, to);
            if (rest > 0)
            {
                Add(_threadTicks, (stretch.ThreadId, stretch.Priority), rest, from, stretch.ReadyTicks);
            }
        }
        else if (stretch.IsIdle && _idleExit is { } exit && exit.FromTicks < to && exit.ToTicks > from)
        {
            _idleExitTicks += Math.Min(to, exit.ToTicks) - Math.Max(from, exit.FromTicks);
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
        bool isIdle = Covers(_idleElsewhere.Any, at, ref until);
        isParked = isIdle && !Covers(_idleElsewhere.Unparked, at, ref until);
        return isIdle;
    }

    private static bool Covers(IReadOnlyList<TickSpan> spans, long at, ref long until)
    {
        foreach (TickSpan span in spans)
        {
            if (span.Contains(at) || span.StartTicks > at)
            {
                until = Math.Min(until, span.StartTicks > at ? span.StartTicks : span.EndTicks);
                return span.StartTicks <= at;
            }
        }

        return false;
    }

    /// <summary>The wait of a routine, or of a thread, for somebody else at a time, and until when that is so.</summary>
    private SpinWait? SpinAt(long at, ref long until, int span, Blackout? blackout)
    {
        foreach (SpinWait wait in _waits)
        {
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
    private Blackout? BlackoutAt(long at, ref long until)
    {
        Blackout? inside = null;
        foreach (Blackout blackout in _touching)
        {
            if (blackout.FromTicks <= at && at < blackout.ToTicks)
            {
                inside ??= blackout;
                until = Math.Min(until, blackout.ToTicks);
            }
            else if (blackout.FromTicks > at)
            {
                until = Math.Min(until, blackout.FromTicks);
            }
        }

        return inside;
    }

    private void Collect(CpuHistory cpu, long fromTicks, long toTicks)
    {
        foreach (((int index, Blackout? blackout), (long ticks, long at)) in _spanTicks)
        {
            _shares.Add(OfSpan(cpu, index, ticks, at, _stretches.Of((index, blackout))) with { Blackout = blackout });
        }

        foreach ((ThreadRoutine routine, long ticks, long at) in _routines.Ran)
        {
            _shares.Add(ThreadRoutines.ShareOf(routine, ticks, at, _owners.OfSpan(cpu, ThreadRoutines.SpanOf(in routine)), cpu));
        }

        foreach (((uint thread, sbyte priority), (long ticks, long at)) in _threadTicks)
        {
            _shares.Add(new CauseShare
            {
                Mechanism = Mechanism.Thread,
                Ticks = ticks,
                ThreadId = thread,
                ThreadPriority = priority,
                AtTicks = at,
                Stretches = _stretches.Of((thread, priority)),
                IsCut = _stretches.IsCut,
                Owner = _processOf(thread, at) == ThreadTable.SystemProcess ? DriverOf(cpu, thread, fromTicks, toTicks) : null,
            });
        }

        foreach ((Blackout blackout, (long ticks, long at)) in _blackoutTicks)
        {
            _shares.Add(new CauseShare
            {
                Mechanism = Mechanism.Blackout,
                Ticks = ticks,
                Blackout = blackout,
                AtTicks = at,
                Stretches = _stretches.Of(blackout),
                IsCut = _stretches.IsCut,
            });
        }

        foreach (((bool isParked, sbyte priority), (long ticks, long at)) in _schedulerTicks)
        {
            _shares.Add(new CauseShare
            {
                Mechanism = Mechanism.Scheduler,
                Ticks = ticks,
                AtTicks = at,
                IsParked = isParked,
                ThreadPriority = priority,
                Stretches = _stretches.Of((isParked, priority)),
                IsCut = _stretches.IsCut,
            });
        }

        foreach ((SpinWait spin, (long ticks, long at)) in _spinTicks)
        {
            _shares.Add(new CauseShare
            {
                Mechanism = Mechanism.SpinWait,
                Ticks = ticks,
                AtTicks = at,
                Owner = spin.Holder,
                Blackout = spin.Blackout,
                Waiter = spin.Waiter,
                IsLockRecorded = spin.IsRecorded,
                AtMost = spin.AtMost,
                Pair = spin.Pair,
                Otherwise = spin.IsGuess ? OfSpan(cpu, spin.Span, ticks, at, _stretches.Of(spin)) : null,
                Stretches = _stretches.Of(spin),
                IsCut = _stretches.IsCut,
            });
        }

        if (_idleExitTicks > 0)
        {
            _shares.Add(new CauseShare
            {
                Mechanism = Mechanism.IdleExit,
                Ticks = _idleExitTicks,
                AtTicks = _idleExit!.FromTicks,
                IdleExit = _idleExit,
                AtMost = _idleExit is { IsRecorded: true, IsDeep: true } ? Confidence.Likely : Confidence.Possible,
            });
        }

        static int ByTime(CauseShare one, CauseShare other) => one.AtTicks.CompareTo(other.AtTicks);
        _shares.Sort(ByTime);
    }

    /// <summary>The time of an ISR or DPC.</summary>
    private CauseShare OfSpan(CpuHistory cpu, int index, long ticks, long at, IReadOnlyList<CauseStretch> stretches)
    {
        LevelSpan span = _slices.Spans[index];
        return new CauseShare
        {
            Mechanism = span.IsIsr ? Mechanism.Isr : Mechanism.Dpc,
            Ticks = ticks,
            Owner = _owners.OfSpan(cpu, in span),
            AtTicks = at,
            Stretches = stretches,
            IsCut = _stretches.IsCut,
            Speed = _power.SpeedOf(cpu.Cpu, span.StartTicks),
            SpanRoutine = span.Routine,
        };
    }

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

    private void Add<TKey>(Dictionary<TKey, (long Ticks, long At)> sums, TKey key, long ticks, long at, long asked)
        where TKey : notnull
    {
        _stretches.Add(key, new CauseStretch(at, at + ticks, asked));
        (long known, long since) = sums.GetValueOrDefault(key, (0, at));
        sums[key] = (known + ticks, Math.Min(since, at));
    }
}
