using Tracer.Analysis.Machine;

namespace Tracer.Analysis.Tests.Machine;

/// <summary>Each CPU answers as of the time at which all look back, whenever it is asked for the first time.</summary>
public class CpuHistoriesTests
{
    [Fact]
    public void A_CPU_looks_back_when_it_is_asked_and_only_then()
    {
        CpuHistory[] all = [.. Enumerable.Range(0, 4).Select(cpu => new CpuHistory(cpu, 256, new SampleClock(0, 1)))];
        var cpus = new CpuHistories([.. all, null]);
        Assert.Equal((5, 4), (cpus.Length, cpus.Count));
        for (int i = 1; i <= 9; i++)
        {
            Array.ForEach(all, cpu => cpu.AddSwitch(100 * i, (uint)i + 1, 8, (uint)i, 8));
        }

        foreach (long ticks in (long[])[350, 700, 150, 2_000])
        {
            cpus.LookFrom(ticks);
            Assert.Equal(Math.Min(900, (ticks - 1) / 100 * 100), cpus[1]!.LatestTicks);
            Assert.Equal(Math.Min(900, (ticks - 1) / 100 * 100), cpus.ElementAt(1)!.LatestTicks);
            Assert.Null(cpus[4]);
            Assert.All(all, cpu => Assert.Equal(cpu.Cpu <= 1, cpu.IsLookingBack)); // ElementAt passes CPU 0.
        }

        Assert.Equal(8, cpus.Looks);
        cpus.LookFromNow();
        Assert.All(all, cpu => Assert.Equal((false, 900), (cpu.IsLookingBack, cpu.LatestTicks)));
        Assert.Equal(900, cpus[1]!.LatestTicks);
        Assert.Equal(8, cpus.Looks);
        cpus[1] = null;
        Assert.Equal(3, cpus.Count);
        cpus.Clear();
        Assert.Equal((0, false), (cpus.Count, cpus.HasRecordBehind(0, 0)));
    }

    /// <summary>A sample of our own driver is no record of the CPU, but shows that it went on.</summary>
    [Fact]
    public void The_newest_is_seen_also_by_who_looks_back()
    {
        var cpu = new CpuHistory(0, 256, new SampleClock(0, 1));
        var cpus = new CpuHistories(cpu);
        Assert.False(cpus.HasRecordBehind(0, 0));
        cpu.AddSwitch(100, 2, 8, 1, 8);
        cpus.LookFrom(50);
        Assert.Equal(long.MinValue, cpus[0]!.LatestTicks);
        Assert.Equal((true, false), (cpus.HasRecordBehind(0, 99), cpus.HasRecordBehind(0, 100)));
        cpu.AddDriverSample(new CpuSample { Ticks = 120 }, []);
        Assert.Equal((true, false), (cpus.HasRecordBehind(0, 119), cpus.HasRecordBehind(0, 120)));
    }
}
