using System.Buffers.Binary;
using Tracer.Etl.Decoding;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Writing;

namespace Tracer.Simulator.Tests;

/// <summary>Records of power management and events of providers, byte by byte.</summary>
public class PowerAndProviderRecordsTests
{
    private const long Millisecond = 1_000_000;
    private static readonly Guid ProcessorPower = new("0f67e49f-fe51-4e9f-b490-6f2948cc6027");
    private static readonly Guid Runtime = new("e13c0d23-ccbc-4e12-931b-d9cc2eee27e4");

    public static TheoryData<int> Builds => [.. Enumerable.Range(0, WindowsBuild.All.Count)];

    [Theory]
    [MemberData(nameof(Builds))]
    public void Power_management_is_recorded(int build)
    {
        WrittenTrace trace = Write(build, (log, _) =>
        {
            log.IdleExitLatency(2 * Millisecond, 1, 3, 712_900);
            log.SpeedChanged(3 * Millisecond, 1, 12, 100);
            log.CpuParked(4 * Millisecond, 0, 1, isParked: true);
            log.CpuParked(5 * Millisecond, 0, 1, isParked: false);
        });
        byte[] exit = trace.Of(0x123C).Single().Payload;
        Assert.Equal([0u, uint.MaxValue, 3u, 712u, 712u], Words(exit));
        WrittenTrace.Entry speed = trace.Of(0x1233).Single();
        Assert.Equal((1, 3 * Millisecond), (speed.Cpu, speed.TimeNs));
        Assert.Equal([1u, 12u, 100u, 0u, 2u, 0u], Words(speed.Payload));
        WrittenTrace.Entry[] parking = [.. trace.Entries.Where(entry => entry.Provider == ProcessorPower)];
        if (!WindowsBuild.All[build].IsModern)
        {
            Assert.Empty(parking);
            return;
        }

        Assert.Equal([(14, 1, 0), (15, 0, 0)], parking.Select(entry => ((int)entry.Hook, entry.Version, entry.Cpu)));
        Assert.Equal([15, 11], parking.Select(entry => entry.Payload.Length));
        Every.Item(parking, entry =>
            Assert.Equal((0, 1), (BinaryPrimitives.ReadUInt16LittleEndian(entry.Payload.AsSpan(8)), (int)entry.Payload[10])));
    }

    [Theory]
    [MemberData(nameof(Builds))]
    public void Garbage_collections_are_events_that_a_reader_of_the_runtime_knows(int build)
    {
        CollectionStep[] steps =
        [
            CollectionStep.Begins, CollectionStep.Ends, CollectionStep.RestartEnds, CollectionStep.RestartBegins,
            CollectionStep.SuspensionEnds, CollectionStep.SuspensionBegins,
        ];
        WrittenTrace trace = Write(build, (log, thread) =>
        {
            foreach (CollectionStep step in steps)
            {
                log.GarbageCollection(((int)step + 1) * 10 * Millisecond, 1, thread, step, 7);
            }
        });
        WrittenTrace.Entry[] events = [.. trace.Entries.Where(entry => entry.Provider == Runtime)];
        Assert.Equal(
            ["GC/Start", "GC/Stop", "GC/RestartEEStop", "GC/RestartEEStart", "GC/SuspendEEStop", "GC/SuspendEEStart"],
            events.Select(entry => ClrEvents.Find(entry.Hook, (byte)entry.Version)!.EventName));
        Assert.Equal([26, 10, 2, 2, 2, 10], events.Select(entry => entry.Payload.Length));
        Assert.Equal([1, 2, 132, 135, 136, 137], events.Select(entry => (int)entry.Opcode));
    }

    [Fact]
    public void Measured_wake_ups_are_in_the_performance_counter()
    {
        WrittenTrace trace = Write(WindowsBuild.All.Count - 1, (log, thread) =>
        {
            log.MeasuringStarted(1 * Millisecond, 0, thread, 28, Millisecond, 500_000);
            log.ClocksRelated(2 * Millisecond, 0, thread);
            var wakeup = new SimulatedWakeup
            {
                Sequence = 9,
                DueNs = 3 * Millisecond,
                IsrNs = 4 * Millisecond,
                DpcNs = 5 * Millisecond,
                ThreadNs = 6 * Millisecond,
                Priority = 28,
            };
            log.WakeupMeasured(7 * Millisecond, 0, thread, wakeup);
            log.MeasuringStopped(8 * Millisecond, 0, thread, 1);
        });
        byte[][] payloads = [.. trace.Entries.Where(entry => entry.Provider == TracerProvider.Id).Select(entry => entry.Payload)];
        Assert.Equal([41, 16, 54, 16], payloads.Select(payload => payload.Length));
        Assert.Equal(10_000_000UL, BinaryPrimitives.ReadUInt64LittleEndian(payloads[0].AsSpan(2)));
        int[] places = [11, 19, 27, 35];
        long[] times = [.. places.Select(place =>
            trace.Header.Clock.NanosecondsFromHeader(BinaryPrimitives.ReadInt64LittleEndian(payloads[2].AsSpan(place))))];
        Assert.Equal([3 * Millisecond, 4 * Millisecond, 5 * Millisecond, 6 * Millisecond], times);
    }

    [Fact]
    public void A_guest_of_a_hypervisor_has_a_page_to_call_it()
    {
        WrittenTrace guest = Write(5, (_, _) => { }, hasHypervisor: true);
        Assert.NotEmpty(guest.Of(0x1422));
        Assert.Empty(Write(5, (_, _) => { }).Of(0x1422));
    }

    private static uint[] Words(byte[] payload) =>
        [.. payload.Chunk(4).Select(word => BinaryPrimitives.ReadUInt32LittleEndian(word))];

    private static WrittenTrace Write(
        int build, Action<KernelLogWriter, uint> calls, bool hasHypervisor = false)
    {
        var machine = new MachineInventory(
            7, new InventoryOptions { Cpus = 2, Build = WindowsBuild.All[build], HasHypervisor = hasHypervisor });
        using var stream = new MemoryStream();
        using (var log = new KernelLogWriter(
            stream, machine, new KernelLogOptions { Kinds = RecordKinds.All, TicksPerSecond = 10_000_000 }))
        {
            calls(log, machine.Process("explorer.exe").Threads[0].Id);
            log.Finish(100 * Millisecond);
        }

        WrittenTrace trace = WrittenTrace.Read(stream.ToArray());
        Assert.Empty(trace.Oddities);
        return trace;
    }
}
