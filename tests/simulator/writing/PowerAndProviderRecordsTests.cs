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
    private static readonly Guid Power = new("331c3b3a-2005-44c2-ac5e-77220c37d6b4");
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

    /// <summary>Processors are told by group and number, or as a bit of the group of the one that logs it.</summary>
    [Fact]
    public void A_processor_of_the_second_group_is_told_by_its_number_there()
    {
        WrittenTrace trace = Write(
            WindowsBuild.All.Count - 1,
            (log, _) =>
            {
                log.SpeedChanged(3 * Millisecond, 70, 12, 100);
                log.CpuParked(4 * Millisecond, 0, 70, isParked: true);
            },
            cpus: 96);
        WrittenTrace.Entry speed = trace.Of(0x1233).Single();
        Assert.Equal((70, 1UL << 6), (speed.Cpu, BinaryPrimitives.ReadUInt64LittleEndian(speed.Payload.AsSpan(16))));
        byte[] parked = trace.Entries.Single(entry => entry.Provider == ProcessorPower).Payload;
        Assert.Equal((1, 6), (BinaryPrimitives.ReadUInt16LittleEndian(parked.AsSpan(8)), (int)parked[10]));
        byte[] groups = trace.Of(0x0B1A).Single().Payload;
        Assert.Equal((20, 2u), (groups.Length, BinaryPrimitives.ReadUInt32LittleEndian(groups)));
        Assert.Equal(
            (ulong.MaxValue, 0xFFFF_FFFFUL),
            (BinaryPrimitives.ReadUInt64LittleEndian(groups.AsSpan(4)), BinaryPrimitives.ReadUInt64LittleEndian(groups.AsSpan(12))));
        uint[] numbers = Words(trace.Of(0x0B1B).Single().Payload);
        Assert.Equal((96u, 63u << 16, 1u, 1u | (31u << 16)), (numbers[0], numbers[64], numbers[65], numbers[96]));
    }

    /// <summary>Modern Standby: while it sleeps nothing is logged, and what comes later comes so much later.</summary>
    [Fact]
    public void A_sleep_puts_off_all_that_is_logged_behind_it()
    {
        const long Slept = 7_000 * Millisecond;
        WrittenTrace trace = Write(WindowsBuild.All.Count - 1, (log, thread) =>
        {
            log.StandbyEntered(3 * Millisecond, 1, thread);
            log.Slept(4 * Millisecond, Slept);
            log.IdleExit(5 * Millisecond, 0, 3);
            log.StandbyLeft(6 * Millisecond, 1, thread, Slept + (3 * Millisecond), Slept, 1);
        });
        WrittenTrace.Entry[] standby = [.. trace.Entries.Where(entry => entry.Provider == Power)];
        Assert.Equal([(506, 3, 33), (507, 8, 202)], standby.Select(entry => ((int)entry.Hook, entry.Version, entry.Payload.Length)));
        Assert.Equal([3 * Millisecond, Slept + (6 * Millisecond)], standby.Select(entry => entry.TimeNs));
        Assert.Equal(Slept + (5 * Millisecond), trace.Of(0x123A).Single().TimeNs);
        Assert.Equal((ulong)Slept / 1_000, BinaryPrimitives.ReadUInt64LittleEndian(standby[1].Payload.AsSpan(28)));
        Assert.InRange(trace.Entries.Max(entry => entry.TimeNs), Slept + (100 * Millisecond), Slept + (200 * Millisecond));
    }

    private static uint[] Words(byte[] payload) =>
        [.. payload.Chunk(4).Select(word => BinaryPrimitives.ReadUInt32LittleEndian(word))];

    private static WrittenTrace Write(
        int build, Action<KernelLogWriter, uint> calls, bool hasHypervisor = false, int cpus = 2)
    {
        var machine = new MachineInventory(
            7, new InventoryOptions { Cpus = cpus, Build = WindowsBuild.All[build], HasHypervisor = hasHypervisor });
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
