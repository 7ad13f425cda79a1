using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using static Tracer.Simulator.Tests.Parts;

namespace Tracer.Simulator.Tests;

/// <summary>Which thread runs where and when, each rule on a machine built for it.</summary>
public class DispatcherTests
{
    private static readonly SimulatedProcess App = new(9, "app.exe");
    private static readonly SimulatedProcess Audio = new(10, "audio.exe");

    [Fact]
    public void A_thread_handed_to_a_cpu_at_dpc_level_waits_for_it_though_another_is_idle()
    {
        var log = new RecordedLog();
        var machine = new Machine(Costless(cpus: 2, recording: Recording.Usual), log);
        var go = new KernelEvent();
        SimulatedThread victim = machine.AddThread(new ThreadOptions
        {
            Process = Audio,
            Priority = 24,
            IdealCpu = 0,
            Program = Always(Step.Wait(go), Step.Run(User(1), 10 * Us), Step.Wait(go)),
        });
        Isr slow = Device(machine, Driver("slow.sys"), 0x1000, 5, [0], Spread.Constant(5 * Us), Spread.Constant(7 * Ms));
        Isr waker = Device(machine, Driver("waker.sys"), 0x2000, 5, [1], Spread.Constant(5 * Us), Spread.Constant(5 * Us), Step.Signal(go));
        machine.After(2 * Ms, now => now.Raise(slow));
        machine.After(4 * Ms, now => now.Raise(waker));
        machine.Run(20 * Ms);
        TrueEpisode episode = Assert.Single(machine.Truth(Declared(Verdict.Driver)).Episodes);
        Assert.Equal((ProbeKind.Thread, 0, (long)victim.Id), (episode.Probe, episode.Cpu, episode.Thread!.Tid));
        Assert.Equal((4010 * Us, 9005 * Us), (episode.Start.Nanoseconds, (episode.Start + episode.Latency).Nanoseconds));
        Assert.Equal(("slow.sys", Mechanism.Dpc), Assert.Single(episode.Causes.Select(cause => (cause.Culprit, cause.Mechanism))));
    }

    [Fact]
    public void A_ready_thread_takes_an_idle_cpu_else_preempts_else_queues()
    {
        var log = new RecordedLog();
        var machine = new Machine(Costless(cpus: 2), log);
        SimulatedThread first = Once(24, 2);
        SimulatedThread second = Once(24, 3);
        SimulatedThread third = Once(25, 4);
        SimulatedThread fourth = Once(20, 5);
        machine.Run(40 * Ms);
        // Threads that ask for a time get it at the first clock interrupt after it; all name CPU 0 as their ideal one.
        RecordedLog.Switch[] into = [.. new[] { first, second, third, fourth }.Select(
            thread => log.Switches.First(change => change.Change.NewThreadId == thread.Id && change.TimeNs > Ms))];
        Assert.Equal([0, 1, 0], into[..3].Select(change => change.Cpu));
        Assert.Equal(first.Id, into[2].Change.OldThreadId);
        Assert.Equal((byte)1, into[2].Change.OldState);
        Assert.True(into[3].TimeNs > 10 * Ms);

        SimulatedThread Once(int priority, int wakeMs) => machine.AddThread(new ThreadOptions
        {
            Process = Audio,
            Priority = priority,
            IdealCpu = 0,
            Program = Always(Step.Sleep(wakeMs * Ms), Step.Run(User(1), 10 * Ms)),
        });
    }

    [Fact]
    public void Threads_of_one_priority_take_turns_of_a_quantum()
    {
        var log = new RecordedLog();
        var machine = new Machine(Costless() with { QuantumNs = 30 * Ms }, log);
        uint[] ids = [Hog(machine, App, 16).Id, Hog(machine, App, 16).Id];
        machine.Run(Second);
        RecordedLog.Switch[] turns = [.. log.Switches.Where(change => ids.Contains(change.Change.OldThreadId))];
        Assert.InRange(turns.Length, 30, 33);
        Every.Item(turns, turn => Assert.Equal((byte)30, turn.Change.OldWaitReason));
        Every.Item(turns.Zip(turns.Skip(1)), pair => Assert.InRange(pair.Second.TimeNs - pair.First.TimeNs, 30 * Ms, 31 * Ms));
    }

    [Fact]
    public void A_boost_lifts_a_thread_over_another_and_decays_at_the_end_of_its_quantum()
    {
        var log = new RecordedLog();
        var machine = new Machine(Costless() with { QuantumNs = 20 * Ms }, log);
        var go = new KernelEvent();
        Dpc waker = new(Driver("waker.sys"), 0x300, Always(Step.Run(Code(1), Us), Step.Signal(go, 2)));
        SimulatedThread boosted = Thread(machine, App, 8, Step.Wait(go), Step.Run(User(1), Second));
        Thread(machine, App, 9, Step.Sleep(10 * Ms), Step.Run(User(2), Second));
        machine.AddTimer("waker", 0, Arrivals.Every(10 * Second, 50 * Ms), waker);
        machine.Run(200 * Ms);
        RecordedLog.Switch into = log.Switches.First(change => change.TimeNs >= 50 * Ms && change.Change.NewThreadId == boosted.Id);
        RecordedLog.Switch outOf = log.Switches.First(change => change.TimeNs > into.TimeNs && change.Change.OldThreadId == boosted.Id);
        Assert.Equal((10, 9), (into.Change.NewPriority, outOf.Change.OldPriority));
        Assert.InRange(outOf.TimeNs - into.TimeNs, 20 * Ms, 22 * Ms);
    }

    [Fact]
    public void A_raised_irql_keeps_a_victim_of_higher_priority_waiting()
    {
        var machine = new Machine(Costless(), new RecordedLog());
        CodeStretch guilty = new(Driver("guilty.sys"), new CodePoint(1, 0xFFFFF805_77777777)) { Routine = "guilty+0x7" };
        var go = new KernelEvent();
        machine.AddThread(new ThreadOptions
        {
            Process = App,
            Program = Always(
                Step.Run(User(1), Ms),
                Step.RaiseIrql(Irql.Dispatch),
                Step.Signal(go),
                Step.Run(guilty, 3 * Ms),
                Step.LowerIrql(),
                Step.Run(User(1), Ms)),
        });
        machine.AddThread(new ThreadOptions { Process = Audio, Priority = 24, Program = Always(Step.Wait(go), Step.Run(User(2), Us)) });
        machine.Run(10 * Ms);
        TrueEpisode episode = Assert.Single(machine.Truth(Declared(Verdict.Driver)).Episodes);
        Cause cause = Assert.Single(episode.Causes);
        Assert.Equal(
            ("guilty.sys", Mechanism.RaisedIrql, 3 * Ms, "guilty+0x7"),
            (cause.Culprit, cause.Mechanism, cause.Time.Nanoseconds, cause.Routine));
    }

    [Fact]
    public void A_hog_is_the_cause_for_victims_and_for_lower_threads_that_wait()
    {
        var machine = new Machine(Costless(), new RecordedLog());
        Thread(machine, Audio, 24, Step.Sleep(12 * Ms), Step.Run(User(2), Us));
        Thread(machine, App, 8, Step.Sleep(60 * Ms), Step.Run(User(2), Us));
        Thread(machine, App, 7, Step.Sleep(61 * Ms), Step.Run(User(2), Us));
        var hog = new SimulatedProcess(66, "hog.exe");
        machine.AddThread(new ThreadOptions
        {
            Process = hog,
            Priority = 31,
            Program = Always(Step.Sleep(10 * Ms), Step.Run(User(3), 30 * Ms), Step.Sleep(10 * Ms), Step.Run(User(3), 30 * Ms)),
        });
        machine.Run(200 * Ms);
        TruthReport truth = machine.Truth(Declared(Verdict.Process));
        Assert.Equal([24, 8], truth.Episodes.Select(episode => episode.Thread!.Priority!.Value));
        Every.Item(truth.Episodes, episode => Assert.Equal(("hog.exe", Mechanism.Thread), Assert.Single(
            episode.Causes.Select(cause => (cause.Culprit, cause.Mechanism)))));
        Assert.Equal([false, true], truth.Episodes.Select(episode => episode.Secondary));
        Every.Item([truth.Culprits, truth.Secondary!], ranking =>
        {
            TrueCulprit culprit = Assert.Single(ranking);
            Assert.Equal((CulpritKind.Process, 1.0, 1), (culprit.Kind, culprit.Share, culprit.Episodes));
        });
    }

    [Fact]
    public void A_cpu_with_nothing_to_do_takes_a_thread_that_waits_elsewhere()
    {
        var log = new RecordedLog();
        var machine = new Machine(Costless(cpus: 2), log);
        Hog(machine, App, 9, 1);
        machine.AddThread(new ThreadOptions { Process = App, Priority = 9, Affinity = 2, Program = Always(Step.Run(User(1), 5 * Ms)) });
        SimulatedThread stolen = machine.AddThread(new ThreadOptions
        {
            Process = App,
            Priority = 8,
            IdealCpu = 0,
            Program = Always(Step.Run(User(1), Ms)),
        });
        machine.Run(20 * Ms);
        RecordedLog.Switch into = Assert.Single(log.Switches, change => change.Change.NewThreadId == stolen.Id);
        Assert.Equal((1, 5 * Ms), (into.Cpu, into.TimeNs));
    }

    private static SimulatedThread Thread(Machine machine, SimulatedProcess process, int priority, params Step[] steps) =>
        machine.AddThread(new ThreadOptions { Process = process, Priority = priority, Program = Always(steps) });
}
