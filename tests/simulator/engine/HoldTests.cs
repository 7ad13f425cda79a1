using Tracer.Simulator.Engine;
using static Tracer.Simulator.Tests.Parts;

namespace Tracer.Simulator.Tests;

/// <summary>Threads that were served and could not go on, and wake-ups that a thread measured itself.</summary>
public class HoldTests
{
    private static readonly SimulatedProcess Audio = new(500, "audio.exe");

    [Fact]
    public void A_fault_right_after_the_wake_up_is_what_the_job_loses()
    {
        TruthReport truth = Run(workBeforeNs: 20 * Us, priority: 24, out RecordedLog log);
        TrueEpisode episode = Assert.Single(truth.Episodes);
        AssertJob(episode, log, workNs: 30 * Us);
        Cause cause = Assert.Single(episode.Causes);
        Assert.Equal((CulpritName.HardPageFaults, Mechanism.Paging), (cause.Culprit, cause.Mechanism));
        Assert.Contains(log.Switches, change => change.Change.OldWaitReason == WaitReason.PageIn);
    }

    [Fact]
    public void A_fault_later_on_is_lost_by_the_same_job()
    {
        TruthReport truth = Run(workBeforeNs: 400 * Us, priority: 24, out RecordedLog log);
        TrueEpisode episode = Assert.Single(truth.Episodes);
        AssertJob(episode, log, workNs: 410 * Us);
        Assert.Equal(Mechanism.Paging, Assert.Single(episode.Causes).Mechanism);
    }

    [Fact]
    public void Faults_in_a_row_are_one_episode()
    {
        TruthReport truth = Run(workBeforeNs: 20 * Us, priority: 24, out RecordedLog log, faults: 2);
        TrueEpisode episode = Assert.Single(truth.Episodes);
        AssertJob(episode, log, workNs: 50 * Us);
        Assert.Equal(Mechanism.Paging, Assert.Single(episode.Causes).Mechanism);
    }

    [Fact]
    public void A_fault_of_an_ordinary_thread_is_no_episode() =>
        Assert.Empty(Run(workBeforeNs: 20 * Us, priority: 9, out _).Episodes);

    [Fact]
    public void What_kept_the_thread_before_it_was_served_stays_in_the_episode()
    {
        TruthReport truth = Run(workBeforeNs: 20 * Us, priority: 24, out _, maskedNs: 2 * Ms);
        TrueEpisode episode = Assert.Single(truth.Episodes, episode => episode.Probe == ProbeKind.Job);
        Assert.True(episode.Causes.Single(cause => cause.Mechanism == Mechanism.RaisedIrql).Time.Nanoseconds > Ms);
        Assert.True(episode.Causes.Single(cause => cause.Mechanism == Mechanism.Paging).Time.Nanoseconds > Ms);
        Assert.Equal(episode.Latency.Nanoseconds, episode.Causes.Sum(cause => cause.Time.Nanoseconds));
    }

    [Fact]
    public void A_measured_wake_up_begins_when_its_timer_was_due_and_the_way_to_the_tick_is_nobodys()
    {
        var log = new RecordedLog();
        var machine = new Machine(Costless(recording: Recording.All & ~Recording.Samples) with { ClockIntervalNs = 3 * Ms }, log);
        KernelTimer timer = machine.AddTimer("measured", 0, Arrivals.Every(10 * Ms));
        SimulatedThread? self = null;
        self = machine.AddThread(new ThreadOptions { Process = Audio, Priority = 28, Program = Program });
        machine.Run(Second);
        TruthReport truth = machine.Truth(Declared(Verdict.None));
        Assert.InRange(truth.Episodes.Count, 60, 99);
        Every.Item(truth.Episodes, episode =>
        {
            Assert.Equal(ProbeKind.Wakeup, episode.Probe);
            Assert.Equal(0, episode.Start.Nanoseconds % (10 * Ms));
            Assert.Contains((episode.Start.Nanoseconds + episode.Latency.Nanoseconds, 0), log.Clocks);
            Cause cause = Assert.Single(episode.Causes);
            Assert.Equal((null, Mechanism.TimerTick, episode.Latency), (cause.Culprit, cause.Mechanism, cause.Time));
        });
        Assert.Empty(truth.Culprits);

        IEnumerable<Step> Program()
        {
            while (true)
            {
                yield return Step.Wait(timer.Expired);
                machine.Measure(timer, self!, machine.ClockDueNs(0));
                yield return Step.Run(User(1), 10 * Us);
            }
        }
    }

    /// <summary>It began when the thread was made ready, and all but its work is lost.</summary>
    private static void AssertJob(TrueEpisode episode, RecordedLog log, long workNs)
    {
        long ready = log.Readied.First(ready => ready.TimeNs > 9 * Ms).TimeNs;
        long end = LastSwitch(log) + (10 * Us);
        Assert.Equal((ProbeKind.Job, ready), (episode.Probe, episode.Start.Nanoseconds));
        EpisodeJob job = episode.Job!;
        Assert.Equal((ready, workNs, end), (job.Ready!.Value.Nanoseconds, job.Work.Nanoseconds, job.End.Nanoseconds));
        Assert.Equal((end - ready - workNs, job.Lost), (episode.Latency.Nanoseconds, episode.Latency));
    }

    private static long LastSwitch(RecordedLog log) => log.Switches.Last(change => change.Change.NewThreadId != 0).TimeNs;

    private static TruthReport Run(long workBeforeNs, int priority, out RecordedLog log, long maskedNs = 0, int faults = 1)
    {
        log = new RecordedLog();
        var machine = new Machine(Costless(2, Recording.All & ~Recording.Samples), log);
        KernelTimer timer = machine.AddTimer("audio", 1, Arrivals.Every(10 * Ms));
        KernelTimer page = machine.AddTimer("page", 1, Arrivals.Every(15 * Ms));
        machine.AddThread(new ThreadOptions { Process = Audio, Priority = priority, Affinity = 1, Program = Faulting });
        if (maskedNs > 0)
        {
            machine.AddThread(new ThreadOptions { Process = new SimulatedProcess(600, "app.exe"), Affinity = 1, Program = Raising });
        }

        machine.Run(40 * Ms);
        return machine.Truth(Declared(Verdict.Kernel));

        IEnumerable<Step> Faulting()
        {
            yield return Step.Wait(timer.Expired);
            for (int i = 0; i < faults; i++)
            {
                yield return Step.Run(User(1), workBeforeNs);
                yield return Step.WaitHeld(page.Expired, HoldCause.PageFault);
            }

            yield return Step.Run(User(1), 10 * Us);
        }

        IEnumerable<Step> Raising()
        {
            CodeStretch driver = new(Driver("raised.sys"), new CodePoint(1, 0xFFFFF805_00060000));
            yield return Step.Run(User(0x3000), (10 * Ms) - (100 * Us));
            yield return Step.RaiseIrql(Irql.Dispatch);
            yield return Step.Run(driver, maskedNs + Ms);
            yield return Step.LowerIrql();
        }
    }
}
