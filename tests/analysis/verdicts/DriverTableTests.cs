using Tracer.Analysis.Facts;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Owners;
using Tracer.Analysis.Tests.Modules;
using Tracer.Analysis.Verdicts;

namespace Tracer.Analysis.Tests.Verdicts;

public class DriverTableTests
{
    /// <summary>Of a DPC and an ISR that took as long as each other the DPC is told.</summary>
    [Theory]
    [InlineData(100, 99, 500)]
    [InlineData(100, 100, 500)]
    [InlineData(99, 100, 900)]
    public void The_longest_run_is_of_either_kind(long dpc, long isr, long start)
    {
        DriverTable.Row row = Row();
        row.Add(Counted(false, 500, dpc), null, null, _ => 0);
        row.Add(Counted(true, 900, isr), null, null, _ => 0);
        Assert.Equal(start, row.Longest!.Value.StartTicks);
        Assert.Equal((2L, dpc + isr, Math.Max(dpc, isr)), (row.Runs, row.TotalTicks, row.MaxTicks));
    }

    [Fact]
    public void A_driver_without_dpcs_has_its_longest_isr()
    {
        DriverTable.Row row = Row();
        Assert.Null(row.Longest);
        row.Add(Counted(true, 900, 0), null, null, _ => 0);
        Assert.Equal(900, row.Longest!.Value.StartTicks);
    }

    [Fact]
    public void Only_a_dpc_is_queued()
    {
        DriverTable.Row row = Row();
        row.Add(Counted(true, 900, 10), null, 700, _ => 0);
        Assert.Null(row.QueuedTicks);
        row.Add(Counted(false, 900, 10), null, null, _ => 0);
        Assert.Null(row.QueuedTicks);
        row.Add(Counted(false, 900, 10), null, 300, _ => 0);
        row.Add(Counted(false, 900, 10), null, 200, _ => 0);
        Assert.Equal(300, row.QueuedTicks);
    }

    /// <summary>A blackout of the machine is no time of the driver whose routine it fell into.</summary>
    [Theory]
    [InlineData(501, 500, 900)]
    [InlineData(499, 501, 500)]
    public void A_blackout_is_none_of_its_time(long stopped, long longest, long start)
    {
        DriverTable.Row row = Row();
        row.Add(Counted(false, 500, 1_000), null, null, run => run.StartTicks == 500 ? stopped : 0);
        row.Add(Counted(false, 900, 500), null, null, _ => 0);
        Assert.Equal((longest, 1_500 - stopped), (row.MaxTicks, row.TotalTicks));
        Assert.Equal(start, row.Longest!.Value.StartTicks);
    }

    /// <summary>A run in which the machine stood still is as long as what is left of it, beside another one, on its CPU too.</summary>
    [Theory]
    [InlineData(99, 900, 601)]
    [InlineData(101, 500, 600)]
    public void The_longest_run_is_the_longest_without_blackouts(long stopped, long start, long longest)
    {
        var times = new RunTimes();
        times.Add(Counted(false, 500, 600), [(new LongRun(500, 1_100, 600, 0), 0)]);
        times.Add(Counted(false, 900, 700), [(new LongRun(900, 1_600, 700, 0), stopped)]);
        Assert.Equal((start, longest), (times.Longest!.Value.StartTicks, times.MaxTicks));
        RoutineCount onCpu = Counted(false, 900, 700);
        onCpu.PerCpu.Add(0, 700);
        var perCpu = new RunTimes();
        perCpu.Add(onCpu, [(new LongRun(900, 1_600, 700, 0), stopped)]);
        Assert.Equal((700 - stopped, 700 - stopped), (perCpu.PerCpu.All[0].Ticks, perCpu.PerCpu.All[0].MaxTicks));
    }

    [Fact]
    public void The_frameworks_that_called_it_are_told_once_and_itself_never()
    {
        var made = new MadeModules("ndis.sys", "nic.sys");
        DriverTable.Row row = Row();
        row.Add(Counted(false, 900, 10), made.Map.Find(made.At("nic.sys"), 1), null, _ => 0);
        Assert.Empty(row.Through);
        row.Add(Counted(false, 900, 10), null, null, _ => 0);
        row.Add(Counted(false, 900, 10), made.Map.Find(made.At("ndis.sys"), 1), null, _ => 0);
        row.Add(Counted(true, 900, 10), made.Map.Find(made.At("ndis.sys"), 1), null, _ => 0);
        Assert.Equal(["ndis.sys"], row.Through);
    }

    /// <summary>Runs with one vote are shared by it; of samples that are too few, and of what is its own, nothing is said.</summary>
    [Theory]
    [InlineData(3, "client.sys", true)]
    [InlineData(2, "client.sys", false)]
    [InlineData(9, "nic.SYS", false)]
    public void Who_shares_its_time_is_told_with_all_samples_once(int samples, string client, bool isTold)
    {
        LoadedImage image = new MadeModules(client).Map.Images.Images[0];
        DriverTable.Row row = Row();
        var found = new OwnerFinding { Owner = image, Proof = Proof.Stack, Routine = 0x5000, Samples = samples, SamplesAsked = 12 };
        row.AddShared(Counted(false, 900, 1_000), [(found, 0.25)]);
        row.AddShared(Counted(false, 950, 3_000), [(found, 0.25)]);
        Assert.Equal(isTold ? [(client, 1_000L, samples, 12)] : [], row.SharedBy);
    }

    private static DriverTable.Row Row() => new() { Name = "NIC.sys", IsKnown = true };

    private static RoutineCount Counted(bool isIsr, long start, long ticks)
    {
        var times = new DurationCounts();
        times.Add(ticks);
        var longest = new LongestRuns();
        longest.Add(new LongRun(start, start + ticks, ticks, 0));
        return new RoutineCount(new RoutineKey(0x5000, RunClient.NotSeen, isIsr), times, start)
        {
            Longest = longest,
            Facts = new RunFacts(),
            PerCpu = new PerCpuRuns(),
        };
    }
}
