using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using static Tracer.Simulator.Tests.Parts;

namespace Tracer.Simulator.Tests;

/// <summary>Devices and programs as scenarios use them.</summary>
public class DeviceTests
{
    private static readonly DeviceOptions Disk = new()
    {
        Name = "disk",
        Owner = Driver("disk.sys", "storport.sys"),
        Vector = 0x61,
        IsrRoutine = 0x100,
        IsrCode = Code(0x100),
        IsrLength = Spread.Constant(4 * Us),
        DpcRoutine = 0x200,
        DpcCode = Code(0x200),
        DpcLength = Spread.Constant(20 * Us),
    };

    [Fact]
    public void A_request_ends_with_an_isr_a_dpc_and_the_thread_that_goes_on()
    {
        var log = new RecordedLog();
        var machine = new Machine(Costless(), log);
        SimulatedDevice disk = machine.AddDevice(Disk);
        SimulatedThread reader = machine.AddThread(new ThreadOptions
        {
            Process = new SimulatedProcess(8, "copy.exe"),
            Program = machine.AskDevice("copy", disk, User(1), Spread.Constant(500 * Us), Spread.Constant(2 * Ms), 4096),
        });
        machine.Run(10 * Ms);
        RecordedLog.Routine[] routines = [.. log.Routines];
        Assert.Equal([2500 * Us, 5024 * Us], routines.Where(routine => routine.Kind is null).Take(2).Select(routine => routine.StartNs));
        Assert.Equal(
            [2504 * Us, 5028 * Us], routines.Where(routine => routine.Kind is not null).Take(2).Select(routine => routine.StartNs));
        Every.Item(log.Readied, ready => Assert.True(ready.IsFromDpc && ready.ThreadId == reader.Id));
        Assert.Equal(2524 * Us, log.Readied[0].TimeNs);
        Assert.Equal([(500 * Us, 2524 * Us)], log.Transfers[..1]);
    }

    [Fact]
    public void A_device_behind_the_driver_framework_tells_its_callbacks()
    {
        var log = new RecordedLog();
        var machine = new Machine(Costless(), log);
        SimulatedDevice device = machine.AddDevice(Disk with
        {
            Owner = Driver("client.sys", "Wdf01000.sys"),
            WdfIsr = 0xA00,
            WdfDpc = 0xB00,
            DpcLength = Spread.Constant(2 * Ms),
        });
        device.Interrupt(Arrivals.Every(Second, 5 * Ms));
        machine.Run(10 * Ms);
        Assert.Equal([(5000_600L, 0xA00UL), (5005_200L, 0xB00UL)], log.Callbacks);
        TruthReport truth = machine.Truth(Declared(Verdict.Driver));
        Assert.Equal(ProbeKind.Level, Assert.Single(truth.Episodes).Probe);
        TrueCulprit culprit = Assert.Single(truth.Culprits);
        Assert.Equal(("client.sys", Mechanism.Dpc), (culprit.Name, culprit.Mechanism));
        Assert.Equal(["Wdf01000.sys"], culprit.Through);
    }

    [Fact]
    public void Each_packet_lets_the_receiver_go_on()
    {
        var log = new RecordedLog();
        var machine = new Machine(Costless(), log);
        var packet = new KernelEvent(isCounter: true);
        machine.AddDevice(Disk).Interrupt(Arrivals.Every(3 * Ms), packet);
        SimulatedThread receiver = machine.AddThread(new ThreadOptions
        {
            Process = new SimulatedProcess(8, "server.exe"),
            Program = machine.WorkOnEach("server", packet, User(1), Spread.Constant(100 * Us)),
        });
        machine.Run(10 * Ms);
        Assert.Equal(3, log.Readied.Count(ready => ready.ThreadId == receiver.Id));
    }

    [Fact]
    public void Arrivals_belong_to_one_source()
    {
        var machine = new Machine(Costless(), new RecordedLog());
        var arrivals = Arrivals.Every(Ms);
        machine.AddTimer("timer", 0, arrivals);
        Assert.Throws<InvalidOperationException>(() => machine.AddDevice(Disk).Interrupt(arrivals));
    }

    [Theory]
    [InlineData(1_000_000.0)]
    [InlineData(0.001)]
    [InlineData(2.5)]
    public void The_portable_logarithm_is_the_logarithm(double value)
    {
        Assert.Equal(Math.Log(value), PortableLogarithm.Log(value), 1e-13 * Math.Max(1, Math.Abs(Math.Log(value))));
        Assert.Equal(value, PortableLogarithm.Exp(PortableLogarithm.Log(value)), 1e-12 * value);
    }

    [Fact]
    public void Random_lengths_have_the_mean_and_the_limits_that_were_asked_for()
    {
        var random = new RandomSequence(5, "lengths");
        Assert.InRange(Draw(Spread.Exponential(1000)).Average(), 970, 1030);
        long[] uniform = Draw(Spread.Uniform(10, 20));
        Assert.Equal((10, 20), (uniform.Min(), uniform.Max()));
        long[] longTail = Draw(Spread.LogNormal(1000, 1, 5000));
        Assert.InRange(longTail.Order().ElementAt(longTail.Length / 2), 950, 1050);
        Assert.Equal(5000, longTail.Max());
        Every.Item(Draw(Spread.Constant(0)), length => Assert.Equal(1, length));

        long[] Draw(Spread spread) => [.. Enumerable.Range(0, 20_000).Select(_ => spread.Next(random))];
    }
}
