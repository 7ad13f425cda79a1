using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using static Tracer.Simulator.Tests.Parts;

namespace Tracer.Simulator.Tests;

/// <summary>Priorities that change, threaded DPCs above them all, and CPUs that are free in vain.</summary>
public class PriorityTests
{
    private static readonly SimulatedProcess App = new(9, "app.exe");
    private static readonly SimulatedProcess Audio = new(10, "audio.exe");

    [Fact]
    public void A_thread_that_has_been_ready_for_four_seconds_runs_for_a_quantum_at_priority_15()
    {
        var log = new RecordedLog();
        var machine = new Machine(Costless(cpus: 1) with { QuantumNs = 10 * Ms }, log);
        SimulatedThread starving = Hog(machine, App, 4);
        SimulatedThread busy = Hog(machine, App, 9);
        machine.Run(10 * Second);
        Assert.Equal(
            [(4L, starving.Id, 4), (9L, starving.Id, 4)],
            log.Lifts.Select(lift => (lift.TimeNs / Second, lift.ThreadId, lift.OldPriority)));
        RecordedLog.Switch on = log.Switches.First(change => change.TimeNs >= 4 * Second);
        RecordedLog.Switch off = log.Switches.First(change => change.TimeNs > on.TimeNs);
        Assert.Equal((starving.Id, 15), (on.Change.NewThreadId, on.Change.NewPriority));
        Assert.Equal((busy.Id, starving.Id, 4), (off.Change.NewThreadId, off.Change.OldThreadId, off.Change.OldPriority));
        Assert.InRange(off.TimeNs - on.TimeNs, 10 * Ms, 11 * Ms);
    }

    [Fact]
    public void A_ready_thread_whose_priority_is_raised_preempts_and_a_running_one_whose_priority_falls_makes_room()
    {
        var log = new RecordedLog();
        var machine = new Machine(Costless(cpus: 2), log);
        SimulatedThread low = Hog(machine, App, 5, 1);
        SimulatedThread high = Hog(machine, App, 8, 1);
        machine.AddThread(new ThreadOptions
        {
            Process = App,
            Priority = 20,
            Affinity = 2,
            Program = Always(
                Step.Run(User(1), 10 * Ms), Step.Act(now => now.SetPriority(low, 24)),
                Step.Run(User(1), 10 * Ms), Step.Act(now => now.SetPriority(low, 6)),
                Step.Run(User(1), 10 * Ms)),
        });
        machine.Run(40 * Ms);
        Assert.Equal(
            [(0, high.Id, 8), (10 * Ms, low.Id, 24), (20 * Ms, high.Id, 8)],
            log.Switches.Where(change => change.Change.NewThreadId == low.Id || change.Change.NewThreadId == high.Id)
                .Select(change => (change.TimeNs, change.Change.NewThreadId, change.Change.NewPriority)));
        Assert.Equal([(10 * Ms, low.Id, 24), (20 * Ms, low.Id, 6)], log.Priorities);
    }

    [Fact]
    public void A_threaded_dpc_delays_real_time_threads_as_a_thread_of_its_driver()
    {
        var log = new RecordedLog();
        var machine = new Machine(Costless(cpus: 2), log);
        var go = new KernelEvent();
        var threaded = new Dpc(Driver("threaded.sys"), 0x100, Always(Step.Run(Code(1), 3 * Ms)))
        {
            IsThreaded = true,
            RoutineName = "threaded.sys+0x1",
        };
        var slow = new Isr(Driver("threaded.sys"), 0x200, Always(Step.Queue(threaded)));
        machine.Connect(0x50, 5, [0], slow);
        Isr waker = Device(machine, Driver("waker.sys"), 0x2000, 5, [1], Spread.Constant(5 * Us), Spread.Constant(5 * Us), Step.Signal(go));
        machine.AddThread(Waiter(go, 1));
        machine.After(4 * Ms, now => now.Raise(slow));
        machine.After(5 * Ms, now => now.Raise(waker));
        machine.Run(20 * Ms);
        TrueEpisode episode = Assert.Single(machine.Truth(Declared(Verdict.Driver)).Episodes);
        Cause cause = episode.Causes[0];
        Assert.Equal(
            ("threaded.sys", Mechanism.Thread, "threaded.sys+0x1", 1_990 * Us),
            (cause.Culprit, cause.Mechanism, cause.Routine, cause.Time.Nanoseconds));
    }

    [Theory]
    [InlineData(0, "ntoskrnl.exe", Mechanism.Scheduler, 9)]
    [InlineData(8, "app.exe", Mechanism.Thread, 10)]
    [InlineData(21, "app.exe", Mechanism.Thread, 10)]
    public void A_thread_left_in_a_queue_while_another_cpu_idled_waited_for_the_scheduler(
        int elsewhere, string culprit, Mechanism mechanism, int ms)
    {
        Cause cause = Assert.Single(RunWithFreeCpu(elsewhere, 3).Episodes).Causes[0];
        Assert.Equal((culprit, mechanism, ms * Ms), (cause.Culprit, cause.Mechanism, cause.Time.Nanoseconds));
    }

    [Fact]
    public void A_cpu_that_a_thread_may_not_use_is_not_free_for_it()
    {
        Cause cause = Assert.Single(RunWithFreeCpu(0, 1).Episodes).Causes[0];
        Assert.Equal(("app.exe", Mechanism.Thread), (cause.Culprit, cause.Mechanism));
    }

    /// <summary>A thread is made ready by one that runs on CPU 1, while CPU 0, its ideal one, works for another 10 ms.</summary>
    private static TruthReport RunWithFreeCpu(int elsewhere, ulong affinity)
    {
        var machine = new Machine(Costless(cpus: 2) with { TakesFromOtherQueues = false }, new RecordedLog());
        var go = new KernelEvent();
        var forever = new KernelEvent();
        machine.AddThread(new ThreadOptions
        {
            Process = App,
            Priority = 22,
            Affinity = 1,
            Program = Always(Step.Run(User(1), 20 * Ms), Step.Wait(forever)),
        });
        machine.AddThread(new ThreadOptions
        {
            Process = App,
            Priority = 23,
            Affinity = 2,
            Program = Always(Step.Run(User(1), 10 * Ms), Step.Signal(go), Step.Run(User(1), Ms), Step.Wait(forever)),
        });
        if (elsewhere > 0)
        {
            Hog(machine, App, elsewhere, 2);
        }

        SimulatedThread victim = machine.AddThread(Waiter(go, affinity) with { IdealCpu = 0 });
        machine.After(Ms, now => now.SetPriority(victim, 20));
        machine.Run(50 * Ms);
        return machine.Truth(Declared(Verdict.Kernel));
    }

    private static ThreadOptions Waiter(KernelEvent go, ulong affinity) => new()
    {
        Process = Audio,
        Priority = 24,
        Affinity = affinity,
        Program = Always(Step.Wait(go), Step.Run(User(1), Us), Step.Wait(go)),
    };
}
