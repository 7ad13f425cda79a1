using Tracer.Contract;
using static Tracer.Simulator.Tests.Parts;

namespace Tracer.Simulator.Tests;

/// <summary>
/// The truth of a machine on which everything happens at once, computed again from the log and from notes that the simulated programs
/// take of when they masked interrupts, raised the IRQL, read a slow device or stalled the machine,
/// and of when a hypervisor took a CPU away.
/// </summary>
public class TruthOracleTests
{
    private enum Note
    {
        Raised,
        Masked,
        Stalled,
        Taken,
        Read,
    }

    [Theory]
    [InlineData(1UL, 1)]
    [InlineData(2UL, 2)]
    [InlineData(3UL, 2)]
    [InlineData(4UL, 3)]
    [InlineData(5UL, 4)]
    public void Every_nanosecond_of_every_episode_has_the_mechanism_that_log_and_notes_show(ulong seed, int cpus)
    {
        var log = new RecordedLog();
        List<(Note Kind, int Cpu, long StartNs, long EndNs)> notes = [];
        TruthReport truth = Run(seed, cpus, log, notes);
        notes = InTurn(notes);
        notes = [.. notes.Select(note => note.Kind == Note.Read
            ? (Note.Masked, note.Cpu, note.StartNs, AccessEnds(notes, note.Cpu, note.StartNs, note.EndNs - note.StartNs))
            : note)];
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

            Assert.Equal(Expected(log, notes, episode).OrderBy(pair => pair.Key), causes.OrderBy(pair => pair.Key));
        }

        // On one CPU a raised IRQL delays the timers too, and with them the wake-ups: no thread is ready while it lasts.
        Mechanism[] seen = [.. truth.Episodes.SelectMany(episode => episode.Causes).Select(cause => cause.Mechanism).Distinct()];
        Assert.Superset(
            new HashSet<Mechanism> { Mechanism.Isr, Mechanism.Dpc, Mechanism.Thread, Mechanism.Blackout, Mechanism.Hypervisor },
            seen.ToHashSet());
        Assert.Equal(cpus > 1, seen.Contains(Mechanism.IdleExit));
        Assert.Equal(cpus > 1, seen.Contains(Mechanism.RaisedIrql));
        Assert.Equal(3, truth.Episodes.Select(episode => episode.Probe).Distinct().Count());
    }

    private static Dictionary<int, long> Expected(
        RecordedLog log, List<(Note Kind, int Cpu, long StartNs, long EndNs)> notes, TrueEpisode episode)
    {
        long start = episode.Start.Nanoseconds;
        long end = start + episode.Latency.Nanoseconds;
        RecordedLog.Routine[] routines = [.. log.Routines.Where(
            routine => routine.Cpu == episode.Cpu && routine.StartNs < end && routine.EndNs > start)];
        RecordedLog.Switch[] switches = [.. log.Switches.Where(change => change.Cpu == episode.Cpu && change.TimeNs < end)];
        var near = notes.Where(note => note.StartNs < end && note.EndNs > start)
            .Where(note => note.Kind == Note.Stalled || note.Cpu == episode.Cpu).ToList();
        List<(long StartNs, long EndNs)> exits = [.. log.Exits.Where(exit => exit.Cpu == episode.Cpu && exit.TimeNs > start)
            .Select(exit => (ExitBegins(notes, exit.Cpu, exit.TimeNs, exit.LatencyNs), exit.TimeNs))
            .Where(exit => exit.Item1 < end)];
        long[] edges = [.. routines.SelectMany(routine => new[] { routine.StartNs, routine.EndNs })
            .Concat(near.SelectMany(note => new[] { note.StartNs, note.EndNs }))
            .Concat(exits.SelectMany(exit => new[] { exit.StartNs, exit.EndNs }))
            .Concat(switches.Select(change => change.TimeNs)).Append(start).Append(end)
            .Where(edge => edge >= start && edge <= end).Distinct().Order()];
        var times = new Dictionary<int, long>();
        foreach ((long from, long to) in edges.Zip(edges.Skip(1)))
        {
            Mechanism mechanism = At(from, to);
            times[(int)mechanism] = times.GetValueOrDefault((int)mechanism) + to - from;
        }

        return times;

        Mechanism At(long from, long to)
        {
            if (Is(Note.Stalled))
            {
                return Mechanism.Blackout;
            }

            if (Is(Note.Taken))
            {
                return Mechanism.Hypervisor;
            }

            if (Is(Note.Masked))
            {
                return Mechanism.Blackout;
            }

            RecordedLog.Routine? inner = routines.Where(routine => routine.StartNs <= from && routine.EndNs >= to)
                .MinBy(routine => routine.EndNs - routine.StartNs);
            if (inner is not null && episode.Probe != ProbeKind.Gap)
            {
                return inner.Kind is null ? Mechanism.Isr : Mechanism.Dpc;
            }

            SimulatedSwitch? running = switches.LastOrDefault(change => change.TimeNs <= from)?.Change;
            return episode.Probe != ProbeKind.Thread ? Mechanism.Unexplained
                : running?.NewPriority >= episode.Thread!.Priority ? Mechanism.Thread
                : Is(Note.Raised) ? Mechanism.RaisedIrql
                : exits.Exists(exit => exit.StartNs <= from && exit.EndNs >= to) ? Mechanism.IdleExit
                : Mechanism.Unexplained;

            bool Is(Note kind) => near.Exists(note => note.Kind == kind && note.StartNs <= from && note.EndNs >= to);
        }
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

    private static TruthReport Run(ulong seed, int cpus, RecordedLog log, List<(Note Kind, int Cpu, long StartNs, long EndNs)> notes)
    {
        MachineOptions options = Costless(cpus, seed: seed) with { IdleStates = [new IdleState(2, 150 * Us, 0)] };
        var machine = new Machine(options, log);
        int last = cpus - 1;
        RandomSequence host = machine.Random("host");
        machine.Repeat("host", Arrivals.Every(40 * Ms, 9 * Ms, 20 * Ms), engine =>
        {
            int cpu = (int)host.NextBelow(cpus);
            long ns = host.Between(200 * Us, 6 * Ms);
            engine.Deschedule(cpu, ns);
            notes.Add((Note.Taken, cpu, engine.NowNs, engine.NowNs + ns));
        });
        Isr nic = Device(
            machine, Driver("nic.sys"), 0x1000, 7, [0], Spread.LogNormal(30 * Us, 1.2, 2 * Ms), Spread.LogNormal(90 * Us, 1.3, 4 * Ms));
        machine.RaiseAgain("nic", nic, Arrivals.Random(Spread.Exponential(2 * Ms)));
        Isr disk = Device(
            machine, Driver("disk.sys"), 0x2000, 9, [last], Spread.LogNormal(20 * Us, 1, Ms), Spread.LogNormal(60 * Us, 1.2, 2 * Ms));
        machine.RaiseAgain("disk", disk, Arrivals.Random(Spread.Exponential(3 * Ms)));
        var audio = new SimulatedProcess(500, "audio.exe");
        for (int i = 0; i < cpus + 1; i++)
        {
            KernelTimer timer = machine.AddTimer($"timer {i}", last - (i % cpus), Arrivals.Every((5 + i) * Ms));
            machine.AddThread(new ThreadOptions
            {
                Process = audio,
                Priority = 18 + (i % 3),
                Affinity = i == 0 ? 1 : ulong.MaxValue,
                Program = machine.WorkOnEach($"audio {i}", timer.Expired, User(1), Spread.LogNormal(200 * Us, 1, 3 * Ms)),
            });
        }

        for (int i = 0; i < cpus; i++)
        {
            RandomSequence random = machine.Random($"app {i}");
            machine.AddThread(new ThreadOptions { Process = new SimulatedProcess(600, "app.exe"), Program = () => App(random, notes) });
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
                switch (random.NextBelow(6))
                {
                    case 0 or 1:
                        yield return Step.RaiseIrql((int)(2 + random.NextBelow(6)));
                        long raised = machine.NowNs;
                        yield return Step.Run(driver, work.Next(random));
                        taken.Add((Note.Raised, machine.CurrentCpu, raised, machine.NowNs));
                        yield return Step.LowerIrql();
                        break;
                    case 2 or 3:
                        yield return Step.MaskInterrupts();
                        long masked = machine.NowNs;
                        yield return Step.Run(driver, work.Next(random));
                        taken.Add((Note.Masked, machine.CurrentCpu, masked, machine.NowNs));
                        yield return Step.UnmaskInterrupts();
                        break;
                    case 4:
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
}
