using Tracer.Analysis.Machine;

namespace Tracer.Analysis.Tests.Machine;

public class HardFaultsTests
{
    [Fact]
    public void The_longest_fault_of_the_thread_at_that_time_is_found()
    {
        var faults = new HardFaults();
        faults.Add(new HardFault { StartTicks = 10, EndTicks = 100, ThreadId = 7, Bytes = 1 });
        faults.Add(new HardFault { StartTicks = 90, EndTicks = 120, ThreadId = 7, Bytes = 2 });
        faults.Add(new HardFault { StartTicks = 5, EndTicks = 200, ThreadId = 8, Bytes = 3 });
        Assert.Equal(1u, faults.Find(7, 95)?.Bytes);
        Assert.Equal(2u, faults.Find(7, 110)?.Bytes);
        Assert.Equal(2u, faults.Find(7, 120)?.Bytes);
        Assert.Null(faults.Find(7, 121));
        Assert.Null(faults.Find(7, 9));
        Assert.Null(faults.Find(9, 95));
    }
}
