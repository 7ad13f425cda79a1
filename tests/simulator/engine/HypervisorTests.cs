using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using static Tracer.Simulator.Tests.Parts;

namespace Tracer.Simulator.Tests;

/// <summary>CPUs that a hypervisor takes away, and CPUs that stand in an access to a device.</summary>
public class HypervisorTests
{
    private static readonly SimulatedProcess Apps = new(600, "app.exe");

    [Fact]
    public void A_taken_cpu_serves_nothing_and_the_others_go_on()
    {
        var log = new RecordedLog();
        var machine = new Machine(Costless(2), log);
        Hog(machine, Apps, 8);
        Hog(machine, Apps, 8);
        machine.After(20 * Ms, engine => engine.Deschedule(0, 5 * Ms));
        machine.After(21 * Ms, engine => engine.Deschedule(0, 50 * Ms));
        machine.Run(60 * Ms);
        Assert.DoesNotContain(log.All, entry => entry.Cpu == 0 && entry.TimeNs > 20 * Ms && entry.TimeNs < 25 * Ms);
        Assert.True(log.Samples.Count(sample => sample.Cpu == 1 && sample.TimeNs > 20 * Ms && sample.TimeNs < 25 * Ms) >= 4);
        TrueEpisode episode = Assert.Single(machine.Truth(Declared(Verdict.Hardware)).Episodes);
        Assert.Equal((ProbeKind.Gap, 0), (episode.Probe, episode.Cpu));
        Assert.Equal((CulpritName.Hypervisor, Mechanism.Hypervisor), (episode.Causes[0].Culprit, episode.Causes[0].Mechanism));
    }

    [Fact]
    public void A_thread_woken_on_a_taken_cpu_waits_for_the_hypervisor()
    {
        var log = new RecordedLog();
        var machine = new Machine(Costless(2, Recording.All & ~Recording.Samples), log);
        KernelTimer timer = machine.AddTimer("audio", 1, Arrivals.Every(10 * Ms));
        Periodic(machine, new SimulatedProcess(500, "audio.exe"), 24, 0, timer, Spread.Constant(50 * Us), "audio");
        machine.After(9 * Ms, engine => engine.Deschedule(0, 6 * Ms));
        machine.Run(60 * Ms);
        TrueEpisode episode = Assert.Single(machine.Truth(Declared(Verdict.Hardware)).Episodes);
        Assert.Equal(ProbeKind.Thread, episode.Probe);
        Assert.Equal(15 * Ms, episode.Start.Nanoseconds + episode.Latency.Nanoseconds);
        Cause cause = Assert.Single(episode.Causes);
        Assert.Equal((CulpritName.Hypervisor, Mechanism.Hypervisor, episode.Latency), (cause.Culprit, cause.Mechanism, cause.Time));
    }

    [Fact]
    public void Taken_all_together_they_are_one_gap_of_no_cpu()
    {
        var machine = new Machine(Costless(2), new RecordedLog());
        Hog(machine, Apps, 8);
        Hog(machine, Apps, 8);
        machine.DescheduleAgain("host", Arrivals.Every(100 * Ms), Spread.Constant(3 * Ms), allProbability: 1);
        machine.Run(Second);
        TruthReport truth = machine.Truth(Declared(Verdict.Hardware));
        Assert.Equal(9, truth.Episodes.Count);
        Every.Item(truth.Episodes, episode => Assert.Equal((null, Mechanism.Hypervisor), (episode.Cpu, episode.Causes[0].Mechanism)));
        Assert.Equal((CulpritKind.Hardware, CulpritName.Hypervisor), (truth.Culprits[0].Kind, truth.Culprits[0].Name));
    }

    [Fact]
    public void No_interrupt_comes_between_a_device_and_the_code_that_reads_it()
    {
        var log = new RecordedLog();
        var machine = new Machine(Costless(2), log);
        Hog(machine, Apps, 8, affinity: 2);
        ulong register = 0xFFFFF805_00060000;
        CodeStretch driver = new(Driver("slow.sys"), new CodePoint(1, register));
        machine.AddThread(new ThreadOptions { Process = Apps, Affinity = 1, Program = Read });
        machine.Run(40 * Ms);
        // The clock waits until the device has answered, and is served before the driver's next instruction.
        Assert.Equal(1, log.Clocks.Count(clock => clock.Cpu == 0 && clock.TimeNs >= 10 * Ms && clock.TimeNs <= 14 * Ms));
        Assert.Contains((14 * Ms, 0), log.Clocks);
        Assert.True(log.Clocks.Count(clock => clock.Cpu == 1 && clock.TimeNs > 10 * Ms && clock.TimeNs < 14 * Ms) >= 3);
        RecordedLog.Sampled late = log.Samples.Single(sample => sample.Cpu == 0 && sample.TimeNs == 14 * Ms);
        Assert.Equal(register, late.Instruction);
        TrueEpisode episode = Assert.Single(machine.Truth(Declared(Verdict.Driver)).Episodes);
        Assert.Equal((ProbeKind.Gap, 0), (episode.Probe, episode.Cpu));
        Assert.Equal(("slow.sys", Mechanism.Blackout), (episode.Causes[0].Culprit, episode.Causes[0].Mechanism));

        IEnumerable<Step> Read()
        {
            yield return Step.Run(User(0x5000), (10 * Ms) - machine.NowNs);
            yield return Step.AccessDevice(driver, 4 * Ms);
            yield return Step.Run(User(0x5000), 10 * Ms);
        }
    }
}
