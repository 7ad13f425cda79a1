using Tracer.Capture.Ground;
using Tracer.Capture.Sessions;
using Tracer.Capture.Triggers;
using Tracer.Capture.Triggers.Events;
using Tracer.Etl.Kernel;

#pragma warning disable CA1416 // Below these sessions is the fake Windows.

namespace Tracer.Capture.Tests;

/// <summary>
/// The triggers <c>event</c> and <c>process</c> on a fake Windows, through TraceEvent: what they tell is what the machine did.
/// </summary>
public sealed class RealTimeTriggerTests
{
    private const ushort GarbageCollectionStart = 1;

    private static readonly Duration Length = Duration.FromSeconds(5);
    private static readonly Guid Runtime = new("e13c0d23-ccbc-4e12-931b-d9cc2eee27e4");

    private static MachineTrace Collecting => FakeMachines.Of("gc-pause", Length);

    [Fact]
    public void EventsOfAProviderAreInstantsAtTheirTimes()
    {
        long[] expected = [.. Times(Collecting, static (in EtlEvent one) => one.ProviderId == Runtime && one.Id == GarbageCollectionStart)];
        Assert.True(expected.Length > 2);
        List<TriggerMeasurement> told = Run(Collecting, windows => Events(windows, Rule([GarbageCollectionStart], null)));
        Assert.Equal(expected, told.Select(static one => one.StartQpc));
        Every.Item(told, static one => Assert.Equal((TriggerKind.Event, 0L), (one.Kind, one.LatencyNs)));
    }

    [Fact]
    public void AFieldDecidesWhichOfThemTrigger()
    {
        var depths = new List<int>();
        long[] deep = [.. Times(Collecting, (in EtlEvent one) =>
        {
            bool isStart = one.ProviderId == Runtime && one.Id == GarbageCollectionStart;
            if (isStart)
            {
                depths.Add(one.Payload[4]); // Count u32, Depth u32.
            }

            return isStart && one.Payload[4] >= 1;
        })];
        Assert.Contains(0, depths);
        Assert.NotEmpty(deep);
        var test = new FieldTest("Depth", FieldComparison.GreaterOrEqual, "1");
        List<TriggerMeasurement> told = Run(Collecting, windows => Events(windows, Rule([GarbageCollectionStart], test)));
        Assert.Equal(deep, told.Select(static one => one.StartQpc));
    }

    /// <summary>Each kernel event arrives as it stands in a file: hook, version, CPU, time, payload.</summary>
    [Fact]
    public async Task ASessionReadsLikeAFile()
    {
        var told = new Told();
        MachineTrace machine = Collecting;
        using var windows = new FakeWindows(machine);
        var sessions = new EtwSessions();
        using (ITraceSession session = sessions.Start(SessionPlans.Process(SizeOf(machine))))
        {
            Task reader = Task.Run(() => sessions.ReadEvents(SessionPlans.ProcessName, told), CancellationToken.None);
            windows.Clock.Wait(TimeSpan.FromSeconds(1), CancellationToken.None);
            session.Stop();
            await reader.WaitAsync(TimeSpan.FromSeconds(100), CancellationToken.None);
        }

        List<string> expected = Stored(machine, windows.Now);
        Assert.True(expected.Count > 1000);
        Assert.Equal(expected.Order(StringComparer.Ordinal), told.Lines.Order(StringComparer.Ordinal));
    }

    [Fact]
    public void AProcessIsReadyUntilItRuns()
    {
        MachineTrace machine = Collecting;
        (string name, List<(long Ready, long Run)> expected) = BusiestProcess(machine);
        List<TriggerMeasurement> told = Run(
            machine, windows => new ProcessTrigger(new EtwSessions(), SizeOf(machine), windows.Clock, [name.ToUpperInvariant()]));
        Assert.Equal(
            expected.Select(one => (one.Ready, (long)((Int128)(one.Run - one.Ready) * 1_000_000_000 / machine.Header.Clock.TicksPerSecond)))
                .Order(),
            told.Select(static one => (one.StartQpc, one.LatencyNs)).Order());
        Every.Item(told, static one => Assert.Equal(TriggerKind.Process, one.Kind));
    }

    [Fact]
    public void NoPairGoesAcrossALoss()
    {
        var threads = new ReadyToRun(["7"]);
        Assert.False(threads.OnEvent(Thread(7, 21), out _));
        Assert.False(threads.OnEvent(Ready(21, 100), out _));
        Assert.True(threads.OnEvent(Switch(21, 130), out long ready));
        Assert.Equal(100, ready);
        Assert.False(threads.OnEvent(Switch(21, 140), out _)); // It was not made ready again.
        Assert.False(threads.OnEvent(Ready(21, 200), out _));
        threads.Forget();
        Assert.False(threads.OnEvent(Switch(21, 900), out _));
        Assert.False(threads.OnEvent(Ready(22, 300), out _)); // Another process's.
        Assert.False(threads.OnEvent(Switch(22, 310), out _));
    }

    [Fact]
    public void WaitingThreadsCostNoMemoryForAnEvent()
    {
        var threads = new ReadyToRun(["7"]);
        threads.OnEvent(Thread(7, 21), out _);
        EtlEvent ready = Ready(21, 100);
        EtlEvent change = Switch(21, 130);
        threads.OnEvent(ready, out _);
        threads.OnEvent(change, out _);
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int i = 0; i < 1000; i++)
        {
            threads.OnEvent(ready, out _);
            threads.OnEvent(change, out _);
        }

        Assert.Equal(before, GC.GetAllocatedBytesForCurrentThread());
    }

    private static EtlEvent Thread(uint process, uint thread) =>
        Kernel(0x0503, 0, [.. BitConverter.GetBytes(process), .. BitConverter.GetBytes(thread), .. new byte[80]]);

    private static EtlEvent Ready(uint thread, long ticks) =>
        Kernel(KernelHook.ReadyThread, ticks, [.. BitConverter.GetBytes(thread), 0, 0, 0, 0]);

    private static EtlEvent Switch(uint thread, long ticks) =>
        Kernel(KernelHook.ContextSwitch, ticks, [.. BitConverter.GetBytes(thread), .. new byte[20]]);

    private static EtlEvent Kernel(ushort hook, long ticks, byte[] payload)
    {
        var header = new EtlEventHeader { Kind = EtlHeaderKind.System64, TimestampTicks = ticks, HookId = hook, Version = 3 };
        byte[] record = new byte[EventRecord.Measure(in header, payload.Length)];
        EventRecord.Write(record, in header, payload);
        Assert.True(EtlEvent.TryRead(record, 0, 0, out EtlEvent one));
        return one;
    }

    private static EventRule Rule(IReadOnlyList<ushort> ids, FieldTest? test) => new("event:x", "runtime", Runtime, ids, test, []);

    private static EventTrigger Events(FakeWindows windows, params EventRule[] rules) =>
        new(new EtwSessions(), SizeOf(windows.Machine), windows.Clock, rules);

    private static MachineSize SizeOf(MachineTrace machine) => new(machine.Header.ProcessorCount, 8L << 30);

    private static List<TriggerMeasurement> Run(MachineTrace machine, Func<FakeWindows, RealTimeTrigger> make)
    {
        using var windows = new FakeWindows(machine);
        var sink = new Sink();
        using RealTimeTrigger trigger = make(windows);
        trigger.Start();
        for (int i = 0; i < 12; i++)
        {
            windows.Clock.Wait(TimeSpan.FromSeconds(0.5), CancellationToken.None);
            trigger.Drain(sink);
        }

        Assert.Equal(0, sink.Lost);
        return sink.Measurements;
    }

    private delegate bool Wanted(in EtlEvent one);

    private static List<string> Stored(MachineTrace machine, long untilTicks)
    {
        List<string> lines = [];
        foreach (MachineEvent one in machine.Events)
        {
            MachineEventKind kind = machine.Kinds[one.Kind];
            if (one.Ticks <= untilTicks && !kind.IsStack && kind.Provider == Guid.Empty
                && kind.Hook is KernelHook.ContextSwitch or KernelHook.ReadyThread)
            {
                Assert.True(EtlEvent.TryRead(machine.Record(in one), one.Cpu, 0, out EtlEvent stored));
                lines.Add(Told.Line(in stored));
            }
        }

        return lines;
    }

    private static List<long> Times(MachineTrace machine, Wanted isWanted)
    {
        List<long> times = [];
        foreach (MachineEvent one in machine.Events)
        {
            Assert.True(EtlEvent.TryRead(machine.Record(in one), one.Cpu, 0, out EtlEvent stored));
            if (isWanted(in stored))
            {
                times.Add(stored.TimestampTicks);
            }
        }

        return times;
    }

    /// <summary>Which process waits most often, and how long each time, counted from the machine's own records.</summary>
    private static (string Name, List<(long Ready, long Run)> Pairs) BusiestProcess(MachineTrace machine)
    {
        var owners = new ThreadOwners();
        foreach (byte[] record in machine.AliveAtStart)
        {
            Assert.True(EtlEvent.TryRead(record, 0, 0, out EtlEvent alive));
            owners.Learn(in alive);
        }

        var ready = new Dictionary<uint, long>();
        var pairs = new Dictionary<string, List<(long, long)>>();
        foreach (MachineEvent one in machine.Events)
        {
            if (machine.Kinds[one.Kind].IsStack)
            {
                continue;
            }

            Assert.True(EtlEvent.TryRead(machine.Record(in one), one.Cpu, 0, out EtlEvent stored));
            owners.Learn(in stored);
            if (stored.HookId == KernelHook.ReadyThread)
            {
                ready.TryAdd(BitConverter.ToUInt32(stored.Payload), stored.TimestampTicks);
            }
            else if (stored.HookId == KernelHook.ContextSwitch && ready.Remove(BitConverter.ToUInt32(stored.Payload), out long since)
                && owners.ProcessOf(BitConverter.ToUInt32(stored.Payload)) is { } process && owners.NameOf(process) is { } name)
            {
                pairs.TryAdd(name, []);
                pairs[name].Add((since, stored.TimestampTicks));
            }
        }

        (string busiest, List<(long, long)> waits) = pairs.MaxBy(static one => one.Value.Count);
        Assert.True(waits.Count > 20);
        return (busiest, waits);
    }

    private sealed class Sink : ITriggerSink
    {
        public List<TriggerMeasurement> Measurements { get; } = [];

        public long Lost { get; private set; }

        public void OnMeasurement(in TriggerMeasurement measurement) => Measurements.Add(measurement);

        public void OnLost(TriggerKind kind, long count) => Lost += count;
    }

    private sealed class Told : IRealTimeSink
    {
        public List<string> Lines { get; } = [];

        public static string Line(in EtlEvent one) =>
            $"{one.HookId:X4} v{one.Version} cpu {one.Cpu} at {one.TimestampTicks}: {Convert.ToHexString(one.Payload)}";

        public void OnEvent(in EtlEvent traceEvent)
        {
            if (traceEvent.HookId is KernelHook.ContextSwitch or KernelHook.ReadyThread)
            {
                Lines.Add(Line(in traceEvent));
            }
        }

        public void OnLost(int count) => Assert.Fail("nothing was lost");
    }
}
