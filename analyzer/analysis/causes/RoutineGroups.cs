using System.Runtime.InteropServices;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Owners;

namespace Tracer.Analysis.Causes;

/// <summary>
/// Groups the ISRs and DPCs of a stretch by cause: the same routine, with the same owner as far as the run itself shows, at the same CPU
/// speed. So a storm of ten thousand interrupts is one cause.
/// </summary>
internal sealed class RoutineGroups
{
    private readonly OwnerSearch _owners;
    private readonly PowerHistory _power;
    private readonly Dictionary<Key, int> _numbers = [];
    private readonly Dictionary<(ulong Routine, LevelKind Kind), OwnerFinding> _unseen = [];
    private readonly List<Group> _groups = [];
    private int[] _ofSpan = [];
    private CpuHistory? _cpu;
    private IReadOnlyList<LevelSpan> _spans = [];

    /// <summary>Sets up an empty set of groups.</summary>
    public RoutineGroups(OwnerSearch owners, PowerHistory power)
    {
        _owners = owners;
        _power = power;
    }

    /// <summary>Starts with the ISRs and DPCs of a stretch.</summary>
    public void Begin(CpuHistory cpu, IReadOnlyList<LevelSpan> spans)
    {
        (_cpu, _spans) = (cpu, spans);
        _numbers.Clear();
        _unseen.Clear();
        _groups.Clear();
        if (_ofSpan.Length < spans.Count)
        {
            _ofSpan = new int[Math.Max(spans.Count, 2 * _ofSpan.Length)];
        }

        _ofSpan.AsSpan(0, spans.Count).Fill(-1);
    }

    /// <summary>The group of a run; counts a piece of the run's time in it.</summary>
    public int Of(int span, long ticks)
    {
        if (_ofSpan[span] < 0)
        {
            _ofSpan[span] = Add(_spans[span]);
        }

        Group group = _groups[_ofSpan[span]];
        group.LatestTicks = group.LatestSpan == span ? group.LatestTicks + ticks : ticks;
        group.LatestSpan = span;
        group.LongestTicks = Math.Max(group.LongestTicks, group.LatestTicks);
        return _ofSpan[span];
    }

    /// <summary>The time of a group as a part of an episode.</summary>
    /// <param name="atTicks">When its first run began, in ticks.</param>
    public CauseShare ShareOf(int number, long ticks, long atTicks)
    {
        Group group = _groups[number];
        return new CauseShare
        {
            Mechanism = group.Key.Kind == LevelKind.Isr ? Mechanism.Isr : Mechanism.Dpc,
            Ticks = ticks,
            AtTicks = atTicks,
            Owner = group.Owner,
            Detail = new RoutineRan(
                group.Key.Routine, group.Runs, group.Unclaimed, group.LongestTicks, group.Key.Speed, group.Runs == group.OfTimers),
        };
    }

    private int Add(in LevelSpan span)
    {
        OwnerFinding owner = OwnerOf(in span);
        int unclaimed = span.IsUnclaimed ? 1 : 0;
        int ofTimers = span.Kind == LevelKind.TimerDpc ? 1 : 0;
        var key = new Key(
            span.Routine, span.IsIsr ? LevelKind.Isr : LevelKind.Dpc, owner.Owner?.Number ?? -1,
            owner.TiedWith.Count > 0, owner.Proof, owner.Routine, _power.SpeedOf(_cpu!.Cpu, span.StartTicks));
        ref int number = ref CollectionsMarshal.GetValueRefOrAddDefault(_numbers, key, out bool isKnown);
        if (!isKnown)
        {
            number = _groups.Count;
            _groups.Add(new Group { Key = key, Owner = owner, Runs = 1, Unclaimed = unclaimed, OfTimers = ofTimers });
            return number;
        }

        Group group = _groups[number];
        group.Runs++;
        group.Unclaimed += unclaimed;
        group.OfTimers += ofTimers;
        group.Owner = group.Owner with
        {
            Samples = group.Owner.Samples + owner.Samples,
            SamplesAsked = group.Owner.SamplesAsked + owner.SamplesAsked,
        };
        return number;
    }

    /// <summary>The owner of a run. Runs without samples or callbacks share the finding of their routine.</summary>
    private OwnerFinding OwnerOf(in LevelSpan span)
    {
        CpuHistory cpu = _cpu!;
        long sample = cpu.FirstSampleFrom(span.StartTicks + 1);
        if (cpu.Callbacks.Count > 0 || (sample < cpu.Samples.Next && cpu.Samples[sample].Ticks <= span.EndTicks))
        {
            return _owners.OfSpan(cpu, in span);
        }

        ref OwnerFinding? known = ref CollectionsMarshal.GetValueRefOrAddDefault(_unseen, (span.Routine, span.Kind), out _);
        return known ??= _owners.OfSpan(cpu, in span);
    }

    private readonly record struct Key(ulong Routine, LevelKind Kind, int Owner, bool IsTied, Proof Proof, ulong Shown, long? Speed);

    private sealed class Group
    {
        public required Key Key { get; init; }

        public required OwnerFinding Owner { get; set; }

        public int Runs { get; set; }

        public int Unclaimed { get; set; }

        public int OfTimers { get; set; }

        public int LatestSpan { get; set; } = -1;

        public long LatestTicks { get; set; }

        public long LongestTicks { get; set; }
    }
}
