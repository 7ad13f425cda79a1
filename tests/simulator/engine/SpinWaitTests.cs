using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using static Tracer.Simulator.Tests.Parts;

namespace Tracer.Simulator.Tests;

/// <summary>Code that waits in circles for a lock or for other CPUs, each rule on a machine built for it.</summary>
public class SpinWaitTests
{
    private static readonly SimulatedProcess App = new(9, "app.exe");
    private static readonly SimulatedProcess Audio = new(10, "audio.exe");
    private static readonly CodeStretch Spin = new(0xFFFFF800_00001000, 0xFFFFF805_0000BEEF);

    [Fact]
    public void A_dpc_that_spins_is_the_time_of_who_holds_the_lock()
    {
        var log = new RecordedLog();
        var machine = new Machine(Costless(cpus: 2), log);
        var spinLock = new KernelSpinLock(0xABC0);
        Once(machine, 0, "holder.sys", 2 * Ms, Hold(spinLock, 3 * Ms));
        Isr waiter = Device(
            machine, Driver("waiter.sys"), 0x1000, 5, [1], Spread.Constant(5 * Us), Spread.Constant(10 * Us),
            Step.AcquireSpinLock(spinLock, Spin), Step.Run(Code(7), 20 * Us), Step.ReleaseSpinLock(spinLock));
        machine.After(3 * Ms, now => now.Raise(waiter));
        machine.Run(20 * Ms);

        TrueEpisode episode = Assert.Single(machine.Truth(Declared(Verdict.Driver)).Episodes);
        Assert.Equal((ProbeKind.Level, 1), (episode.Probe, episode.Cpu));
        Assert.Equal(
            [("holder.sys", Mechanism.SpinWait, 1985 * Us), ("waiter.sys", Mechanism.Dpc, 30 * Us), ("waiter.sys", Mechanism.Isr, 5 * Us)],
            episode.Causes.Select(cause => (cause.Culprit!, cause.Mechanism, cause.Time.Nanoseconds)));
        Assert.Equal(
            [
                (0, 2 * Ms, 2 * Ms, 5 * Ms, false),
                (1, (3 * Ms) + (15 * Us), 5 * Ms, (5 * Ms) + (20 * Us), true),
            ],
            log.LockUses.Select(use => (use.Cpu, use.AskedNs, use.AcquiredNs, use.ReleasedNs, use.IsInDpc)));
        Every.Item(log.LockUses, use => Assert.Equal((0xABC0UL, 0xFFFFF805_0000BEEF), (use.Lock, use.Caller)));
        RecordedLog.Sampled sample = Assert.Single(log.Samples, sample => sample.Cpu == 1 && sample.TimeNs is > 4 * Ms and < 5 * Ms);
        Assert.Equal((0xFFFFF800_00001000, true), (sample.Instruction, sample.IsInDpc));
    }

    [Fact]
    public void Those_who_wait_for_a_lock_get_it_in_the_order_in_which_they_came()
    {
        var log = new RecordedLog();
        var machine = new Machine(Costless(cpus: 4), log);
        var spinLock = new KernelSpinLock(1);
        foreach ((int cpu, long at) in (ReadOnlySpan<(int, long)>)[(2, 4), (0, 5), (3, 6), (1, 7)])
        {
            Once(machine, cpu, $"{cpu}.sys", at * Ms, Hold(spinLock, 5 * Ms));
        }

        machine.Run(40 * Ms);
        Assert.Equal([2, 0, 3, 1], log.LockUses.Select(use => use.Cpu));
        Assert.Equal([4, 9, 14, 19], log.LockUses.Select(use => use.AcquiredNs / Ms));
    }

    [Fact]
    public void A_thread_that_waits_for_a_lock_is_interrupted_but_not_preempted()
    {
        var log = new RecordedLog();
        var machine = new Machine(Costless(cpus: 3), log);
        var spinLock = new KernelSpinLock(1);
        Once(machine, 0, "holder.sys", 2 * Ms, Hold(spinLock, 6 * Ms));
        Once(machine, 1, "waiter.sys", 3 * Ms, Hold(spinLock, Ms));
        var service = new Isr(Driver("nic.sys"), 0x500, Always(Step.Run(Code(5), 700 * Us)));
        machine.Connect(0x70, 7, [1], service);
        machine.After(4 * Ms, now => now.Raise(service));
        Victim(machine, 1, 2, 3_500 * Us);
        machine.Run(20 * Ms);
        Assert.Single(log.Routines, routine => routine.StartNs == 4 * Ms && routine.EndNs == 4_700 * Us);
        TrueEpisode victim = Assert.Single(
            machine.Truth(Declared(Verdict.Driver)).Episodes, episode => episode.Probe == ProbeKind.Thread);
        Assert.Equal((3_500 * Us, 5_500 * Us), (victim.Start.Nanoseconds, victim.Latency.Nanoseconds));
        Assert.Equal(
            [
                ("holder.sys", Mechanism.SpinWait, 3_800 * Us),
                ("waiter.sys", Mechanism.RaisedIrql, 1_000 * Us),
                ("nic.sys", Mechanism.Isr, 700 * Us),
            ],
            victim.Causes.Select(cause => (cause.Culprit!, cause.Mechanism, cause.Time.Nanoseconds)));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Who_waits_for_a_cpu_that_a_hypervisor_took_waits_for_the_hypervisor(bool isForLock)
    {
        var machine = new Machine(Costless(cpus: 3, Recording.All & ~Recording.Samples), new RecordedLog());
        var spinLock = new KernelSpinLock(1);
        Once(machine, 0, "holder.sys", 2 * Ms, isForLock ? Hold(spinLock, 4 * Ms) : [Step.Run(Code(1), 4 * Ms)]);
        Once(machine, 1, "waiter.sys", 4 * Ms, isForLock ? Hold(spinLock, Us) : [Step.CallOtherCpus(Spin)]);
        machine.After(3 * Ms, now => now.Deschedule(0, 5 * Ms));
        Victim(machine, 1, 2, 5 * Ms);
        machine.Run(20 * Ms);
        TrueEpisode victim = Assert.Single(machine.Truth(Declared(Verdict.Hardware)).Episodes);

        // The holder had its lock for 1 ms before it was taken away, and goes on for 3 ms when it is back.
        Assert.Equal(
            isForLock ? [(CulpritName.Hypervisor, 3 * Ms), ("holder.sys", 3 * Ms)] : [(CulpritName.Hypervisor, 3 * Ms)],
            victim.Causes.Where(cause => cause.Mechanism == Mechanism.SpinWait).Select(cause => (cause.Culprit!, cause.Time.Nanoseconds))
                .OrderByDescending(cause => cause.Item1 == CulpritName.Hypervisor));
    }

    [Fact]
    public void Who_waits_for_a_cpu_that_stands_in_a_device_access_waits_for_the_driver_there()
    {
        var machine = new Machine(Costless(cpus: 3, Recording.All & ~Recording.Samples), new RecordedLog());
        Once(machine, 0, "slow.sys", 3 * Ms, Step.AccessDevice(new CodeStretch(Driver("slow.sys"), new CodePoint(1, 2)), 4 * Ms));
        Once(machine, 1, "waiter.sys", 4 * Ms, Step.CallOtherCpus(Spin));
        Victim(machine, 1, 2, 5 * Ms);
        machine.Run(20 * Ms);
        Cause cause = Assert.Single(Assert.Single(machine.Truth(Declared(Verdict.Driver)).Episodes).Causes);
        Assert.Equal(("slow.sys", Mechanism.SpinWait, 2 * Ms), (cause.Culprit, cause.Mechanism, cause.Time.Nanoseconds));
    }

    [Fact]
    public void Who_does_not_hold_a_lock_cannot_give_it_back()
    {
        var machine = new Machine(Costless(cpus: 1), new RecordedLog());
        Once(machine, 0, "x.sys", 2 * Ms, Step.ReleaseSpinLock(new KernelSpinLock(1)));
        Assert.Throws<InvalidOperationException>(() => machine.Run(5 * Ms));
    }

    [Fact]
    public void A_flush_waits_for_a_cpu_that_masks_interrupts_and_that_time_is_the_maskers()
    {
        var log = new RecordedLog();
        var machine = new Machine(Costless(cpus: 3), log);
        Once(machine, 1, "masker.sys", 2 * Ms, Step.MaskInterrupts(), Step.Run(Code(1), 4 * Ms), Step.UnmaskInterrupts());
        Once(machine, 0, "flusher.sys", 3 * Ms, Step.CallOtherCpus(Spin), Step.Run(Code(1), 10 * Us));
        Victim(machine, 0, 2, 3_500 * Us);
        machine.Run(20 * Ms);
        TrueEpisode victim = Assert.Single(
            machine.Truth(Declared(Verdict.Driver)).Episodes, episode => episode.Probe == ProbeKind.Thread);
        Assert.Equal((3_500 * Us, 2_500 * Us), (victim.Start.Nanoseconds, victim.Latency.Nanoseconds));
        Assert.Equal(
            [("masker.sys", Mechanism.SpinWait, 2_500 * Us)],
            victim.Causes.Select(cause => (cause.Culprit!, cause.Mechanism, cause.Time.Nanoseconds)));
        Assert.Contains(log.Samples, sample => sample.Cpu == 0 && sample.Instruction == 0xFFFFF800_00001000);
    }

    [Fact]
    public void A_flush_is_done_at_once_where_all_others_answer_and_does_not_wake_those_that_sleep()
    {
        var log = new RecordedLog();
        MachineOptions options = Costless(cpus: 3) with { IdleStates = [new IdleState(1, 0, 0)], IpiCostNs = 400 };
        var machine = new Machine(options, log);
        Hog(machine, App, 4, 2);
        Once(machine, 0, "flusher.sys", 3 * Ms, Step.CallOtherCpus(Spin), Step.Run(Code(1), 10 * Us));
        machine.Run(20 * Ms);
        RecordedLog.Switch gone = log.Switches.Last(change => change.Cpu == 0 && change.TimeNs < 10 * Ms);
        Assert.Equal((3 * Ms) + (10 * Us) + 400, gone.TimeNs);
        Assert.DoesNotContain(log.Idle, idle => idle.Cpu == 2 && idle.TimeNs == 3 * Ms);
        Assert.Empty(machine.Truth(Declared(Verdict.None)).Episodes);
    }

    private static Step[] Hold(KernelSpinLock spinLock, long ns) =>
        [Step.AcquireSpinLock(spinLock, Spin), Step.Run(Code(1), ns), Step.ReleaseSpinLock(spinLock)];

    /// <summary>A thread of low priority on one CPU that does something once, at a whole millisecond.</summary>
    private static void Once(Machine machine, int cpu, string name, long atNs, params Step[] steps)
    {
        var go = new KernelEvent();
        Signal(machine, cpu, atNs, go);
        machine.AddThread(new ThreadOptions
        {
            Process = App,
            Priority = 5,
            Affinity = 1UL << cpu,
            Owner = Driver(name),
            Program = () => (Step[])[Step.Wait(go), .. steps, Step.Wait(go)],
        });
    }

    /// <summary>A thread of high priority on one CPU that another CPU wakes once.</summary>
    private static void Victim(Machine machine, int cpu, int waker, long atNs)
    {
        var go = new KernelEvent();
        Signal(machine, waker, atNs, go);
        machine.AddThread(new ThreadOptions
        {
            Process = Audio,
            Priority = 24,
            Affinity = 1UL << cpu,
            Program = Always(Step.Wait(go), Step.Run(User(1), Us), Step.Wait(go)),
        });
    }

    /// <summary>An ISR and a DPC that take no time signal an event.</summary>
    private static void Signal(Machine machine, int cpu, long atNs, KernelEvent subject)
    {
        var dpc = new Dpc(Driver("waker.sys"), 0x9100, Always(Step.Signal(subject)));
        var service = new Isr(Driver("waker.sys"), 0x9000, Always(Step.Queue(dpc)));
        machine.Connect(0x90, 9, [cpu], service);
        machine.After(atNs, now => now.Raise(service));
    }
}
