using System.Runtime.CompilerServices;
using System.Buffers.Binary;
using Tracer.Analysis.Delays;
using Tracer.Analysis.Facts;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Tests.Facts;
using Tracer.Analysis.Tests.Machine;

namespace Tracer.Analysis.Tests.Delays;

/// <summary>Which waits of threads are delays: a delay takes 500 ticks or more, and no wait takes more than 100 000.</summary>
public class ThreadProbesTests
{
    private const uint Thread = 120;
    private const uint Other = 130;
    private const long Threshold = 500;
    private const long Longest = 100_000;
    private const byte UserRequest = 6;
    private const byte PageIn = 2;

    [Theory]
    [InlineData(Threshold - 1, false)]
    [InlineData(Threshold, true)]
    [InlineData(Longest, true)]
    [InlineData(Longest + 1, false)]
    public void A_wait_is_a_delay_from_the_threshold_on(long wait, bool isDelay)
    {
        var machine = new Machine();
        machine.Switch(0, 500, Other, Thread).Switch(0, 600, Thread, Other, UserRequest).Ready(1, 1_000, Thread);
        machine.Switch(0, 1_000 + wait, Other, Thread);
        Assert.Equal(isDelay ? [(1_000L, 1_000 + wait)] : [], machine.Spans);
        Assert.Equal(wait <= Longest ? 1 : 0, machine.Probes.Measured().Waits.Count);
        Assert.Equal(wait < Threshold ? wait : null, machine.Probes.Measured().WorstTicks);
        if (isDelay)
        {
            Delay delay = Assert.Single(machine.Delays);
            Assert.Equal((0, 1, 0, 3), (delay.Cpu, delay.ReadyCpu, delay.LastCpu, delay.IdealCpu));
            Assert.Equal((ProbeKind.Thread, Thread, 24), (delay.Probe, delay.ThreadId, delay.Priority));
            Assert.False(delay.IsOfHog || delay.MustBeExplained || delay.IsLateByBeat);
        }
    }

    /// <summary>The records end while the thread waits: for how long it had is told from the threshold on, if it is believed.</summary>
    [Theory]
    [InlineData(Threshold - 1, null)]
    [InlineData(Threshold, Threshold)]
    [InlineData(Longest, Longest)]
    [InlineData(Longest + 1, null)]
    public void A_wait_in_which_the_records_end_is_told(long wait, long? told)
    {
        var machine = new Machine();
        machine.Switch(0, 500, Other, Thread).Switch(0, 600, Thread, Other, UserRequest).Ready(1, 1_000, Thread);
        machine.Switch(1, 1_000 + wait, 140, 150);
        Assert.Equal(told, machine.Probes.Measured().UnservedTicks);
        machine.Switch(0, 1_000 + wait, Other, Thread);
        Assert.Null(machine.Probes.Measured().UnservedTicks);
    }

    [Fact]
    public void The_worst_of_the_short_waits_is_told()
    {
        var machine = new Machine();
        machine.Ready(0, 1_000, Thread).Switch(0, 1_300, Other, Thread).Switch(0, 1_400, Thread, Other, UserRequest);
        machine.Ready(0, 2_000, Thread).Switch(0, 2_200, Other, Thread).Switch(0, 2_400, Thread, Other, UserRequest);
        Assert.Equal((2L, 300L), (machine.Probes.Measured().Waits.Count, machine.Probes.Measured().WorstTicks));
        machine.Ready(0, 3_000, Thread).Switch(0, 3_500, Other, Thread);
        Assert.Equal((3L, 300L), (machine.Probes.Measured().Waits.Count, machine.Probes.Measured().WorstTicks));
    }

    [Fact]
    public void A_wait_that_ends_before_it_begins_is_none()
    {
        var machine = new Machine();
        machine.Ready(0, 1_000, Thread).Switch(0, 999, Other, Thread);
        Assert.Equal((0L, null), (machine.Probes.Measured().Waits.Count, machine.Probes.Measured().WorstTicks));
        machine = new Machine();
        machine.Ready(0, 1_000, Thread).Switch(0, 1_000, Other, Thread);
        Assert.Equal((1L, 0L), (machine.Probes.Measured().Waits.Count, machine.Probes.Measured().WorstTicks));
    }

    /// <summary>A thread that nobody asked for shows a hog, if hogs are wanted, and is no probe.</summary>
    [Theory]
    [InlineData(Threshold, true, true)]
    [InlineData(Threshold, false, false)]
    [InlineData(Threshold - 1, true, false)]
    public void Who_is_not_asked_for_may_only_show_a_hog(long wait, bool wantsHogs, bool isDelay)
    {
        var machine = new Machine(settings => settings with { IsVictim = (_, _, _) => false, WantsHogs = wantsHogs });
        machine.Ready(0, 1_000, Thread).Switch(0, 1_000 + wait, Other, Thread);
        Assert.Equal(isDelay ? [true] : [], machine.Delays.Select(delay => delay.IsOfHog));
        Assert.Equal((0L, null), (machine.Probes.Measured().Waits.Count, machine.Probes.Measured().WorstTicks));
    }

    [Fact]
    public void Nothing_is_measured_where_threads_are_not_wanted()
    {
        var machine = new Machine(settings => settings with { WantsThreads = false });
        machine.Ready(0, 1_000, Thread).Switch(0, 3_000, Other, Thread).Switch(0, 3_010, Thread, Other, PageIn);
        machine.Ready(0, 5_000, Thread).Switch(0, 5_010, Other, Thread);
        Assert.Empty(machine.Delays);
        Assert.Equal(0, machine.Probes.Measured().Waits.Count);
    }

    /// <summary>Records that are missing on another CPU leave it open what the thread did; on its own, the wait does not count.</summary>
    [Theory]
    [InlineData(2, Threshold, true, 1, 0)]
    [InlineData(1, Threshold, false, 0, 1)]
    [InlineData(0, Threshold, false, 0, 1)]
    [InlineData(0, Threshold - 1, false, 1, 0)]
    [InlineData(2, Threshold - 1, false, 1, 0)]
    public void A_long_wait_across_a_loss_must_be_explained(int lost, long wait, bool isDelay, int probes, int acrossLoss)
    {
        var machine = new Machine();
        machine.State.Losses.Add(lost, 1_100, 1_200);
        machine.Ready(1, 1_000, Thread).Switch(0, 1_000 + wait, Other, Thread);
        Assert.Equal(isDelay ? [true] : [], machine.Delays.Select(delay => delay.MustBeExplained));
        Assert.Equal((probes, acrossLoss), (machine.Probes.Measured().Waits.Count, machine.Probes.Measured().AcrossLoss));
    }

    [Fact]
    public void A_wait_across_a_loss_that_nobody_asked_for_is_not_counted()
    {
        var machine = new Machine(settings => settings with { IsVictim = (_, _, _) => false });
        machine.State.Losses.Add(0, 1_100, 1_200);
        machine.Ready(1, 1_000, Thread).Switch(0, 3_000, Other, Thread);
        Assert.Empty(machine.Delays);
        Assert.Equal(0, machine.Probes.Measured().AcrossLoss);
    }

    /// <summary>Beside the waits that are long, each is told to the routines that ran meanwhile.</summary>
    [Theory]
    [InlineData(Longest, true, 1)]
    [InlineData(Longest + 1, true, 0)]
    [InlineData(Longest, false, 0)]
    public void Waits_are_told_to_what_ran_meanwhile(long wait, bool isVictim, long waited)
    {
        var machine = new Machine(settings => settings with { IsVictim = (_, _, _) => isVictim });
        machine.Ready(0, 1_000, Thread);
        var dpc = new LevelSpan { StartTicks = 1_100, EndTicks = 1_200, Routine = 0x5000 };
        machine.LaneOf(0).Routines.Add(in dpc, RunClient.NotSeen);
        machine.Switch(0, 1_000 + wait, Other, Thread);
        Assert.Equal(waited, Assert.Single(machine.LaneOf(0).Routines.All).Facts.Waited);
    }

    /// <summary>The DPC that made it ready was queued before: the thread waits since then, unless records are missing.</summary>
    [Theory]
    [InlineData(-1, 700)]
    [InlineData(0, 1_000)]
    [InlineData(1, 1_000)]
    [InlineData(2, 700)]
    public void Who_is_made_ready_by_a_dpc_waits_since_that_was_queued(int lost, long from)
    {
        var machine = new Machine();
        if (lost >= 0)
        {
            machine.State.Losses.Add(lost, 750, 800);
        }

        var queued = new QueuedDpc { Ticks = 700, Cpu = 0 };
        machine.State.Queues.Started(1, new DpcStart { Ticks = 900, Routine = 0x5000, Queued = queued });
        machine.Ready(1, 1_000, Thread).Switch(0, 2_000, Other, Thread);
        Assert.Equal([(from, 2_000L)], machine.Spans);
    }

    /// <summary>How long a CPU takes to leave idle is learnt from waits that nothing else explains, from twenty on.</summary>
    [Theory]
    [InlineData(0, 1, 900, 990, 0, true)]
    [InlineData(0, 1, 1_000, 990, 0, true)]
    [InlineData(0, 1, 1_001, 990, 0, false)]
    [InlineData(0, 0, 900, 990, 0, false)]
    [InlineData(130, 1, 900, 990, 0, false)]
    [InlineData(0, 1, 900, 1_000, 0, true)]
    [InlineData(0, 1, 900, 1_001, 0, false)]
    [InlineData(0, 1, 900, 990, 3, true)]
    public void An_exit_from_idle_is_measured_where_nothing_else_ran(
        uint old, int readyCpu, long idleSince, long isrEnd, byte state, bool isMeasured)
    {
        var machine = new Machine();
        for (int i = 0; i < 20; i++)
        {
            long at = i * 10_000;
            machine.Switch(0, at + idleSince, Thread, old, UserRequest);
            if (idleSince < isrEnd)
            {
                Assert.True(machine.Cpu(0).TryAddSpan(new LevelSpan
                {
                    StartTicks = at + isrEnd - 5,
                    EndTicks = at + isrEnd,
                    Routine = 0x5000,
                    Kind = LevelKind.Isr,
                }, 20));
            }

            machine.Ready(readyCpu, at + 1_000, Thread).Switch(0, at + 1_050, old, Thread, idleState: state);
        }

        Assert.Equal(isMeasured, machine.State.Power.UsualExit(state) is not null);
        Assert.Null(machine.State.Power.UsualExit(state + 1u));
        Assert.InRange(machine.State.Power.UsualExit(state) ?? 50, 50, 51);
    }

    [Fact]
    public void An_exit_within_one_step_of_the_clock_took_no_time()
    {
        var machine = new Machine();
        for (int i = 0; i < 20; i++)
        {
            long at = i * 10_000;
            machine.Switch(0, at + 900, Thread, 0, UserRequest).Ready(1, at + 1_000, Thread).Switch(0, at + 1_000, 0, Thread);
        }

        Assert.Equal(0, machine.State.Power.UsualExit(0));
    }

    /// <summary>A thread that leaves for a page within its first 100 ticks has not been served.</summary>
    [Theory]
    [InlineData(1_110, 1_000)]
    [InlineData(1_111, 1_111)]
    public void A_page_that_is_missing_at_once_prolongs_the_wait(long left, long from)
    {
        var machine = new Machine();
        machine.Ready(0, 1_000, Thread).Switch(0, 1_010, Other, Thread).Switch(0, left, Thread, Other, PageIn);
        machine.Ready(0, 3_000, Thread).Switch(0, 3_005, Other, Thread);
        Assert.Equal([(from, 3_005L)], machine.Spans);
        Assert.Equal(HoldKind.Page, Assert.Single(Assert.Single(machine.Delays).Holds).Kind);
    }

    [Theory]
    [InlineData(Threshold - 1, false)]
    [InlineData(Threshold, true)]
    [InlineData(Longest, true)]
    [InlineData(Longest + 1, false)]
    public void A_held_wake_up_is_a_delay_from_the_threshold_on(long length, bool isDelay)
    {
        var machine = new Machine();
        machine.Ready(0, 1_000, Thread).Switch(0, 1_010, Other, Thread).Switch(0, 1_050, Thread, Other, PageIn);
        machine.Ready(0, 1_000 + length - 5, Thread).Switch(0, 1_000 + length, Other, Thread);
        Assert.Equal(isDelay ? [(1_000L, 1_000 + length)] : [], machine.Spans);
    }

    [Theory]
    [InlineData(1_200, 1_300, false)]
    [InlineData(2_000, 2_300, true)]
    public void A_held_wake_up_across_a_loss_does_not_count(long lostFrom, long lostTo, bool isDelay)
    {
        var machine = new Machine();
        machine.State.Losses.Add(1, lostFrom, lostTo);
        machine.Ready(0, 1_000, Thread).Switch(0, 1_010, Other, Thread).Switch(0, 1_050, Thread, Other, PageIn);
        machine.Ready(0, 1_995, Thread).Switch(0, 2_000, Other, Thread);
        Assert.Equal(isDelay, machine.Delays.Count > 0);
    }

    [Fact]
    public void Who_is_not_asked_for_is_not_held()
    {
        var machine = new Machine(settings => settings with { IsVictim = (_, _, _) => false });
        machine.Ready(0, 1_000, Thread).Switch(0, 1_010, Other, Thread).Switch(0, 1_050, Thread, Other, PageIn);
        machine.Ready(0, 2_995, Thread).Switch(0, 3_000, Other, Thread);
        Assert.Empty(machine.Delays);
    }

    /// <summary>A runtime's suspension holds a thread only where runtimes tell of suspensions, and only where it waited.</summary>
    [Theory]
    [InlineData(UserRequest, 5, true, true)]
    [InlineData(UserRequest, 5, false, false)]
    [InlineData(UserRequest, 1, true, false)]
    public void A_suspension_of_its_runtime_prolongs_the_wait(byte reason, byte state, bool hasPauses, bool isDelay)
    {
        var machine = new Machine(settings => settings with
        {
            PauseOf = hasPauses ? (_, from, to) => new TickSpan(from, to) : null,
        });
        machine.Ready(0, 1_000, Thread).Switch(0, 1_010, Other, Thread).Switch(0, 1_050, Thread, Other, reason, state);
        machine.Ready(0, 2_995, Thread).Switch(0, 3_000, Other, Thread);
        Assert.Equal(isDelay, machine.Delays.Exists(delay => delay.Holds.Count > 0));
    }

    /// <summary>
    /// The record of a page comes while the thread waits for it: the fault began before it left, and is recorded when it has left.
    /// </summary>
    [Theory]
    [InlineData(1_040, 1_050, true)]
    [InlineData(1_050, 1_100, true)]
    [InlineData(1_051, 1_100, false)]
    [InlineData(1_040, 1_049, false)]
    public void A_fault_that_is_told_early_holds_the_thread(long faulted, long told, bool isHeld)
    {
        var machine = new Machine();
        machine.Ready(0, 1_000, Thread).Switch(0, 1_010, Other, Thread).Switch(0, 1_050, Thread, Other, UserRequest);
        machine.Fault(told, faulted, Thread).Ready(0, 3_000, Thread).Switch(0, 3_005, Other, Thread);
        Assert.Equal(isHeld ? [(1_000L, 3_005L)] : [], machine.Spans);
    }

    /// <summary>In and out in one tick: it has left, and waits.</summary>
    [Fact]
    public void A_thread_that_leaves_in_the_tick_in_which_it_came_waits_for_its_page()
    {
        var machine = new Machine();
        machine.Ready(0, 1_000, Thread).Switch(0, 1_010, Other, Thread).Switch(0, 1_010, Thread, Other, UserRequest);
        machine.Fault(1_200, 1_005, Thread).Ready(0, 3_000, Thread).Switch(0, 3_005, Other, Thread);
        Assert.Equal([(1_000L, 3_005L)], machine.Spans);
    }

    /// <summary>The record comes when the thread runs again: what it told before stands, and it was held.</summary>
    [Theory]
    [InlineData(1_040, true)]
    [InlineData(1_051, false)]
    public void A_fault_that_is_told_late_held_the_thread(long faulted, bool isHeld)
    {
        var machine = new Machine();
        machine.Ready(0, 1_000, Thread).Switch(0, 1_010, Other, Thread).Switch(0, 1_050, Thread, Other, UserRequest);
        machine.Ready(1, 3_000, Thread).Switch(1, 3_005, Other, Thread).Fault(3_020, faulted, Thread);
        Assert.Equal(isHeld ? [(1_000L, 3_005L)] : [], machine.Spans);
        Assert.Equal(isHeld ? [1] : [], machine.Delays.Select(delay => delay.Cpu));
        // A fault of a thread that nobody saw holds nobody.
        machine.Fault(3_030, faulted, 999);
        Assert.Equal(isHeld ? 1 : 0, machine.Delays.Count);
    }

    /// <summary>Nobody made it ready, as far as is known: when it was held, nothing tells.</summary>
    [Fact]
    public void A_fault_that_is_told_late_of_a_thread_that_nobody_made_ready_holds_nobody()
    {
        var machine = new Machine();
        machine.Switch(0, 1_010, Other, Thread).Switch(0, 1_050, Thread, Other, UserRequest);
        machine.Switch(0, 3_005, Other, Thread).Fault(3_020, 1_040, Thread);
        Assert.Empty(machine.Delays);
    }

    /// <summary>A thread that comes every 10 000 ticks comes late: from its beat on it waits, whoever made it ready.</summary>
    [Theory]
    [InlineData(0, Threshold, true)]
    [InlineData(Threshold, 0, true)]
    [InlineData(Threshold - 1, 0, false)]
    [InlineData(90_400, 100, true)]
    public void Who_is_late_by_its_beat_waits_since_it_was_due(long lateReady, long wait, bool isLate)
    {
        Machine machine = Beating(out long due);
        machine.Ready(1, due + lateReady, Thread).Switch(0, due + lateReady + wait, Other, Thread);
        if (lateReady == 0)
        {
            Delay whole = Assert.Single(machine.Delays);
            Assert.False(whole.IsLateByBeat);
            return;
        }

        Assert.Equal(isLate ? [(due, due + lateReady + wait)] : [], machine.Spans);
        if (isLate)
        {
            Delay late = Assert.Single(machine.Delays);
            Assert.Equal((true, 10_000L, 1), (late.IsLateByBeat, late.PeriodTicks, late.ReadyCpu));
            Assert.Equal((-1, -1), (late.LastCpu, late.IdealCpu));
            Assert.Empty(machine.Probes.Measured().Back);
            long next = due + 100_000;
            machine.Switch(0, next - 10, Thread, Other, UserRequest).Ready(1, next, Thread);
            Assert.Same(late, Assert.Single(machine.Probes.Measured().Back));
        }
    }

    [Theory]
    [InlineData(Longest - 100, true)]
    [InlineData(Longest - 99, false)]
    public void Who_comes_later_than_any_wait_slept(long lateReady, bool isLate)
    {
        Machine machine = Beating(out long due);
        machine.Ready(1, due + lateReady, Thread).Switch(0, due + lateReady + 100, Other, Thread);
        Assert.Equal(isLate ? 1 : 0, machine.Delays.Count);
    }

    /// <summary>It is made ready twice: the beat is told by the first, the wait counts from the last.</summary>
    [Fact]
    public void Who_is_made_ready_again_before_it_runs_is_late_once()
    {
        Machine machine = Beating(out long due);
        machine.Ready(1, due + 600, Thread).Ready(1, due + 650, Thread).Switch(0, due + 660, Other, Thread);
        Assert.Equal([(due, due + 660)], machine.Spans);
        Assert.Equal(due + 650, Assert.Single(machine.Delays).Wake!.Value.ReadyTicks);
    }

    [Fact]
    public void Who_did_not_wait_has_no_beat()
    {
        var machine = new Machine();
        for (long at = 10_000; at <= 400_000; at += 10_000)
        {
            machine.Ready(1, at, Thread).Switch(0, at + 10, Other, Thread).Switch(0, at + 100, Thread, Other, UserRequest, state: 1);
        }

        machine.Ready(1, 411_000, Thread).Switch(0, 411_010, Other, Thread);
        Assert.Empty(machine.Delays);
    }

    [Fact]
    public void Who_is_not_asked_for_is_not_late_by_its_beat()
    {
        Machine machine = Beating(out long due, settings => settings with { IsVictim = (_, priority, _) => priority > 24 });
        machine.Ready(1, due + 600, Thread).Switch(0, due + 610, Other, Thread);
        Assert.Empty(machine.Delays);
    }

    /// <summary>The processors that are not known of a delay are told as none.</summary>
    [Fact]
    public void A_delay_of_which_nothing_is_known_names_no_processors()
    {
        var delay = new Delay { Probe = ProbeKind.Level, FromTicks = 0, ToTicks = 1, Cpu = 0 };
        Assert.Equal((-1, -1, -1), (delay.ReadyCpu, delay.LastCpu, delay.IdealCpu));
    }

    /// <summary>A header may name thousands of CPUs that log nothing: where a thread may run is looked up once for a wake-up.</summary>
    [Theory]
    [InlineData(0, 3, 0, false)]
    [InlineData(5, 1, 1, false)]
    [InlineData(5, 1, 1ul << 5, true)]
    [InlineData(2, 62, 1, false)]
    [InlineData(2, 62, 1ul << 63, true)]
    [InlineData(2, 63, 1, true)] // Of CPU 64 no affinity tells.
    [InlineData(2, 2046, 1, true)]
    public void A_thread_is_looked_up_once_for_all_silent_CPUs(int first, int count, ulong affinity, bool mayRun)
    {
        int asked = 0;
        bool? may = null;
        _ = new Machine(settings =>
        {
            settings = settings with
            {
                AffinityOf = (_, _) =>
                {
                    asked++;
                    return affinity;
                },
            };
            may = settings.MayRunOnAny([.. Enumerable.Range(first, first == 0 ? 0 : count)], Thread, 0);
            return settings;
        });
        Assert.Equal(mayRun, may);
        Assert.InRange(asked, 0, 1);
    }

    /// <summary>Twenty wake-ups at a beat.</summary>
    private static Machine Beating(out long due, Func<DelaySettings, DelaySettings>? change = null)
    {
        var machine = new Machine(change);
        for (due = 10_000; due <= 200_000; due += 10_000)
        {
            machine.Ready(1, due, Thread).Switch(0, due + 10, Other, Thread).Switch(0, due + 100, Thread, Other, UserRequest);
        }

        return machine;
    }

    /// <summary>Three processors, and what is measured on them.</summary>
    private sealed class Machine : IDelaySink
    {
        private readonly MeasuredReadies _readies = new([]);
        private readonly EarlyPass _early;
        private readonly ThreadPass _pass;

        public Machine(Func<DelaySettings, DelaySettings>? change = null)
        {
            State = new MachineState(
                3, 10_000_000, Threshold, new LossMap(), new PowerHistory(3, false, (_, _) => -1), new LockHistory(10_000_000, null));
            var settings = new DelaySettings
            {
                TicksPerSecond = 10_000_000,
                ThresholdTicks = Threshold,
                LongestWaitTicks = Longest,
                LevelGapTicks = 20,
                WantsThreads = true,
                WantsHogs = true,
                WantsLevels = true,
                IsVictim = (_, _, _) => true,
                PauseOf = null,
                MeasuredReadies = _readies,
                FirstStepsTicks = 100,
            };
            Probes = new ThreadProbes(change?.Invoke(settings) ?? settings, State, this);
            _early = new EarlyPass(State, MadeLanes.Settings);
            _pass = new ThreadPass(State, MadeLanes.Settings, Probes);
        }

        public MachineState State { get; }

        public ThreadProbes Probes { get; }

        public List<Delay> Delays { get; } = [];

        public IEnumerable<(long, long)> Spans => Delays.Select(delay => (delay.FromTicks, delay.ToTicks));

        public void Add(Delay delay, long nowTicks) => Delays.Add(delay);

        public CpuHistory Cpu(int number) => LaneOf(number).Past;

        public Machine Ready(int cpu, long ticks, uint thread) =>
            Take(cpu, KernelHook.ReadyThread, 2, ticks, [.. BitConverter.GetBytes(thread), 0, 0, 0, 0]);

        public Machine Switch(int cpu, long ticks, uint old, uint next, byte reason = 0, byte state = 5, byte idleState = 0)
        {
            byte[] payload = new byte[24];
            BinaryPrimitives.WriteUInt32LittleEndian(payload, next);
            BinaryPrimitives.WriteUInt32LittleEndian(payload.AsSpan(4), old);
            (payload[8], payload[9], payload[10]) = ((byte)(next == 0 ? 0 : 24), (byte)(old == 0 ? 0 : 24), idleState);
            (payload[12], payload[14], payload[15]) = (reason, state, 3);
            return Take(cpu, KernelHook.ContextSwitch, 4, ticks, payload);
        }

        public Machine Fault(long ticks, long since, uint thread)
        {
            byte[] payload = new byte[40];
            BinaryPrimitives.WriteInt64LittleEndian(payload, since);
            BinaryPrimitives.WriteUInt32LittleEndian(payload.AsSpan(32), thread);
            return Take(0, KernelHook.HardFault, 2, ticks, payload);
        }

        public Lane LaneOf(int cpu)
        {
            State.Lanes[cpu] ??= new Lane(cpu, MadeLanes.Settings, State);
            State.Cpus[cpu] ??= State.Lanes[cpu]!.Past;
            return State.Lanes[cpu]!;
        }

        /// <summary>A CPU's lane takes an event, and hands over what others must know of it.</summary>
        private Machine Take(int cpu, ushort hook, byte version, long ticks, byte[] payload)
        {
            Lane lane = LaneOf(cpu);
            MadeEvent.GiveOther(
                MadeEvent.Kernel(hook, version, ticks, payload),
                (in EtlEvent traceEvent) => lane.Add(in traceEvent, hook, ticks));
            for (int i = 0; i < lane.Records.Count; i++)
            {
                bool isInDpc = _early.Take(cpu, in lane.Records[i]);
                ref readonly DpcStart dpc = ref isInDpc ? ref State.Queues.StartsOf(cpu).Newest : ref Unsafe.NullRef<DpcStart>();
                _pass.Take(cpu, in lane.Records[i], lane.Records, in dpc);
            }

            lane.HandOver();
            lane.Waits.EndPass();
            lane.BeginRound();
            return this;
        }
    }
}
