using Tracer.Simulator.Engine;
using static Tracer.Simulator.Tests.Parts;

namespace Tracer.Simulator.Tests;

/// <summary>The truth of a wake-up by a DPC that stood in a queue, from when it was queued.</summary>
public class DeferredDpcTests
{
    private static readonly SimulatedProcess App = new(9, "app.exe");
    private static readonly SimulatedProcess Audio = new(10, "audio.exe");

    [Fact]
    public void A_dpc_of_low_importance_on_a_busy_cpu_is_left_waiting_by_who_queued_it()
    {
        var log = new RecordedLog();
        TrueEpisode episode = Assert.Single(Run(log, DpcImportance.Low, target: null).Episodes);
        long clock = log.Clocks.First(tick => tick.Cpu == 0 && tick.TimeNs > 40 * Ms).TimeNs;
        Assert.Equal((ProbeKind.Thread, 40 * Ms), (episode.Probe, episode.Start.Nanoseconds));
        Assert.Equal(clock + (20 * Us), (episode.Start + episode.Latency).Nanoseconds);
        Assert.Equal(
            [("lazy.sys", Mechanism.DpcDeferred, clock - (40 * Ms)), ("lazy.sys", Mechanism.Dpc, 20 * Us)],
            episode.Causes.Select(cause => (cause.Culprit!, cause.Mechanism, cause.Time.Nanoseconds)));
    }

    [Fact]
    public void A_dpc_for_another_cpu_is_left_waiting_there()
    {
        var log = new RecordedLog();
        TrueEpisode episode = Assert.Single(Run(log, DpcImportance.Medium, target: 1).Episodes);
        long clock = log.Clocks.First(tick => tick.Cpu == 1 && tick.TimeNs > 40 * Ms).TimeNs;
        Assert.Equal(("lazy.sys", Mechanism.DpcDeferred), (episode.Causes[0].Culprit, episode.Causes[0].Mechanism));
        Assert.Equal(clock - (40 * Ms), episode.Causes[0].Time.Nanoseconds);
    }

    [Theory]
    [InlineData(DpcImportance.Medium, null)]
    [InlineData(DpcImportance.High, 1)]
    public void A_dpc_whose_cpu_is_asked_waits_for_nobody(DpcImportance importance, int? target) =>
        Assert.Empty(Run(new RecordedLog(), importance, target).Episodes);

    [Fact]
    public void A_thread_that_is_held_right_after_such_a_wake_up_has_waited_since_the_dpc_was_queued()
    {
        var log = new RecordedLog();
        TrueEpisode episode = Assert.Single(Run(log, DpcImportance.Low, target: null, isHeld: true).Episodes);
        long clock = log.Clocks.First(tick => tick.Cpu == 0 && tick.TimeNs > 40 * Ms).TimeNs;
        Assert.Equal((ProbeKind.Job, 40 * Ms), (episode.Probe, episode.Start.Nanoseconds));
        Assert.Equal(
            [Mechanism.Paging, Mechanism.DpcDeferred, Mechanism.Dpc],
            episode.Causes.Where(cause => cause.Culprit is not null).Select(cause => cause.Mechanism));
        Assert.Equal(clock - (40 * Ms), episode.Causes.Single(cause => cause.Mechanism == Mechanism.DpcDeferred).Time.Nanoseconds);
    }

    [Fact]
    public void Without_records_of_the_queue_nobody_can_tell_that_it_waited() =>
        Assert.Empty(Run(new RecordedLog(), DpcImportance.Low, null, Recording.Usual).Episodes);

    [Fact]
    public void Code_at_raised_irql_that_keeps_a_dpc_in_its_queue_is_to_blame_itself()
    {
        var machine = new Machine(Costless(cpus: 2), new RecordedLog());
        var go = new KernelEvent();
        var raised = new KernelEvent();
        var dpc = new Dpc(Driver("nic.sys"), 0x100, Always(Step.Run(Code(1), 20 * Us), Step.Signal(go))) { RoutineName = "nic.sys+0x1" };
        var service = new Isr(Driver("nic.sys"), 0x200, Always(Step.Run(Code(2), 10 * Us), Step.Queue(dpc), Step.Run(Code(2), 5 * Us)));
        machine.Connect(0x50, 5, [0], service);
        machine.AddThread(new ThreadOptions
        {
            Process = App,
            Priority = 8,
            Affinity = 1,
            Program = Always(
                Step.RaiseIrql(Irql.Dispatch),
                Step.Run(new CodeStretch(Driver("raised.sys"), new CodePoint(1, 0x77)), 10 * Ms),
                Step.LowerIrql(),
                Step.Wait(raised)),
        });
        machine.AddThread(Waiter(go, 1));
        machine.After(7 * Ms, now => now.Raise(service));
        machine.Run(20 * Ms);
        TrueEpisode episode = Assert.Single(machine.Truth(Declared(Verdict.Driver)).Episodes);
        Assert.Equal((7_010 * Us, 3_025 * Us), (episode.Start.Nanoseconds, episode.Latency.Nanoseconds));
        Assert.Equal(
            [
                ("raised.sys", Mechanism.RaisedIrql, 3_000 * Us), ("nic.sys", Mechanism.Dpc, 20 * Us), ("nic.sys", Mechanism.Isr, 5 * Us),
            ],
            episode.Causes.Select(cause => (cause.Culprit!, cause.Mechanism, cause.Time.Nanoseconds)));
    }

    /// <summary>Two CPUs that compute; one DPC is queued after 40 ms and wakes a thread.</summary>
    private static TruthReport Run(
        RecordedLog log, DpcImportance importance, int? target, Recording recording = Recording.All, bool isHeld = false)
    {
        var machine = new Machine(
            Costless(cpus: 2, recording: recording) with { ClockIntervalNs = 15_625 * Us, ThresholdNs = 100 * Us }, log);
        Hog(machine, App, 4, 1);
        Hog(machine, App, 4, 2);
        var go = new KernelEvent();
        var dpc = new Dpc(Driver("lazy.sys"), 0x100, Always(Step.Run(Code(1), 20 * Us), Step.Signal(go)))
        {
            Importance = importance,
            TargetCpu = target,
            RoutineName = "lazy.sys+0x1",
        };
        var service = new Isr(Driver("lazy.sys"), 0x200, Always(Step.Queue(dpc)));
        machine.Connect(0x50, 5, [0], service);
        KernelTimer page = machine.AddTimer("page", 1, Arrivals.Every(40 * Ms, 60 * Ms));
        machine.AddThread(isHeld
            ? Waiter(go, 3) with { Program = Always(Step.Wait(go), Step.WaitHeld(page.Expired, HoldCause.PageFault), Step.Wait(go)) }
            : Waiter(go, 3));
        machine.After(40 * Ms, now => now.Raise(service));
        machine.Run(80 * Ms);
        return machine.Truth(Declared(Verdict.Driver));
    }

    private static ThreadOptions Waiter(KernelEvent go, ulong affinity) => new()
    {
        Process = Audio,
        Priority = 24,
        Affinity = affinity,
        Program = Always(Step.Wait(go), Step.Run(User(1), Us), Step.Wait(go)),
    };
}
