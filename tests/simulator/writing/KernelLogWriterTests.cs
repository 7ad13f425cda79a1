using System.Text;
using Tracer.Etl.Kernel;
using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Writing;

namespace Tracer.Simulator.Tests;

/// <summary>What is logged comes out of the trace again, on every release of Windows and in every way of recording.</summary>
public class KernelLogWriterTests
{
    private const long Millisecond = 1_000_000;
    private const ushort ImageIdentity = 0xFFFF;

    private static readonly SimulatedSwitch Change = new()
    {
        NewThreadId = 0,
        OldThreadId = 0,
        NewPriority = 24,
        OldPriority = 0,
        OldState = 2,
        OldWaitReason = 0,
        OldIdealProcessor = 1,
        NewWaitTicks = 3,
        PreviousCState = 2,
    };

    public static TheoryData<int> Builds => [.. Enumerable.Range(0, WindowsBuild.All.Count)];

    [Theory]
    [MemberData(nameof(Builds))]
    public void Records_of_every_kind_are_read_as_they_were_logged(int build)
    {
        var machine = new MachineInventory(7, new InventoryOptions { Cpus = 2, Build = WindowsBuild.All[build] });
        uint thread = machine.Process("explorer.exe").Threads[0].Id;
        ulong routine = machine.Routine(ImageRole.PlainDriver, "Dpc");
        var options = new KernelLogOptions { Kinds = RecordKinds.All, TicksPerSecond = 10_000_000 };
        WrittenTrace trace = Write(machine, options, log =>
        {
            log.Isr(1 * Millisecond, 2 * Millisecond, 0, routine, 0x61, true, null);
            log.Isr(2 * Millisecond, 3 * Millisecond, 1, routine, 0x71, false, 5);
            log.Dpc(3 * Millisecond, 4 * Millisecond, 0, DpcRecordKind.Normal, routine);
            log.Dpc(4 * Millisecond, 5 * Millisecond, 0, DpcRecordKind.Timer, routine + 1);
            log.Dpc(5 * Millisecond, 6 * Millisecond, 0, DpcRecordKind.Threaded, routine + 2);
            log.ReadyThread(7 * Millisecond, 1, thread, 1, true, []);
            log.ContextSwitch(8 * Millisecond, 1, Change with { NewThreadId = thread }, []);
            log.Sample(9 * Millisecond, 1, routine + 3, thread, 24, true, false, []);
            log.HardFault(10 * Millisecond, 11 * Millisecond, 1, thread, 0x7777000, 4096);
            log.DiskTransfer(11 * Millisecond, 12 * Millisecond, 1, true, thread, 8192);
            log.DpcEnqueued(13 * Millisecond, 0, routine & ~0xFUL, 2, 9, 1, 3);
            log.DpcExecuting(14 * Millisecond, 0, routine, routine & ~0xFUL);
            log.WdfCallback(15 * Millisecond, 0, true, routine);
            log.WdfCallback(16 * Millisecond, 0, false, routine + 4);
            log.ClockInterrupt(17 * Millisecond, 0, true);
            log.IdleEnter(18 * Millisecond, 0, 2);
            log.IdleExit(19 * Millisecond, 0, 2);
        });
        Assert.Empty(trace.Oddities);
        List<string> expected =
        [
            $"0F43 2 0 2000000 isr 1000000 {routine:x} 97 1 ",
            $"0F32 2 1 3000000 isr 2000000 {routine:x} 113 0 5",
            $"0F44 2 0 4000000 dpc 3000000 {routine:x}",
            $"0F45 2 0 5000000 dpc 4000000 {routine + 1:x}",
            $"0F42 2 0 6000000 dpc 5000000 {routine + 2:x}",
            $"0532 2 1 7000000 ready {thread} 1 1",
            $"0524 {machine.Build.ContextSwitchVersion} 1 8000000 switch {thread} 0 24 0 2 0 1 3 2",
            $"0F2E 2 1 9000000 sample {routine + 3:x} {thread} {1 | (machine.Build.IsModern ? 24 << 3 : 0)} 1",
            $"0220 2 1 11000000 fault 10000000 7777000 {thread} 4096",
            $"010B {machine.Build.DiskVersion} 1 12000000 disk 8192 1000000",
        ];
        if (machine.Build.IsModern)
        {
            expected.AddRange(
            [
                $"0F64 2 0 13000000 queued {routine & ~0xFUL:x} 2 9 1 3",
                $"0F65 2 0 14000000 runs {routine:x} {routine & ~0xFUL:x}",
                $"0F60 2 0 15000000 wdf {routine:x}",
                $"0F62 2 0 16000000 wdf {routine + 4:x}",
                "0F4F 2 0 17000000 ",
            ]);
        }

        expected.AddRange(["1239 2 0 18000000 ", "123A 2 0 19000000 "]);
        ushort[] hooks = [.. expected.Select(line => Convert.ToUInt16(line[..4], 16))];
        Assert.Equal(
            expected,
            trace.Entries.Where(entry => hooks.Contains(entry.Hook))
                .Select(entry => $"{entry.Hook:X4} {entry.Version} {entry.Cpu} {entry.TimeNs} {entry.Text}"));
    }

    [Theory]
    [MemberData(nameof(Builds))]
    public void Rundowns_list_all_there_is_in_the_versions_of_the_release(int build)
    {
        var machine = new MachineInventory(8, new InventoryOptions { Cpus = 2, Build = WindowsBuild.All[build] });
        WrittenTrace trace = Write(machine, new KernelLogOptions { Rundown = Rundowns.Both }, log => Sample(log, 5 * Millisecond));
        int modules = machine.Modules.Count;
        int userImages = machine.Processes.Sum(process => process.Images.Count);
        foreach ((ushort hook, int count, int version) in (ReadOnlySpan<(ushort, int, int)>)
            [
                (KernelHook.ImageDCStart, modules + userImages, machine.Build.ImageVersion),
                (KernelHook.ImageDCEnd, modules + userImages, machine.Build.ImageVersion),
                (0x0303, machine.Processes.Count, machine.Build.ProcessVersion),
                (0x0304, machine.Processes.Count, machine.Build.ProcessVersion),
                (0x0503, machine.Processes.Sum(process => process.Threads.Count), machine.Build.ThreadVersion),
                (0x0504, machine.Processes.Sum(process => process.Threads.Count), machine.Build.ThreadVersion),
            ])
        {
            Assert.Equal(count, trace.Of(hook).Count());
            Every.Item(trace.Of(hook), entry => Assert.Equal(version, entry.Version));
        }

        Assert.Empty(trace.Oddities);
        Assert.Equal(modules + userImages, trace.Of(ImageIdentity).Count(entry => entry.Opcode == KernelPayloadWriter.ImageIdRsdsOpcode));
        // An identity has the time stamp of its image's record.
        HashSet<long> imageTimes = [.. trace.Of(KernelHook.ImageDCStart).Select(entry => entry.Ticks)];
        Every.Item(
            trace.Of(ImageIdentity).Where(entry => entry.Provider == KernelRecordCatalog.ImageIdClass),
            entry => Assert.Contains(entry.Ticks, imageTimes));
    }

    [Theory]
    [InlineData(false, false)]
    [InlineData(true, false)]
    [InlineData(false, true)]
    public void Stacks_come_back_whole_whether_by_keys_or_not(bool usesKeys, bool compresses)
    {
        var machine = new MachineInventory(11, new InventoryOptions { MustBeModern = true, Cpus = 2 });
        InventoryProcess process = machine.Process("explorer.exe");
        uint thread = process.Threads[0].Id;
        var stacks = new StackBuilder(machine, new RandomSequence(4));
        var options = new KernelLogOptions { UsesStackKeys = usesKeys, Compress = compresses };
        List<ulong[]> logged = [];
        byte[] bytes = WriteBytes(machine, options, log =>
        {
            // More different stacks than the table of keys has places.
            for (int i = 0; i < 6_000; i++)
            {
                logged.Add(stacks.SystemCall(process, "NtReadFile", stacks.At(ImageRole.FileSystem, "Read" + (i % 7))));
                log.Sample((i + 1) * Millisecond / 10, i % 2, logged[^1][0], thread, 8, false, false, logged[^1]);
            }
        });
        WrittenTrace trace = WrittenTrace.Read(bytes);
        Assert.Empty(trace.Oddities);
        Assert.Equal(logged, trace.Of(KernelHook.SampledProfile).Select(entry => entry.Stack));
        Assert.Equal(usesKeys ? 0 : logged.Count, WrittenTrace.Count(bytes, KernelHook.Stack));
        Assert.Equal(usesKeys, WrittenTrace.Count(bytes, KernelHook.StackKeyDelete) > 500);
        Assert.Equal(usesKeys, WrittenTrace.Count(bytes, KernelHook.StackKeyRundown) > 1_000);
    }

    [Fact]
    public void The_waker_s_stack_belongs_to_the_thread_that_runs_on_its_cpu()
    {
        var machine = new MachineInventory(12, new InventoryOptions { MustBeModern = true, Cpus = 2 });
        uint waker = machine.Process("explorer.exe").Threads[0].Id;
        uint woken = machine.Process("dwm.exe").Threads[0].Id;
        ulong[] stack = new StackBuilder(machine, new RandomSequence(1)).Waiting(machine.Process("explorer.exe"));
        WrittenTrace trace = Write(machine, new KernelLogOptions(), log =>
        {
            log.ContextSwitch(1 * Millisecond, 1, Change with { NewThreadId = waker }, stack);
            log.ReadyThread(2 * Millisecond, 1, woken, 0, false, stack);
        });
        Assert.Empty(trace.Oddities);
        Assert.Equal(stack, Assert.Single(trace.Of(KernelHook.ReadyThread)).Stack);
        Assert.Equal(stack, Assert.Single(trace.Of(KernelHook.ContextSwitch)).Stack);
    }

    [Fact]
    public void Kinds_that_are_not_recorded_leave_nothing()
    {
        var machine = new MachineInventory(13);
        WrittenTrace trace = Write(machine, new KernelLogOptions { Kinds = RecordKinds.Dpcs, Rundown = Rundowns.None }, log =>
        {
            Sample(log, 1 * Millisecond);
            log.Dpc(1 * Millisecond, 2 * Millisecond, 0, DpcRecordKind.Normal, machine.Routine(ImageRole.Kernel, "Dpc"));
        });
        Assert.Empty(trace.Of(KernelHook.SampledProfile));
        Assert.Empty(trace.Of(KernelHook.CollectionStart));
        Assert.Empty(trace.Of(KernelHook.ImageDCEnd));
        Assert.Single(trace.Of(KernelHook.Dpc));
    }

    [Fact]
    public void A_firmware_method_has_its_name_and_how_long_it_took()
    {
        var machine = new MachineInventory(14, new InventoryOptions { MustBeModern = true });
        WrittenTrace trace = Write(machine, new KernelLogOptions { Kinds = RecordKinds.All, TicksPerSecond = 10_000_000 }, log =>
        {
            log.FirmwareMethod(1 * Millisecond, 0, 0, @"\_SB.EC0._Q11", false);
            log.FirmwareMethod(4 * Millisecond, 0, 0, @"\_SB.EC0._Q11", true);
        });
        WrittenTrace.Entry[] events =
            [.. trace.Entries.Where(entry => entry.Provider == new Guid("c514638f-7723-485b-bcfc-96565d735d4a"))];
        Assert.Equal([1 * Millisecond, 4 * Millisecond], events.Select(entry => entry.TimeNs));
        Assert.Equal([0L, 30_000], events.Select(entry => BitConverter.ToInt64(entry.Payload.AsSpan(^8))));
        Assert.Equal([(ushort)0, (ushort)1], events.Select(entry => BitConverter.ToUInt16(entry.Payload.AsSpan(^10))));
        Assert.Equal(@"\_SB.EC0._Q11", Encoding.Unicode.GetString(events[0].Payload.AsSpan(2, 2 * events[0].Payload[0])));
    }

    [Fact]
    public void Losses_are_told_as_windows_tells_them()
    {
        var machine = new MachineInventory(15, new InventoryOptions { Cpus = 2 });
        var options = new KernelLogOptions
        {
            BufferBytes = 4096,
            Losses = [new SimulatedLoss(50 * Millisecond, 0, Events: 7), new SimulatedLoss(100 * Millisecond, 1, 0, Buffers: 2)],
        };
        WrittenTrace trace = Write(machine, options, log =>
        {
            for (int i = 1; i <= 2_000; i++)
            {
                Sample(log, i * Millisecond / 4, i % 2);
            }
        });
        Assert.Equal((7u, 2u), (trace.Header.EventsLost, trace.Header.BuffersLost));
        Assert.Equal((7, 2), (trace.Oddities[HealthCounter.EventsLost], trace.Oddities[HealthCounter.BuffersLost]));
        Assert.Equal(2, trace.Oddities[HealthCounter.SequenceGaps]);
        Assert.Equal(1, trace.Oddities[HealthCounter.BuffersMarkedEventsLost]);
        Assert.Equal(1, trace.Oddities[HealthCounter.BuffersMarkedBufferLost]);
        int kept = trace.Of(KernelHook.SampledProfile).Count();
        int lostWithBuffers = 2_000 - 7 - kept;
        Assert.InRange(lostWithBuffers, 2 * 4024 / 32, (2 * 4024 / 32) + 100);
    }

    [Fact]
    public void A_ring_keeps_the_last_buffers_and_the_rundown_at_the_end()
    {
        var machine = new MachineInventory(16, new InventoryOptions { Cpus = 2 });
        var options = new KernelLogOptions { BufferBytes = 32 * 1024, RingBuffers = 16, IsMerged = false, Stacks = StackedKinds.None };
        WrittenTrace trace = Write(machine, options, log =>
        {
            for (int i = 1; i <= 40_000; i++)
            {
                Sample(log, i * Millisecond, i % 2);
            }
        });
        Assert.Equal(EtlLogFileMode.Circular, trace.Header.Mode & EtlLogFileMode.Circular);
        Assert.InRange(trace.Of(KernelHook.SampledProfile).Count(), 1_000, 30_000);
        Assert.Equal(40_000 * Millisecond, trace.Of(KernelHook.SampledProfile).Max(entry => entry.TimeNs));
        Assert.NotEmpty(trace.Of(KernelHook.ImageDCEnd));
    }

    [Fact]
    public void The_same_calls_give_the_same_bytes()
    {
        Assert.Equal(Bytes(1), Bytes(1));
        Assert.NotEqual(Bytes(1), Bytes(2));

        static byte[] Bytes(ulong seed)
        {
            var machine = new MachineInventory(seed);
            return WriteBytes(machine, KernelLogOptions.Draw(seed, machine.Build), log => Sample(log, 3 * Millisecond));
        }
    }

    [Fact]
    public void A_cpu_that_goes_back_in_time_is_refused()
    {
        var machine = new MachineInventory(17);
        Assert.Throws<ArgumentException>(() => WriteBytes(machine, new KernelLogOptions(), log =>
        {
            Sample(log, 3 * Millisecond);
            Sample(log, 2 * Millisecond);
        }));
    }

    [Fact]
    public void Records_cost_the_same_however_many_there_are()
    {
        var machine = new MachineInventory(18, new InventoryOptions { Cpus = 4 });
        ulong[] stack = new StackBuilder(machine, new RandomSequence(1)).Idle();
        _ = Allocated(1000);
        long few = Allocated(60_000);
        long many = Allocated(240_000);
        Assert.True(many < 5 * few, $"{few} bytes for 60,000 samples, {many} for four times as many");

        long Allocated(int samples)
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            WriteBytes(machine, new KernelLogOptions(), log =>
            {
                for (int i = 0; i < samples; i++)
                {
                    log.Sample(i * 10_000L, i % 4, stack[0], 0, 0, false, false, stack);
                }
            });
            return GC.GetAllocatedBytesForCurrentThread() - before;
        }
    }

    private static void Sample(KernelLogWriter log, long timeNs, int cpu = 0) =>
        log.Sample(timeNs, cpu, 0x8000_1000, 0, 0, false, false, []);

    private static WrittenTrace Write(MachineInventory machine, KernelLogOptions options, Action<KernelLogWriter> calls) =>
        WrittenTrace.Read(WriteBytes(machine, options, calls));

    private static byte[] WriteBytes(MachineInventory machine, KernelLogOptions options, Action<KernelLogWriter> calls)
    {
        using var stream = new MemoryStream();
        using (var log = new KernelLogWriter(stream, machine, options))
        {
            calls(log);
            log.Finish(100_000 * Millisecond);
        }

        return stream.ToArray();
    }
}
