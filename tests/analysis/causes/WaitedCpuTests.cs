using Tracer.Analysis.Causes;
using Tracer.Analysis.Delays;
using Tracer.Analysis.Facts;
using Tracer.Analysis.Machine;
using static Tracer.Analysis.Tests.Causes.MadeMachine;

namespace Tracer.Analysis.Tests.Causes;

/// <summary>Which CPU thread 120 waited for from 1000 to 2000 us. It ran on CPU 0 in the end, and CPU 1 made it ready.</summary>
public class WaitedCpuTests
{
    /// <summary>Where the clocks of CPUs disagree, what another did meanwhile is not asked.</summary>
    [Theory]
    [InlineData(false, Mechanism.Scheduler)]
    [InlineData(true, Mechanism.Thread)]
    public void Behind_a_thread_while_another_CPU_idles(bool isOneCpuOnly, Mechanism mechanism)
    {
        var machine = new MadeMachine(isOneCpuOnly: isOneCpuOnly);
        machine.Switch(0, 500, 5, 77, 28);
        machine.Switch(1, 500, 5, 0);
        machine.Switch(1, 2_500, 0, 5);
        EpisodeCandidate wait = Found(machine);
        Assert.Equal([(mechanism, 1_000)], wait.Causes.Select(cause => (cause.Mechanism, cause.Ticks)));
        Assert.Equal(0, wait.Cpu);
    }

    [Theory]
    [InlineData(false, 500, 1)]
    [InlineData(false, 499, 0)]
    [InlineData(true, 500, 0)]
    public void Where_the_last_was_free_the_one_that_made_it_ready_kept_it(bool isOneCpuOnly, long lasts, int cpu)
    {
        var machine = new MadeMachine(isOneCpuOnly: isOneCpuOnly);
        machine.Switch(0, 500, 5, 0);
        machine.Switch(1, 500, 5, 77);
        machine.Ran(1, 1_200, 1_200 + lasts, Alpha);
        EpisodeCandidate wait = Found(machine);
        Assert.Equal(cpu, wait.Cpu);
        Assert.Equal(cpu == 1 ? [(Mechanism.Dpc, lasts)] : [], wait.Causes.Select(cause => (cause.Mechanism, cause.Ticks)));
    }

    private static EpisodeCandidate Found(MadeMachine machine)
    {
        EpisodeAnalysisSettings settings = Settings(new CaptureEvents()) with { AffinityOf = (_, _) => 3 };
        Accounting accounting = machine.Accounting();
        var wait = new EpisodeCandidate(new Delay
        {
            Probe = ProbeKind.Thread,
            FromTicks = 1_000,
            ToTicks = 2_000,
            Cpu = 0,
            ThreadId = 120,
            Priority = 24,
            ReadyCpu = 1,
        });
        var measured = new MeasuredWait(settings, machine.State.Cpus, null!, accounting);
        CpuHistory found = new WaitedCpu(settings, machine.State, accounting, measured, machine.Budget).Find(machine[0], wait);
        Assert.Equal(wait.Cpu, found.Cpu);
        return wait;
    }
}
