using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Scenarios;
using static Tracer.Simulator.Tests.Parts;

namespace Tracer.Simulator.Tests;

/// <summary>A machine without the time of one owner: his code is nothing, what depends on him goes on.</summary>
public class MutingTests
{
    private const string Loud = "loud.sys";

    [Fact]
    public void Code_that_is_muted_takes_no_time_and_still_signals()
    {
        (TruthReport loud, int wakesLoud) = Run(_ => false);
        (TruthReport muted, int wakesMuted) = Run(owner => owner.Name == Loud);
        Assert.Equal((Loud, true), (loud.Culprits[0].Name, loud.Episodes.Count > 20));
        Assert.DoesNotContain(muted.Culprits, culprit => culprit.Name == Loud);
        Assert.Equal(wakesLoud, wakesMuted);

        // What another driver does is what it did.
        Assert.Contains(muted.Culprits, culprit => culprit.Name == "other.sys");
        Assert.Equal(
            loud.Culprits.Single(culprit => culprit.Name == "other.sys").Blamed,
            muted.Culprits.Single(culprit => culprit.Name == "other.sys").Blamed);
    }

    [Theory]
    [InlineData("masks")]
    [InlineData("raises")]
    [InlineData("stalls")]
    [InlineData("stands")]
    [InlineData("locks")]
    public void Whoever_is_muted_keeps_nobody_waiting(string how)
    {
        Assert.NotEmpty(Delayed(how, isMuted: false).Episodes);
        Assert.Empty(Delayed(how, isMuted: true).Episodes);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_muted_hypervisor_takes_no_cpu(bool isMuted)
    {
        Machine machine = Beating(isMuted ? owner => owner == CodeOwner.Hypervisor : null);
        machine.After(9 * Ms, engine => engine.Deschedule(0, 6 * Ms));
        machine.Run(50 * Ms);
        Assert.Equal(isMuted ? 0 : 1, machine.Truth(Declared(Verdict.Hardware)).Episodes.Count);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Who_is_muted_does_not_wait_in_circles_for_others(bool isMuted)
    {
        Machine machine = Beating(isMuted ? owner => owner.Name == Loud : null);
        var code = new CodeStretch(Driver(Loud), new CodePoint(1, [0xFFFFF805_00001000]));
        machine.AddThread(new ThreadOptions
        {
            Process = new SimulatedProcess(600, "app.exe"),
            Priority = 9,
            Affinity = 4,
            Program = Always(
                Step.Run(User(1), 20 * Ms), Step.MaskInterrupts(), Step.Run(User(1), 5 * Ms), Step.UnmaskInterrupts()),
        });
        machine.AddThread(new ThreadOptions
        {
            Process = new SimulatedProcess(601, "loud.exe"),
            Priority = 9,
            Affinity = 1,
            Program = Always(Step.Sleep(20 * Ms), Step.Run(code, 100 * Us), Step.CallOtherCpus(Code(0x7000)), Step.Run(code, Us)),
        });
        machine.Run(50 * Ms);
        Assert.Equal(
            isMuted ? [] : [Mechanism.SpinWait],
            machine.Truth(Declared(Verdict.Process)).Episodes.Select(episode => episode.Causes[0].Mechanism));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Who_is_muted_holds_up_no_thread_that_was_served(bool isMuted)
    {
        var machine = new Machine(
            Costless(2) with { IsMuted = isMuted ? owner => owner.Name == Loud : null }, new RecordedLog { OnlyCounts = true });
        KernelTimer beat = machine.AddTimer("beat", 1, Arrivals.Every(10 * Ms));
        KernelTimer late = machine.AddTimer("late", 1, Arrivals.Every(10 * Ms, 14 * Ms));
        var cause = new HoldCause(Driver(Loud), Mechanism.Thread);
        machine.AddThread(new ThreadOptions
        {
            Process = new SimulatedProcess(500, "audio.exe"),
            Priority = 24,
            Affinity = 1,
            Program = Always(
                Step.Wait(beat.Expired), Step.Run(User(1), 10 * Us), Step.WaitHeld(late.Expired, cause), Step.Run(User(1), Us)),
        });
        machine.Run(50 * Ms);
        Assert.Equal(isMuted ? 0 : 1, machine.Truth(Declared(Verdict.Driver)).Episodes.Count);
    }

    [Fact]
    public void A_thread_that_only_computes_is_gone_when_muted()
    {
        var machine = new Machine(Costless() with { IsMuted = owner => owner.Name == "hog.exe" }, new RecordedLog { OnlyCounts = true });
        Hog(machine, new SimulatedProcess(700, "hog.exe"), 31);
        KernelTimer timer = machine.AddTimer("tick", 0, Arrivals.Every(5 * Ms));
        Periodic(machine, new SimulatedProcess(500, "audio.exe"), 24, 0, timer, Spread.Constant(50 * Us), "audio");
        machine.Run(Second);
        Assert.Empty(machine.Truth(Declared(Verdict.None)).Episodes);
    }

    [Fact]
    public void A_second_run_tells_what_is_left_and_leaves_the_trace_alone()
    {
        using var one = new MemoryStream();
        using var two = new MemoryStream();
        var run = new ScenarioRun(ScenarioCatalog.Find("nic-autosense")!, 3) { Duration = Duration.FromSeconds(13) };
        TruthReport without = run.WriteTo(one);
        TruthReport with = (run with { WithSecondRun = true }).WriteTo(two);
        Assert.Equal(one.ToArray(), two.ToArray());
        Every.Item(without.Culprits, culprit => Assert.Null(culprit.Without));
        Assert.Equal(new WithoutCulprit { Episodes = 0, Worst = null }, with.Culprits[0].Without);
        Assert.Equal(without.Episodes.Count, with.Episodes.Count);
    }

    /// <summary>A second run in which nobody is muted is the first, call by call.</summary>
    [Theory]
    [InlineData(1UL)]
    [InlineData(2UL)]
    public void A_second_run_with_everybody_is_the_first(ulong seed)
    {
        var draws = new DrawMemory();
        RecordedLog first = Noisy(seed, draws, _ => false);
        draws.IsComplete = true;
        RecordedLog second = Noisy(seed, draws, _ => false);
        Assert.Equal(first.Routines, second.Routines);
        Assert.Equal(first.Switches, second.Switches);
        Assert.True(first.Routines.Count > 1_000);
    }

    /// <summary>
    /// An interrupt's DPC takes as long in both runs, although in the first many were served by one behind the muted one's. With numbers
    /// drawn in order every length behind the first such place would be another.
    /// </summary>
    [Fact]
    public void Who_is_innocent_takes_as_long_in_a_second_run()
    {
        var draws = new DrawMemory();
        Dictionary<long, long> first = LengthsOf(Noisy(3, draws, _ => false));
        draws.IsComplete = true;
        Assert.InRange(ShareOfEqual(first, LengthsOf(Noisy(3, draws, owner => owner.Name == Loud))), 0.95, 1);
        Assert.InRange(ShareOfEqual(first, LengthsOf(Noisy(3, null, owner => owner.Name == Loud))), 0, 0.2);
    }

    /// <summary>A thread that sleeps in turn is in step again once it has slept, however late it was.</summary>
    [Fact]
    public void A_thread_that_sleeps_wakes_in_a_second_run_when_it_did()
    {
        var draws = new DrawMemory();
        long[] first = Wakes(draws, isMuted: false, shift: 0);
        draws.IsComplete = true;
        Assert.Equal(first.TakeLast(20), Wakes(draws, isMuted: true, shift: 0).TakeLast(20));
        // Not so where the threads are to begin at other times, nor where nothing was kept.
        Assert.NotEqual(first.TakeLast(20), Wakes(draws, isMuted: true, shift: 1).TakeLast(20));
        Assert.NotEqual(first.TakeLast(20), Wakes(null, isMuted: true, shift: 0).TakeLast(20));
    }

    [Fact]
    public void Memory_of_what_was_drawn_has_an_end()
    {
        var draws = new DrawMemory();
        for (ulong occasion = 1; occasion <= DrawMemory.MaximumKept + 3; occasion++)
        {
            draws.Keep(7, occasion, occasion);
        }

        Assert.Equal(DrawMemory.MaximumKept, draws.Count);
        Assert.Equal(DrawMemory.MaximumKept, (long)draws.StateAt(7, DrawMemory.MaximumKept));
        Assert.NotEqual(DrawMemory.MaximumKept + 1, (long)draws.StateAt(7, DrawMemory.MaximumKept + 1));
    }

    private static long[] Wakes(DrawMemory? draws, bool isMuted, int shift)
    {
        var log = new RecordedLog();
        var machine = new Machine(
            Costless() with { IsMuted = owner => isMuted && owner.Name == Loud, Draws = draws, ThreadShift = shift }, log);
        var dpc = new Dpc(Driver(Loud), 0x1000, machine.Body("loud", Code(0x1000), Spread.Constant(6 * Ms)));
        machine.AddTimer("loud", 0, Arrivals.Every(500 * Ms, 3 * Ms), dpc);
        SimulatedThread thread = machine.AddThread(new ThreadOptions
        {
            Process = new SimulatedProcess(500, "sleeper.exe"),
            Priority = 10,
            Affinity = 1,
            Program = Sleeping,
        });
        machine.Run(480 * Ms);
        return [.. log.Switches.Where(change => change.Change.NewThreadId == thread.Id).Select(change => change.TimeNs)];

        static IEnumerable<Step> Sleeping()
        {
            while (true)
            {
                yield return Step.Sleep(4 * Ms);
                yield return Step.Run(User(1), 3 * Ms);
            }
        }
    }

    /// <summary>A loud driver's long DPCs, and another's interrupts at random on the same CPU, which pile up behind them.</summary>
    private static RecordedLog Noisy(ulong seed, DrawMemory? draws, Func<CodeOwner, bool> isMuted)
    {
        var log = new RecordedLog();
        var machine = new Machine(Costless() with { Seed = seed, IsMuted = isMuted, Draws = draws }, log);
        var loud = new Dpc(Driver(Loud), 0x1000, machine.Body("loud", Code(0x1000), Spread.Uniform(2 * Ms, 4 * Ms)));
        machine.AddTimer("loud", 0, Arrivals.Every(20 * Ms), loud);
        SimulatedDevice device = machine.AddDevice(new DeviceOptions
        {
            Name = "other",
            Owner = Driver("other.sys"),
            Vector = 0x61,
            Irql = 6,
            Cpus = [0],
            IsrRoutine = 0x2000,
            IsrCode = Code(0x2000),
            IsrLength = Spread.Uniform(Us, 3 * Us),
            DpcRoutine = 0x3000,
            DpcCode = Code(0x3000),
            DpcLength = Spread.Uniform(5 * Us, 20 * Us),
        });
        device.Interrupt(Arrivals.Random(Spread.Exponential(700 * Us)));
        machine.Run(2 * Second);
        return log;
    }

    /// <summary>Lengths of the other driver's DPCs in nanoseconds, by when they began.</summary>
    private static Dictionary<long, long> LengthsOf(RecordedLog log) =>
        log.Routines.Where(routine => routine.Address == 0x3000)
            .ToDictionary(routine => routine.StartNs, routine => routine.EndNs - routine.StartNs);

    private static double ShareOfEqual(Dictionary<long, long> first, Dictionary<long, long> second)
    {
        long[] both = [.. first.Keys.Where(second.ContainsKey)];
        Assert.True(both.Length > 200, $"{both.Length} of {first.Count} and {second.Count}");
        return (double)both.Count(start => first[start] == second[start]) / both.Length;
    }

    private static (TruthReport Truth, int Wakes) Run(Func<CodeOwner, bool> isMuted)
    {
        var machine = new Machine(Costless(2) with { IsMuted = isMuted }, new RecordedLog { OnlyCounts = true });
        int wakes = 0;
        var done = new KernelEvent(isCounter: true);
        var dpc = new Dpc(Driver(Loud), 0x1000, machine.Body("loud", Code(0x1000), Spread.Uniform(2 * Ms, 4 * Ms), Step.Signal(done)));
        machine.AddTimer("loud", 0, Arrivals.Every(30 * Ms), dpc);
        var other = new Dpc(Driver("other.sys"), 0x2000, machine.Body("other", Code(0x2000), Spread.Uniform(Ms, 2 * Ms)));
        machine.AddTimer("other", 1, Arrivals.Every(50 * Ms), other);
        machine.AddThread(new ThreadOptions
        {
            Process = new SimulatedProcess(500, "audio.exe"),
            Priority = 24,
            Affinity = 1,
            Program = Program,
        });
        machine.Run(Second);
        return (machine.Truth(Declared(Verdict.Driver, Loud, Mechanism.Dpc)), wakes);

        IEnumerable<Step> Program()
        {
            while (true)
            {
                yield return Step.Wait(done);
                wakes++;
                yield return Step.Run(User(0x1000), 50 * Us);
            }
        }
    }

    /// <summary>A thread on CPU 0 that CPU 1 wakes, on a machine without samples.</summary>
    private static Machine Beating(Func<CodeOwner, bool>? isMuted)
    {
        var machine = new Machine(
            Costless(3, Recording.All & ~Recording.Samples) with { IsMuted = isMuted }, new RecordedLog { OnlyCounts = true });
        KernelTimer timer = machine.AddTimer("beat", 1, Arrivals.Every(2 * Ms));
        Periodic(machine, new SimulatedProcess(500, "audio.exe"), 24, 0, timer, Spread.Constant(50 * Us), "audio");
        return machine;
    }

    private static TruthReport Delayed(string how, bool isMuted)
    {
        var machine = new Machine(
            Costless(2) with { IsMuted = isMuted ? owner => owner.Name == Loud : null }, new RecordedLog { OnlyCounts = true });
        CodeOwner loud = Driver(Loud);
        var code = new CodeStretch(loud, new CodePoint(1, [0xFFFFF805_00001000]));
        var spinLock = new KernelSpinLock(0x10);
        machine.AddThread(new ThreadOptions
        {
            Process = new SimulatedProcess(600, "app.exe"),
            Priority = 9,
            Affinity = 1,
            Program = Program,
        });
        KernelTimer timer = machine.AddTimer("tick", 1, Arrivals.Every(2 * Ms));
        Periodic(machine, new SimulatedProcess(500, "audio.exe"), 24, 0, timer, Spread.Constant(50 * Us), "audio");
        machine.Run(Second);
        return machine.Truth(Declared(Verdict.Driver, Loud));

        IEnumerable<Step> Program()
        {
            while (true)
            {
                yield return Step.Sleep(20 * Ms);
                yield return Step.Run(code, 10 * Us);
                foreach (Step step in how switch
                {
                    "masks" => [Step.MaskInterrupts(), Step.Run(code, 3 * Ms), Step.UnmaskInterrupts()],
                    "stands" => [Step.AccessDevice(code, 3 * Ms)],
                    "locks" => [Step.AcquireSpinLock(spinLock, Code(0x7000)), Step.Run(code, 3 * Ms), Step.ReleaseSpinLock(spinLock)],
                    "raises" => [Step.RaiseIrql(Irql.Dispatch), Step.Run(code, 3 * Ms), Step.LowerIrql()],
                    _ => new[] { Step.StallMachine(code, 3 * Ms) },
                })
                {
                    yield return step;
                }
            }
        }
    }
}
