using Tracer.Simulator.Engine;
using static Tracer.Simulator.Tests.Parts;

namespace Tracer.Simulator.Tests;

/// <summary>What a thread loses between its wake-up and the end of its work, and when that makes an episode.</summary>
public class JobTests
{
    private const byte Ready = 1;
    private const byte Waiting = 5;

    private static readonly SimulatedProcess Audio = new(500, "audio.exe");
    private static readonly SimulatedProcess Other = new(600, "other.exe");

    [Fact]
    public void Short_dpcs_make_a_job_miss_its_deadline_and_no_stretch_reaches_the_threshold()
    {
        TrueEpisode episode = Assert.Single(Interrupted(dpcs: 35, dpcNs: 200 * Us).Episodes);
        EpisodeJob job = episode.Job!;
        Assert.Equal(ProbeKind.Job, episode.Probe);
        Assert.Equal((4 * Ms, 7 * Ms), (job.Work.Nanoseconds, job.Lost.Nanoseconds));
        Assert.Equal(job.Ready, episode.Start);
        Assert.Equal(job.Run, job.Ready);
        Assert.True(job.End > job.Deadline);
        Cause cause = Assert.Single(episode.Causes);
        Assert.Equal(("nic.sys", Mechanism.Dpc, 7 * Ms), (cause.Culprit, cause.Mechanism, cause.Time.Nanoseconds));
        Assert.Null(cause.Chain);
    }

    [Fact]
    public void Short_dpcs_that_leave_a_job_in_time_are_no_episode() => Assert.Empty(Interrupted(dpcs: 10, dpcNs: 200 * Us).Episodes);

    [Fact]
    public void One_stretch_of_the_threshold_is_an_episode_and_one_below_is_none()
    {
        long threshold = Defaults.Threshold.Nanoseconds;
        TrueEpisode episode = Assert.Single(Interrupted(dpcs: 1, dpcNs: threshold).Episodes);
        Assert.Equal((ProbeKind.Job, threshold), (episode.Probe, episode.Latency.Nanoseconds));
        Assert.True(episode.Job!.End < episode.Job.Deadline);
        Assert.Empty(Interrupted(dpcs: 1, dpcNs: threshold - 1).Episodes);
    }

    [Fact]
    public void Own_work_beyond_the_deadline_is_nobodys() => Assert.Empty(Interrupted(dpcs: 2, dpcNs: 200 * Us, workNs: 14 * Ms).Episodes);

    [Fact]
    public void A_preempted_job_is_ready_without_a_record_and_the_higher_thread_has_its_time()
    {
        var log = new RecordedLog();
        Machine machine = Working(log, 4 * Ms, out SimulatedThread victim);
        var go = new KernelEvent();
        machine.AddThread(new ThreadOptions
        {
            Process = Other,
            Priority = 31,
            Affinity = 1,
            Program = Always(Step.Sleep(11 * Ms), Step.Run(User(2), 5 * Ms), Step.Wait(go)),
        });
        machine.Run(30 * Ms);
        TrueEpisode episode = Assert.Single(machine.Truth(Declared(Verdict.Process)).Episodes);
        Cause cause = Assert.Single(episode.Causes);
        Assert.Equal((Other.ImageName, Mechanism.Thread, 5 * Ms), (cause.Culprit, cause.Mechanism, cause.Time.Nanoseconds));
        Assert.Equal((4 * Ms, 5 * Ms), (episode.Job!.Work.Nanoseconds, episode.Job.Lost.Nanoseconds));
        RecordedLog.Switch away = log.Switches.Single(change => change.Change.OldThreadId == victim.Id && change.Change.OldState == Ready);
        Assert.Equal(WaitReason.DispatchInterrupt, away.Change.OldWaitReason);
        RecordedLog.Switch back = log.Switches.First(change => change.Change.NewThreadId == victim.Id && change.TimeNs > away.TimeNs);
        Assert.Equal(5 * Ms, back.TimeNs - away.TimeNs);
        Assert.DoesNotContain(log.Readied, made => made.ThreadId == victim.Id && made.TimeNs >= away.TimeNs && made.TimeNs <= back.TimeNs);
    }

    [Fact]
    public void A_stop_of_all_cpus_inside_a_job_is_lost_to_the_hardware()
    {
        Machine machine = Working(new RecordedLog(), 4 * Ms, out _);
        machine.After(12 * Ms, engine => engine.StallNow(CodeOwner.Hardware, 3 * Ms));
        machine.Run(30 * Ms);
        TrueEpisode episode = Assert.Single(machine.Truth(Declared(Verdict.Hardware)).Episodes);
        Assert.Equal((ProbeKind.Job, 3 * Ms), (episode.Probe, episode.Latency.Nanoseconds));
        Assert.Equal(Mechanism.Blackout, Assert.Single(episode.Causes).Mechanism);
    }

    [Fact]
    public void Of_a_thread_that_computes_without_end_each_stretch_is_an_episode()
    {
        var machine = new Machine(Costless(), new RecordedLog { OnlyCounts = true });
        Hog(machine, Audio, 20);
        Isr device = Device(machine, Step.Run(Code(0x1000), 2 * Ms));
        machine.RaiseAgain("nic", device, Arrivals.Every(200 * Ms));
        machine.Run(3 * Second);
        TruthReport truth = machine.Truth(Declared(Verdict.Driver));
        Assert.Equal(14, truth.Episodes.Count);
        Every.Item(truth.Episodes, episode =>
        {
            Assert.Equal((ProbeKind.Job, 2 * Ms, 0), (episode.Probe, episode.Latency.Nanoseconds, episode.Start.Nanoseconds % (200 * Ms)));
            Assert.False(episode.Secondary);
        });
    }

    [Fact]
    public void The_clock_over_a_dpc_is_no_work_of_the_thread_below()
    {
        var machine = new Machine(
            Costless(recording: Recording.All & ~Recording.Samples) with { ClockCostNs = 5 * Us }, new RecordedLog { OnlyCounts = true });
        Hog(machine, Audio, 20);
        Isr device = Device(machine, Step.Run(Code(0x1000), 4 * Ms));
        machine.After(5 * Ms, engine => engine.Raise(device));
        machine.Run(1100 * Ms);
        TrueEpisode episode = Assert.Single(machine.Truth(Declared(Verdict.Driver)).Episodes);
        Assert.Equal((4 * Ms) + (4 * 5 * Us), episode.Latency.Nanoseconds);
        Assert.Equal(4 * Ms, episode.Causes.Single(cause => cause.Mechanism == Mechanism.Dpc).Time.Nanoseconds);
        Assert.Equal(0, episode.Job!.Work.Nanoseconds);
    }

    [Fact]
    public void Who_preempts_the_holder_of_a_lock_has_the_time_of_the_thread_that_waits_for_it()
    {
        var log = new RecordedLog();
        var machine = new Machine(Costless(2), log);
        KernelTimer timer = machine.AddTimer("audio", 0, Arrivals.Every(10 * Ms));
        var shared = new ThreadLock();
        SimulatedThread victim = machine.AddThread(new ThreadOptions
        {
            Process = Audio,
            Priority = 24,
            Affinity = 1,
            Program = Always(
                Step.Wait(timer.Expired), Step.Run(User(1), Ms), Step.TakeLock(shared), Step.Run(User(1), Ms), Step.GiveLock(shared)),
        });
        SimulatedThread holder = machine.AddThread(new ThreadOptions
        {
            Process = Audio,
            Priority = 8,
            Affinity = 2,
            Program = Always(
                Step.Run(User(3), 10 * Ms), Step.TakeLock(shared), Step.Run(User(3), 2 * Ms), Step.GiveLock(shared), Step.Run(User(3), Ms)),
        });
        machine.AddThread(new ThreadOptions
        {
            Process = Other,
            Priority = 12,
            Affinity = 2,
            Program = Always(Step.Sleep(11 * Ms), Step.Run(User(2), 5 * Ms)),
        });
        machine.Run(40 * Ms);
        TrueEpisode episode = Assert.Single(machine.Truth(Declared(Verdict.Process)).Episodes);
        Assert.Equal(ProbeKind.Job, episode.Probe);
        Cause first = episode.Causes[0];
        Assert.Equal((Other.ImageName, Mechanism.Thread), (first.Culprit, first.Mechanism));
        ChainLink link = Assert.Single(first.Chain!);
        Assert.Equal((holder.Id, Audio.ImageName, "waited for a CPU"), (link.Thread, link.Process, link.Why));
        Assert.Equal("ran", Assert.Single(episode.Causes[1].Chain!).Why);
        Assert.Equal(episode.Latency.Nanoseconds, episode.Causes.Sum(cause => cause.Time.Nanoseconds));
        RecordedLog.Switch waits = log.Switches.First(change => change.Change.OldThreadId == victim.Id
            && change.Change.OldWaitReason == WaitReason.AlertByThreadId);
        Assert.Equal(Waiting, waits.Change.OldState);
        RecordedLog.Ready made = log.Readied.First(made => made.ThreadId == victim.Id && made.TimeNs > waits.TimeNs);
        Assert.Equal(1, made.Cpu);
    }

    [Fact]
    public void What_keeps_who_should_signal_is_the_cause_of_a_late_beat()
    {
        TrueEpisode episode = Assert.Single(Produced(usualNs: Ms, lateNs: Ms, hogNs: 4 * Ms).Episodes);
        Cause cause = Assert.Single(episode.Causes);
        Assert.Equal((Other.ImageName, Mechanism.Thread, 4 * Ms), (cause.Culprit, cause.Mechanism, cause.Time.Nanoseconds));
        Assert.Equal("waited for a CPU", Assert.Single(cause.Chain!).Why);
    }

    [Fact]
    public void Who_should_signal_and_computes_for_too_long_is_the_cause_himself()
    {
        TrueEpisode episode = Assert.Single(Produced(usualNs: Ms, lateNs: 6 * Ms, hogNs: 0).Episodes);
        Cause cause = Assert.Single(episode.Causes);
        Assert.Equal(("mixer.exe", Mechanism.Thread, 5 * Ms), (cause.Culprit, cause.Mechanism, cause.Time.Nanoseconds));
        Assert.Equal("ran", Assert.Single(cause.Chain!).Why);
    }

    [Fact]
    public void A_chain_goes_on_to_whom_the_one_before_it_waited_for()
    {
        var machine = new Machine(Costless(2), new RecordedLog());
        long phase = machine.ClockPhaseNs(1);
        KernelTimer timer = machine.AddTimer("mixer", 1, Arrivals.Every(20 * Ms, (20 * Ms) + phase));
        var mixed = new KernelEvent { Beat = new ExpectedBeat((20 * Ms) + phase, 20 * Ms) };
        var shared = new ThreadLock();
        SimulatedThread mixer = Bound(
            new SimulatedProcess(550, "mixer.exe"), 15, 2,
            Step.Wait(timer.Expired), Step.TakeLock(shared), Step.GiveLock(shared), Step.Signal(mixed));
        SimulatedThread holder = Bound(
            Audio, 8, 2,
            Step.Run(User(3), (20 * Ms) - Ms), Step.TakeLock(shared), Step.Run(User(3), (2 * Ms) + phase), Step.GiveLock(shared));
        Isr device = Device(machine, Step.Run(Code(0x1000), 5 * Ms), cpu: 1);
        machine.After((20 * Ms) + phase + (100 * Us), engine => engine.Raise(device));
        Bound(Audio, 24, 1, Step.Wait(mixed), Step.Run(User(1), Ms));
        machine.Run(60 * Ms);
        TrueEpisode episode = Assert.Single(machine.Truth(Declared(Verdict.Driver)).Episodes);
        Assert.Equal((20 * Ms) + phase, episode.Start.Nanoseconds);
        Cause first = episode.Causes[0];
        Assert.Equal(("nic.sys", Mechanism.Dpc, 5 * Ms), (first.Culprit, first.Mechanism, first.Time.Nanoseconds));
        Assert.Equal([(mixer.Id, "waited for the next"), (holder.Id, "ran")], first.Chain!.Select(link => ((uint)link.Thread, link.Why)));

        SimulatedThread Bound(SimulatedProcess process, int priority, ulong affinity, params Step[] steps) => machine.AddThread(
            new ThreadOptions { Process = process, Priority = priority, Affinity = affinity, Program = Always(steps) });
    }

    [Fact]
    public void A_beat_that_comes_in_time_is_no_episode() => Assert.Empty(Produced(usualNs: Ms, lateNs: Ms, hogNs: 0).Episodes);

    [Fact]
    public void What_a_device_is_late_by_itself_is_nobodys()
    {
        var machine = new Machine(Costless(), new RecordedLog());
        var played = new KernelEvent { Beat = new ExpectedBeat(10 * Ms, 10 * Ms) };
        Isr device = Device(machine, Step.Signal(played));
        machine.After(10 * Ms, engine => engine.Raise(device));
        machine.After(24 * Ms, engine => engine.Raise(device));
        machine.AddThread(new ThreadOptions
        {
            Process = Audio,
            Priority = 24,
            Program = Always(Step.Wait(played), Step.Run(User(1), Ms), Step.Wait(played), Step.Run(User(1), Ms), Step.Wait(played)),
        });
        machine.Run(40 * Ms);
        TruthReport truth = machine.Truth(Declared(Verdict.Unknown));
        TrueEpisode episode = Assert.Single(truth.Episodes);
        Assert.Equal((20 * Ms, 4 * Ms), (episode.Start.Nanoseconds, episode.Latency.Nanoseconds));
        Assert.Equal(Mechanism.Unexplained, Assert.Single(episode.Causes).Mechanism);
        Assert.Empty(truth.Culprits);
    }

    /// <summary>A job of one turn with so many DPCs in it, 50 us apart.</summary>
    private static TruthReport Interrupted(int dpcs, long dpcNs, long workNs = 4 * Ms)
    {
        Machine machine = Working(new RecordedLog(), workNs, out _);
        Isr device = Device(machine, Step.Run(Code(0x1000), dpcNs));
        for (int i = 0; i < dpcs; i++)
        {
            machine.After((11 * Ms) + (i * (dpcNs + (50 * Us))), engine => engine.Raise(device));
        }

        machine.Run(40 * Ms);
        return machine.Truth(Declared(Verdict.Driver));
    }

    /// <summary>A device whose ISR does nothing but queue its DPC.</summary>
    private static Isr Device(Machine machine, Step inDpc, int cpu = 0)
    {
        CodeOwner owner = Driver("nic.sys");
        var dpc = new Dpc(owner, 0x100, Always(inDpc)) { RoutineName = "nic.sys+0x100" };
        var service = new Isr(owner, 0x200, Always(Step.Queue(dpc)));
        machine.Connect(0x70, 7, [cpu], service);
        return service;
    }

    /// <summary>A thread on the only CPU that works once, on the first beat of its timer.</summary>
    private static Machine Working(RecordedLog log, long workNs, out SimulatedThread victim)
    {
        var machine = new Machine(Costless(), log);
        KernelTimer timer = machine.AddTimer("audio", 0, Arrivals.Every(10 * Ms));
        var never = new KernelEvent();
        victim = machine.AddThread(new ThreadOptions
        {
            Process = Audio,
            Priority = 24,
            Program = Always(Step.Wait(timer.Expired), Step.Run(User(1), workNs), Step.Wait(never)),
        });
        return machine;
    }

    /// <summary>
    /// A mixer on the second CPU makes a callback on the first ready; its second turn takes longer, or somebody preempts it.
    /// </summary>
    private static TruthReport Produced(long usualNs, long lateNs, long hogNs)
    {
        var machine = new Machine(Costless(2), new RecordedLog());
        long phase = machine.ClockPhaseNs(1);
        KernelTimer timer = machine.AddTimer("mixer", 1, Arrivals.Every(20 * Ms, (20 * Ms) + phase));
        var mixed = new KernelEvent { Beat = new ExpectedBeat((20 * Ms) + phase + usualNs, 20 * Ms) };
        machine.AddThread(new ThreadOptions
        {
            Process = new SimulatedProcess(550, "mixer.exe"),
            Priority = 15,
            Affinity = 2,
            Program = Always(
                Step.Wait(timer.Expired), Step.Run(User(2), usualNs), Step.Signal(mixed),
                Step.Wait(timer.Expired), Step.Run(User(2), lateNs), Step.Signal(mixed)),
        });
        machine.AddThread(new ThreadOptions
        {
            Process = Audio,
            Priority = 24,
            Affinity = 1,
            Program = Always(Step.Wait(mixed), Step.Run(User(1), Ms), Step.Wait(mixed), Step.Run(User(1), Ms)),
        });
        KernelTimer other = machine.AddTimer("hog", 1, Arrivals.Every(Second, (40 * Ms) + phase + 1));
        machine.AddThread(new ThreadOptions
        {
            Process = Other,
            Priority = 17,
            Affinity = 2,
            Program = Always(Step.Wait(other.Expired), Step.Run(User(3), hogNs)),
        });
        machine.Run(100 * Ms);
        return machine.Truth(Declared(Verdict.Process));
    }
}
