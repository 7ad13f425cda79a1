using System.Runtime.CompilerServices;
using Tracer.Analysis.Causes;
using Tracer.Analysis.Delays;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Modules;
using Tracer.Analysis.Owners;

namespace Tracer.Analysis;

/// <summary>
/// The reading that finds delays and their causes, by rounds of time. In each round the events of each CPU build its lane, several lanes
/// at once, each on one thread. When all are done they hand the round over, and while they build the next one, one thread puts that in the
/// order of time and another follows the threads; what ended long enough before is explained.
/// </summary>
/// <param name="whose">Whose waits are measured.</param>
/// <param name="threads">Measures the waits of threads.</param>
/// <param name="usage">Adds up the time of ISRs and DPCs by module; null where that is not requested.</param>
/// <param name="delays">Takes the delays, and explains them.</param>
/// <param name="sleeps">Finds when the machine slept, before what that explains is examined.</param>
/// <param name="lagTicks">How long after something its records may still come.</param>
internal sealed class SecondReading(
    MachineState machine,
    MachineSettings settings,
    DelaySettings whose,
    ThreadProbes threads,
    OwnersOfCode owners,
    UsagePerModule? usage,
    SettleQueue delays,
    SleepSearch sleeps,
    long lagTicks)
{
    /// <summary>Histories that take less, in bytes, are left to the collector.</summary>
    private const long WorthCollecting = 8 << 20;

    private readonly LaneReading?[] _lanes = new LaneReading?[machine.Lanes.Length];
    private readonly RoundInOrder _order = new(machine, settings);
    private readonly ThreadPass _pass = new(machine, settings, threads);

    /// <summary>The CPUs that have had events, ascending.</summary>
    private readonly List<int> _cpus = [];

    /// <summary>The lanes with events in the round that was handed over, in the order of their CPUs.</summary>
    private readonly List<Lane> _active = [];

    /// <summary>Lanes of which others than their own events tell.</summary>
    private readonly List<Lane> _told = [];

    /// <summary>The end of the round that was handed over, in ticks.</summary>
    private long _untilTicks;

    /// <param name="roundEvents">Most events of a CPU in a round.</param>
    /// <exception cref="IOException">The storage failed.</exception>
    public void Read(EtlReader reader, int roundEvents)
    {
        foreach (int cpu in settings.DriverSamples.Select(sample => sample.Cpu).Where(cpu => (uint)cpu < (uint)_lanes.Length).Distinct())
        {
            _told.Add(LaneOf(cpu).Lane);
            Show(_told[^1]);
        }

        settings.Stacks.Complete();
        reader.ReadRounds(SinkOf, EndRound, [_order.PutInOrder, FollowThreads], roundEvents, KernelHook.SampledProfile);
        EndRound(long.MaxValue);
        _order.PutInOrder();
        FollowThreads();
        EndPass();
        foreach (LaneReading lane in _lanes.OfType<LaneReading>())
        {
            owners.Samples.Settle(lane.Lane.Shown, long.MaxValue, lagTicks);
            lane.Complete(owners.Clients, usage);
            lane.Found.GiveAll(delays);
        }

        delays.Complete();

        // What follows takes memory for each episode: it begins when that of the reading was given back, where that is worth a collection.
        if (machine.Complete() >= WorthCollecting)
        {
            GC.Collect();
        }
    }

    private Sink SinkOf(int cpu)
    {
        if ((uint)cpu < (uint)_lanes.Length)
        {
            _cpus.Insert(~_cpus.BinarySearch(cpu), cpu);
        }

        return new Sink(this, cpu);
    }

    /// <summary>The reading of a CPU, begun where it was not; the threads of the reading ask it for different CPUs.</summary>
    private LaneReading LaneOf(int cpu)
    {
        if (_lanes[cpu] is not { } lane)
        {
            var built = new Lane(cpu, settings, machine);
            var found = new HeldDelays();
            var levels = new LevelProbes(whose, cpu, found);
            _lanes[cpu] = lane = new LaneReading(
                built, owners.ClientsOfLane(), levels, found, usage?.OfLane(), machine, settings.HasDpcQueue);
        }

        return lane;
    }

    /// <summary>Shows others what a lane has built so far.</summary>
    private void Show(Lane lane)
    {
        lane.Shown.Follow(lane.Past);
        (machine.Lanes[lane.Past.Cpu], machine.Cpus[lane.Past.Cpu]) = (lane, lane.Shown);
    }

    /// <summary>All events before a time have built the lanes, and the threads have been followed to the end of the round before.</summary>
    private void EndRound(long untilTicks)
    {
        EndPass();
        _untilTicks = untilTicks;
        foreach (Lane lane in _told)
        {
            lane.AdvanceTo(untilTicks);
            Show(lane);
        }

        foreach (int cpu in _cpus)
        {
            if (_lanes[cpu] is { IsActive: true } lane)
            {
                _active.Add(lane.Lane);
                Show(lane.Lane);
                lane.Found.GiveAll(delays);
                delays.AddGaps(lane.Lane.Shown);
            }
        }

        foreach (long end in settings.WithRunTimes ? TraceHoles.HoleEnds(_active, machine.Lanes, machine.TicksPerSecond) : [])
        {
            _order.AddHole(end);
        }

        foreach (Lane lane in _active)
        {
            _lanes[lane.Past.Cpu]!.HandOver();
        }

        _order.Begin(_active, _lanes);
    }

    /// <summary>The threads were followed to the end of the round that was handed over: the lanes take what that showed.</summary>
    private void EndPass()
    {
        foreach (Lane lane in _active)
        {
            _lanes[lane.Past.Cpu]!.EndPass();
        }

        _active.Clear();
    }

    /// <summary>
    /// Follows the threads through the round that was handed over, while it is put in order; the lanes build the next one meanwhile.
    /// </summary>
    private void FollowThreads()
    {
        foreach (Lane lane in _active)
        {
            sleeps.Look(lane.Shown);
        }

        PassRecords ordered = _order.Records;
        while (ordered.TryNext(out PassRecord next))
        {
            LaneRecords records = _lanes[next.Cpu]!.Lane.HandedOver;
            ref readonly LaneRecord record = ref records[next.Number];
            if (record.Ticks >= delays.NextTicks && ordered.IsWhole())
            {
                delays.Reach(record.Ticks);
            }

            ref readonly DpcStart dpc = ref next.Start < 0 ? ref Unsafe.NullRef<DpcStart>() : ref ordered.DpcOf(in next);
            _pass.Take(next.Cpu, in record, records, in dpc);
        }

        if (ordered.IsWhole())
        {
            delays.Reach(_untilTicks);
            foreach (Lane lane in _active)
            {
                owners.Samples.Settle(lane.Shown, _untilTicks, lagTicks);
            }
        }
    }

    /// <summary>Passes the events of a CPU to its lane.</summary>
    private readonly struct Sink(SecondReading reading, int cpu) : IEtlEventSink
    {
        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            long ticks = traceEvent.TimestampTicks;
            if ((uint)cpu < (uint)reading._lanes.Length && ticks > 0 && traceEvent.Kind != EtlHeaderKind.Message)
            {
                LaneReading lane = reading._lanes[cpu] ?? reading.LaneOf(cpu);
                lane.Add(in traceEvent, traceEvent.IsKernelHook ? traceEvent.HookId : KernelHook.Of(in traceEvent) ?? 0, ticks);
            }

            return true; // Else its CPU or its time stamp cannot be trusted.
        }
    }
}
