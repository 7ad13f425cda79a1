using System.Runtime.InteropServices;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Owners;

namespace Tracer.Analysis.Causes;

/// <summary>
/// Groups the ISRs and DPCs of a stretch by cause: the same routine, with the same owner as far as the run itself shows, at the same CPU
/// speed. So a storm of ten thousand interrupts is one cause, and a run in which several drivers were at work is one of each.
/// </summary>
internal sealed class RoutineGroups
{
    private readonly OwnerSearch _owners;
    private readonly PowerHistory _power;
    private readonly CpuHistories _cpus;
    private readonly long _nearTicks;
    private readonly Dictionary<Key, int> _numbers = [];
    private readonly Dictionary<(LevelKind Kind, RunTraits Run), OwnerFinding> _unseen = [];
    private readonly List<Group> _groups = [];

    /// <summary>The stretches of the runs, those of one run behind each other.</summary>
    private readonly List<(long ToTicks, int Group)> _stretches = [];
    private readonly List<OwnedStretch> _owned = [];

    /// <summary>The first stretch of each run; -1 where it was not looked at yet.</summary>
    private int[] _ofSpan = [];
    private CpuHistory? _cpu;
    private IReadOnlyList<LevelSpan> _spans = [];
    private (IReadOnlyList<NearRuns> Here, IReadOnlyList<NearRuns> Elsewhere)? _near;

    /// <summary>Sets up an empty set of groups.</summary>
    /// <param name="nearTicks">How far from the stretch runs are near, in ticks.</param>
    public RoutineGroups(OwnerSearch owners, PowerHistory power, CpuHistories cpus, long nearTicks)
    {
        _cpus = cpus;
        _nearTicks = nearTicks;
        _owners = owners;
        _power = power;
    }

    /// <summary>Starts with the ISRs and DPCs of a stretch.</summary>
    public void Begin(CpuHistory cpu, IReadOnlyList<LevelSpan> spans)
    {
        (_cpu, _spans, _near) = (cpu, spans, null);
        _numbers.Clear();
        _unseen.Clear();
        _groups.Clear();
        _stretches.Clear();
        if (_ofSpan.Length < spans.Count)
        {
            _ofSpan = new int[Math.Max(spans.Count, 2 * _ofSpan.Length)];
        }

        _ofSpan.AsSpan(0, spans.Count).Fill(-1);
    }

    /// <summary>The group of a run at a time; counts the time from then on in it.</summary>
    /// <param name="until">The end of that time; shortened to where the run goes on for another owner.</param>
    public int Of(int span, long at, ref long until)
    {
        if (_ofSpan[span] < 0)
        {
            _ofSpan[span] = Add(span);
        }

        int stretch = _ofSpan[span];
        while (_stretches[stretch].ToTicks <= at && _stretches[stretch].ToTicks < _spans[span].EndTicks) // The last one ends with its run.
        {
            stretch++;
        }

        until = _stretches[stretch].ToTicks > at ? Math.Min(until, _stretches[stretch].ToTicks) : until;
        Group group = _groups[_stretches[stretch].Group];
        group.LatestTicks = group.LatestSpan == span ? group.LatestTicks + until - at : until - at;
        group.LatestSpan = span;
        group.LongestTicks = Math.Max(group.LongestTicks, group.LatestTicks);
        return _stretches[stretch].Group;
    }

    /// <param name="atTicks">When its first run began, in ticks.</param>
    public CauseShare ShareOf(int number, long ticks, long atTicks)
    {
        Group group = _groups[number];
        _near ??= Near();
        return new CauseShare
        {
            Ticks = ticks,
            AtTicks = atTicks,
            Owner = group.Owner,
            Detail = new RoutineRan(
                group.Key.Routine, group.Runs, group.Unclaimed, group.LongestTicks, group.Completed, group.Key.Speed,
                group.Runs == group.OfTimers)
            {
                IsIsr = group.Key.Kind == LevelKind.Isr,
                Near = _near.Value.Here,
                Elsewhere = _near.Value.Elsewhere,
            },
        };
    }

    private (IReadOnlyList<NearRuns> Here, IReadOnlyList<NearRuns> Elsewhere) Near()
    {
        long from = _spans[0].StartTicks - _nearTicks;
        long to = _spans.Max(span => span.EndTicks) + _nearTicks;
        CpuHistory[] others = [.. _cpus.OfType<CpuHistory>().Where(cpu => cpu != _cpu).Take(NearRuns.MostCpus)];
        return (NearRuns.Of([_cpu!], from, to), NearRuns.Of(others, from, to));
    }

    private int Add(int number)
    {
        LevelSpan span = _spans[number];
        int first = _stretches.Count;
        if (Unseen(in span) is { } unseen)
        {
            _stretches.Add((span.EndTicks, Add(number, in span, unseen)));
            return first;
        }

        _owners.AddStretches(_cpu!, in span, _owned);
        foreach (OwnedStretch owned in _owned)
        {
            _stretches.Add((owned.ToTicks, Add(number, in span, owned.Owner)));
        }

        return first;
    }

    private int Add(int number, in LevelSpan span, OwnerFinding owner)
    {
        var key = new Key(
            span.Routine, span.IsIsr ? LevelKind.Isr : LevelKind.Dpc, owner.Owner?.Number ?? -1,
            owner.Unseen, owner.Proof, owner.Routine, _power.SpeedOf(_cpu!.Cpu, span.StartTicks));
        ref int known = ref CollectionsMarshal.GetValueRefOrAddDefault(_numbers, key, out bool isKnown);
        if (!isKnown)
        {
            known = _groups.Count;
            _groups.Add(new Group { Key = key, Owner = owner with { Samples = 0, SamplesAsked = 0 } });
        }

        Group group = _groups[known];
        if (group.LatestRun != number)
        {
            group.LatestRun = number;
            group.Runs++;
            group.Unclaimed += span.IsUnclaimed ? 1 : 0;
            group.OfTimers += span.Kind == LevelKind.TimerDpc ? 1 : 0;
            Ring<DiskCompletion> completions = _cpu.Completions;
            group.Completed = completions.Count == 0 ? 0 : (int)Math.Max(
                group.Completed, completions.FirstAfter(span.EndTicks) - completions.FirstAfter(span.StartTicks));
        }

        group.Owner = group.Owner with
        {
            Samples = group.Owner.Samples + owner.Samples,
            SamplesAsked = group.Owner.SamplesAsked + owner.SamplesAsked,
        };
        return known;
    }

    /// <summary>The finding that a run without samples and callbacks shares with others like it; null where it has some.</summary>
    private OwnerFinding? Unseen(in LevelSpan span)
    {
        CpuHistory cpu = _cpu!;
        long sample = cpu.FirstSampleFrom(span.StartTicks + 1);
        if (cpu.Callbacks.Count > 0 || (sample < cpu.Samples.Next && cpu.Samples[sample].Ticks <= span.EndTicks))
        {
            return null;
        }

        ref OwnerFinding? known = ref CollectionsMarshal.GetValueRefOrAddDefault(
            _unseen, (span.Kind, RunTraits.Of(span.Routine, cpu, in span)), out _);
        return known ??= _owners.OfSpan(cpu, in span);
    }

    private readonly record struct Key(
        ulong Routine, LevelKind Kind, int Owner, RunTraits? Unseen, Proof Proof, ulong Shown, long? Speed);

    private sealed class Group
    {
        public required Key Key { get; init; }

        public required OwnerFinding Owner { get; set; }

        public int Runs { get; set; }

        public int Unclaimed { get; set; }

        /// <summary>The run that was counted last.</summary>
        public int LatestRun { get; set; } = -1;

        public int OfTimers { get; set; }

        public int LatestSpan { get; set; } = -1;

        public long LatestTicks { get; set; }

        public long LongestTicks { get; set; }

        public int Completed { get; set; }
    }
}
