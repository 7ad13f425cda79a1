using Tracer.Simulator.Engine;

namespace Tracer.Simulator.Tests;

/// <summary>What holds for every machine, whatever runs on it.</summary>
[Trait("Speed", "slow")]
public class MachineTests
{
    public static TheoryData<ulong, int> Machines
    {
        get
        {
            var data = new TheoryData<ulong, int>();
            for (ulong seed = 1; seed <= (Selection.IsAll ? 6u : 2u); seed++)
            {
                data.Add(seed, 1);
                data.Add(seed, 2);
                data.Add(seed, 4);
            }

            data.Add(1, 96);
            return data;
        }
    }

    [Fact]
    public void The_same_seed_gives_the_same_calls_and_another_one_others()
    {
        string first = Digest(3);
        Assert.Equal(first, Digest(3));
        Assert.NotEqual(first, Digest(4));

        static string Digest(ulong seed) => Parts.Busy(seed, 2, Parts.Second, withDigest: true).Log.Digest();
    }

    [Theory]
    [MemberData(nameof(Machines))]
    public void Routines_of_a_cpu_nest(ulong seed, int cpus)
    {
        RecordedLog log = Parts.Busy(seed, cpus, Parts.Second).Log;
        Assert.True(log.Routines.Count > 500);
        foreach (var cpu in log.Routines.Where(routine => routine.Kind != DpcRecordKind.Threaded).GroupBy(routine => routine.Cpu))
        {
            var open = new Stack<RecordedLog.Routine>();
            foreach (RecordedLog.Routine routine in cpu.OrderBy(routine => routine.StartNs).ThenByDescending(routine => routine.EndNs))
            {
                while (open.TryPeek(out RecordedLog.Routine? outer) && outer.EndNs <= routine.StartNs)
                {
                    open.Pop();
                }

                Assert.True(open.Count == 0 || open.Peek().EndNs >= routine.EndNs);
                Assert.False(open.Count > 0 && routine.Kind is not null, "A DPC ran on top of something.");
                open.Push(routine);
            }
        }
    }

    [Theory]
    [MemberData(nameof(Machines))]
    public void A_thread_runs_on_one_cpu_at_a_time_and_where_it_may(ulong seed, int cpus)
    {
        (Machine machine, RecordedLog log) = Parts.Busy(seed, cpus, Parts.Second);
        var affinities = machine.Threads.ToDictionary(thread => thread.Id, thread => thread.Affinity);
        var current = new uint[cpus];
        var running = new HashSet<uint>();
        foreach (RecordedLog.Switch change in log.Switches)
        {
            Assert.Equal(current[change.Cpu], change.Change.OldThreadId);
            Assert.NotEqual(change.Change.OldThreadId, change.Change.NewThreadId);
            running.Remove(change.Change.OldThreadId);
            current[change.Cpu] = change.Change.NewThreadId;
            Assert.True(change.Change.NewThreadId == 0 || running.Add(change.Change.NewThreadId), "One thread on two CPUs.");
            Assert.True(change.Change.NewThreadId == 0 || ((affinities[change.Change.NewThreadId] >> change.Cpu) & 1) != 0);
        }

        Assert.True(log.Switches.Count > 500);
    }

    [Theory]
    [MemberData(nameof(Machines))]
    public void Samples_name_the_thread_and_level_that_other_records_show(ulong seed, int cpus)
    {
        RecordedLog log = Parts.Busy(seed, cpus, Parts.Second).Log;
        ILookup<int, RecordedLog.Switch> switchesOf = log.Switches.ToLookup(change => change.Cpu);
        ILookup<int, RecordedLog.Sampled> samplesOf = log.Samples.ToLookup(sample => sample.Cpu);
        for (int cpu = 0; cpu < cpus; cpu++)
        {
            RecordedLog.Switch[] switches = [.. switchesOf[cpu]];
            int next = 0;
            foreach (RecordedLog.Sampled sample in samplesOf[cpu])
            {
                while (next < switches.Length && switches[next].TimeNs <= sample.TimeNs)
                {
                    next++;
                }

                Assert.Equal(next == 0 ? 0 : switches[next - 1].Change.NewThreadId, sample.ThreadId);
                Assert.Equal(sample.Instruction, sample.Stack[0]);
            }
        }

        foreach (RecordedLog.Routine routine in log.Routines.Where(routine => routine.Kind is null))
        {
            Assert.All(
                samplesOf[routine.Cpu].Where(sample => sample.TimeNs > routine.StartNs && sample.TimeNs < routine.EndNs),
                sample => Assert.True(sample.IsInIsr));
        }
    }

    [Theory]
    [MemberData(nameof(Machines))]
    public void Causes_add_up_to_the_latency_and_culprits_to_the_causes(ulong seed, int cpus)
    {
        TruthReport truth = Parts.Busy(seed, cpus, 2 * Parts.Second).Machine.Truth(Parts.Declared(Verdict.Driver));
        Assert.NotEmpty(truth.Episodes);
        foreach (TrueEpisode episode in truth.Episodes)
        {
            Assert.True(episode.Latency >= truth.Threshold || episode.Job is { Deadline: { } deadline } job && job.End > deadline);
            Assert.Equal(episode.Latency.Nanoseconds, episode.Causes.Sum(cause => cause.Time.Nanoseconds));
            Assert.All(episode.Causes, cause => Assert.True(cause.Time > Duration.Zero));
            Assert.Equal(episode.Probe is ProbeKind.Thread or ProbeKind.Job, episode.Thread is not null);
        }

        AddUp(truth.Culprits, [.. truth.Episodes.Where(episode => !episode.Secondary)]);
        AddUp(truth.Secondary ?? [], [.. truth.Episodes.Where(episode => episode.Secondary)]);
        Assert.Equal(truth.Episodes.OrderBy(episode => episode.Start), truth.Episodes);

        static void AddUp(IReadOnlyList<TrueCulprit> culprits, TrueEpisode[] episodes)
        {
            long blamed = episodes.SelectMany(episode => episode.Causes).Where(cause => cause.Culprit is not null)
                .Sum(cause => cause.Time.Nanoseconds);
            Assert.Equal(blamed, culprits.Sum(culprit => culprit.Blamed.Nanoseconds));
            double unexplained = 1 - ((double)blamed / Math.Max(1, episodes.Sum(episode => episode.Latency.Nanoseconds)));
            Assert.Equal(1, culprits.Sum(culprit => culprit.Share) + unexplained, 1e-9);
        }
    }

    [Theory]
    [MemberData(nameof(Machines))]
    public void Every_late_wake_up_of_the_log_is_an_episode_and_no_other(ulong seed, int cpus)
    {
        (Machine machine, RecordedLog log) = Parts.Busy(seed, cpus, 2 * Parts.Second);
        var victims = machine.Threads.Where(thread => thread.BasePriority >= 16).Select(thread => thread.Id).ToHashSet();
        List<(long ReadyNs, long LatencyNs, int Cpu, long ThreadId)> expected = [];
        foreach (RecordedLog.Ready ready in log.Readied.Where(ready => victims.Contains(ready.ThreadId)))
        {
            // A thread that became ready while its CPU was still switching away from it goes on without a switch, and waits again later.
            RecordedLog.Switch? run = log.Switches.FirstOrDefault(change =>
                (change.TimeNs >= ready.TimeNs && change.Change.NewThreadId == ready.ThreadId)
                || (change.TimeNs > ready.TimeNs && change.Change.OldThreadId == ready.ThreadId && change.Change.OldState == 5));
            if (run is not null && run.Change.NewThreadId == ready.ThreadId && run.TimeNs - ready.TimeNs >= machine.Options.ThresholdNs)
            {
                expected.Add((ready.TimeNs, run.TimeNs - ready.TimeNs, run.Cpu, ready.ThreadId));
            }
        }

        // What a job lost before it ran is told with the rest of it.
        TruthReport truth = machine.Truth(Parts.Declared(Verdict.Driver));
        var jobs = truth.Episodes.Where(episode => episode.Job is not null)
            .ToLookup(episode => episode.Thread!.Tid, episode => (episode.Start, episode.Job!.End));
        Assert.Equal(
            expected.Where(wait => !jobs[wait.ThreadId].Any(
                job => job.Start.Nanoseconds <= wait.ReadyNs && wait.ReadyNs + wait.LatencyNs <= job.End.Nanoseconds)).Order(),
            truth.Episodes.Where(episode => episode is { Probe: ProbeKind.Thread, Thread.Priority: >= 16, LateTimerCpu: null })
                .Select(episode => (episode.Start.Nanoseconds, episode.Latency.Nanoseconds, episode.Cpu!.Value, episode.Thread!.Tid))
                .Order());
    }

    [Fact]
    public void A_program_that_takes_no_time_is_told_and_does_not_hang()
    {
        var machine = new Machine(new MachineOptions { Seed = 1 }, new RecordedLog());
        machine.AddThread(new ThreadOptions { Process = machine.SystemProcess, Program = Endless });
        InvalidOperationException told = Assert.Throws<InvalidOperationException>(() => machine.Run(Parts.Ms));
        Assert.Contains("runs in no time", told.Message, StringComparison.Ordinal);

        static IEnumerable<Step> Endless()
        {
            while (true)
            {
                yield return Step.Yield();
            }
        }
    }

    [Fact]
    public void A_second_costs_the_same_however_many_there_are()
    {
        _ = Allocated(1);
        (long few, long fewRecords) = Allocated(5);
        (long many, long manyRecords) = Allocated(20);
        Assert.True(manyRecords > 3 * fewRecords, $"{fewRecords} records, and {manyRecords} in four times as long");
        Assert.True(many < 5 * few, $"{few} bytes for five seconds, {many} for four times as long");

        static (long Bytes, long Records) Allocated(int seconds)
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            RecordedLog log = Parts.Busy(1, 4, seconds * Parts.Second, onlyCounts: true).Log;
            return (GC.GetAllocatedBytesForCurrentThread() - before, log.Count);
        }
    }
}
