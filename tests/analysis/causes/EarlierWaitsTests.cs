using Tracer.Analysis.Causes;
using Tracer.Analysis.Delays;
using Tracer.Analysis.Machine;
using static Tracer.Analysis.Tests.Causes.MadeMachine;

namespace Tracer.Analysis.Tests.Causes;

/// <summary>
/// What kept a victim before it became ready: its DPC was queued at 1000 and ran from 1500 to 1600 on CPU 0, in microseconds.
/// </summary>
public class EarlierWaitsTests
{
    private const uint Victim = 120;
    private const byte High = 2;

    [Theory]
    [InlineData(1_500, 0)]
    [InlineData(1_499, 1)]
    [InlineData(1_001, 499)]
    public void What_nothing_else_explains_of_its_time_in_the_queue_is_its_deferral(long until, long deferred)
    {
        var machine = new MadeMachine();
        machine.Switch(0, 500, 5, 0);
        machine.Ran(0, 1_000, until, Beta);
        EpisodeCandidate candidate = Filled(machine);
        List<(Mechanism, string?, long, long)> told =
            [(Mechanism.Dpc, "beta.sys", 1_000, until - 1_000), (Mechanism.Dpc, "alpha.sys", 1_500, 90)];
        Assert.Equal(
            deferred > 0 ? [told[0], (Mechanism.DpcDeferred, "alpha.sys", 1_000, deferred), told[1]] : told,
            candidate.Before.Select(Told));
        Assert.Equal(1_000, candidate.FromTicks);
    }

    [Theory]
    [InlineData(QueuedDpc.Medium, false)]
    [InlineData(High, true)]
    public void What_runs_in_threads_delays_only_a_DPC_that_does_not_wait_for_them(byte importance, bool isRaised)
    {
        var machine = new MadeMachine();
        machine.Switch(0, 500, 5, 77);
        machine.Sample(0, 1_200, Beta, 77);
        EpisodeCandidate candidate = Filled(machine, importance);
        Assert.Equal(
            isRaised ? (Mechanism.RaisedIrql, "beta.sys", 1_000, 500) : (Mechanism.DpcDeferred, "alpha.sys", 1_000, 500),
            Told(candidate.Before[0]));
        Assert.Equal(2, candidate.Before.Count);
    }

    [Theory]
    [InlineData(1_000, true)]
    [InlineData(1_001, false)]
    [InlineData(1_499, false)]
    [InlineData(1_500, true)]
    public void A_switch_meanwhile_shows_that_the_CPU_could_have_run_it(long at, bool isInferred)
    {
        var machine = new MadeMachine();
        machine.Switch(0, 500, 5, 77);
        machine.Switch(0, at, 77, 78);
        Assert.Equal(isInferred, Deferred(machine).IsInferred);
    }

    [Fact]
    public void So_does_an_idle_CPU()
    {
        var machine = new MadeMachine();
        machine.Switch(0, 500, 5, 0);
        Assert.False(Deferred(machine).IsInferred);
        Assert.True(Deferred(new MadeMachine()).IsInferred);
    }

    [Fact]
    public void So_does_a_CPU_that_was_idle_when_the_records_began()
    {
        var machine = new MadeMachine();
        machine.Switch(0, 3_000, 0, 77);
        Assert.False(Deferred(machine).IsInferred);
    }

    [Theory]
    [InlineData(999, User, true)]
    [InlineData(1_000, User, false)]
    [InlineData(1_500, User, false)]
    [InlineData(1_501, User, true)]
    [InlineData(1_200, Kernel, true)]
    public void So_does_code_of_a_process(long sample, ulong code, bool isInferred)
    {
        var machine = new MadeMachine();
        machine.Switch(0, 500, 5, 77);
        machine.Sample(0, sample, code, 77);
        Assert.Equal(isInferred, Deferred(machine).IsInferred);
    }

    [Fact]
    public void Code_of_a_process_long_ago_does_not()
    {
        var machine = new MadeMachine();
        machine.Switch(0, 500, 5, 77);
        for (int i = 0; i < 1024; i++)
        {
            machine.Sample(0, -9_000 + i, User, 77);
        }

        Assert.True(Deferred(machine).IsInferred);
    }

    [Fact]
    public void Without_its_DPC_the_wait_began_when_it_became_ready()
    {
        var machine = new MadeMachine();
        machine.Switch(0, 500, 5, 0);
        var candidate = new EpisodeCandidate(Waited(High));
        Parts(machine).Fill(candidate);
        Assert.Equal((1_590, 0, null), (candidate.FromTicks, candidate.Before.Count, candidate.Path));
    }

    [Fact]
    public void Without_a_wake_up_nothing_came_before()
    {
        var candidate = new EpisodeCandidate(Waited(High) with { Wake = null });
        Parts(new MadeMachine()).Fill(candidate);
        Assert.Equal((1_000, 0), (candidate.FromTicks, candidate.Before.Count));
    }

    [Theory]
    [InlineData(1_000, 0)]
    [InlineData(1_150, 50)]
    [InlineData(1_400, 200)]
    public void Late_by_its_own_beat_it_was_kept_by_what_ran_until_it_was_ready(long ready, long ticks)
    {
        var machine = new MadeMachine();
        machine.Switch(0, 500, 5, 77, 20);
        machine.Ran(0, 1_100, 1_300, Beta);
        var candidate = new EpisodeCandidate(Waited(High) with
        {
            IsLateByBeat = true,
            Wake = new Wake { ReadyTicks = ready, Cpu = 0, IsFromDpc = true },
        });
        Parts(machine).Fill(candidate);
        Assert.Equal(ticks > 0 ? [(Mechanism.Dpc, "beta.sys", 1_100, ticks)] : [], candidate.Before.Select(Told));
    }

    private static CauseShare Deferred(MadeMachine machine) =>
        Assert.Single(Filled(machine).Before, share => share.Mechanism == Mechanism.DpcDeferred);

    private static EpisodeCandidate Filled(MadeMachine machine, byte importance = QueuedDpc.Medium)
    {
        machine.Ran(0, 1_500, 1_600, Alpha);
        var candidate = new EpisodeCandidate(Waited(importance));
        Parts(machine).Fill(candidate);
        return candidate;
    }

    /// <summary>The victim was made ready by a DPC of alpha.sys that CPU 1 had queued on CPU 0.</summary>
    private static Delay Waited(byte importance) => new()
    {
        Probe = ProbeKind.Thread,
        FromTicks = 1_000,
        ToTicks = 1_700,
        Cpu = 0,
        ThreadId = Victim,
        Priority = 16,
        Wake = new Wake
        {
            ReadyTicks = 1_590,
            Cpu = 0,
            IsFromDpc = true,
            HasDpc = true,
            Dpc = new DpcStart
            {
                Ticks = 1_500,
                Routine = Alpha + 0x100,
                Queued = new QueuedDpc { Ticks = 1_000, Cpu = 1, TargetCpu = 0, Importance = importance },
            },
        },
    };

    private static EarlierWaits Parts(MadeMachine machine) =>
        new(
        machine.State,
        machine.Accounting(),
        machine.Owners.Search,
        machine.Owners.Modules,
        new ThreadChains(
            machine.State, machine.Accounting(), null!, machine.Owners.Modules, levelGapTicks: 20, hasHardFaults: true));

    private static (Mechanism Mechanism, string? Owner, long At, long Ticks) Told(CauseShare share) =>
        (share.Mechanism, share.Owner?.Owner?.Name, share.AtTicks, share.Ticks);
}
