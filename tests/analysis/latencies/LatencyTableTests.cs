using Tracer.Analysis.Latencies;

namespace Tracer.Analysis.Tests.Latencies;

public class LatencyTableTests
{
    /// <summary>Memory is bounded however many processes there are, and nothing gets lost: the others are counted together.</summary>
    [Fact]
    public void Parts_beyond_the_limit_are_counted_together()
    {
        var table = new LatencyTable([LatencyDimensions.Process]);
        const int Processes = LatencyRequest.MostParts + 100;
        for (int i = 0; i < 3 * Processes; i++)
        {
            var key = new LatencyKey(Cpu: 0, Priority: 8, Group: 0, Process: i % Processes, Label: -1);
            table.Add(in key, 1000 + i);
        }

        Assert.Equal(LatencyRequest.MostParts, table.Parts(0).Count);
        Assert.Equal(300, table.Rest(0)?.Count);
        Assert.Equal(3 * Processes, table.All.Count);
    }

    [Fact]
    public void What_has_no_thread_is_not_told_apart_by_threads()
    {
        var table = new LatencyTable(
            [LatencyDimensions.Priority, LatencyDimensions.Cpu | LatencyDimensions.Process, LatencyDimensions.Cpu]);
        var dpc = new LatencyKey(Cpu: 2, Priority: -1, Group: -1, Process: -1, Label: -1);
        table.Add(in dpc, 1000);
        Assert.Equal([0, 0, 1], Enumerable.Range(0, 3).Select(split => table.Parts(split).Count));
    }
}
