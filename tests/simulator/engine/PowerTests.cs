using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using static Tracer.Simulator.Tests.Parts;

namespace Tracer.Simulator.Tests;

/// <summary>Idle states that take long to leave, slow CPUs, parked CPUs.</summary>
public class PowerTests
{
    private const Recording WithoutSamples = Recording.All & ~Recording.Samples;

    private static readonly SimulatedProcess Audio = new(500, "audio.exe");

    [Fact]
    public void A_thread_woken_on_a_sleeping_cpu_waits_until_that_has_left_its_idle_state()
    {
        var log = new RecordedLog();
        Machine machine = Sleepy(log, new IdleState(3, 700 * Us, 0));
        machine.Run(Second);
        TruthReport truth = machine.Truth(Declared(Verdict.Power));
        Assert.NotEmpty(truth.Episodes);
        Every.Item(truth.Episodes, episode =>
        {
            Cause cause = Assert.Single(episode.Causes, cause => cause.Mechanism == Mechanism.IdleExit);
            Assert.Equal((CulpritName.PowerManagement, episode.Latency), (cause.Culprit, cause.Time));
            Assert.True(episode.Latency.Nanoseconds <= 700 * Us);
        });
        Assert.Contains(truth.Episodes, episode => episode.Latency.Nanoseconds == 700 * Us);
        Assert.Equal((CulpritKind.Power, CulpritName.PowerManagement), (truth.Culprits[0].Kind, truth.Culprits[0].Name));
    }

    [Fact]
    public void An_exit_is_logged_with_its_length_and_the_switch_with_the_state()
    {
        var log = new RecordedLog();
        Machine machine = Sleepy(log, new IdleState(2, 0, 0) { ExitLatency = Spread.Uniform(100 * Us, 900 * Us) });
        machine.Run(Second);
        Assert.True(log.Exits.Count > 100);
        Every.Item(log.Exits, exit => Assert.InRange(exit.LatencyNs, 100 * Us, 900 * Us));
        Assert.True(log.Exits.Select(exit => exit.LatencyNs).Distinct().Count() > 50);
        Every.Item(log.Exits, exit => Assert.Contains((exit.TimeNs, exit.Cpu, false), log.Idle));
        Every.Item(
            log.Switches.Where(change => change.Change.OldThreadId == 0 && change.TimeNs > 0),
            change => Assert.Equal(2, change.Change.PreviousCState));
    }

    [Fact]
    public void Code_takes_longer_on_a_slow_cpu_from_the_time_it_is_slow()
    {
        var log = new RecordedLog();
        var machine = new Machine(Costless(recording: WithoutSamples), log);
        Isr isr = Device(machine, Driver("nic.sys"), 0x1000, 5, [0], Spread.Constant(1), Spread.Constant(200 * Us));
        machine.After(1 * Ms, engine => engine.Raise(isr));
        machine.After(5 * Ms, engine => engine.SetSpeed(0, 20));
        machine.After(6 * Ms, engine => engine.Raise(isr));
        machine.After(10 * Ms, engine => engine.Raise(isr));
        machine.After((10 * Ms) + (500 * Us) + 5, engine => engine.SetSpeed(0, 100));
        machine.Run(20 * Ms);
        long[] lengths = [.. log.Routines.Where(routine => routine.Kind is not null).Select(routine => routine.EndNs - routine.StartNs)];
        Assert.Equal(3, lengths.Length);
        Every.Item(lengths.Zip([200 * Us, 1000 * Us, 600 * Us]), pair => Assert.InRange(pair.First - pair.Second, 0, 10));
        Assert.Equal([(5 * Ms, 0, 20, 100), ((10 * Ms) + (500 * Us) + 5, 0, 100, 20)], log.Speeds);
    }

    [Theory]
    [InlineData(200, 800)]
    [InlineData(2_500, 0)]
    public void What_a_slow_cpu_adds_is_powers_where_the_victim_had_been_in_time_without(int dpcUs, int lostUs)
    {
        var log = new RecordedLog();
        var machine = new Machine(Costless(2, WithoutSamples), log);
        Isr isr = Device(machine, Driver("nic.sys"), 0x1000, 5, [0], Spread.Constant(1), Spread.Constant(dpcUs * Us));
        machine.After(1, engine => engine.SetSpeed(0, 20));
        machine.After(3 * Ms, engine => engine.Raise(isr));
        machine.Run(50 * Ms);
        TrueEpisode episode = Assert.Single(machine.Truth(Declared(Verdict.Power)).Episodes);
        Dictionary<string, long> shares = episode.Causes.Where(cause => cause.Mechanism == Mechanism.Dpc)
            .ToDictionary(cause => cause.Culprit!, cause => cause.Time.Nanoseconds);
        Assert.InRange(shares.GetValueOrDefault(CulpritName.PowerManagement) - (lostUs * Us), 0, 10);
        Assert.InRange(shares["nic.sys"] - ((5 * dpcUs * Us) - (lostUs * Us)), -10, 10);
    }

    [Fact]
    public void An_idle_machine_parks_all_cpus_but_the_first_and_work_brings_them_back()
    {
        var log = new RecordedLog();
        var machine = new Machine(Costless(3, WithoutSamples), log);
        machine.ParkCpus(30 * Ms);
        machine.After(500 * Ms, engine => engine.SetSpeed(0, 100));
        for (int i = 0; i < 3; i++)
        {
            machine.AddThread(new ThreadOptions { Process = Audio, Priority = 8, Program = () => Late(500 * Ms, 300 * Ms) });
        }

        machine.Run(Second);
        Assert.Equal([(2, true), (1, true)], log.Parked.Take(2).Select(change => (change.Cpu, change.IsParked)));
        (long first, long second) = (log.Parked[2].TimeNs, log.Parked[3].TimeNs);
        Assert.Equal([(1, false), (2, false)], log.Parked.Skip(2).Take(2).Select(change => (change.Cpu, change.IsParked)));
        Assert.InRange(first, 510 * Ms, 560 * Ms);
        Assert.Equal(first + (30 * Ms), second);
        Assert.DoesNotContain(log.Switches, change => change.Cpu == 1 && change.Change.NewThreadId != 0
            && change.TimeNs > log.Parked[1].TimeNs && change.TimeNs < first);
    }

    [Fact]
    public void Threads_woken_together_wait_for_each_other_while_parked_cpus_idle_and_power_is_to_blame()
    {
        var log = new RecordedLog();
        var machine = new Machine(Costless(2, WithoutSamples), log);
        machine.ParkCpus(30 * Ms);
        uint bound = AddBurst(machine);
        machine.Run(Second);
        TruthReport truth = machine.Truth(Declared(Verdict.Power));
        Assert.Equal(9, truth.Episodes.Count);
        Every.Item(truth.Episodes, episode =>
        {
            Cause cause = Assert.Single(episode.Causes);
            Assert.Equal((CulpritName.PowerManagement, Mechanism.Scheduler), (cause.Culprit, cause.Mechanism));
            Assert.Equal(3 * Ms, cause.Time.Nanoseconds);
        });
        // A thread that may use no other CPU runs on a parked one.
        Assert.Contains(log.Switches, change => change.Cpu == 1 && change.Change.NewThreadId == bound && change.TimeNs > 100 * Ms);
    }

    private static uint AddBurst(Machine machine)
    {
        for (int i = 0; i < 2; i++)
        {
            KernelTimer timer = machine.AddTimer($"part {i}", 0, Arrivals.Every(100 * Ms));
            machine.AddThread(new ThreadOptions
            {
                Process = Audio,
                Priority = 20,
                Program = machine.WorkOnEach($"part {i}", timer.Expired, User(1), Spread.Constant(3 * Ms)),
            });
        }

        KernelTimer own = machine.AddTimer("bound", 0, Arrivals.Every(30 * Ms, 17 * Ms));
        return Periodic(machine, Audio, 9, 1, own, Spread.Constant(10 * Us), "bound").Id;
    }

    private static Machine Sleepy(RecordedLog log, IdleState state)
    {
        var machine = new Machine(Costless(2, WithoutSamples) with { IdleStates = [state], ClockIntervalNs = 10 * Ms }, log);
        KernelTimer timer = machine.AddTimer("audio", 1, Arrivals.Every(20 * Ms));
        Periodic(machine, Audio, 24, 0, timer, Spread.Constant(50 * Us), "audio");
        return machine;
    }

    private static IEnumerable<Step> Late(long afterNs, long workNs)
    {
        yield return Step.Sleep(afterNs);
        yield return Step.Run(User(0x2000), workNs);
    }
}
