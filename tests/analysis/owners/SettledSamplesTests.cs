using Tracer.Analysis.Machine;
using Tracer.Analysis.Owners;
using Tracer.Analysis.Tests.Causes;

namespace Tracer.Analysis.Tests.Owners;

/// <summary>A sample at 1050 is examined when all before 1050 and 50 more has been read: by then it is known what ran around it.</summary>
public class SettledSamplesTests
{
    private const long At = 1_050;
    private const long Lag = 50;

    [Theory]
    [InlineData(1_099, 0)]
    [InlineData(1_100, 1)]
    public void A_sample_is_counted_once_when_what_is_behind_it_was_read(long until, long counted)
    {
        var machine = new MadeMachine();
        machine.Sample(0, At, MadeMachine.Alpha, MadeMachine.OfProcess100);
        machine.Owners.Samples.Settle(machine[0], until, Lag);
        Assert.Equal(counted, machine.Owners.Shares.Busy);
        machine.Owners.Samples.Settle(machine[0], 2_000, Lag);
        Assert.Equal(1, machine.Owners.Shares.Busy);
    }

    /// <summary>Within an ISR or DPC that returned by then it has nothing to do with the thread.</summary>
    [Theory]
    [InlineData(1_000, 1_099, 0)]
    [InlineData(1_000, 1_100, 1)]
    [InlineData(1_051, 1_090, 1)]
    public void Code_of_an_interrupt_was_called_by_no_process(long from, long to, long called)
    {
        var machine = new MadeMachine();
        machine.Sample(0, At, MadeMachine.Alpha, MadeMachine.OfProcess100);
        machine.Ran(0, from, to, MadeMachine.Alpha);
        machine.Owners.Samples.Settle(machine[0], 2_000, Lag);
        int image = machine.Owners.Modules.Find(MadeMachine.Alpha, At)!.Number;
        Assert.Equal(1, machine.Owners.Shares.Of(new CodePlace(image, PlaceKind.Cpu, 0)));
        Assert.Equal((1, called), (machine.Owners.Shares.Places(PlaceKind.Cpu), machine.Owners.Shares.Places(PlaceKind.Caller)));
        Assert.Equal(called, machine.Owners.Shares.Of(new CodePlace(image, PlaceKind.Caller, 100)));
    }

    [Fact]
    public void Samples_of_a_latency_are_no_part_of_it()
    {
        var machine = new MadeMachine();
        machine.Take(0, new CpuSample { Ticks = At, Instruction = MadeMachine.Alpha, ThreadId = 77, IsLatency = true });
        machine.Owners.Samples.Settle(machine[0], 2_000, Lag);
        Assert.Equal(0, machine.Owners.Shares.Busy);
    }
}
