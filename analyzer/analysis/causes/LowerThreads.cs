using Tracer.Analysis.Machine;
using Tracer.Analysis.Modules;
using Tracer.Analysis.Owners;

namespace Tracer.Analysis.Causes;

/// <summary>
/// Accounts for the time in which threads of lower priority stayed on the CPU although they should have given way to the victim, by the
/// kernel code that samples show in them.
/// </summary>
internal sealed class LowerThreads
{
    private readonly OwnerSearch _owners;
    private readonly ModuleMap _modules;
    private readonly KernelRoutines _routines;
    private readonly bool _hasLevels;
    private readonly List<(long From, long To)> _lower = [];
    private readonly List<CpuSample> _samples = [];
    private readonly List<int> _passedOver = [];
    private readonly List<long> _awake = [];
    private List<CauseShare> _shares = [];
    private CauseSums _sums = new();
    private IReadOnlyList<Blackout> _touching = [];
    private CodeLevel _unflagged;

    /// <summary>Sets up an empty account.</summary>
    /// <param name="hasLevels">Whether ISRs and DPCs were recorded. If not, the flags of profile samples show them.</param>
    public LowerThreads(OwnerSearch owners, ModuleMap modules, KernelRoutines routines, bool hasLevels)
    {
        _routines = routines;
        _owners = owners;
        _modules = modules;
        _hasLevels = hasLevels;
    }

    public void Clear() => _lower.Clear();

    /// <summary>Adds a stretch in which a lower-priority thread ran, in ticks.</summary>
    public void Add(long fromTicks, long toTicks) => _lower.Add((fromTicks, toTicks));

    /// <summary>
    /// Assigns the time of lower-priority threads to the code that the nearest sample hit, if that is kernel code: at DISPATCH_LEVEL or
    /// higher no other thread is dispatched. User-mode code can't raise IRQL.
    /// </summary>
    /// <param name="intervalTicks">The profile sample interval, in ticks; 0 where not known.</param>
    /// <param name="unflagged">The level assumed for code where neither a record nor a flag shows its level.</param>
    public void AddShares(
        List<CauseShare> shares,
        CauseSums sums,
        CpuHistory cpu,
        long fromTicks,
        long toTicks,
        long intervalTicks,
        IReadOnlyList<Blackout> blackouts,
        CodeLevel unflagged)
    {
        (_shares, _sums, _touching, _unflagged) = (shares, sums, blackouts, unflagged);
        if (_lower.Count == 0)
        {
            return;
        }

        _samples.Clear();
        _passedOver.Clear();
        int passedOver = 0;
        for (long number = cpu.FirstSampleFrom(fromTicks); number < cpu.Samples.Next && cpu.Samples[number].Ticks <= toTicks; number++)
        {
            CpuSample sample = cpu.Samples[number];
            if (Counts(cpu, in sample))
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
        FindAwake(cpu, fromTicks, toTicks);
        int next = 0;
        for (int i = 0; i < _samples.Count; i++)
        {
            CpuSample sample = _samples[i];
            long from = i == 0 ? fromTicks : sample.Ticks - ((sample.Ticks - _samples[i - 1].Ticks) / 2);
            long to = i + 1 == _samples.Count ? toTicks : sample.Ticks + ((_samples[i + 1].Ticks - sample.Ticks) / 2);
            (long awakeBefore, long awakeAfter) = AwakeAround(sample.Ticks, fromTicks, toTicks);
            from = Math.Max(Math.Max(from, awakeBefore), sample.Ticks - Reach(intervalTicks, _passedOver[i]));
            to = Math.Min(Math.Min(to, awakeAfter), sample.Ticks + Reach(intervalTicks, _passedOver[i + 1]));
            long ticks = 0;
            long first = long.MaxValue;
            CauseSum? sum = null;
            while (next < _lower.Count && _lower[next].To <= from)
            {
                next++;
            }

            for (int k = next; k < _lower.Count && _lower[k].From < to; k++)
            {
                (long lowerFrom, long lowerTo) = _lower[k];
                long part = Math.Min(to, lowerTo) - Math.Max(from, lowerFrom);
                long at = Math.Max(from, lowerFrom);
                ticks += part;
                first = Math.Min(first, at);
                sum = _sums.Add(new CauseKey(SumKind.Lower, i), new CauseStretch(at, at + part, at));
            }

            if (ticks > 0 && _modules.Images.IsKernelAddress(sample.Instruction))
            {
                AddSample(cpu, in sample, ticks, first, IsSilent(cpu, in sample, first, to), sum!.Stretches);
            }
        }
    }

    /// <summary>
    /// How far from a sample its code may have run, in ticks: up to the next sample that was due, and as many more as hit ISRs and DPCs in
    /// between.
    /// </summary>
    private static long Reach(long intervalTicks, int passedOver) =>
        intervalTicks > 0 ? ((1 + passedOver) * intervalTicks) + (intervalTicks / 4) : long.MaxValue / 4;

    /// <summary>Finds when, within a stretch, the CPU was below DISPATCH_LEVEL: a DPC began, or threads were switched.</summary>
    private void FindAwake(CpuHistory cpu, long fromTicks, long toTicks)
    {
        _awake.Clear();
        for (long number = cpu.FirstEndingFrom(fromTicks + 1); number >= 0 && number < cpu.Spans.Next; number++)
        {
            LevelSpan span = cpu.Spans[number];
            if (span.StartTicks >= toTicks)
            {
                break; // Later ones of those nested in it began after it.
            }

            if (!span.IsIsr && span.StartTicks > fromTicks)
            {
                _awake.Add(span.StartTicks);
            }
        }

        for (long run = cpu.RunAt(toTicks - 1); run >= cpu.Runs.First && run >= 0 && cpu.Runs[run].StartTicks > fromTicks; run--)
        {
            _awake.Add(cpu.Runs[run].StartTicks);
        }

        _awake.Sort();
    }

    /// <summary>
    /// The last of these times before a sample and the first after it, or the ends of the stretch: the code of the sample did not keep the
    /// CPU at that level across them.
    /// </summary>
    private (long Before, long After) AwakeAround(long ticks, long fromTicks, long toTicks)
    {
        int after = _awake.BinarySearch(ticks + 1);
        after = after < 0 ? ~after : after;
        while (after > 0 && _awake[after - 1] > ticks)
        {
            after--;
        }

        return (after > 0 ? _awake[after - 1] : fromTicks, after < _awake.Count ? _awake[after] : toTicks);
    }

    /// <summary>The sample of the same thread right before the wait, where the wait is too short to contain one.</summary>
    private CpuSample? SampleJustBefore(CpuHistory cpu, long fromTicks, long intervalTicks)
    {
        long number = cpu.FirstSampleFrom(fromTicks) - 1;
        long run = cpu.RunAt(_lower[0].From);
        if (number < cpu.Samples.First || run < 0)
        {
            return null;
        }

        CpuSample sample = cpu.Samples[number];
        RunStretch stretch = cpu.Runs[run];
        return stretch.IsKnown && stretch.ThreadId == sample.ThreadId && stretch.StartTicks <= sample.Ticks
            && fromTicks - sample.Ticks <= intervalTicks && Counts(cpu, in sample)
            ? sample
            : null;
    }

    private bool Counts(CpuHistory cpu, in CpuSample sample)
    {
        if (sample.IsIdle || (_hasLevels && (sample.IsInDpc || sample.IsInIsr)))
        {
            return false;
        }

        if (cpu.SpanAt(sample.Ticks) is >= 0 and var inner && sample.Ticks < cpu.Spans[inner].EndTicks)
        {
            return false;
        }

        foreach (Blackout blackout in _touching)
        {
            // A sample right where a CPU resumes is late: it belongs to the blackout.
            if (sample.Ticks >= blackout.ToTicks && sample.Ticks - blackout.ToTicks <= (blackout.ToTicks - blackout.DueTicks) / 16)
            {
                return false;
            }
        }

        return true;
    }

    /// <summary>
    /// Whether the CPU logged nothing from the start up to the sample, and the sample comes at the end of the stretch. That is how masked
    /// interrupts look if they last for less than a sample interval.
    /// </summary>
    private static bool IsSilent(CpuHistory cpu, in CpuSample sample, long from, long to) =>
        !cpu.HasRecordBetween(from, sample.Ticks) && to - sample.Ticks <= (to - from) / 8;

    private void AddSample(
        CpuHistory cpu, in CpuSample sample, long ticks, long at, bool isSilent, IReadOnlyList<CauseStretch> stretches)
    {
        CodeLevel level = sample.IsInIsr ? CodeLevel.Isr : sample.IsInDpc ? CodeLevel.Dpc : Unflagged(cpu, in sample);
        bool isMasked = sample.IsMasked;
        OwnerFinding owner = _owners.OfThreadSample(cpu, in sample);
        int unnamed = _routines.Find(sample.Instruction, sample.Ticks) is { IsNamed: false } ? 1 : 0;
        if (level == CodeLevel.Thread && owner.Owner is null && owner.Behind is null)
        {
            return;
        }

        int known = _shares.FindIndex(share => share.Owner?.Owner?.Number == owner.Owner?.Number
            && share.Owner?.Behind?.Number == owner.Behind?.Number && share.Detail is CodeSampled code && code.Level == level
            && code.IsSilent == isSilent && code.IsMasked == isMasked);
        if (known < 0)
        {
            _shares.Add(new CauseShare
            {
                Ticks = ticks,
                Owner = owner,
                AtTicks = at,
                Detail = new CodeSampled(level, sample.ThreadId, isSilent, isMasked) { Unnamed = unnamed },
                Stretches = new List<CauseStretch>(stretches),
                IsCut = _sums.IsCut,
            });
        }
        else
        {
            CauseShare share = _shares[known];
            var code = (CodeSampled)share.Detail;
            ((List<CauseStretch>)share.Stretches).AddRange(stretches); // This method made that list.
            _shares[known] = share with
            {
                Ticks = share.Ticks + ticks,
                IsCut = _sums.IsCut,
                Detail = code with { Unnamed = code.Unnamed + unnamed },
                Owner = share.Owner! with { Samples = share.Owner.Samples + owner.Samples, SamplesAsked = share.Owner.SamplesAsked + 1 },
            };
        }
    }

    /// <summary>The level of code that no record shows: by the kernel routine that called it, where names tell.</summary>
    private CodeLevel Unflagged(CpuHistory cpu, in CpuSample sample) =>
        _hasLevels || _routines.LevelOf(cpu, in sample) is not (var level and not CodeLevel.Unknown) ? _unflagged : level;
}
