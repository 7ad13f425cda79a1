using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using static Tracer.Simulator.Tests.Parts;

namespace Tracer.Simulator.Tests;

/// <summary>
/// A first scenario from end to end: a network driver that senses its medium in a DPC of 6 to 7 ms every 5 s (Jones and Regehr 1999), next
/// to other devices and programs; and its truth, computed once more from nothing but the log.
/// </summary>
[Trait("Speed", "slow")]
public class AutosenseTests
{
    private const string Guilty = "dc21x4.sys";

    public static TheoryData<ulong> Seeds => Selection.IsAll ? [1, 2, 3] : [1];

    [Theory]
    [MemberData(nameof(Seeds))]
    public void The_truth_names_the_driver_its_dpc_and_its_beat(ulong seed)
    {
        var log = new RecordedLog { OnlyCounts = true };
        TruthReport truth = Run(new MachineOptions { Seed = seed, Cpus = 2 }, log, 61 * Second);
        TrueCulprit first = truth.Culprits[0];
        Assert.Equal((Guilty, CulpritKind.Driver, Mechanism.Dpc), (first.Name, first.Kind, first.Mechanism));
        Assert.True(first.Share > 0.95);
        Assert.Equal(["ndis.sys"], first.Through);
        // Two victims wait in most of the twelve beats.
        Assert.InRange(first.Episodes, 12, 24);
        Assert.Equal((5.0, 1.0), (first.Period!.Seconds, first.Period.Coverage));
        Assert.InRange(first.Period.JitterMs, 0, 3);
        Every.Item(truth.Episodes, episode => Assert.True(episode.Probe is ProbeKind.Thread or ProbeKind.Job));
        Assert.InRange(truth.Episodes.Max(episode => episode.Latency.Nanoseconds), 2 * Ms, 7100 * Us);
    }

    [Fact]
    public void Fewer_than_six_beats_are_no_period()
    {
        TruthReport truth = Run(new MachineOptions { Seed = 1, Cpus = 2 }, new RecordedLog { OnlyCounts = true }, 26 * Second);
        Assert.Equal(Guilty, truth.Culprits[0].Name);
        Assert.Null(truth.Culprits[0].Period);
    }

    [Theory]
    [InlineData(1UL, 1)]
    [InlineData(2UL, 2)]
    [InlineData(3UL, 4)]
    public void Causes_are_what_the_log_shows_to_the_nanosecond(ulong seed, int cpus)
    {
        var log = new RecordedLog();
        TruthReport truth = Run(Costless(cpus, seed: seed), log, 12 * Second, senseEveryNs: 200 * Ms);
        Assert.True(truth.Episodes.Count >= 30);
        foreach (TrueEpisode episode in truth.Episodes)
        {
            Assert.Equal(
                FromLog(log, episode).Where(cause => cause.Value > 0).OrderBy(cause => cause.Key),
                episode.Causes.GroupBy(cause => (int)cause.Mechanism)
                    .ToDictionary(causes => causes.Key, causes => causes.Sum(cause => cause.Time.Nanoseconds))
                    .OrderBy(cause => cause.Key));
        }
    }

    /// <summary>
    /// Time by mechanism, from the records alone: the innermost routine has each nanosecond, else the thread; own work is left out.
    /// </summary>
    private static Dictionary<int, long> FromLog(RecordedLog log, TrueEpisode episode)
    {
        long start = episode.Start.Nanoseconds;
        long end = episode.Job?.End.Nanoseconds ?? start + episode.Latency.Nanoseconds;
        RecordedLog.Routine[] routines = [.. log.Routines.Where(
            routine => routine.Cpu == episode.Cpu && routine.StartNs < end && routine.EndNs > start)];
        RecordedLog.Switch[] switches = [.. log.Switches.Where(change => change.Cpu == episode.Cpu && change.TimeNs < end)];
        long[] edges = [.. routines.SelectMany(routine => new[] { routine.StartNs, routine.EndNs })
            .Concat(switches.Select(change => change.TimeNs)).Append(start).Append(end)
            .Where(edge => edge >= start && edge <= end).Distinct().Order()];
        var times = new Dictionary<int, long>();
        foreach ((long from, long to) in edges.Zip(edges.Skip(1)))
        {
            RecordedLog.Routine? inner = routines.Where(routine => routine.StartNs <= from && routine.EndNs >= to)
                .MinBy(routine => routine.EndNs - routine.StartNs);
            SimulatedSwitch? running = switches.LastOrDefault(change => change.TimeNs <= from)?.Change;
            if (inner is null && running?.NewThreadId == episode.Thread?.Tid)
            {
                continue;
            }

            Mechanism mechanism = inner is not null ? inner.Kind is null ? Mechanism.Isr : Mechanism.Dpc
                : episode.Thread is not null && running?.NewPriority >= episode.Thread.Priority ? Mechanism.Thread
                : Mechanism.Unexplained;
            times[(int)mechanism] = times.GetValueOrDefault((int)mechanism) + to - from;
        }

        return times;
    }

    private static TruthReport Run(MachineOptions options, RecordedLog log, long durationNs, long senseEveryNs = 5 * Second)
    {
        var machine = new Machine(options, log);
        int last = options.Cpus - 1;

        // The culprit: an ordinary network card, but for the timer DPC that senses the medium.
        CodeOwner nic = Driver(Guilty, "ndis.sys");
        Isr traffic = Device(machine, nic, 0x1000, 7, [0], Spread.Uniform(2 * Us, 6 * Us), Spread.LogNormal(15 * Us, 0.5, 90 * Us));
        machine.RaiseAgain("traffic", traffic, Arrivals.Random(Spread.Exponential(3 * Ms)));
        CodeStretch sense = new(
            null, new CodePoint(9, 0xFFFFF805_00001A00, 0xFFFFF805_0000F000), new CodePoint(1, 0xFFFFF802_1A40BEEF, 0xFFFFF805_00001A00));
        Dpc autosense = new(nic, 0xFFFFF805_00001900, machine.Body("sense", sense, Spread.Uniform(6 * Ms, 7 * Ms)))
        {
            RoutineName = Guilty,
        };
        KernelTimer beat = machine.AddTimer("autosense", 0, Arrivals.Every(senseEveryNs), autosense);
        nic.Beat = beat;

        // The victim: served by the clock of another CPU, so that it is ready while the DPC still runs.
        KernelTimer tick = machine.AddTimer("tick", last, Arrivals.Every(4 * Ms));
        Periodic(machine, new SimulatedProcess(500, "audio.exe"), 24, 0, tick, Spread.Uniform(100 * Us, 300 * Us), "audio");
        KernelTimer other = machine.AddTimer("other", last, Arrivals.Every(7 * Ms));
        Periodic(machine, new SimulatedProcess(510, "video.exe"), 26, 0, other, Spread.Uniform(50 * Us, 200 * Us), "video");

        // The innocent: a disk and a program.
        Isr disk = Device(
            machine, Driver("disk.sys"), 0x2000, 5, [last], Spread.Constant(4 * Us), Spread.LogNormal(20 * Us, 0.5, 200 * Us));
        machine.RaiseAgain("disk", disk, Arrivals.Random(Spread.Exponential(2 * Ms)));
        Hog(machine, new SimulatedProcess(600, "app.exe"), 8);
        machine.Run(durationNs);
        return machine.Truth(Declared(Verdict.Driver, Guilty, Mechanism.Dpc));
    }
}
