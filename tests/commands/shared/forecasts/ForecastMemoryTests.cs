using Tracer.Analysis.Latencies;
using Tracer.AnalyzerShared.Forecasts;
using Tracer.Forecast;

namespace Tracer.Commands.Tests.Shared.Forecasts;

/// <summary>What is kept for forecasts is bounded by the waits, not by the times and CPU numbers that a damaged trace has.</summary>
public class ForecastMemoryTests
{
    /// <summary>
    /// One wait in each group of priorities on each of 2,048 CPUs, at times decades apart: blocks of time for each CPU took 4 GB and more.
    /// </summary>
    [Fact]
    public void Times_decades_apart_on_many_cpus_take_little_memory()
    {
        const long Decades = long.MaxValue / 4;
        long before = GC.GetAllocatedBytesForCurrentThread();
        var series = new ForecastSeries(new LatencyRequest());
        ILatencySink sink = series.Next()!;
        sink.Begin(0);
        for (int cpu = 0; cpu < 2048; cpu++)
        {
            foreach (int priority in (ReadOnlySpan<int>)[8, 16, 24, 31])
            {
                sink.Add(new MeasuredLatency(
                    LatencyKind.Thread, LatencySource.ReadyThread, Decades - cpu, 1_000_000, cpu, priority, 7));
            }
        }

        sink.End(Decades, _ => null);
        var question = new ForecastQuestion { Applications = [new AskedApplication("audio", new Buffering(2, 1_333_333, 0))] };
        Assert.Equal(4, series.Forecasts(question)!.Count);
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 200_000_000);
    }
}
