using Tracer.Analysis.Facts;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Request;
using Tracer.Analysis.Tests.Facts;
using Tracer.Analysis.Tests.Properties;
using Tracer.Analysis.Tests.Scenarios;

namespace Tracer.Analysis.Tests.Machine;

/// <summary>What a CPU did follows from its own events alone.</summary>
public class LaneTests
{
    /// <summary>Each lane is built while all CPUs are read in rounds, and from a trace of which only its own events are left.</summary>
    [Fact]
    public void A_lane_is_the_same_without_the_other_cpus() => PropertyTraces.Hold(30, (scenario, seed) =>
    {
        using EtlReader reader = EtlReader.Open(new MemoryStream(ScenarioFile.Write(scenario)));
        TraceFacts facts = TraceFacts.Read(reader);
        CpuHistories together = Together(reader, facts, 1 + (int)((uint)seed % 40));
        foreach (int cpu in reader.Cpus)
        {
            MachineState machine = MachineOf(reader, facts);
            var alone = new Feed(machine, SettingsOf(reader, facts));
            reader.ReadCpu(cpu, ref alone);
            Assert.Equal(Told(together[cpu]), Told(machine.Cpus[cpu]));
            Assert.All(machine.Cpus, (past, other) => Assert.True(past is null || other == cpu));
        }
    });

    /// <summary>How much of a CPU is read before the next one changes nothing in the answer.</summary>
    [Fact]
    public void Any_cut_of_the_reading_gives_the_same_answer() => PropertyTraces.Hold(30, (scenario, seed) =>
    {
        byte[] file = ScenarioFile.Write(scenario);
        string usual = PropertyTraces.JsonOf(file, scenario);
        foreach (int events in (ReadOnlySpan<int>)[1, 2 + (int)((uint)seed % 30), 100_000])
        {
            using EtlReader reader = EtlReader.Open(new MemoryStream(file));
            reader.Threads = 1 + (int)((uint)seed % 3);
            BlameReport report = BlameAnalysis.Analyze("trace.etl", reader, scenario.Request, events).Report;
            Assert.Equal(usual, ScenarioFile.Json(report));
        }
    });

    /// <summary>How many threads build the lanes changes nothing in the answer.</summary>
    [Fact]
    public void Any_number_of_threads_gives_the_same_answer() => PropertyTraces.Hold(18, (scenario, seed) =>
    {
        byte[] file = ScenarioFile.Write(scenario);
        string usual = PropertyTraces.JsonOf(file, scenario);
        foreach (int threads in (ReadOnlySpan<int>)[1, 2, 3, 7])
        {
            using EtlReader reader = EtlReader.Open(new MemoryStream(file));
            reader.Threads = threads;
            BlameReport report = BlameAnalysis.Analyze("trace.etl", reader, scenario.Request, 1 + (int)((uint)seed % 50)).Report;
            Assert.Equal(usual, ScenarioFile.Json(report));
        }
    });

    [Fact]
    public void The_past_is_as_it_was()
    {
        var cpu = new CpuHistory(0, 4_096, new SampleClock(0, 500), new TimeCells(0, 100));
        cpu.AddSwitch(110, 1, 8, 0, 0);
        cpu.AddSwitch(150, 2, 8, 1, 8);
        cpu.TryAddSpan(new LevelSpan { StartTicks = 160, EndTicks = 170 }, 0);
        cpu.AddSwitch(230, 4, 8, 3, 8); // Thread 2 was left unseen.
        cpu.TryAddSpan(new LevelSpan { StartTicks = 155, EndTicks = 260 }, 0);
        Assert.Equal((false, 1L, 260L), (cpu.Runs[2].IsKnown, cpu.OuterOf(0), cpu.LatestTicks));
        cpu.LookFrom(200);
        Assert.Equal((true, 2L, 170L), (cpu.Runs[cpu.RunAt(500)].IsKnown, cpu.RunAt(500), cpu.LatestTicks));
        Assert.Equal((-1L, 1), (cpu.OuterOf(0), cpu.Spans.Count));
        cpu.LookFrom(100);
        Assert.Equal((0, 0, long.MinValue), (cpu.Runs.Count, cpu.Spans.Count, cpu.LatestTicks));
        cpu.LookFromNow();
        Assert.Equal((false, 1L, 260L, 4), (cpu.Runs[2].IsKnown, cpu.OuterOf(0), cpu.LatestTicks, cpu.Runs.Count));
    }

    [Theory]
    [InlineData(0, 10, 0, 10)]
    [InlineData(0, 10, 9, 10)]
    [InlineData(0, 10, 10, 20)]
    [InlineData(7, 10, 6, 7)]
    [InlineData(7, 10, -4, -3)]
    [InlineData(5, 1, 8, 9)]
    [InlineData(5, 100, long.MaxValue, long.MaxValue)]
    public void A_cell_ends_behind_what_is_in_it(long origin, long length, long ticks, long end) =>
        Assert.Equal(end, new TimeCells(origin, length).EndOf(ticks));

    /// <summary>All records come once, by time, at equal times by CPU, and of one CPU in their order.</summary>
    [Fact]
    public void What_lanes_hand_over_is_put_into_the_order_of_time()
    {
        var random = new Random(5);
        for (int round = 0; round < 200; round++)
        {
            MachineState machine = Empty(6);
            List<Lane> lanes = [];
            List<(long Ticks, int Cpu, int Number)> expected = [];
            for (int cpu = 5; cpu >= 0; cpu--)
            {
                var lane = new Lane(cpu, MadeLanes.Settings, machine);
                long ticks = 0;
                for (int number = 0; number < random.Next(9); number++)
                {
                    lane.Records.Add(LaneRecordKind.Ready, ticks += random.Next(3));
                    expected.Add((ticks, cpu, number));
                }

                lane.HandOver();
                lanes.Add(lane);
            }

            var order = new LaneOrder();
            order.Begin(lanes);
            List<(long, int, int)> given = [];
            while (order.Next(out LaneRecords records, out int number) is >= 0 and var cpu)
            {
                given.Add((records[number].Ticks, cpu, number));
            }

            expected.Sort();
            Assert.Equal(expected, given);
        }
    }

    /// <summary>No CPU switches threads at DPC level: a DPC with four switches in it began later than its record says.</summary>
    [Theory]
    [InlineData(4, 999, false)]
    [InlineData(3, 999, true)]
    [InlineData(4, 1_080, true)]
    [InlineData(4, 1_079, false)]
    public void A_routine_around_several_switches_is_damaged(int switches, long entered, bool isKept)
    {
        // The gap that is allowed is of 20 ticks; the first of four switches comes at 1 100.
        var lane = new Lane(0, MadeLanes.Settings, Empty(1));
        for (int i = 4 - switches; i < 4; i++)
        {
            byte[] payload = new byte[24];
            payload[0] = (byte)(i + 2);
            payload[4] = (byte)(i + 1);
            Give(lane, KernelHook.ContextSwitch, 4, 1_100 + (100 * i), payload);
        }

        Give(lane, KernelHook.Dpc, 2, 2_000, [.. BitConverter.GetBytes(entered), .. new byte[8]]);
        Assert.Equal((isKept ? 1 : 0, isKept ? 0L : 1L), (lane.Past.Spans.Count, lane.Counts.AbsurdRoutines));
    }

    /// <summary>A hole ends where the first of all CPUs logs again, and only if none did for two seconds.</summary>
    [Theory]
    [InlineData(new long[] { 1, 2, 50 }, new long[] { 3, 49 }, new long[] { 49 })]
    [InlineData(new long[] { 1, 2, 50 }, new long[] { 3, 35 }, new long[] { 35 })]
    [InlineData(new long[] { 1, 22, 50 }, new long[] { 3, 25, 44 }, new long[0])]
    [InlineData(new long[] { 1, 50 }, new long[] { 49, 50 }, new long[] { 49 })]
    public void A_hole_is_a_time_in_which_no_cpu_logs(long[] first, long[] second, long[] ends)
    {
        const long Tenth = 1_000_000;
        MachineState machine = Empty(2);
        foreach ((int cpu, long[] times) in new[] { (0, first), (1, second) })
        {
            machine.Lanes[cpu] = new Lane(cpu, MadeLanes.Settings, machine);
            foreach (long tenths in times)
            {
                Give(machine.Lanes[cpu]!, KernelHook.ClockInterrupt, 2, tenths * Tenth, new byte[8]);
            }
        }

        List<long> found = TraceHoles.HoleEnds([machine.Lanes[0]!, machine.Lanes[1]!], machine.Lanes, 10 * Tenth);
        Assert.Equal(ends, found.Select(end => end / Tenth));
    }

    [Fact]
    public void Holes_are_what_asking_all_lanes_at_each_end_finds()
    {
        const long Second = 10_000_000;
        var random = new Random(4);
        int all = 0;
        for (int trial = 0; trial < 200; trial++)
        {
            MachineState machine = Empty(5);
            for (int cpu = 1; cpu < 5; cpu++)
            {
                machine.Lanes[cpu] = new Lane(cpu, MadeLanes.Settings, machine);
            }

            long at = Second;
            for (int round = 0; round < 3; round++)
            {
                for (int i = random.Next(12); i > 0; i--)
                {
                    at += random.Next(4) == 0 ? random.NextInt64(3 * Second) : Second / 3;
                    Give(machine.Lanes[random.Next(2, 5)]!, KernelHook.ClockInterrupt, 2, at, new byte[8]);
                }

                Lane[] lanes = [.. machine.Lanes.OfType<Lane>()];
                long[] ends =
                [
                    .. lanes.SelectMany(lane => lane.LongGaps).Select(gap => gap.EndTicks).Distinct().Order()
                        .Where(end => lanes.Max(lane => lane.LatestBefore(end)) is { } latest && end - latest > 2 * Second),
                ];
                Assert.Equal(ends, TraceHoles.HoleEnds(lanes, machine.Lanes, Second));
                all += ends.Length;
                Array.ForEach(lanes, lane => lane.HandOver());
            }
        }

        Assert.True(all > 50, $"{all} holes");
    }

    private static void Give(Lane lane, ushort hook, byte version, long ticks, byte[] payload) => MadeEvent.GiveOther(
        MadeEvent.Kernel(hook, version, ticks, payload), (in EtlEvent traceEvent) => lane.Add(in traceEvent, hook, ticks));

    private static MachineState Empty(int cpus) => new(
        cpus, 10_000_000, 5_000, new LossMap(), new PowerHistory(cpus, false, (_, _) => -1), new LockHistory(10_000_000, null));

    private static CpuHistories Together(EtlReader reader, TraceFacts facts, int events)
    {
        MachineState machine = MachineOf(reader, facts);
        var all = new Feed(machine, SettingsOf(reader, facts));
        reader.ReadRounds(_ => all, _ => { }, [], events, KernelHook.SampledProfile);
        return machine.Cpus;
    }

    private static MachineSettings SettingsOf(EtlReader reader, TraceFacts facts) =>
        new AnalysisSettings(new BlameRequest(), reader.Header.Clock, facts, null).Machine(hasLevels: true);

    private static MachineState MachineOf(EtlReader reader, TraceFacts facts) =>
        MachineStart.Of(facts, reader.Header, 5_000, null, TracePart.Whole);

    private static IEnumerable<string> Told(CpuHistory? cpu) => cpu is null ? []
        : Of(cpu.Spans, span => $"{span.StartTicks} {span.EndTicks} {span.Routine:X} {span.Kind} {span.Outer} {span.Inner} {span.Vector}")
            .Concat(Of(cpu.Runs, run => $"{run.StartTicks} {run.ThreadId} {run.Priority} {run.IsKnown} {run.IdleStateBefore}"))
            .Concat(Of(cpu.Samples, sample => $"{sample.Ticks} {sample.Instruction:X} {sample.ThreadId} {sample.Frames} {sample.IsInDpc}"))
            .Concat(Of(cpu.SampleGaps, gap => $"{gap.FromTicks} {gap.DueTicks} {gap.ToTicks} {gap.BeatTicks} {gap.JitterTicks}"))
            .Concat(Of(cpu.Callbacks, call => $"{call.Ticks} {call.Routine:X}"))
            .Concat(Of(cpu.ThreadRoutines, ran => $"{ran.StartTicks} {ran.EndTicks} {ran.Routine:X} {ran.ThreadId}"))
            .Concat(Of(cpu.IdleEvents, idle => $"{idle.Ticks} {idle.State} {idle.Kind}"))
            .Append($"{cpu.LatestTicks} {cpu.SampleIntervalAt(long.MaxValue)}");

    private static IEnumerable<string> Of<T>(Ring<T> ring, Func<T, string> told)
        where T : struct
    {
        for (long number = ring.First; number < ring.Next; number++)
        {
            yield return told(ring[number]);
        }
    }

    /// <summary>Gives each CPU's events to its lane.</summary>
    private readonly struct Feed(MachineState machine, MachineSettings settings) : IEtlEventSink
    {
        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            int cpu = traceEvent.Cpu;
            if ((uint)cpu < (uint)machine.Lanes.Length && traceEvent.TimestampTicks > 0 && traceEvent.Kind != EtlHeaderKind.Message)
            {
                Lane lane = machine.Lanes[cpu] ??= new Lane(cpu, settings, machine);
                machine.Cpus[cpu] = lane.Past;
                ushort hook = traceEvent.IsKernelHook ? traceEvent.HookId : KernelHook.Of(in traceEvent) ?? 0;
                lane.Add(in traceEvent, hook, traceEvent.TimestampTicks);
            }

            return true;
        }
    }
}
