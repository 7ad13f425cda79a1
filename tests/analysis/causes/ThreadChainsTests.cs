using Tracer.Analysis.Causes;
using Tracer.Analysis.Machine;
using static Tracer.Analysis.Tests.Causes.MadeMachine;

namespace Tracer.Analysis.Tests.Causes;

/// <summary>Why thread 120 was not ready, in microseconds: it waited since 1000, and something on CPU 0 made it ready.</summary>
public class ThreadChainsTests
{
    private const long From = 1_000;
    private const uint Victim = 120;
    private const uint Worker = 130;
    private const uint Hog = 77;

    /// <summary>
    /// A DPC of alpha.sys from 1700 to 1750 makes it ready. It waited for the device until its interrupt came, where that is seen: by an
    /// ISR of alpha.sys, and since then the CPU served no other DPC of a while ago and no other thread. Routines that follow within 50 are
    /// one stretch.
    /// </summary>
    [Theory]
    [InlineData("", 1_700)]
    [InlineData("alpha isr 1500-1510", 1_500)]
    [InlineData("beta isr 1500-1510", 1_700)]
    [InlineData("alpha dpc 1500-1510", 1_700)]
    [InlineData("alpha isr 1500-1510, beta isr 1600-1610", 1_500)]
    [InlineData("alpha isr 1500-1510, beta dpc 1600-1649", 1_700)]
    [InlineData("alpha isr 1500-1510, beta dpc 1600-1650", 1_500)]
    [InlineData("alpha isr 1500-1510, alpha dpc 1600-1650", 1_600)]
    [InlineData("alpha isr 1500-1510, alpha isr 1600-1610", 1_600)]
    [InlineData("alpha isr 1500-1510, alpha isr 1690-1700", 1_690)]
    [InlineData("alpha isr 1500-1510, alpha isr 1710-1720", 1_500)]
    [InlineData("alpha isr 1710-1720", 1_700)]
    [InlineData("alpha isr 940-950", 1_000)]
    [InlineData("alpha isr 939-949", 1_700)]
    public void A_device_was_not_late_from_its_interrupt_on(string before, long held)
    {
        var machine = new MadeMachine();
        machine.Switch(0, 500, 5, Hog);
        Run(machine, before);
        machine.Ran(0, 1_700, 1_750, Alpha);
        Assert.Equal(held, Until(machine, 1_740, isFromDpc: true).HeldFromTicks);
    }

    [Theory]
    [InlineData(1_510, Hog, 1_500)]
    [InlineData(1_511, Hog, 1_700)]
    [InlineData(1_510, 0u, 1_700)]
    public void A_CPU_that_served_a_thread_since_the_interrupt_had_nothing_to_do_for_it(long switched, uint thread, long held)
    {
        var machine = new MadeMachine();
        machine.Switch(0, 500, 5, 0);
        machine.Ran(0, 1_500, 1_510, Alpha, LevelKind.Isr);
        machine.Switch(0, switched, 0, thread);
        machine.Ran(0, 1_700, 1_750, Alpha);
        Assert.Equal(held, Until(machine, 1_740, isFromDpc: true).HeldFromTicks);
    }

    [Fact]
    public void An_interrupt_that_made_it_ready_itself_came_when_it_came()
    {
        var machine = new MadeMachine();
        machine.Switch(0, 500, 5, Hog);
        machine.Ran(0, 1_500, 1_510, Alpha, LevelKind.Isr);
        machine.Ran(0, 1_700, 1_750, Alpha, LevelKind.Isr);
        Assert.Equal(1_700, Until(machine, 1_740, isFromDpc: false).HeldFromTicks);
    }

    /// <summary>Its timer was due at 1000, and a DPC of the timers served it late; that of a driver came when its device did.</summary>
    [Theory]
    [InlineData(Kernel, 1_000)]
    [InlineData(Alpha, 1_700)]
    public void A_timer_is_due_and_a_device_comes(ulong routine, long held)
    {
        var machine = new MadeMachine();
        machine.Switch(0, 500, 5, Hog);
        machine.Ran(0, 1_700, 1_750, routine);
        Assert.Equal(held, Until(machine, 1_740, isFromDpc: true, wasDue: true).HeldFromTicks);
    }

    /// <summary>Each waited for the next since before 1000, and worked for 100 when that one was done.</summary>
    [Theory]
    [InlineData(8, true)]
    [InlineData(9, false)]
    public void A_chain_of_eight_threads_is_followed(int threads, bool isKnown)
    {
        var machine = new MadeMachine();
        machine.Switch(0, 500, 5, Worker + (uint)threads);
        Stay(machine, 500, 2_100 - (100 * threads), KernelThreadState.Waiting, thread: Worker + (uint)threads);
        for (int number = threads - 1; number > 0; number--)
        {
            uint thread = Worker + (uint)number;
            machine.Switch(0, 2_000 - (100 * number), thread + 1, thread);
            Stay(machine, 100 + (10 * number), 105 + (10 * number), KernelThreadState.Waiting, thread: thread);
            Stay(machine, 2_000 - (100 * number), 2_100 - (100 * number), KernelThreadState.Waiting, thread: thread);
        }

        (_, List<CauseShare> shares, IReadOnlyList<UnknownLink> unknown) = Until(machine, 2_000);
        Assert.Equal(isKnown, shares.Exists(share => share.Chain.Count == threads));
        Assert.Equal(isKnown ? [] : [ChainEnd.Astray], unknown.Select(link => link.Why));
    }

    /// <summary>A blackout that ends within 50 before held off the interrupt as well.</summary>
    [Theory]
    [InlineData(1_600, 1_650, 1_600)]
    [InlineData(1_600, 1_649, 1_700)]
    [InlineData(1_600, 1_740, 1_600)]
    [InlineData(1_600, 1_741, 1_700)]
    public void A_blackout_right_before_it_held_it(long from, long to, long held)
    {
        var machine = new MadeMachine();
        machine.Switch(0, 500, 5, Hog);
        machine.Ran(0, 1_700, 1_750, Alpha);
        machine[0].SampleGaps.Add(new SampleGap { FromTicks = from, DueTicks = from, ToTicks = to });
        Assert.Equal(held, Until(machine, 1_740, isFromDpc: true).HeldFromTicks);
    }

    [Fact]
    public void Who_made_it_ready_worked_or_was_kept_from_it()
    {
        var machine = new MadeMachine();
        machine.Switch(0, 500, 5, Worker);
        machine.Ran(0, 1_100, 1_150, Alpha);
        machine.Switch(0, 1_300, Worker, Hog, 28);
        machine.Switch(0, 1_500, Hog, Worker);
        Stay(machine, 500, 1_300, KernelThreadState.Ready);
        Stay(machine, 1_500, null);
        (_, List<CauseShare> shares, IReadOnlyList<UnknownLink> unknown) = Until(machine, 2_000);
        Assert.Equal(
            [
                (Mechanism.Dpc, 1_100, 50, ChainWhy.Interrupted), (Mechanism.Thread, 1_000, 250, ChainWhy.Ran),
                (Mechanism.Thread, 1_300, 200, ChainWhy.Ready), (Mechanism.Thread, 1_500, 500, ChainWhy.Ran),
            ],
            shares.Select(Told));
        Assert.Equal([(1_000, 1_100), (1_150, 1_300)], shares[1].Stretches.Select(stretch => (stretch.FromTicks, stretch.ToTicks)));
        Assert.Empty(unknown);
    }

    /// <summary>It lost its CPU before it was waited for: it did so much of its work late.</summary>
    [Theory]
    [InlineData(false, 200)]
    [InlineData(true, 0)]
    public void What_kept_it_before_stands_for_as_much_of_its_work(bool isDone, long kept)
    {
        var machine = new MadeMachine();
        machine.Switch(0, 500, 5, Worker);
        machine.Switch(0, 700, Worker, Hog, 28);
        machine.Switch(0, 900, Hog, Worker);
        long first = Stay(machine, 500, 700, isDone ? KernelThreadState.Waiting : KernelThreadState.Ready);
        if (isDone)
        {
            machine.State.Visits.Done(first);
        }

        Stay(machine, 900, null, ready: 700);
        List<CauseShare> shares = Until(machine, 1_400).Shares;
        Assert.Equal(kept, shares.Where(share => share.Detail is ThreadRan { ThreadId: Hog }).Sum(share => share.Ticks));
        Assert.Equal(400 - kept, shares.Where(share => share.Detail is ThreadRan { ThreadId: Worker }).Sum(share => share.Ticks));
        Assert.Equal(kept > 0 ? [1_000L, 1_200L] : [1_000L], shares.Select(share => share.AtTicks));
    }

    /// <summary>Where it is not recorded what may have interrupted it, samples show how much was its own work.</summary>
    [Theory]
    [InlineData(new long[] { }, 0)]
    [InlineData(new long[] { 1_100 }, 1_000)]
    [InlineData(new long[] { 1_100, -1_200 }, 500)]
    public void Of_the_time_that_it_had_the_CPU_what_samples_do_not_show_is_not_known(long[] samples, long own)
    {
        var machine = new MadeMachine();
        machine.Switch(0, 500, 5, Worker);
        Stay(machine, 500, null);
        foreach (long at in samples)
        {
            machine.Sample(0, Math.Abs(at), at > 0 ? User : Kernel, Worker);
        }

        (_, List<CauseShare> shares, IReadOnlyList<UnknownLink> unknown) = Until(machine, 2_000, hasLevels: false);
        Assert.Equal(own > 0 ? [(Mechanism.Thread, From, own, ChainWhy.Ran)] : [], shares.Select(Told));
        Assert.Equal(own < 1_000 ? [new UnknownLink(Worker, ChainEnd.Uninterrupted, From + own, 2_000)] : [], unknown);
    }

    /// <summary>It came from another CPU, of which records are lost: nothing says what it did there, nor that its work was late.</summary>
    [Theory]
    [InlineData(900, 1_000, true, 500L, 1_000L)]
    [InlineData(900, 1_001, false, 1_000L, 1_300L)]
    [InlineData(1_299, 1_400, false, 1_000L, 1_300L)]
    [InlineData(1_300, 1_400, true, null, null)]
    public void Where_records_are_lost_its_work_is_nobodys(long lostFrom, long lostTo, bool isKnown, long? from, long? to)
    {
        var machine = new MadeMachine();
        machine.State.Losses.Add(1, lostFrom, lostTo);
        machine.Switch(1, 500, 5, Worker);
        machine.Switch(1, 1_300, Worker, 0);
        machine.Switch(0, 1_300, 0, Worker);
        Stay(machine, 500, 1_300, KernelThreadState.Ready, cpu: 1);
        Stay(machine, 1_300, null);
        (_, List<CauseShare> shares, IReadOnlyList<UnknownLink> unknown) = Until(machine, 2_000);
        Assert.Equal(
            isKnown ? [(Mechanism.Thread, From, 300, ChainWhy.Ran), (Mechanism.Thread, 1_300, 700, ChainWhy.Ran)] : [],
            shares.Select(Told));
        Assert.Equal(from is null ? [] : [new UnknownLink(Worker, ChainEnd.Lost, from.Value, to!.Value)], unknown);
    }

    /// <summary>It waited itself from 1200 on: for a device and its CPU, for another thread, or for what no record tells of.</summary>
    [Theory]
    [InlineData(
        1_500L, "Thread 1000 200 Ran, Dpc 1480 20 Waited, Dpc 1500 10 Ready, Thread 1510 90 Ready, Thread 1600 400 Ran",
        "Device 1200-1480")]
    [InlineData(
        1_600L, "Thread 1000 200 Ran, Dpc 1480 30 Interrupted, Thread 1200 370 Ran, Thread 1600 400 Ran", "")]
    [InlineData(long.MinValue, "", "NoReadyThread 1200-1600")]
    public void What_it_waited_for_is_followed(long ready, string expected, string expectedUnknown)
    {
        var machine = new MadeMachine();
        machine.Switch(0, 500, 5, Worker);
        machine.Switch(0, 1_200, Worker, Hog, 28);
        machine.Ran(0, 1_480, 1_510, Alpha);
        machine.Switch(0, 1_600, Hog, Worker);
        Stay(machine, 500, 1_200, KernelThreadState.Waiting);
        Stay(machine, 1_200, 1_600, KernelThreadState.Waiting, thread: Hog);
        Stay(machine, 1_600, null, ready: ready);
        (_, List<CauseShare> shares, IReadOnlyList<UnknownLink> unknown) = Until(machine, 2_000);
        Assert.Equal(
            (expected, expectedUnknown),
            (string.Join(", ", shares.Select(share => $"{share.Mechanism} {share.AtTicks} {share.Ticks} {share.Chain[^1].Why}")),
                string.Join(", ", unknown.Select(link => $"{link.Why} {link.FromTicks}-{link.ToTicks}"))));
    }

    private static (Mechanism Mechanism, long At, long Ticks, ChainWhy Why) Told(CauseShare share) =>
        (share.Mechanism, share.AtTicks, share.Ticks, share.Chain[^1].Why);

    private static (long HeldFromTicks, List<CauseShare> Shares, IReadOnlyList<UnknownLink> Unknown) Until(
        MadeMachine machine, long ready, bool isFromDpc = false, bool hasLevels = true, bool wasDue = false)
    {
        ThreadChains chains = machine.Chains(machine.Accounting(hasLevels));
        var wake = new ThreadVisit { Thread = Victim, ReadyTicks = ready, ReadyCpu = 0, IsFromDpc = isFromDpc };
        List<CauseShare> shares = chains.UntilReady(in wake, From, wasDue, out long heldFromTicks);
        return (heldFromTicks, shares, chains.TakeUnknown());
    }

    /// <summary>A thread had a CPU for a while; without an end it still has.</summary>
    private static long Stay(
        MadeMachine machine, long from, long? to, KernelThreadState state = KernelThreadState.Running, long? ready = null,
        int cpu = 0, uint thread = Worker)
    {
        long number = machine.State.Visits.Begin(new ThreadVisit
        {
            Thread = thread,
            ReadyTicks = ready ?? from,
            InTicks = from,
            ReadyCpu = 0,
            Cpu = (short)cpu,
            Priority = 8,
        });
        if (to is { } end)
        {
            Assert.Equal(number, machine.State.Visits.End(cpu, new LaneRecord { Ticks = end, Other = thread, State = state }));
        }

        return number;
    }

    private static void Run(MadeMachine machine, string runs)
    {
        foreach (string[] words in runs.Split(", ", StringSplitOptions.RemoveEmptyEntries).Select(run => run.Split(' ', '-')))
        {
            machine.Ran(
                0, long.Parse(words[2], CultureInfo.InvariantCulture), long.Parse(words[3], CultureInfo.InvariantCulture),
                words[0] == "alpha" ? Alpha : Beta, words[1] == "isr" ? LevelKind.Isr : LevelKind.Dpc);
        }
    }
}
