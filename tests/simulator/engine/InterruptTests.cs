using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using static Tracer.Simulator.Tests.Parts;

namespace Tracer.Simulator.Tests;

/// <summary>Interrupts, DPCs, masked interrupts and stalls, each on a machine built for it.</summary>
public class InterruptTests
{
    [Fact]
    public void A_higher_irql_preempts_and_an_equal_one_waits()
    {
        var log = new RecordedLog();
        var machine = new Machine(Costless(recording: Recording.Isr), log);
        Isr slow = Alone(machine, "slow.sys", 5, 100 * Us);
        Isr same = Alone(machine, "same.sys", 5, 10 * Us);
        Isr fast = Alone(machine, "fast.sys", 6, 10 * Us);
        machine.After(1000 * Us, now => now.Raise(slow));
        machine.After(1020 * Us, now => now.Raise(same));
        machine.After(1050 * Us, now => now.Raise(fast));
        machine.Run(5 * Ms);
        Assert.Equal(
            [(fast.Routine, 1050 * Us, 1060 * Us), (slow.Routine, 1000 * Us, 1110 * Us), (same.Routine, 1110 * Us, 1120 * Us)],
            log.Routines.Select(routine => (routine.Address, routine.StartNs, routine.EndNs)));
    }

    [Fact]
    public void Of_a_shared_line_each_isr_is_asked_until_one_claims()
    {
        var log = new RecordedLog();
        var machine = new Machine(Costless(recording: Recording.Isr), log);
        Isr first = Shared("first.sys", 0x100);
        Isr second = Shared("second.sys", 0x200);
        Isr third = Shared("third.sys", 0x300);
        machine.Connect(0x51, 5, [0], first, second, third);
        machine.After(Ms, now => now.Raise(second));
        machine.Run(2 * Ms);
        Assert.Equal(
            [(first.Routine, false), (second.Routine, true)],
            log.Routines.Select(routine => (routine.Address, routine.IsClaimed)));
        Assert.Equal([1 * Us, 5 * Us], log.Routines.Select(routine => routine.EndNs - routine.StartNs));

        static Isr Shared(string name, ulong address) =>
            new(Driver(name), address, Always(Step.Run(Code(address), 5 * Us))) { NotMine = Always(Step.Run(Code(address), Us)) };
    }

    [Fact]
    public void Masked_interrupts_log_nothing_and_are_served_at_the_end_the_highest_first()
    {
        var log = new RecordedLog();
        var machine = new Machine(Costless(cpus: 2), log);
        Isr device = Alone(machine, "device.sys", 8, 5 * Us);
        CodeStretch guilty = new(Driver("guilty.sys"), new CodePoint(1, 0xFFFFF805_77777777));
        machine.AddThread(new ThreadOptions
        {
            Process = new SimulatedProcess(9, "app.exe"),
            Affinity = 1,
            Program = Always(
                Step.Run(User(1), 2100 * Us),
                Step.MaskInterrupts(),
                Step.Run(guilty, 3 * Ms),
                Step.UnmaskInterrupts(),
                Step.Run(User(1), 5 * Ms)),
        });
        machine.After(4000 * Us, now => now.Raise(device));
        machine.Run(10 * Ms);
        long begin = 2100 * Us;
        long end = 5100 * Us;
        Assert.DoesNotContain(log.All, record => record.Cpu == 0 && record.TimeNs > begin && record.TimeNs < end);
        Assert.Contains(log.All, record => record.Cpu == 1 && record.TimeNs > begin && record.TimeNs < end);
        RecordedLog.Sampled late = Assert.Single(log.Samples, sample => sample.Cpu == 0 && sample.TimeNs == end);
        Assert.Equal(0xFFFFF805_77777777, late.Instruction);
        Assert.Equal(end, Assert.Single(log.Routines, routine => routine.Address == device.Routine).StartNs);
        TrueEpisode gap = Assert.Single(machine.Truth(Declared(Verdict.Driver)).Episodes);
        long due = log.Samples.Last(sample => sample.Cpu == 0 && sample.TimeNs < begin).TimeNs + Ms;
        Assert.Equal((ProbeKind.Gap, due, end - due, 0), (gap.Probe, gap.Start.Nanoseconds, gap.Latency.Nanoseconds, gap.Cpu));
        Cause cause = Assert.Single(gap.Causes);
        Assert.Equal(("guilty.sys", Mechanism.Blackout), (cause.Culprit, cause.Mechanism));
    }

    [Fact]
    public void A_stall_stops_all_cpus_and_one_gap_tells_it()
    {
        var log = new RecordedLog();
        var machine = new Machine(Costless(cpus: 3), log);
        var app = new SimulatedProcess(9, "app.exe");
        SimulatedThread[] hogs = [Hog(machine, app, 8, 1), Hog(machine, app, 8, 2)];
        machine.StallAgain("smi", CodeOwner.Hardware, Arrivals.Every(Second, 20 * Ms), Spread.Constant(25 * Ms));
        machine.Run(100 * Ms);
        Assert.DoesNotContain(log.All, record => record.TimeNs > 20 * Ms && record.TimeNs < 45 * Ms);
        TrueEpisode gap = Assert.Single(machine.Truth(Declared(Verdict.Hardware)).Episodes);
        Assert.Equal((ProbeKind.Gap, null), (gap.Probe, gap.Cpu));
        Assert.InRange(gap.Start.Nanoseconds, 20 * Ms, 21 * Ms);
        Assert.Equal(45 * Ms, gap.Start.Nanoseconds + gap.Latency.Nanoseconds);
        Assert.Equal(CulpritName.HardwareOrFirmware, Assert.Single(gap.Causes).Culprit);
        Assert.Equal(2, hogs.Length);
    }

    [Fact]
    public void A_dpc_that_contains_a_stall_is_not_guilty_of_it()
    {
        var machine = new Machine(Costless(), new RecordedLog());
        Isr nic = Device(machine, Driver("nic.sys"), 0x1000, 5, [0], Spread.Constant(10 * Us), Spread.Constant(600 * Us));
        machine.After(Ms, now => now.Raise(nic));
        machine.StallAgain("smi", CodeOwner.Hardware, Arrivals.Every(Second, 1200 * Us), Spread.Constant(5 * Ms));
        machine.Run(20 * Ms);
        TrueEpisode level = Assert.Single(machine.Truth(Declared(Verdict.Hardware)).Episodes);
        Assert.Equal((ProbeKind.Level, Ms, 5610 * Us), (level.Probe, level.Start.Nanoseconds, level.Latency.Nanoseconds));
        Assert.Equal(
            [
                (CulpritName.HardwareOrFirmware, Mechanism.Blackout, 5 * Ms),
                ("nic.sys", Mechanism.Dpc, 600 * Us),
                ("nic.sys", Mechanism.Isr, 10 * Us),
            ],
            level.Causes.Select(cause => (cause.Culprit!, cause.Mechanism, cause.Time.Nanoseconds)));
    }

    [Fact]
    public void A_dpc_of_high_importance_overtakes_and_one_of_low_waits_for_the_clock_of_its_cpu()
    {
        var log = new RecordedLog();
        var machine = new Machine(Costless(cpus: 2), log);
        Hog(machine, new SimulatedProcess(9, "app.exe"), 8, 2);
        Dpc medium = Deferred(0x100, DpcImportance.Medium, 0);
        Dpc high = Deferred(0x200, DpcImportance.High, 0);
        Dpc remote = Deferred(0x300, DpcImportance.Low, 1);
        Isr isr = new(Driver("isr.sys"), 0x400, Always(
            Step.Queue(medium), Step.Queue(high), Step.Queue(remote), Step.Queue(medium), Step.Run(Code(1), 10 * Us)));
        machine.Connect(0x51, 5, [0], isr);
        machine.After(3 * Ms, now => now.Raise(isr));
        machine.Run(10 * Ms);
        RecordedLog.Routine[] dpcs = [.. log.Routines.Where(routine => routine.Kind is not null)];
        Assert.Equal(
            [(high.Routine, 3010 * Us), (medium.Routine, 3030 * Us)],
            dpcs.Where(dpc => dpc.Cpu == 0).Select(dpc => (dpc.Address, dpc.StartNs)));
        RecordedLog.Routine deferred = Assert.Single(dpcs, dpc => dpc.Cpu == 1);
        Assert.Equal(log.Clocks.First(clock => clock.Cpu == 1 && clock.TimeNs > 3 * Ms).TimeNs, deferred.StartNs);
        Assert.Equal(3, log.DpcsEnqueued.Count);

        static Dpc Deferred(ulong address, DpcImportance importance, int cpu) =>
            new(Driver("dpc.sys"), address, Always(Step.Run(Code(address), 20 * Us))) { Importance = importance, TargetCpu = cpu };
    }

    [Fact]
    public void A_threaded_dpc_runs_in_a_thread_of_priority_31()
    {
        var log = new RecordedLog();
        var machine = new Machine(Costless(), log);
        Hog(machine, new SimulatedProcess(9, "app.exe"), 8);
        var threaded = new Dpc(Driver("threaded.sys"), 0x300, Always(Step.Run(Code(1), 40 * Us))) { IsThreaded = true };
        Isr isr = new(Driver("threaded.sys"), 0x400, Always(Step.Queue(threaded), Step.Run(Code(2), 10 * Us)));
        machine.Connect(0x51, 5, [0], isr);
        machine.After(3 * Ms, now => now.Raise(isr));
        machine.Run(10 * Ms);
        RecordedLog.Routine ran = Assert.Single(log.Routines, routine => routine.Kind == DpcRecordKind.Threaded);
        Assert.Equal((3010 * Us, 3050 * Us), (ran.StartNs, ran.EndNs));
        RecordedLog.Switch into = Assert.Single(log.Switches, change => change.TimeNs == 3010 * Us);
        Assert.Equal((31, 8, 1), (into.Change.NewPriority, into.Change.OldPriority, into.Change.OldState));
    }

    [Fact]
    public void Stacks_show_what_was_interrupted_below_what_interrupted_and_the_callback_comes_first()
    {
        var log = new RecordedLog();
        var machine = new Machine(Costless() with { SampleIntervalNs = 100 * Us }, log);
        Hog(machine, new SimulatedProcess(9, "app.exe"), 8);
        CodeStretch frame = new(null, new CodePoint(1, 0xFFFFF805_00000010));
        CodeStretch client = new(
            Driver("client.sys"), new CodePoint(3, 0xFFFFF805_00000020, 0xFFFFF805_00000010), new CodePoint(1, 0xFFFFF805_00000021));
        var dpc = new Dpc(Driver("client.sys", "Wdf01000.sys"), 0x300, Always(
            Step.Run(frame, 50 * Us), Step.WdfCallback(0xABC), Step.Run(client, 40 * Ms)));
        machine.AddTimer("dpc", 0, Arrivals.Every(Second, 5 * Ms), dpc);
        machine.Run(100 * Ms);
        (long at, ulong routine) = Assert.Single(log.Callbacks);
        RecordedLog.Sampled[] inside = [.. log.Samples.Where(sample => sample.TimeNs > at && sample.TimeNs < at + (40 * Ms))];
        Assert.Equal(0xABCUL, routine);
        Every.Item(inside, sample => Assert.True(sample is { IsInDpc: true, IsInIsr: false }));
        ulong[] common = [0xFFFFF805_00000020, 0xFFFFF805_00000010, 0x7FF6_0000_9000];
        ulong[] rare = [0xFFFFF805_00000021, 0x7FF6_0000_9000];
        int often = inside.Count(sample => sample.Stack.SequenceEqual(common));
        int seldom = inside.Count(sample => sample.Stack.SequenceEqual(rare));
        Assert.Equal(inside.Length, often + seldom);
        Assert.InRange((double)often / inside.Length, 0.65, 0.85);
    }

    [Fact]
    public void Leaving_an_idle_state_delays_what_woke_the_cpu()
    {
        var log = new RecordedLog();
        MachineOptions options = Costless() with { IdleStates = [new IdleState(3, 200 * Us, 0)], ClockIntervalNs = 10 * Ms };
        var machine = new Machine(options with { Recording = Recording.Isr | Recording.Idle }, log);
        Isr device = Alone(machine, "device.sys", 8, 5 * Us);
        machine.After(45 * Ms, now => now.Raise(device));
        machine.Run(46 * Ms);
        Assert.Equal((45200 * Us, 45205 * Us), Assert.Single(log.Routines.Select(routine => (routine.StartNs, routine.EndNs))));
        Assert.Equal([(45200 * Us, false), (45205 * Us, true)], log.Idle.TakeLast(2).Select(idle => (idle.TimeNs, idle.IsEnter)));
    }

    [Fact]
    public void An_isr_that_signals_is_refused_and_a_dpc_that_waits_too()
    {
        var wanted = new KernelEvent();
        var signals = new Machine(Costless(), new RecordedLog());
        Isr isr = new(Driver("bad.sys"), 0x400, Always(Step.Signal(wanted)));
        signals.Connect(0x51, 5, [0], isr);
        signals.After(Ms, now => now.Raise(isr));
        Assert.Throws<InvalidOperationException>(() => signals.Run(2 * Ms));
        var waits = new Machine(Costless(), new RecordedLog());
        waits.AddTimer("bad", 0, Arrivals.Every(Ms), new Dpc(Driver("bad.sys"), 0x300, Always(Step.Wait(wanted))));
        Assert.Throws<InvalidOperationException>(() => waits.Run(5 * Ms));
    }

    private static Isr Alone(Machine machine, string name, int irql, long ns)
    {
        ulong address = (ulong)(name[0] * 256);
        Isr isr = new(Driver(name), address, Always(Step.Run(Code(address), ns)));
        machine.Connect((ushort)(name[0] + irql), irql, [0], isr);
        return isr;
    }
}
