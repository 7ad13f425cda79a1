using Tracer.Contract;
using static Tracer.Simulator.Tests.Parts;

namespace Tracer.Simulator.Tests;

/// <summary>
/// The truth of a machine on which everything happens at once, computed again from the log and from notes that the simulated programs
/// take of when they masked interrupts, raised the IRQL or stalled the machine.
/// </summary>
public class TruthOracleTests
{
    private enum Note
    {
        Raised,
        Masked,
        Stalled,
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
        Assert.Superset(new HashSet<Mechanism> { Mechanism.Isr, Mechanism.Dpc, Mechanism.Thread, Mechanism.Blackout }, seen.ToHashSet());
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
        long[] edges = [.. routines.SelectMany(routine => new[] { routine.StartNs, routine.EndNs })
            .Concat(near.SelectMany(note => new[] { note.StartNs, note.EndNs }))
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
            if (near.Exists(note => note.Kind != Note.Raised && note.StartNs <= from && note.EndNs >= to))
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
                : near.Exists(note => note.Kind == Note.Raised && note.StartNs <= from && note.EndNs >= to) ? Mechanism.RaisedIrql
                : Mechanism.Unexplained;
        }
    }

    private static TruthReport Run(ulong seed, int cpus, RecordedLog log, List<(Note Kind, int Cpu, long StartNs, long EndNs)> notes)
    {
        var machine = new Machine(Costless(cpus, seed: seed), log);
        int last = cpus - 1;
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
                switch (random.NextBelow(5))
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
                    default:
                        yield return Step.MaskInterrupts();
                        long stalled = machine.NowNs;
                        yield return Step.StallMachine(driver, work.Next(random));
                        taken.Add((Note.Stalled, machine.CurrentCpu, stalled, machine.NowNs));
                        yield return Step.UnmaskInterrupts();
                        break;
                }

                yield return Step.Sleep(work.Next(random));
            }
        }
    }
}
