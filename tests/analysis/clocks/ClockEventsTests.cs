using System.Buffers.Binary;
using Tracer.Analysis.Clocks;
using Tracer.Analysis.Tests.Facts;

namespace Tracer.Analysis.Tests.Clocks;

/// <summary>What is noted of a trace to hold the clocks of its CPUs against each other.</summary>
public class ClockEventsTests
{
    /// <summary>A CPU that idled for 800 ticks was free for a thread, unless an ISR or DPC took more than an eighth of that.</summary>
    [Theory]
    [InlineData(0, 800)]
    [InlineData(100, 800)]
    [InlineData(101, 0)]
    public void A_CPU_that_served_its_devices_was_not_free(int level, int free)
    {
        var events = new ClockEvents();
        Give(MadeEvent.Kernel(KernelHook.ContextSwitch, 4, 1_000, Switch(from: 7, to: 0)));
        Give(MadeEvent.Kernel(KernelHook.Dpc, 2, 1_500, [.. Bytes(1_500 - level), .. new byte[8]]));
        Give(MadeEvent.Kernel(KernelHook.ContextSwitch, 4, 1_800, Switch(from: 0, to: 8)));
        ClockEvent run = Assert.Single(events.All.ToArray(), one => one.Kind == ClockEventKind.Run);
        Assert.Equal((1_800, 8u, free), (run.Ticks, run.Thread, run.FreeTicks));

        void Give(byte[] record) => MadeEvent.Give(record, (ushort _, in EtlEvent one) => Assert.True(events.Add(in one)));
    }

    /// <summary>A DPC object is as a thread that one CPU makes ready, that runs on another, and waits again.</summary>
    [Fact]
    public void A_DPC_is_asked_for_and_run()
    {
        var events = new ClockEvents();
        MadeEvent.Give(
            MadeEvent.Kernel(KernelHook.DpcEnqueue, 2, 1_000, [.. Bytes(0x5000), .. new byte[16]]),
            (ushort _, in EtlEvent one) => Assert.True(events.Add(in one)));
        MadeEvent.Give(
            MadeEvent.Kernel(KernelHook.DpcExecution, 2, 1_200, [.. Bytes(0x9000), .. Bytes(0x5000)]),
            (ushort _, in EtlEvent one) => Assert.True(events.Add(in one)));
        Assert.Equal(
            [ClockEventKind.Ready, ClockEventKind.Run, ClockEventKind.Wait], events.Dpcs.ToArray().Select(one => one.Kind));
        Assert.Single(events.Dpcs.ToArray().Select(one => one.Thread).Distinct());
        Assert.True(events.All.IsEmpty);
    }

    /// <summary>What lies beside the stretches of a sample goes, and the first quarter of each is not sure.</summary>
    [Fact]
    public void A_sample_begins_anew_with_each_stretch()
    {
        var events = new ClockEvents();
        foreach (int ticks in new[] { 1_000, 1_399, 1_400, 2_200, 4_100 })
        {
            MadeEvent.Give(
                MadeEvent.Kernel(KernelHook.ContextSwitch, 4, ticks, Switch(from: 0, to: 8)),
                (ushort _, in EtlEvent one) => Assert.True(events.Add(in one)));
        }

        events.Cut(new SampledTimes(1_000, 1_000, 400, 3));
        Assert.Equal([1_000L, 1_399L, 2_200L], events.All.ToArray().Where(one => one.Kind == ClockEventKind.Run).Select(one => one.Ticks));
        Assert.Equal(
            [(1_000L, 100), (2_000L, 100), (3_000L, 100)],
            events.All.ToArray().Where(one => one.Kind == ClockEventKind.Cut).Select(one => (one.Ticks, one.FreeTicks)));
    }

    private static byte[] Switch(int from, int to)
    {
        byte[] payload = new byte[24];
        BinaryPrimitives.WriteInt32LittleEndian(payload, to);
        BinaryPrimitives.WriteInt32LittleEndian(payload.AsSpan(4), from);
        payload[14] = (byte)KernelThreadState.Waiting;
        return payload;
    }

    private static byte[] Bytes(long ticks)
    {
        byte[] time = new byte[8];
        BinaryPrimitives.WriteInt64LittleEndian(time, ticks);
        return time;
    }
}
