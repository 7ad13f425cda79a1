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
    private readonly LevelSlices _slices = new();
    private Mechanism _unflagged;
    private readonly List<CauseShare> _shares = [];
    private readonly List<(long From, long To)> _lower = [];
    private readonly List<SampleMark> _samples = [];
    private readonly List<int> _passedOver = [];
    private readonly List<Blackout> _touching = [];
    private readonly Dictionary<(int Span, Blackout? Blackout), (long Ticks, long At)> _spanTicks = [];
    private readonly Dictionary<(uint Thread, sbyte Priority), (long Ticks, long At)> _threadTicks = [];
    private readonly Dictionary<Blackout, (long Ticks, long At)> _blackoutTicks = [];
    private IReadOnlyList<TickSpan> _idleElsewhere = [];
    private (long Ticks, long At) _schedulerTicks;
    private readonly CauseStretches _stretches = new();

    /// <summary>Makes an accounting.</summary>
    /// <param name="owners">Finds owners.</param>
    /// <param name="modules">The images.</param>
    /// <param name="blackouts">The blackouts found so far.</param>
    /// <param name="processOf">The process of a thread at a time; null where not known.</param>
    /// <param name="hasLevels">Whether ISRs and DPCs were recorded; where not, the flags of samples tell of them.</param>
    public Accounting(OwnerSearch owners, ModuleMap modules, BlackoutSearch blackouts, Func<uint, long, uint?> processOf, bool hasLevels)
    {
        _owners = owners;
        _modules = modules;
        _blackouts = blackouts;
        _processOf = processOf;
        _hasLevels = hasLevels;
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
    /// When another CPU that the victim may use had nothing to do, by time: then no thread is in its way.
    /// </param>
    /// <returns>The parts that are explained; together at most the stretch.</returns>
    public List<CauseShare> Of(
        CpuHistory cpu,
        long fromTicks,
        long toTicks,
        int priority,
        long intervalTicks,
        uint? victim,
        Mechanism unflagged = Mechanism.RaisedIrql,
        IReadOnlyList<TickSpan>? idleElsewhere = null)
    {
        _unflagged = _hasLevels ? Mechanism.RaisedIrql : unflagged;
        _idleElsewhere = idleElsewhere ?? [];
        _schedulerTicks = (0, long.MaxValue);
        _shares.Clear();
        _lower.Clear();
        _spanTicks.Clear();
        _threadTicks.Clear();
        _blackoutTicks.Clear();
        _stretches.Clear();
        _touching.Clear();
        _touching.AddRange(_blackouts.Touching(cpu.Cpu, fromTicks, toTicks));
        foreach (LevelSlice slice in _slices.Cut(cpu, fromTicks, toTicks))
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

        AddSampled(cpu, fromTicks, toTicks, intervalTicks);
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
            Add(_spanTicks, (slice.Span, inside), until - at, at, _slices.Spans[slice.Span].StartTicks);
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
                if (blackout is null && IsBlocking(in stretch, priority, victim) && IsIdleElsewhere(at, ref next))
                {
                    _schedulerTicks = (_schedulerTicks.Ticks + (next - at), Math.Min(_schedulerTicks.At, at));
                    _stretches.Add(Mechanism.Scheduler, new CauseStretch(at, next, at));
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
            Add(_threadTicks, (stretch.ThreadId, stretch.Priority), to - from, from, stretch.ReadyTicks);
        }
        else if (!stretch.IsIdle || !_hasLevels)
        {
            _lower.Add((from, to));
        }
    }

    private static bool IsBlocking(in RunStretch stretch, int priority, uint? victim) =>
        stretch.IsKnown && stretch.ThreadId != 0 && stretch.Priority >= priority && stretch.ThreadId != victim;

    /// <summary>Whether another CPU had nothing to do at a time, and until when that is so.</summary>
    private bool IsIdleElsewhere(long at, ref long until)
    {
        foreach (TickSpan idle in _idleElsewhere)
        {
            if (idle.Contains(at) || idle.StartTicks > at)
            {
                until = Math.Min(until, idle.StartTicks > at ? idle.StartTicks : idle.EndTicks);
                return idle.StartTicks <= at;
            }
        }

        return false;
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

    /// <summary>
    /// Time of threads that should have given way goes to the code that the nearest sample hit, if that is the kernel's: at raised IRQL
    /// nothing is dispatched. Code of a process can't raise it.
    /// </summary>
    private void AddSampled(CpuHistory cpu, long fromTicks, long toTicks, long intervalTicks)
    {
        if (_lower.Count == 0)
        {
            return;
        }

        _samples.Clear();
        _passedOver.Clear();
        int passedOver = 0;
        for (long number = cpu.FirstSampleFrom(fromTicks); number < cpu.Samples.Next && cpu.Samples[number].Ticks <= toTicks; number++)
        {
            SampleMark sample = cpu.Samples[number];
            if (Counts(in sample))
            {
                _samples.Add(sample);
                _passedOver.Add(passedOver);
                passedOver = 0;
            }
            else
            {
                passedOver++;
            }
        }

        if (_samples.Count == 0 && SampleJustBefore(cpu, fromTicks, intervalTicks) is { } before)
        {
            _samples.Add(before);
            _passedOver.Add(0);
        }

        _passedOver.Add(passedOver);
        for (int i = 0; i < _samples.Count; i++)
        {
            SampleMark sample = _samples[i];
            long from = i == 0 ? fromTicks : sample.Ticks - ((sample.Ticks - _samples[i - 1].Ticks) / 2);
            long to = i + 1 == _samples.Count ? toTicks : sample.Ticks + ((_samples[i + 1].Ticks - sample.Ticks) / 2);
            from = Math.Max(from, sample.Ticks - Reach(intervalTicks, _passedOver[i]));
            to = Math.Min(to, sample.Ticks + Reach(intervalTicks, _passedOver[i + 1]));
            long ticks = 0;
            long first = long.MaxValue;
            foreach ((long lowerFrom, long lowerTo) in _lower)
            {
                long part = Math.Min(to, lowerTo) - Math.Max(from, lowerFrom);
                if (part > 0)
                {
                    long at = Math.Max(from, lowerFrom);
                    ticks += part;
                    first = Math.Min(first, at);
                    _stretches.Add(i, new CauseStretch(at, at + part, at));
                }
            }

            if (ticks > 0 && _modules.Images.IsKernelAddress(sample.Instruction))
            {
                AddSample(cpu, in sample, ticks, first, _stretches.Of(i));
            }
        }
    }

    /// <summary>
    /// How far from a sample its code may have run: up to the next that was due, or those that hit ISRs and DPCs in between.
    /// </summary>
    private static long Reach(long intervalTicks, int passedOver) =>
        intervalTicks > 0 ? ((1 + passedOver) * intervalTicks) + (intervalTicks / 4) : long.MaxValue / 4;

    /// <summary>Where a wait is too short to be sampled: what the same thread ran right before it.</summary>
    private SampleMark? SampleJustBefore(CpuHistory cpu, long fromTicks, long intervalTicks)
    {
        long number = cpu.FirstSampleFrom(fromTicks) - 1;
        long run = cpu.RunAt(_lower[0].From);
        if (number < cpu.Samples.First || run < 0 || intervalTicks <= 0)
        {
            return null;
        }

        SampleMark sample = cpu.Samples[number];
        RunStretch stretch = cpu.Runs[run];
        return stretch.IsKnown && stretch.ThreadId == sample.ThreadId && stretch.StartTicks <= sample.Ticks
            && fromTicks - sample.Ticks <= intervalTicks && Counts(in sample)
            ? sample
            : null;
    }

    private bool Counts(in SampleMark sample)
    {
        if (sample.IsIdle || (_hasLevels && (sample.IsInDpc || sample.IsInIsr)))
        {
            return false;
        }

        foreach (LevelSpan span in _slices.Spans)
        {
            if (span.StartTicks <= sample.Ticks && sample.Ticks < span.EndTicks && span.StartTicks < sample.Ticks)
            {
                return false;
            }
        }

        foreach (Blackout blackout in _touching)
        {
            // Where a CPU resumes the sample is late: it tells of the blackout.
            if (sample.Ticks >= blackout.ToTicks && sample.Ticks - blackout.ToTicks <= (blackout.ToTicks - blackout.DueTicks) / 16)
            {
                return false;
            }
        }

        return true;
    }

    private void AddSample(CpuHistory cpu, in SampleMark sample, long ticks, long at, IReadOnlyList<CauseStretch> stretches)
    {
        Mechanism mechanism = sample.IsInIsr ? Mechanism.Isr : sample.IsInDpc ? Mechanism.Dpc : _unflagged;
        OwnerFinding owner = _owners.OfThreadSample(cpu, in sample);
        if (mechanism == Mechanism.RaisedIrql && owner.Owner is null && owner.Behind is null)
        {
            return;
        }

        int known = _shares.FindIndex(share => share.Mechanism == mechanism && share.Owner?.Owner?.Number == owner.Owner?.Number
            && share.Owner?.Behind?.Number == owner.Behind?.Number);
        if (known < 0)
        {
            _shares.Add(new CauseShare
            {
                Mechanism = mechanism,
                Ticks = ticks,
                Owner = owner,
                AtTicks = at,
                ThreadId = sample.ThreadId,
                Stretches = stretches,
                IsCut = _stretches.IsCut,
            });
        }
        else
        {
            CauseShare share = _shares[known];
            _shares[known] = share with
            {
                Ticks = share.Ticks + ticks,
                Stretches = [.. share.Stretches, .. stretches],
                IsCut = _stretches.IsCut,
                Owner = share.Owner! with { Samples = share.Owner.Samples + owner.Samples, SamplesAsked = share.Owner.SamplesAsked + 1 },
            };
        }
    }

    private void Collect(CpuHistory cpu, long fromTicks, long toTicks)
    {
        foreach (((int index, Blackout? blackout), (long ticks, long at)) in _spanTicks)
        {
            LevelSpan span = _slices.Spans[index];
            _shares.Add(new CauseShare
            {
                Mechanism = span.IsIsr ? Mechanism.Isr : Mechanism.Dpc,
                Ticks = ticks,
                Owner = _owners.OfSpan(cpu, in span),
                Blackout = blackout,
                AtTicks = at,
                Stretches = _stretches.Of((index, blackout)),
                IsCut = _stretches.IsCut,
            });
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

        if (_schedulerTicks.Ticks > 0)
        {
            _shares.Add(new CauseShare
            {
                Mechanism = Mechanism.Scheduler,
                Ticks = _schedulerTicks.Ticks,
                AtTicks = _schedulerTicks.At,
                Stretches = _stretches.Of(Mechanism.Scheduler),
                IsCut = _stretches.IsCut,
            });
        }

        static int ByTime(CauseShare one, CauseShare other) => one.AtTicks.CompareTo(other.AtTicks);
        _shares.Sort(ByTime);
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
