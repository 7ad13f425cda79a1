using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using static Tracer.Simulator.Tests.Parts;

namespace Tracer.Simulator.Tests;

/// <summary>
/// The truth of a machine on which everything happens at once, computed again from the log and from notes that the simulated programs
/// take of when they masked interrupts, raised the IRQL, read a slow device, stalled the machine or waited for a lock,
/// and of when a hypervisor took a CPU away.
/// </summary>
[Trait("Speed", "slow")]
public class TruthOracleTests
{
    private const ulong LazyRoutine = 0xFFFFF805_00009000;

    private enum Wait
    {
        InQueue,
        OfTimer,
        OfLevel,
        OfThread,
        AtWork,
        OfGap,
    }

    private enum Note
    {
        Raised,
        Masked,
        Stalled,
        Taken,
        Read,
        SpunInThread,
        SpunInDpc,
    }

    /// <summary>What the oracle knows: the log, the notes, and the CPUs that each thread may use.</summary>
    private sealed record Evidence(
        RecordedLog Log,
        List<(Note Kind, int Cpu, long StartNs, long EndNs)> Notes,
        Dictionary<long, ulong> Affinities,
        Dictionary<long, ulong> LazyThreads,
        int Cpus)
    {
        public List<(int Cpu, long StartNs, long EndNs)> Exits { get; init; } = [];
    }

    public static TheoryData<ulong, int> Machines => Selection.IsAll ? new((1, 1), (2, 2), (3, 2), (4, 3), (5, 4)) : new((1, 1), (5, 4));

    [Theory]
    [MemberData(nameof(Machines))]
    public void Every_nanosecond_of_every_episode_has_the_mechanism_that_log_and_notes_show(ulong seed, int cpus)
    {
        var known = new Evidence(new RecordedLog(), [], [], [], cpus);
        TruthReport truth = Run(seed, cpus, known);
        List<(Note Kind, int Cpu, long StartNs, long EndNs)> notes = InTurn(known.Notes);
        known = known with
        {
            Notes = [.. notes.Select(note => note.Kind == Note.Read
                ? (Note.Masked, note.Cpu, note.StartNs, AccessEnds(notes, note.Cpu, note.StartNs, note.EndNs - note.StartNs))
                : note)],
        };
        known = known with
        {
            Exits = [.. known.Log.Exits.Select(
                exit => (exit.Cpu, ExitBegins(known.Notes, exit.Cpu, exit.TimeNs, exit.LatencyNs), exit.TimeNs))],
        };
        Assert.True(truth.Episodes.Count > 50);
        foreach (TrueEpisode episode in truth.Episodes)
        {
            var causes = episode.Causes.GroupBy(cause => cause.Mechanism)
                .ToDictionary(group => (int)group.Key, group => group.Sum(cause => cause.Time.Nanoseconds));
            if (episode.Cpu is null)
            {
                // A stall that several CPUs saw: nobody's timeline but that of the first that was due.
                Assert.Equal((ProbeKind.Gap, (int)Mechanism.Blackout), (episode.Probe, causes.MaxBy(cause => cause.Value).Key));
                continue;
            }

            Assert.Equal(Expected(known, episode).OrderBy(pair => pair.Key), causes.OrderBy(pair => pair.Key));
        }

        Mechanism[] seen = [.. truth.Episodes.SelectMany(episode => episode.Causes).Select(cause => cause.Mechanism).Distinct()];
        Mechanism[] always =
        [
            Mechanism.Isr, Mechanism.Dpc, Mechanism.DpcDeferred, Mechanism.Thread, Mechanism.Blackout, Mechanism.RaisedIrql,
            Mechanism.Hypervisor,
        ];
        Assert.Superset(always.ToHashSet(), seen.ToHashSet());
        Assert.Equal(cpus > 1, seen.Contains(Mechanism.SpinWait));
        Assert.True(cpus == 1 || seen.Contains(Mechanism.IdleExit));
        Assert.Equal(LeavesQueues(seed), seen.Contains(Mechanism.Scheduler));
        Assert.Equal(4, truth.Episodes.Select(episode => episode.Probe).Distinct().Count());
    }

    private static Dictionary<int, long> Expected(Evidence known, TrueEpisode episode)
    {
        long start = episode.Start.Nanoseconds;
        long end = start + episode.Latency.Nanoseconds;
        var times = new Dictionary<int, long>();
        if (episode.Thread is VictimThread victim && known.LazyThreads.TryGetValue(victim.Tid, out ulong routine))
        {
            // Its wake-up began in a queue: that of the CPU on which the DPC ran that made it ready.
            RecordedLog.Ready ready = known.Log.Readied.Last(ready => ready.ThreadId == victim.Tid && ready.TimeNs <= end);
            RecordedLog.Routine dpc = known.Log.Routines.Single(
                ran => ran.Address == routine && ran.StartNs <= ready.TimeNs && ran.EndNs >= ready.TimeNs);
            Assert.Contains(known.Log.DpcsEnqueued, queued => queued.TimeNs == start && queued.TargetCpu == dpc.Cpu);
            Divide(known, times, start, dpc.StartNs, dpc.Cpu, Wait.InQueue, episode);
            Divide(known, times, dpc.StartNs, ready.TimeNs, dpc.Cpu, Wait.OfLevel, episode);
            start = ready.TimeNs;
        }

        if (episode.LateTimerCpu is int timerCpu)
        {
            long ready = known.Log.Readied.Last(ready => ready.ThreadId == episode.Thread!.Tid && ready.TimeNs <= end).TimeNs;
            Divide(known, times, start, ready, timerCpu, Wait.OfTimer, episode);
            start = ready;
        }

        if (episode.Job is EpisodeJob job)
        {
            DivideJob(known, times, start, episode, job);
            return times;
        }

        Wait kind = episode.Probe switch { ProbeKind.Thread => Wait.OfThread, ProbeKind.Level => Wait.OfLevel, _ => Wait.OfGap };
        Divide(known, times, start, end, episode.Cpu!.Value, kind, episode);
        return times;
    }

    /// <summary>What a job lost from when it was ready: while it waited for a CPU, and to what interrupted it.</summary>
    private static void DivideJob(Evidence known, Dictionary<int, long> times, long start, TrueEpisode episode, EpisodeJob job)
    {
        long tid = episode.Thread!.Tid;
        int cpu = episode.Cpu!.Value;
        Divide(known, times, start, job.Run.Nanoseconds, cpu, Wait.OfThread, episode);
        long at = job.Run.Nanoseconds;
        foreach (RecordedLog.Switch change in From(known.Log.Switches, at).TakeWhile(change => change.TimeNs < job.End.Nanoseconds))
        {
            bool isIn = change.Change.NewThreadId == tid;
            if (change.TimeNs > job.Run.Nanoseconds && (isIn || change.Change.OldThreadId == tid))
            {
                Divide(known, times, at, change.TimeNs, isIn ? change.Cpu : cpu, isIn ? Wait.OfThread : Wait.AtWork, episode);
                at = change.TimeNs;
                cpu = change.Cpu;
            }
        }

        Divide(known, times, at, job.End.Nanoseconds, cpu, Wait.AtWork, episode);
    }

    /// <summary>Adds up what a CPU did in a time, cut where anything on any CPU changed.</summary>
    private static void Divide(
        Evidence known, Dictionary<int, long> times, long start, long end, int cpu, Wait kind, TrueEpisode episode)
    {
        RecordedLog log = known.Log;
        RecordedLog.Routine[] routines = [.. log.Routines.Where(routine => routine.StartNs < end && routine.EndNs > start)];
        List<RecordedLog.Switch> switches = log.Switches;
        var near = known.Notes.Where(note => note.StartNs < end && note.EndNs > start).ToList();
        List<(int Cpu, long StartNs, long EndNs)> exits = [.. known.Exits.Where(exit => exit.EndNs > start && exit.StartNs < end)];
        long[] edges = [.. routines.SelectMany(routine => new[] { routine.StartNs, routine.EndNs })
            .Concat(near.SelectMany(note => new[] { note.StartNs, note.EndNs }))
            .Concat(exits.SelectMany(exit => new[] { exit.StartNs, exit.EndNs }))
            .Concat(From(switches, start).TakeWhile(change => change.TimeNs < end).Select(change => change.TimeNs))
            .Append(start).Append(end)
            .Where(edge => edge >= start && edge <= end).Distinct().Order()];
        foreach ((long from, long to) in edges.Zip(edges.Skip(1)))
        {
            Mechanism mechanism = At(from, to);
            if (kind == Wait.AtWork && mechanism == Mechanism.Unexplained)
            {
                continue;
            }

            times[(int)mechanism] = times.GetValueOrDefault((int)mechanism) + to - from;
        }

        bool Noted(Note note, int where, long from, long to) => near.Exists(
            taken => taken.Kind == note && (taken.Cpu == where || note == Note.Stalled) && taken.StartNs <= from && taken.EndNs >= to);

        RecordedLog.Routine? Innermost(int where, long from, long to) => routines
            .Where(routine => routine.Cpu == where && routine.StartNs <= from && routine.EndNs >= to)
            .MinBy(routine => routine.EndNs - routine.StartNs);

        int Priority(int where, long from)
        {
            int last = FirstAfter(switches, from) - 1;
            while (last >= 0 && switches[last].Cpu != where)
            {
                last--;
            }

            return last >= 0 && switches[last].Change is { NewThreadId: not 0 } running ? running.NewPriority : 0;
        }

        bool IsIdle(int where, long from, long to) => !Noted(Note.Masked, where, from, to) && !Noted(Note.Stalled, where, from, to)
            && !Noted(Note.Taken, where, from, to) && !IsLeavingIdle(where, from, to)
            && Innermost(where, from, to) is null && Priority(where, from) == 0;

        bool IsLeavingIdle(int where, long from, long to) =>
            exits.Exists(exit => exit.Cpu == where && exit.StartNs <= from && exit.EndNs >= to);

        Mechanism At(long from, long to)
        {
            if (Noted(Note.Stalled, cpu, from, to))
            {
                return Mechanism.Blackout;
            }

            if (Noted(Note.Taken, cpu, from, to))
            {
                return Mechanism.Hypervisor;
            }

            if (Noted(Note.Masked, cpu, from, to))
            {
                return Mechanism.Blackout;
            }

            if (kind == Wait.OfGap)
            {
                return Mechanism.Unexplained;
            }

            if (Innermost(cpu, from, to) is RecordedLog.Routine inner)
            {
                return inner.Kind is null ? Mechanism.Isr
                    : Noted(Note.SpunInDpc, cpu, from, to) ? Mechanism.SpinWait : Mechanism.Dpc;
            }

            if (kind is Wait.OfLevel or Wait.AtWork)
            {
                return Mechanism.Unexplained;
            }

            if (Noted(Note.SpunInThread, cpu, from, to))
            {
                return Mechanism.SpinWait;
            }

            bool isRaised = Noted(Note.Raised, cpu, from, to);
            bool isLeavingIdle = IsLeavingIdle(cpu, from, to);
            if (kind is Wait.InQueue or Wait.OfTimer)
            {
                return isRaised ? Mechanism.RaisedIrql : isLeavingIdle ? Mechanism.IdleExit
                    : kind == Wait.InQueue ? Mechanism.DpcDeferred : Mechanism.Unexplained;
            }

            if (Priority(cpu, from) < episode.Thread!.Priority)
            {
                return isRaised ? Mechanism.RaisedIrql : isLeavingIdle ? Mechanism.IdleExit : Mechanism.Unexplained;
            }

            ulong affinity = known.Affinities.GetValueOrDefault(episode.Thread.Tid);
            return Enumerable.Range(0, known.Cpus).Any(
                other => other != cpu && (affinity >> other & 1) != 0 && IsIdle(other, from, to)) ? Mechanism.Scheduler : Mechanism.Thread;
        }
    }

    private static IEnumerable<RecordedLog.Switch> From(List<RecordedLog.Switch> switches, long timeNs) =>
        switches.Skip(FirstAfter(switches, timeNs - 1));

    /// <summary>Index of the first switch after a time; they are in order.</summary>
    private static int FirstAfter(List<RecordedLog.Switch> switches, long timeNs)
    {
        int low = 0;
        int high = switches.Count;
        while (low < high)
        {
            int middle = (low + high) / 2;
            (low, high) = switches[middle].TimeNs <= timeNs ? (middle + 1, high) : (low, middle);
        }

        return low;
    }

    /// <summary>A stall that comes during another one follows it.</summary>
    private static List<(Note Kind, int Cpu, long StartNs, long EndNs)> InTurn(List<(Note Kind, int Cpu, long StartNs, long EndNs)> notes)
    {
        long end = 0;
        return [.. notes.Select(note =>
        {
            if (note.Kind != Note.Stalled)
            {
                return note;
            }

            long start = Math.Max(note.StartNs, end);
            end = start + note.EndNs - note.StartNs;
            return note with { StartNs = start, EndNs = end };
        })];
    }

    /// <summary>When a CPU began to leave its idle state: no exit gets on while the CPU is stalled or away.</summary>
    private static long ExitBegins(List<(Note Kind, int Cpu, long StartNs, long EndNs)> notes, int cpu, long endNs, long latencyNs)
    {
        long begin = endNs - latencyNs;
        long last;
        do
        {
            last = begin;
            begin = endNs - latencyNs - Lost(notes, cpu, begin, endNs);
        }
        while (begin != last);
        return begin;
    }

    /// <summary>When a device had answered: a CPU that is away does not see it.</summary>
    private static long AccessEnds(List<(Note Kind, int Cpu, long StartNs, long EndNs)> notes, int cpu, long beginNs, long lengthNs)
    {
        long end = beginNs + lengthNs;
        long last;
        do
        {
            last = end;
            end = beginNs + lengthNs + Lost(notes, cpu, beginNs, end);
        }
        while (end != last);
        return end;
    }

    /// <summary>How long a CPU was stalled or away.</summary>
    private static long Lost(List<(Note Kind, int Cpu, long StartNs, long EndNs)> notes, int cpu, long fromNs, long toNs)
    {
        long lost = 0;
        long last = fromNs;
        foreach ((_, _, long start, long end) in notes
            .Where(note => note.Kind == Note.Stalled || (note.Kind == Note.Taken && note.Cpu == cpu))
            .Where(note => note.StartNs < toNs && note.EndNs > fromNs).OrderBy(note => note.StartNs))
        {
            lost += Math.Max(0, Math.Min(end, toNs) - Math.Max(start, last));
            last = Math.Max(last, end);
        }

        return lost;
    }

    /// <summary>Whether CPUs leave to each other what waits in their queues.</summary>
    private static bool LeavesQueues(ulong seed) => seed == 5;

    private static TruthReport Run(ulong seed, int cpus, Evidence known)
    {
        MachineOptions options = Costless(cpus, seed: seed) with
        {
            IdleStates = [new IdleState(2, 150 * Us, 0)],
            TakesFromOtherQueues = !LeavesQueues(seed),
        };
        var machine = new Machine(options, known.Log);
        int last = cpus - 1;
        RandomSequence host = machine.Random("host");
        machine.Repeat("host", Arrivals.Every(40 * Ms, 9 * Ms, 20 * Ms), engine =>
        {
            int cpu = (int)host.NextBelow(cpus);
            long ns = host.Between(200 * Us, 6 * Ms);
            engine.Deschedule(cpu, ns);
            known.Notes.Add((Note.Taken, cpu, engine.NowNs, engine.NowNs + ns));
        });
        var spinLock = new KernelSpinLock(0x10);
        CodeStretch spin = Code(0x7000);
        Isr nic = Device(
            machine, Driver("nic.sys"), 0x1000, 7, [0], Spread.LogNormal(30 * Us, 1.2, 2 * Ms), Spread.LogNormal(90 * Us, 1.3, 4 * Ms));
        machine.RaiseAgain("nic", nic, Arrivals.Random(Spread.Exponential(2 * Ms)));
        Isr disk = Device(
            machine, Driver("disk.sys"), 0x2000, 9, [last], Spread.LogNormal(20 * Us, 1, Ms), Spread.LogNormal(60 * Us, 1.2, 2 * Ms));
        machine.RaiseAgain("disk", disk, Arrivals.Random(Spread.Exponential(3 * Ms)));
        var lazyDone = new KernelEvent();
        Isr lazy = Lazy(machine, lazyDone, spinLock, spin, known.Notes);
        machine.RaiseAgain("lazy", lazy, Arrivals.Random(Spread.Exponential(4 * Ms)));
        SimulatedThread woken = machine.AddThread(new ThreadOptions
        {
            Process = new SimulatedProcess(700, "lazy.exe"),
            Priority = 22,
            Program = machine.WorkOnEach("lazy", lazyDone, User(2), Spread.LogNormal(100 * Us, 1, 2 * Ms)),
        });
        known.Affinities.Add(woken.Id, ulong.MaxValue);
        known.LazyThreads.Add(woken.Id, LazyRoutine);
        var audio = new SimulatedProcess(500, "audio.exe");
        for (int i = 0; i < cpus + 1; i++)
        {
            KernelTimer timer = machine.AddTimer($"timer {i}", last - (i % cpus), Arrivals.Every((5 + i) * Ms));
            ulong affinity = i == 0 ? 1 : ulong.MaxValue;
            SimulatedThread victim = machine.AddThread(new ThreadOptions
            {
                Process = audio,
                Priority = 18 + (i % 3),
                Affinity = affinity,
                Program = machine.WorkOnEach($"audio {i}", timer.Expired, User(1), Spread.LogNormal(200 * Us, 1, 3 * Ms)),
            });
            known.Affinities.Add(victim.Id, affinity);
        }

        for (int i = 0; i < cpus; i++)
        {
            RandomSequence random = machine.Random($"app {i}");
            var app = new SimulatedProcess(600, "app.exe");
            SimulatedThread user = machine.AddThread(new ThreadOptions { Process = app, Program = () => App(random, known.Notes) });
            known.Affinities.Add(user.Id, ulong.MaxValue);
        }

        machine.Run(2 * Second);
        return machine.Truth(Declared(Verdict.Driver));

        IEnumerable<Step> App(RandomSequence random, List<(Note Kind, int Cpu, long StartNs, long EndNs)> taken)
        {
            CodeStretch driver = new(Driver("guilty.sys"), new CodePoint(1, 0xFFFFF805_00060000));
            Spread work = Spread.LogNormal(500 * Us, 1, 6 * Ms);
            while (true)
            {
                yield return Step.Run(User(0x3000), work.Next(random));
                switch (random.NextBelow(7))
                {
                    case 0 or 1:
                        yield return Step.RaiseIrql((int)(2 + random.NextBelow(6)));
                        long raised = machine.NowNs;
                        yield return Step.Run(driver, work.Next(random));
                        taken.Add((Note.Raised, machine.CurrentCpu, raised, machine.NowNs));
                        yield return Step.LowerIrql();
                        break;
                    case 4:
                        long asked = machine.NowNs;
                        int cpu = machine.CurrentCpu;
                        yield return Step.AcquireSpinLock(spinLock, spin);
                        long got = machine.NowNs;
                        taken.Add((Note.SpunInThread, cpu, asked, got));
                        yield return Step.Run(driver, work.Next(random));
                        taken.Add((Note.Raised, cpu, got, machine.NowNs));
                        yield return Step.ReleaseSpinLock(spinLock);
                        break;
                    case 2 or 3:
                        yield return Step.MaskInterrupts();
                        long masked = machine.NowNs;
                        yield return Step.Run(driver, work.Next(random));
                        taken.Add((Note.Masked, machine.CurrentCpu, masked, machine.NowNs));
                        yield return Step.UnmaskInterrupts();
                        break;
                    case 5:
                        long length = work.Next(random);
                        taken.Add((Note.Read, machine.CurrentCpu, machine.NowNs, machine.NowNs + length));
                        yield return Step.AccessDevice(driver, length);
                        break;
                    default:
                        yield return Step.MaskInterrupts();
                        long stalled = work.Next(random);
                        taken.Add((Note.Stalled, machine.CurrentCpu, machine.NowNs, machine.NowNs + stalled));
                        yield return Step.StallMachine(driver, stalled);
                        yield return Step.UnmaskInterrupts();
                        break;
                }

                yield return Step.Sleep(work.Next(random));
            }
        }
    }

    /// <summary>A device whose DPC is queued with low importance, takes a lock for a moment and wakes a thread.</summary>
    private static Isr Lazy(
        Machine machine,
        KernelEvent done,
        KernelSpinLock spinLock,
        CodeStretch spin,
        List<(Note Kind, int Cpu, long StartNs, long EndNs)> notes)
    {
        RandomSequence random = machine.Random("lazy dpc");
        CodeOwner owner = Driver("lazy.sys");
        var dpc = new Dpc(owner, LazyRoutine, Body) { Importance = DpcImportance.Low, RoutineName = "lazy.sys+0x1" };
        var service = new Isr(owner, LazyRoutine + 0x100, machine.Body("lazy isr", Code(0x8000), Spread.Constant(5 * Us), Step.Queue(dpc)));
        machine.Connect(0x81, 8, [0], service);
        return service;

        IEnumerable<Step> Body()
        {
            yield return Step.Run(Code(0x8100), random.NextBelow(40 * Us));
            long asked = machine.NowNs;
            int cpu = machine.CurrentCpu;
            yield return Step.AcquireSpinLock(spinLock, spin);
            notes.Add((Note.SpunInDpc, cpu, asked, machine.NowNs));
            yield return Step.Run(Code(0x8200), random.NextBelow(9 * Us));
            yield return Step.ReleaseSpinLock(spinLock);
            yield return Step.Signal(done);
            yield return Step.Run(Code(0x8300), random.NextBelow(9 * Us));
        }
    }
}
