using Tracer.Analysis.Machine;

namespace Tracer.Analysis.Tests.Machine;

public class PerCpuRunsTests
{
    [Fact]
    public void Each_cpu_has_its_own_count_total_and_longest_in_order()
    {
        var runs = new PerCpuRuns();
        foreach ((int cpu, long ticks) in new[] { (7, 10L), (7, 30), (0, 5), (63, 1), (7, 20), (0, 6) })
        {
            runs.Add(cpu, ticks);
        }

        Assert.Equal([new CpuRun(0, 2, 11, 6), new CpuRun(7, 3, 60, 30), new CpuRun(63, 1, 1, 1)], runs.All.ToArray());
    }

    [Fact]
    public void Adding_allocates_nothing_once_the_cpus_were_seen()
    {
        var runs = new PerCpuRuns();
        for (int cpu = 0; cpu < 64; cpu++)
        {
            runs.Add(cpu, 1);
        }

        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int i = 0; i < 10_000; i++)
        {
            runs.Add(i % 64, i);
        }

        Assert.Equal(before, GC.GetAllocatedBytesForCurrentThread());
        Assert.Equal(10_064, runs.All.ToArray().Sum(cpu => cpu.Count));
    }
}
