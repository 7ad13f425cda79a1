using Tracer.Analysis.Facts;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Modules;
using Tracer.Analysis.Owners;

namespace Tracer.Analysis.Causes;

/// <summary>
/// Finds when the code on a CPU only waited for a spin lock or for another CPU, and who kept it waiting. Three things show it: records of
/// spin locks; samples in kernel routines that are known by name to wait; and kernel code that ran until the very moment at which another
/// CPU left a blackout, an ISR or a DPC.
/// </summary>
internal sealed class SpinSearch
{
    /// <summary>Shorter waits, in ns, are not searched for: they are too short to explain a latency.</summary>
    private const long LeastWaitNanoseconds = 5_000;

    /// <summary>
    /// The least length of a stretch whose waits are searched by samples and coincident ends, in ns. In shorter ones samples are too rare,
    /// and chance is too frequent.
    /// </summary>
    private const long LeastSampledNanoseconds = 100_000;

    /// <summary>Two ends within this time of each other count as one moment, in ns.</summary>
    private const long TogetherNanoseconds = 20_000;

    /// <summary>A holder must cover four fifths of the wait: it began in the first of this many parts of it.</summary>
    private const int PartsOfWait = 5;

    /// <summary>How many ISRs and DPCs with the same start and end are searched for the right one. It bounds the work.</summary>
    private const int MostAlike = 16;

    private readonly WorkBudget _budget;
    private readonly CpuHistories _cpus;
    private readonly LockHistory _locks;
    private readonly HolderSearch _holders;
    private readonly SpinPairs _pairs = new();
    private readonly OwnerSearch _owners;
    private readonly ModuleMap _modules;
    private readonly WaitingRoutines _waiting;
    private readonly bool _isOneCpuOnly;
    private readonly long _leastWaitTicks;
    private readonly long _leastSampledTicks;
    private readonly long _togetherTicks;
    private readonly LevelSegments _segments = new();
    private readonly List<SpinStretch> _found = [];

    /// <summary>The ISRs and DPCs whose waits are known from records; <see cref="LevelSegment.NoSpan"/> stands for threads.</summary>
    private readonly HashSet<int> _recorded = [];
    private readonly List<LockHold> _holds = [];
    private readonly List<(CpuSample Sample, WaitKind Kind)> _samples = [];
    private IReadOnlyList<LevelSpan> _spans = [];
    private CpuHistory? _cpu;

    /// <param name="blackouts">The blackouts found so far.</param>
    public SpinSearch(MachineState machine, Blackouts blackouts, OwnersOfCode owners, WorkBudget budget)
    {
        _budget = budget;
        _cpus = machine.Cpus;
        _isOneCpuOnly = machine.IsOneCpuOnly;
        _locks = machine.Locks;
        _owners = owners.Search;
        _modules = owners.Modules;
        _waiting = new WaitingRoutines(owners.Kernel);
        _holders = new HolderSearch(machine, blackouts, owners, _waiting, budget);
        long Ticks(long nanoseconds) => Math.Max(1, TickRate.TicksOf(nanoseconds, machine.TicksPerSecond));
        _leastWaitTicks = Ticks(LeastWaitNanoseconds);
        _leastSampledTicks = Ticks(LeastSampledNanoseconds);
        _togetherTicks = Ticks(TogetherNanoseconds);
    }

    /// <summary>Finds the waits within a stretch of a CPU.</summary>
    /// <param name="priority">Threads below this priority should have given way to the victim.</param>
    /// <param name="victim">The victim's thread; null for none.</param>
    /// <returns>The waits by start; those of one routine do not overlap. Valid until the next call.</returns>
    public IReadOnlyList<SpinStretch> Find(
        CpuHistory cpu, long fromTicks, long toTicks, IReadOnlyList<LevelSpan> spans, int priority, uint? victim)
    {
        _found.Clear();
        _recorded.Clear();
        (_cpu, _spans) = (cpu, spans);
        AddRecorded(cpu, fromTicks, toTicks);
        for (int i = 0; i < spans.Count; i++)
        {
            AddSampled(cpu, spans[i].StartTicks, spans[i].EndTicks, i, null);
        }

        for (long run = Math.Max(cpu.RunAt(fromTicks), cpu.Runs.First); run < cpu.Runs.Next && cpu.Runs[run].StartTicks < toTicks; run++)
        {
            RunStretch stretch = cpu.Runs[run];
            if (stretch is { IsKnown: true, IsIdle: false } && stretch.Priority < priority && stretch.ThreadId != victim)
            {
                long end = run + 1 < cpu.Runs.Next ? Math.Min(toTicks, cpu.Runs[run + 1].StartTicks) : toTicks;
                AddSampled(cpu, Math.Max(fromTicks, stretch.StartTicks), end, LevelSegment.NoSpan, stretch.ThreadId);
            }
        }

        _found.Sort(static (one, other) => one.FromTicks.CompareTo(other.FromTicks));
        return _found;
    }

    private void AddRecorded(CpuHistory cpu, long fromTicks, long toTicks)
    {
        long first = _locks.Holds.FirstAfter(fromTicks);
        if (first < _locks.Holds.Next && !_budget.TrySpend(_locks.Holds.Next - first))
        {
            return;
        }

        for (long number = first; number < _locks.Holds.Next; number++)
        {
            LockHold waiter = _locks.Holds[number];
            bool isMeasured = waiter.WaitedTicks != LockHold.UnknownWait;
            if (waiter.Cpu != cpu.Cpu || waiter.AcquireTicks <= fromTicks
                || (isMeasured && (waiter.WaitedTicks < _leastWaitTicks || waiter.AcquireTicks - waiter.WaitedTicks >= toTicks)))
            {
                continue;
            }

            int span = SpanAt(waiter.AcquireTicks);
            long run = cpu.RunAt(waiter.AcquireTicks - 1);
            long since = span >= 0 ? _spans[span].StartTicks : run >= 0 ? cpu.Runs[run].StartTicks : fromTicks;
            if (isMeasured)
            {
                since = Math.Max(since, waiter.AcquireTicks - waiter.WaitedTicks);
            }

            AddHolders(in waiter, since, span, isMeasured);
        }
    }

    /// <summary>Finds who held the lock during the wait, by the records of the same lock on other CPUs.</summary>
    private void AddHolders(in LockHold waiter, long since, int span, bool isMeasured)
    {
        _holds.Clear();
        long first = _locks.Holds.FirstAfter(since);
        if (!_budget.TrySpend(1 + _locks.Holds.FirstAfter(waiter.AcquireTicks + _togetherTicks) - first))
        {
            return;
        }

        for (long number = first; number < _locks.Holds.Next; number++)
        {
            ref LockHold hold = ref _locks.Holds[number];
            if (hold.ReleaseTicks > waiter.AcquireTicks + _togetherTicks)
            {
                break;
            }

            if (hold.Lock == waiter.Lock && hold.Cpu != waiter.Cpu && !_isOneCpuOnly)
            {
                _holds.Add(hold);
            }
        }

        _holds.Sort(static (one, other) => one.AcquireTicks.CompareTo(other.AcquireTicks));
        OwnerFinding? waits = ImageOwner(waiter.Caller, waiter.AcquireTicks);
        long at = since;
        foreach (LockHold hold in _holds)
        {
            long from = Math.Max(at, hold.AcquireTicks);
            long to = Math.Min(waiter.AcquireTicks, hold.ReleaseTicks);
            if (to <= from)
            {
                continue;
            }

            AddUnknown(at, from, span, waits, isMeasured);
            AddHolder(in hold, from, to, span, waits, isMeasured);
            at = to;
        }

        AddUnknown(at, waiter.AcquireTicks, span, waits, isMeasured);
    }

    /// <summary>
    /// Adds a wait whose holder is not known. The holder's record may be missing: Windows logs only one in many spin lock acquisitions.
    /// </summary>
    private void AddUnknown(long from, long to, int span, OwnerFinding? waits, bool isMeasured)
    {
        // Only a few instructions lie between a release and the next acquisition.
        if (isMeasured && to - from > _leastWaitTicks)
        {
            Add(new SpinStretch
            {
                FromTicks = from,
                ToTicks = to,
                Span = span,
                IsRecorded = true,
                ShownBy = LockEvidence.Coincidence,
                Waiter = waits,
            });
        }
    }

    /// <summary>Adds a wait with its holder. While an ISR interrupts the holder, the ISR is to blame instead.</summary>
    private void AddHolder(in LockHold hold, long from, long to, int span, OwnerFinding? waits, bool isMeasured)
    {
        if (_cpus[hold.Cpu] is not { } cpu)
        {
            return;
        }

        OwnerFinding holder = HolderOf(in hold, cpu);
        foreach (LevelSegment segment in _segments.Cut(cpu, from, to))
        {
            bool isInterrupted = segment.Span >= 0 && _segments.Spans[segment.Span] is { IsIsr: true } isr
                && isr.StartTicks > hold.AcquireTicks;
            LevelSpan inner = isInterrupted ? _segments.Spans[segment.Span] : default;
            Add(new SpinStretch
            {
                FromTicks = segment.FromTicks,
                ToTicks = segment.ToTicks,
                Span = span,
                IsRecorded = true,
                ShownBy = isMeasured ? LockEvidence.HoldAndWait : LockEvidence.Hold,
                Holder = isInterrupted ? _owners.OfSpan(cpu, in inner) : holder,
                Waiter = waits,
            });
        }
    }

    private OwnerFinding HolderOf(in LockHold hold, CpuHistory cpu)
    {
        LoadedImage? image = _modules.Find(hold.Caller, hold.ReleaseTicks);
        if (image is not null && _modules.RoleOf(image) == ModuleRole.Driver)
        {
            return new OwnerFinding { Owner = image, Proof = Proof.Routine, Routine = hold.Caller };
        }

        // The kernel or a framework took the lock, on behalf of the routine that ran there or of the driver that samples show.
        LevelSpan? span = InnermostAt(cpu, hold.AcquireTicks);
        if (span is { } ran && _owners.OfSpan(cpu, in ran) is { Owner: { } owner } found && _modules.RoleOf(owner) == ModuleRole.Driver)
        {
            return found;
        }

        for (long number = cpu.FirstSampleFrom(hold.AcquireTicks);
            number < cpu.Samples.Next && cpu.Samples[number].Ticks <= hold.ReleaseTicks; number++)
        {
            if (!cpu.Samples[number].IsIdle && _modules.Images.IsKernelAddress(cpu.Samples[number].Instruction)
                && _owners.OfThreadSample(cpu, in cpu.Samples[number]) is { Owner: { } hit } shown
                && _modules.RoleOf(hit) == ModuleRole.Driver)
            {
                return shown;
            }
        }

        bool isItself = image is not null && _modules.RoleOf(image) is ModuleRole.Layer or ModuleRole.Firmware;
        return new OwnerFinding
        {
            Owner = isItself ? image : null,
            Proof = isItself ? Proof.Routine : Proof.None,
            Behind = isItself ? null : image,
            Routine = hold.Caller,
        };
    }

    /// <summary>Adds the waits that the samples of an ISR, a DPC or a thread show.</summary>
    private void AddSampled(CpuHistory cpu, long fromTicks, long toTicks, int span, uint? thread)
    {
        if (toTicks - fromTicks < _leastSampledTicks || _recorded.Contains(span))
        {
            return;
        }

        int kernelsFrom = Collect(cpu, fromTicks, toTicks, span, thread);
        bool isNamed = false;
        for (int i = 0; i < _samples.Count; i++)
        {
            WaitKind kind = _samples[i].Kind;
            if (kind == WaitKind.None)
            {
                continue;
            }

            isNamed = true;
            int first = i;
            while (i + 1 < _samples.Count && _samples[i + 1].Kind == kind)
            {
                i++;
            }

            AddNamed(cpu, fromTicks, toTicks, span, first, i);
        }

        if (!isNamed && kernelsFrom < _samples.Count && !IsKernelsRoutine(span))
        {
            // It waited from where its own code was last seen.
            long since = kernelsFrom == 0 ? fromTicks : Between(kernelsFrom - 1, kernelsFrom);
            if (toTicks - since >= _leastSampledTicks)
            {
                AddCoincident(cpu, since, toTicks, span, kernelsFrom);
            }
        }
    }

    /// <summary>The time half-way between two samples, in ticks.</summary>
    private long Between(int one, int next) =>
        _samples[next].Sample.Ticks - ((_samples[next].Sample.Ticks - _samples[one].Sample.Ticks) / 2);

    /// <summary>Collects the samples of an ISR, a DPC or a thread.</summary>
    /// <returns>The first of the last ones, as far as all of those hit code of the kernel without a name.</returns>
    private int Collect(CpuHistory cpu, long fromTicks, long toTicks, int span, uint? thread)
    {
        _samples.Clear();
        int kernelsFrom = 0;
        for (long number = cpu.FirstSampleFrom(fromTicks + 1); number < cpu.Samples.Next && cpu.Samples[number].Ticks < toTicks; number++)
        {
            CpuSample sample = cpu.Samples[number];
            if (SpanAt(sample.Ticks) != span || (thread is not null && (sample.ThreadId != thread || sample.IsInDpc || sample.IsInIsr)))
            {
                continue;
            }

            WaitKind kind = _waiting.Of(cpu, in sample, out bool isKernels);
            _samples.Add((sample, kind));
            kernelsFrom = isKernels ? kernelsFrom : _samples.Count;
        }

        if (_samples.Count == 0 && thread is not null && SampleJustBefore(cpu, fromTicks, thread.Value) is { } before)
        {
            WaitKind kind = _waiting.Of(cpu, in before, out bool isKernels);
            _samples.Add((before, kind));
            kernelsFrom = isKernels ? 0 : 1;
        }

        return kernelsFrom;
    }

    /// <summary>The sample of the same thread right before the wait, where the wait is too short to contain one.</summary>
    private CpuSample? SampleJustBefore(CpuHistory cpu, long fromTicks, uint thread)
    {
        long number = cpu.FirstSampleFrom(fromTicks + 1) - 1;
        long run = cpu.RunAt(fromTicks);
        if (number < cpu.Samples.First || run < 0)
        {
            return null;
        }

        CpuSample sample = cpu.Samples[number];
        return sample.ThreadId == thread && !sample.IsInDpc && !sample.IsInIsr
            && cpu.Runs[run].StartTicks <= sample.Ticks
            && _modules.Images.IsKernelAddress(sample.Instruction)
            ? sample
            : null;
    }

    private void AddNamed(CpuHistory cpu, long fromTicks, long toTicks, int span, int first, int last)
    {
        long firstTicks = _samples[first].Sample.Ticks;
        long lastTicks = _samples[last].Sample.Ticks;
        long from = first > 0 ? Between(first - 1, first) : fromTicks;
        long to = last + 1 < _samples.Count ? lastTicks + ((_samples[last + 1].Sample.Ticks - lastTicks) / 2) : toTicks;
        long latest = last + 1 < _samples.Count ? _samples[last + 1].Sample.Ticks : toTicks;
        HolderStretch? other = _holders.Find(
            cpu, firstTicks, lastTicks - _togetherTicks, latest + _togetherTicks, _samples[first].Kind);
        CpuSample sample = _samples[first].Sample;
        OwnerFinding? waits = WaiterOf(cpu, span, in sample);
        if (other is { IsEndSeen: true } ended)
        {
            to = Math.Clamp(ended.ToTicks, lastTicks, latest);
        }

        Add(new SpinStretch
        {
            FromTicks = from,
            ToTicks = to,
            Span = span,
            IsRecorded = false,
            ShownBy = other is { IsEndSeen: true } one && Math.Abs(one.ToTicks - toTicks) <= _togetherTicks
                ? LockEvidence.CommonEnd
                : LockEvidence.Coincidence,
            Holder = other?.Owner,
            Blackout = other?.Blackout,
            Waiter = waits,
            Pair = other?.Owner is { } holder ? _pairs.Of(waits, holder, other.IsEndSeen ? other.ToTicks : null) : null,
        });
    }

    /// <summary>Without function names only a common end shows a wait: the code ran until another CPU ended its work.</summary>
    private void AddCoincident(CpuHistory cpu, long fromTicks, long toTicks, int span, int first)
    {
        long started = fromTicks + ((toTicks - fromTicks) / PartsOfWait);
        HolderStretch? other = EndsWith(cpu, started, toTicks);
        if (other is null && span < 0 && OwnEnd(fromTicks, toTicks) is long end && end < toTicks && end - fromTicks >= _leastSampledTicks)
        {
            // The thread's own code may have ended earlier: where pending ISRs and DPCs began to run that lasted until the next thread.
            other = EndsWith(cpu, started, end);
        }

        if (other is null || (span < 0 && !other.IsEndSeen))
        {
            return;
        }

        CpuSample sample = _samples[first].Sample;
        OwnerFinding? waits = WaiterOf(cpu, span, in sample);
        Add(new SpinStretch
        {
            FromTicks = Math.Max(fromTicks, other.FromTicks),
            ToTicks = Math.Min(toTicks, other.ToTicks),
            Span = span,
            IsRecorded = false,
            ShownBy = LockEvidence.Coincidence,
            Holder = other.Owner,
            Blackout = other.Blackout,
            Waiter = waits,
            Pair = other.Owner is { } holder ? _pairs.Of(waits, holder, other.IsEndSeen ? other.ToTicks : null) : null,
            IsGuess = !other.IsEndSeen,
        });
    }

    private HolderStretch? EndsWith(CpuHistory cpu, long startedBy, long toTicks) =>
        _holders.Find(cpu, startedBy, toTicks - _togetherTicks, toTicks + (_togetherTicks / 4), WaitKind.None);

    /// <summary>Where the unbroken series of ISRs and DPCs at the end of a stretch began, in ticks.</summary>
    private long OwnEnd(long fromTicks, long toTicks)
    {
        long end = toTicks;
        for (int i = _spans.Count - 1; i >= 0 && _spans[i].StartTicks >= fromTicks; i--)
        {
            if (_spans[i].StartTicks < end && _spans[i].EndTicks >= end - _leastWaitTicks)
            {
                end = _spans[i].StartTicks;
            }
        }

        return end;
    }

    private bool IsKernelsRoutine(int span) => span >= 0
        && (_modules.Find(_spans[span].Routine, _spans[span].EndTicks) is not { } image || _modules.RoleOf(image) == ModuleRole.Kernel);

    private OwnerFinding? WaiterOf(CpuHistory cpu, int span, in CpuSample sample)
    {
        if (span < 0)
        {
            return _owners.OfThreadSample(cpu, in sample);
        }

        LevelSpan waiter = _spans[span];
        return _owners.OfSpan(cpu, in waiter);
    }

    private OwnerFinding? ImageOwner(ulong routine, long ticks) => _modules.Find(routine, ticks) is { } image
        ? new OwnerFinding { Owner = image, Proof = Proof.Routine, Routine = routine }
        : null;

    /// <summary>The index of the innermost ISR or DPC at a time, the one entered last.</summary>
    private int SpanAt(long ticks)
    {
        long number = _cpu!.SpanAt(ticks);
        if (number < 0)
        {
            return LevelSegment.NoSpan;
        }

        LevelSpan span = _cpu.Spans[number];
        int low = SortedSearch.FirstNot(
            0,
            _spans.Count,
            (_spans, span),
            static (at, i) => at._spans[i].StartTicks < at.span.StartTicks
                || (at._spans[i].StartTicks == at.span.StartTicks && at._spans[i].EndTicks > at.span.EndTicks));
        int last = Math.Min(_spans.Count, low + MostAlike);
        for (; low < last && _spans[low].StartTicks == span.StartTicks && _spans[low].EndTicks == span.EndTicks; low++)
        {
            if (_spans[low].Routine == span.Routine)
            {
                return low;
            }
        }

        return LevelSegment.NoSpan;
    }

    private static LevelSpan? InnermostAt(CpuHistory cpu, long ticks)
    {
        for (long number = cpu.FirstEndingFrom(ticks + 1); number >= 0; number = cpu.OuterOf(number))
        {
            if (cpu.Spans[number].StartTicks <= ticks)
            {
                return cpu.Spans[number];
            }
        }

        return null;
    }

    private void Add(SpinStretch wait)
    {
        const int MostKept = 4096;
        if (_found.Count < MostKept && wait.ToTicks > wait.FromTicks)
        {
            _found.Add(wait);
            if (wait.IsRecorded)
            {
                _recorded.Add(wait.Span);
            }
        }
    }
}
