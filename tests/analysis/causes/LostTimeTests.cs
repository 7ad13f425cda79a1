using Tracer.Analysis.Causes;
using Tracer.Analysis.Delays;
using Tracer.Analysis.Machine;
using static Tracer.Analysis.Tests.Causes.MadeMachine;

namespace Tracer.Analysis.Tests.Causes;

/// <summary>
/// What a job of thread 120 lost, in microseconds: it was ready and ran at 1000, and was done at 2000. Stretches of 100 count, gaps of 10
/// end none.
/// </summary>
public class LostTimeTests
{
    private const long From = 1_000;
    private const long To = 2_000;
    private const long Threshold = 100;
    private const uint Victim = 120;

    /// <summary>Without a deadline only long stretches at the level of ISRs and DPCs count, as far as they lie in the stay.</summary>
    [Theory]
    [InlineData("1100-1200", 100)]
    [InlineData("1100-1199", 0)]
    [InlineData("900-1100", 100)]
    [InlineData("900-1099", 0)]
    [InlineData("800-1000", 0)]
    [InlineData("1900-2000", 100)]
    [InlineData("1900-2001", 0)]

    // Short ones are one stretch over gaps of 10, in which the thread ran.
    [InlineData("1100-1150 1160-1210", 100)]
    [InlineData("1100-1150 1161-1211", 0)]
    [InlineData("1100-1140 1145-1175 1180-1210", 100)]
    [InlineData("1100-1200 1211-1240", 100)]
    [InlineData("1100-1200 1210-1240", 130)]
    [InlineData("1110-1120 1100-1200", 100)]
    [InlineData("1110-1120 1140-1150 1100-1199", 0)]
    public void A_job_without_a_deadline_loses_long_stretches(string dpcs, long lost)
    {
        var machine = new MadeMachine();
        machine.Switch(0, From, 5, Victim, 24);
        foreach (string[] ends in dpcs.Split(' ').Select(text => text.Split('-')))
        {
            machine.Ran(0, Number(ends[0]), Number(ends[1]), Alpha);
        }

        EpisodeCandidate job = Fill(machine, [(From, To)], interrupted: 500);
        Assert.Equal((lost, 500 - lost), (job.LostTicks, job.PassedOverTicks));
        Assert.Equal(lost, CauseShare.Sum(job.Causes));
    }

    /// <summary>So do stretches in which no sample was served, from when the first was due; no record of the CPU need lie before.</summary>
    [Theory]
    [InlineData(1_500, 1_520, 1_620, 120)]
    [InlineData(1_500, 1_520, 1_619, 0)]
    [InlineData(900, 950, 1_100, 100)]
    [InlineData(900, 950, 1_099, 0)]
    [InlineData(1_850, 1_900, 2_000, 150)]
    [InlineData(1_850, 1_900, 2_001, 0)]
    public void A_job_without_a_deadline_loses_blackouts(long from, long due, long to, long lost)
    {
        var machine = new MadeMachine();
        machine.Switch(0, From, 5, Victim, 24);
        machine[0].SampleGaps.Add(new SampleGap { FromTicks = from, DueTicks = due, ToTicks = to });
        machine.Blackouts.Add(MadeBlackout(from, to));
        EpisodeCandidate job = Fill(machine, [(From, To)]);
        Assert.Equal((lost, lost), (job.LostTicks, job.LongestTicks));
    }

    [Fact]
    public void A_blackout_behind_a_long_dpc_is_counted_once()
    {
        var machine = new MadeMachine();
        machine.Switch(0, From, 5, Victim, 24);
        machine.Ran(0, 1_200, 1_400, Alpha);
        machine.Ran(0, 1_700, 1_900, Alpha);
        foreach ((long from, long to) in new[] { (900L, 1_000L), (1_050L, 1_190L), (1_300L, 1_500L), (1_950L, 2_100L) })
        {
            machine[0].SampleGaps.Add(new SampleGap { FromTicks = from, DueTicks = from, ToTicks = to });
            machine.Blackouts.Add(MadeBlackout(from, to));
        }

        EpisodeCandidate job = Fill(machine, [(From, To)]);
        Assert.Equal(140 + 100 + 200 + 200, job.LostTicks);
        Assert.Equal(job.LostTicks, CauseShare.Sum(job.Causes));
    }

    [Fact]
    public void What_it_lost_before_is_no_part_of_what_interrupted_it()
    {
        var machine = new MadeMachine();
        machine.Switch(0, 500, 5, 77, 28);
        machine.Switch(0, From, 77, Victim, 24);
        machine.Ran(0, 1_100, 1_230, Alpha);
        EpisodeCandidate job = Fill(machine, [(From, To)], ready: 900, interrupted: 500);
        Assert.Equal((100 + 130, 500 - 130), (job.LostTicks, job.PassedOverTicks));
    }

    [Fact]
    public void A_job_with_a_deadline_loses_short_ones_as_well()
    {
        var machine = new MadeMachine();
        machine.Switch(0, From, 5, Victim, 24);
        machine.Ran(0, 1_100, 1_130, Alpha);
        machine.Ran(0, 1_500, 1_520, Beta);
        EpisodeCandidate job = Fill(machine, [(From, To)], deadline: 1_900, interrupted: 50);
        Assert.Equal((50, 0), (job.LostTicks, job.PassedOverTicks));
    }

    /// <summary>A hog took the CPU in the midst of the job, or before it began.</summary>
    [Theory]
    [InlineData(1_000, 1_500, 1_600, null, 100, 0, 100)]
    [InlineData(1_000, 1_500, 1_599, null, 0, 99, 99)]
    [InlineData(1_000, 1_500, 1_599, 1_900L, 99, 0, 99)]
    [InlineData(900, 1_500, 1_500, null, 100, 0, 0)]
    [InlineData(901, 1_500, 1_500, null, 0, 99, 0)]
    [InlineData(901, 1_500, 1_500, 1_900L, 99, 0, 0)]
    public void Being_ready_is_lost_from_the_threshold_on(
        long ready, long left, long back, long? deadline, long lost, long passedOver, long longest)
    {
        var machine = new MadeMachine();
        machine.Switch(0, 500, 5, 77, 28);
        machine.Switch(0, From, 77, Victim, 24);
        if (back > left)
        {
            machine.Switch(0, left, Victim, 77, 28);
            machine.Switch(0, back, 77, Victim, 24);
        }

        EpisodeCandidate job = Fill(machine, back > left ? [(From, left), (back, To)] : [(From, To)], ready, deadline);
        Assert.Equal((lost, passedOver, longest), (job.LostTicks, job.PassedOverTicks, job.LongestTicks));
        Assert.Equal(lost > 0 ? [new ThreadRan(77, 28)] : [], job.Causes.Select(cause => cause.Detail));
    }

    /// <summary>What it lost most of on one CPU is shown there; of as much on the first.</summary>
    [Theory]
    [InlineData(150, 140, 0)]
    [InlineData(140, 140, 0)]
    [InlineData(140, 150, 1)]
    public void The_CPU_of_the_longest_piece_is_the_jobs(long first, long second, int cpu)
    {
        var machine = new MadeMachine();
        machine.Switch(0, From, 5, Victim, 24);
        machine.Ran(0, 1_100, 1_100 + first, Alpha);
        machine.Switch(0, 1_500, Victim, 0);
        machine.Switch(1, 1_500, 0, Victim, 24);
        machine.Ran(1, 1_600, 1_600 + second, Alpha);
        EpisodeCandidate job = Fill(machine, [(From, 1_500), (1_500, To)], cpus: [0, 1]);
        Assert.Equal((first + second, cpu), (job.LostTicks, job.Cpu));
    }

    /// <summary>Where a glitch says that its turn was too long, what it computed is lost too: all, or what samples show of it.</summary>
    [Theory]
    [InlineData(true, 900)]
    [InlineData(false, 450)]
    public void Work_of_a_job_that_is_too_long_is_lost(bool hasLevels, long own)
    {
        var machine = new MadeMachine();
        machine.Switch(0, From, 5, Victim, 24);
        machine.Ran(0, 1_100, 1_200, Alpha);
        machine.Sample(0, 1_500, User, Victim);
        machine.Sample(0, 1_600, Kernel, Victim);
        EpisodeCandidate job = Fill(machine, [(From, To)], isOverloaded: true, hasLevels: hasLevels);
        Assert.Equal((1_000, 900), (job.LostTicks, job.WorkTicks));
        CauseShare work = Assert.Single(job.Causes, cause => cause.Detail is ThreadRan { IsOwnWork: true });
        Assert.Equal((own, From, !hasLevels), (work.Ticks, work.AtTicks, work.IsInferred));
        Assert.Equal(
            own == 900 ? [] : [new UnknownLink(Victim, ChainEnd.Uninterrupted, To - 450, To)], job.UnknownLinks);
    }

    [Fact]
    public void Of_a_job_that_is_no_longer_kept_nothing_is_said()
    {
        var machine = new MadeMachine();
        var job = new JobSpan(0, 0, From, From, To, null, null);
        Assert.False(Lost(machine).Fill(Candidate(job), job));
    }

    private static long Number(string text) => long.Parse(text, CultureInfo.InvariantCulture);

    private static EpisodeCandidate Fill(
        MadeMachine machine, (long In, long Out)[] stays, long ready = From, long? deadline = null, long interrupted = 0,
        int[]? cpus = null, bool isOverloaded = false, bool hasLevels = true)
    {
        List<long> numbers = [];
        foreach ((long from, long to) in stays)
        {
            int cpu = cpus?[numbers.Count] ?? 0;
            numbers.Add(machine.State.Visits.Begin(new ThreadVisit
            {
                Thread = Victim,
                ReadyTicks = numbers.Count == 0 ? ready : long.MinValue,
                InTicks = from,
                ReadyCpu = -1,
                Cpu = (short)cpu,
                Priority = 24,
            }));
            Assert.Equal(numbers[^1], machine.State.Visits.End(cpu, new LaneRecord
            {
                Ticks = to,
                Other = Victim,
                B = interrupted,
                State = to == To ? KernelThreadState.Waiting : KernelThreadState.Ready,
            }));
        }

        var job = new JobSpan(numbers[0], numbers[^1], ready, From, To, deadline, null) { IsOverloaded = isOverloaded };
        EpisodeCandidate candidate = Candidate(job);
        Assert.True(Lost(machine, hasLevels).Fill(candidate, job));
        return candidate;
    }

    private static EpisodeCandidate Candidate(JobSpan job) => new(new Delay
    {
        Probe = ProbeKind.Job,
        FromTicks = job.FromTicks,
        ToTicks = job.EndTicks,
        Cpu = 0,
        ThreadId = Victim,
        Priority = 24,
        Job = job,
    });

    private static LostTime Lost(MadeMachine machine, bool hasLevels = true)
    {
        Accounting accounting = machine.Accounting(hasLevels);
        return new LostTime(machine.State, accounting, machine.Chains(accounting), Threshold, MadeMachine.LevelGap);
    }
}
