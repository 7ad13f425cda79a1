using Tracer.Analysis.Causes;
using Tracer.Analysis.Facts;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Mechanisms;
using Tracer.Analysis.Modules;
using Tracer.Analysis.Owners;
using Tracer.Analysis.Tests.Scenarios;

namespace Tracer.Analysis.Tests.Causes;

/// <summary>
/// When code on CPU 0 only waited, by samples in routines of the kernel that wait and by records of spin locks. A tick is 100 ns: 5 us are
/// 50 ticks, 20 us 200, 100 us 1 000.
/// </summary>
public class SpinSearchTests
{
    private const long From = 10_000;
    private const long To = 20_000;
    private const uint Thread = 210;
    private const uint Victim = 120;
    private const int Priority = 24;
    private const ulong Kernel = 0xFFFF_F800_1000_0000;
    private const ulong Alpha = 0xFFFF_F800_3000_0000;
    private const ulong Beta = 0xFFFF_F800_3100_0000;
    private const ulong Layer = 0xFFFF_F800_3200_0000;
    private const ulong Waits = Kernel + 0x2010;
    private const ulong Other = Kernel + 0x3010;
    private const ulong Lock = 0xFFFF_A000_0000_1000;

    private static readonly Scenario Told = ScenarioText.Read("spin", """
        cpus 2
        image ntoskrnl.exe 0xFFFFF800_10000000 0x1000000
        image alpha.sys    0xFFFFF800_30000000 0x100000
        image beta.sys     0xFFFFF800_31000000 0x100000
        image tcpip.sys    0xFFFFF800_32000000 0x100000
        function KxWaitForSpinLockAndAcquire nt+0x2000 0x80
        function KeStallExecutionProcessor nt+0x3000 0x80
        process 100 audio.exe
        1ms cpu0 switch 0(0) -> 120(24)

        expect
        verdict none
        """);

    /// <summary>What a thread that the victim must wait for anyway does is not asked.</summary>
    [Theory]
    [InlineData(Thread, Priority - 1, Victim, true)]
    [InlineData(Thread, Priority, Victim, false)]
    [InlineData(Victim, Priority - 1, Victim, false)]
    [InlineData(0u, 0, Victim, false)]
    public void Only_threads_below_the_victim_are_asked(uint thread, sbyte priority, uint victim, bool isFound)
    {
        var machine = new Machine();
        machine.Run(0, thread, priority).Sample(15_000, Waits, thread);
        Assert.Equal(isFound ? ["10000-20000"] : [], machine.Find([], victim));
    }

    [Fact]
    public void Who_ran_is_not_known_where_a_switch_is_missing()
    {
        var machine = new Machine();
        machine.Run(0, Thread, 8).Sample(15_000, Waits, Thread);
        machine.Cpu.AddSwitch(To, Victim, Priority, 999, 8);
        Assert.Empty(machine.Find([]));
    }

    /// <summary>Each thread of the stretch is asked by itself.</summary>
    [Fact]
    public void A_wait_ends_with_its_thread()
    {
        var machine = new Machine();
        machine.Run(0, 200, 8).Sample(12_000, Waits, 200).Switch(14_000, 200, Thread);
        machine.Sample(15_000, Waits, Thread).Switch(To, Thread, Victim);
        Assert.Equal(["10000-14000", "14000-20000"], machine.Find([]));
    }

    /// <summary>Below 100 us chance is too frequent.</summary>
    [Theory]
    [InlineData(1_000, true)]
    [InlineData(999, false)]
    public void A_stretch_of_less_than_100us_is_not_searched_by_samples(long length, bool isFound)
    {
        var machine = new Machine();
        machine.Run(0, Thread, 8).Sample(From + 500, Waits, Thread);
        Assert.Equal(isFound ? [$"10000-{From + length}"] : [], machine.Find([], to: From + length));
    }

    /// <summary>The sample before the stretch does not show its begin; those in it do, half-way to the next.</summary>
    [Theory]
    [InlineData(From - 1, "10000-20000")]
    [InlineData(From, "10000-20000")]
    [InlineData(From + 1, "12501-20000")]
    [InlineData(14_000, "14500-20000")]
    public void A_wait_begins_half_way_to_the_sample_before(long at, string wait)
    {
        var machine = new Machine();
        machine.Run(0, Thread, 8).Sample(at, Alpha, Thread).Sample(15_000, Waits, Thread).Sample(17_000, Waits, Thread);
        Assert.Equal([wait], machine.Find([]));
    }

    [Theory]
    [InlineData(To, "10000-20000")]
    [InlineData(To - 1, "10000-17499")]
    [InlineData(16_000, "10000-15500")]
    public void A_wait_ends_half_way_to_the_sample_behind(long at, string wait)
    {
        var machine = new Machine();
        machine.Run(0, Thread, 8).Sample(13_000, Waits, Thread).Sample(15_000, Waits, Thread).Sample(at, Alpha, Thread);
        Assert.Equal([wait], machine.Find([]));
    }

    [Fact]
    public void Two_waits_lie_around_what_is_none()
    {
        var machine = new Machine();
        machine.Run(0, Thread, 8).Sample(11_000, Waits, Thread).Sample(13_000, Alpha, Thread).Sample(17_000, Waits, Thread);
        Assert.Equal(["10000-12000", "15000-20000"], machine.Find([]));
    }

    /// <summary>Where the stretch has no sample the one right before it tells, if it is of the same run of the thread.</summary>
    [Theory]
    [InlineData(From, Waits, Thread, false, false, true)]
    [InlineData(From - 1, Waits, Thread, false, false, true)]
    [InlineData(9_000, Waits, Thread, false, false, true)]
    [InlineData(8_999, Waits, Thread, false, false, false)]
    [InlineData(From, Waits, 999u, false, false, false)]
    [InlineData(From, Waits, Thread, true, false, false)]
    [InlineData(From, Waits, Thread, false, true, false)]
    [InlineData(From, Alpha, Thread, false, false, false)]
    [InlineData(From, 0x40_1000ul, Thread, false, false, false)]
    public void The_sample_before_a_stretch_tells_where_none_is_in_it(
        long at, ulong address, uint thread, bool isInDpc, bool isInIsr, bool isFound)
    {
        var machine = new Machine();
        machine.Run(0, 0, 0).Sample(7_000, Waits, Thread);
        if (at < 9_000)
        {
            machine.Sample(at, address, thread, isInDpc, isInIsr);
        }

        machine.Switch(9_000, 0, Thread);
        if (at >= 9_000)
        {
            machine.Sample(at, address, thread, isInDpc, isInIsr);
        }

        Assert.Equal(isFound ? ["10000-20000"] : [], machine.Find([]));
    }

    [Fact]
    public void A_thread_that_ran_since_before_the_trace_is_asked_as_well()
    {
        var machine = new Machine();
        machine.Sample(9_500, Waits, Thread).Switch(To, Thread, Victim);
        Assert.Equal(["10000-20000"], machine.Find([]));
    }

    /// <summary>Samples of another thread, or in what interrupted it, are none of a thread's.</summary>
    [Fact]
    public void What_interrupted_a_thread_is_not_asked_for_it()
    {
        var machine = new Machine();
        machine.Run(0, Thread, 8).Sample(12_000, Waits, 999).Sample(13_000, Waits, Thread, isInDpc: true);
        machine.Sample(14_000, Waits, Thread, isInIsr: true);
        LevelSpan dpc = machine.Ran(0, Alpha + 0x100, 15_500, 16_500);
        machine.Sample(16_000, Waits, Thread).Sample(18_000, Alpha, Thread);
        Assert.Equal(["15500-16500 @0"], machine.Find([dpc]));
    }

    /// <summary>At its entry a routine has no sample yet.</summary>
    [Theory]
    [InlineData(12_000, false)]
    [InlineData(12_001, true)]
    [InlineData(14_999, true)]
    [InlineData(15_000, false)]
    public void A_routine_is_asked_by_the_samples_in_it(long at, bool isFound)
    {
        var machine = new Machine();
        LevelSpan dpc = machine.Ran(0, Alpha + 0x100, 12_000, 15_000);
        machine.Sample(at, Waits, 0);
        Assert.Equal(isFound ? ["12000-15000 @0"] : [], machine.Find([dpc]));
    }

    /// <summary>The inner of two routines with the same times has the samples, and is told from the outer by its code.</summary>
    [Fact]
    public void The_innermost_routine_has_the_samples()
    {
        var machine = new Machine();
        LevelSpan isr = machine.Ran(0, Beta + 0x100, 13_000, 14_500, LevelKind.Isr);
        LevelSpan dpc = machine.Ran(0, Alpha + 0x100, 13_000, 16_000);
        machine.Sample(14_000, Waits, 0).Sample(15_000, Waits, 0);
        Assert.Equal(["13000-16000 @0", "13000-14500 @1"], machine.Find([dpc, isr]));
        LevelSpan twice = machine.Ran(0, Alpha + 0x900, 17_000, 18_500);
        LevelSpan same = machine.Ran(0, Beta + 0x900, 17_000, 18_500);
        machine.Sample(18_000, Waits, 0);
        Assert.Contains("17000-18500 @2", machine.Find([dpc, isr, twice, same]));
    }

    /// <summary>Records tell who held a lock; between 5 us and more of it nobody is known to have.</summary>
    [Theory]
    [InlineData(13_000, 18_000, "12000-13000 ? possible, 13000-18000 beta.sys certain")]
    [InlineData(11_000, 17_950, "12000-17950 beta.sys certain")]
    [InlineData(11_000, 17_949, "12000-17949 beta.sys certain, 17949-18000 ? possible")]
    [InlineData(12_050, 18_000, "12050-18000 beta.sys certain")]
    [InlineData(12_051, 18_000, "12000-12051 ? possible, 12051-18000 beta.sys certain")]
    [InlineData(11_000, 18_200, "12000-18000 beta.sys certain")]
    [InlineData(11_000, 18_201, "12000-18000 ? possible")]
    [InlineData(11_000, 12_000, "12000-18000 ? possible")]
    [InlineData(18_000, 18_100, "12000-18000 ? possible")]
    [InlineData(18_100, 18_150, "12000-18000 ? possible")]
    [InlineData(17_999, 18_100, "12000-17999 ? possible, 17999-18000 beta.sys certain")]
    public void A_recorded_wait_is_the_holders(long held, long released, string waits)
    {
        var machine = new Machine();
        machine.Run(0, Thread, 8).Hold(1, Beta, held, released).Hold(0, Alpha, 18_000, 18_300, waited: 6_000);
        Assert.Equal(waits, machine.Told([]));
    }

    [Fact]
    public void Another_lock_and_the_own_cpu_keep_nobody_waiting()
    {
        var machine = new Machine();
        machine.Run(0, Thread, 8).Hold(1, Beta, 11_000, 17_500, at: Lock + 8).Hold(0, Beta, 11_000, 17_600);
        machine.Hold(0, Alpha, 18_000, 18_300, waited: 6_000);
        Assert.Equal("12000-18000 ? possible", machine.Told([]));
    }

    [Fact]
    public void Who_held_it_one_behind_the_other_is_told_in_turn()
    {
        var machine = new Machine();
        machine.Run(0, Thread, 8).Hold(1, Beta, 11_000, 14_000).Hold(1, Layer, 14_040, 17_990);
        machine.Hold(0, Alpha, 18_000, 18_300, waited: 6_000);
        Assert.Equal("12000-14000 beta.sys certain, 14040-17990 tcpip.sys certain", machine.Told([]));
        // A hold within another's is no part of its own.
        machine = new Machine();
        machine.Run(0, Thread, 8).Hold(1, Layer, 12_500, 13_000).Hold(1, Beta, 11_000, 18_000);
        machine.Hold(0, Alpha, 18_000, 18_300, waited: 6_000);
        Assert.Equal("12000-18000 beta.sys certain", machine.Told([]));
    }

    /// <summary>Which records are waits of this stretch: at least 5 us, with a part in it.</summary>
    [Theory]
    [InlineData(18_000, 50, "17950-18000 beta.sys certain")]
    [InlineData(18_000, 49, "")]
    [InlineData(From, 3_000, "")]
    [InlineData(From + 1, 3_000, "9000-10001 beta.sys certain")]
    [InlineData(To + 1_000, 1_001, "19999-21000 beta.sys certain")]
    [InlineData(To + 1_000, 1_000, "")]
    [InlineData(18_000, 0, "")]
    public void A_record_counts_where_it_waited_within_the_stretch(long acquired, long waited, string waits)
    {
        var machine = new Machine();
        machine.Run(0, Thread, 8).Hold(1, Beta, 5_000, acquired).Hold(0, Alpha, acquired, acquired + 300, waited: waited);
        Assert.Equal(waits, machine.Told([]));
    }

    /// <summary>Where the length of a wait is not told it is what a holder explains, since its code ran; and likely.</summary>
    [Fact]
    public void A_wait_of_unknown_length_is_only_what_a_holder_explains()
    {
        var machine = new Machine();
        machine.Run(0, Thread, 8).Hold(1, Beta, 5_000, 12_000).Hold(0, Alpha, 18_000, 18_300, waited: LockHold.UnknownWait);
        Assert.Equal("9000-12000 beta.sys likely", machine.Told([]));
        machine = new Machine();
        LevelSpan dpc = machine.Ran(0, Alpha + 0x100, 11_000, 19_000);
        machine.Hold(1, Beta, 5_000, 12_000).Hold(0, Alpha, 18_000, 18_300, waited: LockHold.UnknownWait);
        Assert.Equal("11000-12000 @0 beta.sys likely", machine.Told([dpc]));

        // Its thread ran since before the trace; or it leaves the CPU in the tick in which it gets the lock.
        machine = new Machine();
        machine.Hold(1, Beta, 5_000, 12_000).Hold(0, Alpha, 18_000, 18_300, waited: LockHold.UnknownWait).Switch(To, Thread, Victim);
        Assert.Equal("5000-12000 beta.sys likely", machine.Told([]));
        machine = new Machine();
        machine.Run(0, Thread, 8).Switch(18_000, Thread, 220);
        machine.Hold(1, Beta, 5_000, 12_000).Hold(0, Alpha, 18_000, 18_300, waited: LockHold.UnknownWait);
        Assert.Equal("9000-12000 beta.sys likely", machine.Told([]));
    }

    /// <summary>A wait that records tell is not searched for again by samples.</summary>
    [Fact]
    public void Records_go_before_samples()
    {
        var machine = new Machine();
        LevelSpan dpc = machine.Ran(0, Alpha + 0x100, 11_000, 19_000);
        machine.Sample(12_000, Waits, 0).Sample(16_000, Waits, 0);
        machine.Hold(1, Beta, 5_000, 14_000).Hold(0, Alpha, 14_000, 14_300, waited: 3_000);
        Assert.Equal("11000-14000 @0 beta.sys certain", machine.Told([dpc]));
    }

    /// <summary>The kernel took the lock: for the driver whose routine ran there, or whose code samples show while it was held.</summary>
    [Theory]
    [InlineData(11_000, "beta.sys")]
    [InlineData(10_999, "?")]
    [InlineData(17_000, "beta.sys")]
    [InlineData(17_001, "?")]
    public void What_samples_show_while_a_lock_was_held_is_its_holder(long at, string holder)
    {
        var machine = new Machine();
        machine.Run(0, Thread, 8).Hold(1, Kernel, 11_000, 17_000).Hold(0, Alpha, 17_000, 18_300, waited: 6_000);
        machine.Sample(at, Beta, 500, cpu: 1);
        Assert.Equal($"11000-17000 {holder} certain", machine.Told([]));
    }

    [Theory]
    [InlineData(11_000, 11_500, "beta.sys")]
    [InlineData(11_001, 11_500, "?")]
    [InlineData(10_000, 11_000, "?")]
    [InlineData(10_000, 11_001, "beta.sys")]
    public void The_routine_that_ran_when_a_lock_was_taken_is_its_holder(long from, long to, string holder)
    {
        var machine = new Machine();
        machine.Run(0, Thread, 8).Hold(1, Kernel, 11_000, 17_000).Hold(0, Alpha, 17_000, 18_300, waited: 6_000);
        machine.Ran(1, Beta + 0x100, from, to);
        Every.Item(machine.Told([]).Split(", "), wait => Assert.EndsWith($" {holder} certain", wait, StringComparison.Ordinal));
    }

    /// <summary>Samples of the idle thread and in user code show no holder; a layer is its own.</summary>
    [Fact]
    public void Who_took_a_lock_for_nobody_known_is_not_named()
    {
        var machine = new Machine();
        machine.Run(0, Thread, 8).Hold(1, Kernel, 11_000, 17_000).Hold(0, Alpha, 17_000, 18_300, waited: 6_000);
        machine.Sample(12_000, Beta, 0, cpu: 1).Sample(13_000, 0x40_1000, 500, cpu: 1);
        Assert.Equal("11000-17000 ? certain", machine.Told([]));
        machine = new Machine();
        machine.Run(0, Thread, 8).Hold(1, Layer, 11_000, 17_000).Hold(0, Alpha, 17_000, 18_300, waited: 6_000);
        Assert.Equal("11000-17000 tcpip.sys certain", machine.Told([]));
    }

    /// <summary>A routine of the kernel took it for somebody who is not known.</summary>
    [Fact]
    public void The_kernels_routine_is_no_holder()
    {
        var machine = new Machine();
        machine.Run(0, Thread, 8).Hold(1, Kernel, 11_000, 17_000).Hold(0, Alpha, 17_000, 18_300, waited: 6_000);
        machine.Ran(1, Kernel + 0x300, 10_500, 18_500);
        Assert.Equal("11000-17000 ? certain", machine.Told([]));
    }

    /// <summary>The history of samples is bounded, here at 1 024: the oldest one is none behind the newest.</summary>
    [Fact]
    public void What_is_kept_of_an_earlier_time_is_not_taken_for_a_later_one()
    {
        var machine = new Machine();
        machine.Run(0, Thread, 8).Hold(1, Kernel, 11_000, 17_000).Hold(0, Alpha, 17_000, 18_300, waited: 6_000);
        machine.Sample(9_000, Beta, 500, cpu: 1);
        for (int i = 1; i < 1_024; i++)
        {
            machine.Sample(10_000 + i, 0x40_1000, 500, cpu: 1);
        }

        Assert.Equal("11000-17000 ? certain", machine.Told([]));
        machine = new Machine();
        machine.Run(0, Thread, 8).Sample(9_500, Waits, Thread);
        for (int i = 1; i < 1_024; i++)
        {
            machine.Sample(10_000 + i, Alpha, Thread);
        }

        Assert.Empty(machine.Find([]));
        machine = new Machine();
        machine.Run(0, Thread, 8);
        for (int i = 0; i < 1_024; i++)
        {
            machine.Sample(To + i, Waits, Thread);
        }

        Assert.Empty(machine.Find([]));
    }

    /// <summary>An ISR that interrupts the holder keeps everybody waiting; one that had begun before is the holder's own.</summary>
    [Theory]
    [InlineData(11_001, "11000-11001 beta.sys certain, 11001-12500 alpha.sys certain, 12500-17000 beta.sys certain")]
    [InlineData(11_000, "11000-12500 beta.sys certain, 12500-17000 beta.sys certain")]
    public void An_isr_that_interrupts_the_holder_is_to_blame(long isr, string waits)
    {
        var machine = new Machine();
        machine.Run(0, Thread, 8).Hold(1, Beta, 11_000, 17_000).Hold(0, Alpha, 17_000, 18_300, waited: 6_000);
        machine.Ran(1, Alpha + 0x300, isr, 12_500, LevelKind.Isr);
        Assert.Equal(waits, machine.Told([]));
    }

    [Fact]
    public void A_dpc_that_interrupts_the_holder_does_not_keep_its_lock()
    {
        var machine = new Machine();
        machine.Run(0, Thread, 8).Hold(1, Beta, 11_000, 17_000).Hold(0, Alpha, 17_000, 18_300, waited: 6_000);
        machine.Ran(1, Alpha + 0x300, 12_000, 12_500);
        Assert.DoesNotContain("alpha.sys", machine.Told([]), StringComparison.Ordinal);
    }

    /// <summary>Without names a common end shows a wait; a routine of the kernel itself ends with others by chance.</summary>
    [Theory]
    [InlineData(Alpha, "11000-19000 @0 beta.sys possible")]
    [InlineData(Kernel, "")]
    [InlineData(0x1234ul, "")]
    public void The_kernels_own_routine_that_ends_with_another_is_no_wait(ulong routine, string waits)
    {
        var machine = new Machine(hasNames: false);
        LevelSpan dpc = machine.Ran(0, routine + 0x100, 11_000, 19_000);
        machine.Sample(12_000, Other, 0).Sample(16_000, Other, 0);
        machine.Ran(1, Beta + 0x100, 10_500, 19_000);
        Assert.Equal(waits, machine.Told([dpc]));
    }

    /// <summary>All samples must lie in the kernel's code, and there must be one.</summary>
    [Theory]
    [InlineData(Other, true, "11000-19000 @0 beta.sys possible")]
    [InlineData(Alpha, true, "")]
    [InlineData(Other, false, "")]
    public void A_routine_that_is_seen_at_work_is_no_wait(ulong second, bool hasSamples, string waits)
    {
        var machine = new Machine(hasNames: false);
        LevelSpan dpc = machine.Ran(0, Alpha + 0x100, 11_000, 19_000);
        if (hasSamples)
        {
            machine.Sample(12_000, Other, 0).Sample(16_000, second, 0);
        }

        machine.Ran(1, Beta + 0x100, 10_500, 19_000);
        Assert.Equal(waits, machine.Told([dpc]));
    }

    /// <summary>It began in the first fifth of the wait, and ended 20 us before its end or 5 us behind it at most.</summary>
    [Theory]
    [InlineData(12_600, 19_000, "12600-19000 @0 beta.sys possible")]
    [InlineData(12_601, 19_000, "")]
    [InlineData(11_000, 18_800, "11000-18800 @0 beta.sys possible")]
    [InlineData(11_000, 18_799, "")]
    [InlineData(11_000, 19_050, "11000-19000 @0 beta.sys possible")]
    [InlineData(11_000, 19_051, "")]
    public void Who_ends_with_it_held_it_for_four_fifths_of_the_wait(long from, long to, string waits)
    {
        var machine = new Machine(hasNames: false);
        LevelSpan dpc = machine.Ran(0, Alpha + 0x100, 11_000, 19_000);
        machine.Sample(12_000, Other, 0).Sample(16_000, Other, 0);
        machine.Ran(1, Beta + 0x100, from, to);
        Assert.Equal(waits, machine.Told([dpc]));
    }

    /// <summary>A thread's own code ended where the routines began that ran until the next thread, 5 us apart at most.</summary>
    [Theory]
    [InlineData(19_950, 50, "10000-17000 beta.sys possible")]
    [InlineData(19_949, 50, "")]
    [InlineData(19_950, 51, "")]
    public void What_runs_from_the_end_of_a_wait_to_the_next_thread_is_none_of_it(long lastEnd, long gap, string waits)
    {
        var machine = new Machine(hasNames: false);
        machine.Run(0, Thread, 8).Sample(12_000, Other, Thread).Sample(15_000, Other, Thread);
        LevelSpan first = machine.Ran(0, Alpha + 0x100, 17_000, 18_000);
        LevelSpan second = machine.Ran(0, Alpha + 0x200, 18_000 + gap, lastEnd);
        machine.Switch(To, Thread, Victim);
        machine.Ran(1, Beta + 0x100, 9_000, 17_000);
        Assert.Equal(waits, machine.Told([first, second]));
    }

    [Fact]
    public void Who_ends_with_the_next_thread_is_asked_first()
    {
        var machine = new Machine(hasNames: false);
        machine.Run(0, Thread, 8).Sample(12_000, Other, Thread).Sample(15_000, Other, Thread);
        LevelSpan last = machine.Ran(0, Alpha + 0x100, 17_000, 19_950);
        machine.Switch(To, Thread, Victim);
        machine.Ran(1, Beta + 0x100, 9_000, To);
        Assert.Equal("10000-20000 beta.sys possible", machine.Told([last]));
    }

    /// <summary>Routines took the whole time: nothing of it is left for the thread.</summary>
    [Fact]
    public void A_thread_that_did_not_get_to_run_did_not_wait()
    {
        var machine = new Machine(hasNames: false);
        machine.Run(0, Thread, 8).Sample(9_900, Other, Thread);
        LevelSpan first = machine.Ran(0, Alpha + 0x100, From, 17_000);
        LevelSpan second = machine.Ran(0, Alpha + 0x200, 17_000, To);
        machine.Switch(To, Thread, Victim);
        machine.Ran(1, Beta + 0x100, 9_000, 17_000);
        Assert.Equal("", machine.Told([first, second]));
    }

    [Fact]
    public void Who_waited_is_the_routine_that_the_samples_lie_in()
    {
        var machine = new Machine();
        LevelSpan dpc = machine.Ran(0, Alpha + 0x100, 11_000, 19_000);
        machine.Sample(12_000, Waits, 0);
        Assert.Equal(["alpha.sys"], machine.Waiters([dpc]));
        machine = new Machine();
        machine.Run(0, Thread, 8).Sample(12_000, Waits, Thread);
        Assert.Equal(["?"], machine.Waiters([]));
        machine = new Machine();
        machine.Run(0, Thread, 8).Hold(1, Beta, 5_000, 12_000).Hold(0, Alpha, 12_000, 18_300, waited: 1_000);
        Assert.Equal(["alpha.sys"], machine.Waiters([]));
    }

    private sealed class Machine
    {
        private readonly MachineState _state = new(
            2, 10_000_000, 5_000, new LossMap(), new PowerHistory(2, false, (_, _) => -1), new LockHistory(10_000_000, null));

        private readonly SpinSearch _search;

        public Machine(bool hasNames = true)
        {
            using EtlReader reader = EtlReader.Open(new MemoryStream(ScenarioFile.Write(SpinSearchTests.Told)));
            TraceFacts facts = TraceFacts.Read(reader);
            for (int cpu = 0; cpu < 2; cpu++)
            {
                _state.Cpus[cpu] = new CpuHistory(cpu, 4_096, new SampleClock(0, 500));
            }

            var modules = new ModuleMap(facts.Images, new ModuleCalls());
            var owners = new OwnersOfCode(facts, modules, _state, hasNames ? SpinSearchTests.Told.Request.Names : null);
            _search = new SpinSearch(_state, new Blackouts(), owners, new WorkBudget(1_000));
        }

        public CpuHistory Cpu => _state.Cpus[0]!;

        /// <summary>A thread runs on CPU 0 from 9 000 on.</summary>
        public Machine Run(uint old, uint thread, sbyte priority)
        {
            Cpu.AddSwitch(9_000, thread, priority, old, 0);
            return this;
        }

        public Machine Switch(long ticks, uint old, uint thread)
        {
            Cpu.AddSwitch(ticks, thread, thread == Victim ? (sbyte)Priority : (sbyte)8, old, 8);
            return this;
        }

        public Machine Sample(long ticks, ulong address, uint thread, bool isInDpc = false, bool isInIsr = false, int cpu = 0)
        {
            _state.Cpus[cpu]!.AddSample(new CpuSample
            {
                Ticks = ticks,
                Instruction = address,
                ThreadId = thread,
                IsInDpc = isInDpc,
                IsInIsr = isInIsr,
            });
            return this;
        }

        public LevelSpan Ran(int cpu, ulong routine, long from, long to, LevelKind kind = LevelKind.Dpc)
        {
            var span = new LevelSpan { StartTicks = from, EndTicks = to, Routine = routine, Kind = kind };
            Assert.True(_state.Cpus[cpu]!.TryAddSpan(in span, 20));
            return span;
        }

        public Machine Hold(int cpu, ulong caller, long from, long to, long waited = 0, ulong at = Lock)
        {
            _state.Locks.Holds.Add(new LockHold
            {
                Lock = at,
                Caller = caller + 0x200,
                AcquireTicks = from,
                ReleaseTicks = to,
                WaitedTicks = waited,
                Cpu = cpu,
            });
            return this;
        }

        /// <summary>The waits by start, with the index of the routine that waited.</summary>
        public IEnumerable<string> Find(IReadOnlyList<LevelSpan> spans, uint victim = Victim, long to = To) =>
            [.. _search.Find(Cpu, From, to, spans, Priority, victim).Select(Text)];

        /// <summary>The waits with who kept them waiting.</summary>
        public string Told(IReadOnlyList<LevelSpan> spans) => string.Join(", ", _search.Find(Cpu, From, To, spans, Priority, Victim).Select(
            wait => $"{Text(wait)} {wait.Holder?.Owner?.Name ?? "?"} "
                + CulpritConfidence.OfLock(wait.ShownBy, isRepeated: false).ToString().ToLowerInvariant()));

        public IEnumerable<string> Waiters(IReadOnlyList<LevelSpan> spans) =>
            [.. _search.Find(Cpu, From, To, spans, Priority, Victim).Select(wait => wait.Waiter?.Owner?.Name ?? "?")];

        private static string Text(SpinStretch wait) => $"{wait.FromTicks}-{wait.ToTicks}{(wait.Span < 0 ? "" : $" @{wait.Span}")}";
    }
}
