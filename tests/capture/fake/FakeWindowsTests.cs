using Tracer.Capture.Ground;
using Tracer.Capture.Sessions;
using Tracer.Etl.Kernel;

#pragma warning disable CA1416 // Below these calls is the fake.

namespace Tracer.Capture.Tests;

/// <summary>The fake does what Windows does, seen through the product's sessions and TraceEvent.</summary>
public sealed class FakeWindowsTests : IDisposable
{
    private static readonly MachineSize TwoCpus = new(2, 8L << 30);
    private static readonly MachineTrace Machine = FakeMachines.Of("ndis-miniport", Duration.FromSeconds(4));

    private readonly FakeWindows _windows = new(Machine);
    private readonly EtwSessions _sessions = new();
    private readonly string _file = Path.Combine(Path.GetTempPath(), Path.GetRandomFileName() + ".etl");

    public void Dispose()
    {
        _windows.Dispose();
        File.Delete(_file);
    }

    [Fact]
    public void OnlySessionsOfOursCanBeStoppedByName()
    {
        Assert.Throws<ArgumentException>(() => _sessions.Stop("DiagTrack-Listener"));
        Assert.Throws<ArgumentException>(() => _sessions.Stop("Tracer.Vision"));
        Assert.Contains("DiagTrack-Listener", _windows.SessionNames);
        Assert.False(_sessions.Stop(SessionPlans.RecorderName));
    }

    [Fact]
    public void TheRuntimeIsEnabledAtTheLevelOfThePlan()
    {
        using ITraceSession session = _sessions.Start(SessionPlans.Recorder(TwoCpus, TimeSpan.FromSeconds(1)));
        Dictionary<Guid, byte> levels = _windows.Session(SessionPlans.RecorderName).Levels;
        Every.Item(session.Plan.Providers, provider => Assert.Equal(provider.Level, levels[provider.Id]));
        Assert.Equal(4, levels[new Guid("e13c0d23-ccbc-4e12-931b-d9cc2eee27e4")]);
    }

    [Fact]
    public async Task ARealTimeSessionDeliversEverySecondWhatItRecords()
    {
        using ITraceSession session = _sessions.Start(SessionPlans.Trigger(TwoCpus, [TriggerKind.Dpc, TriggerKind.Isr]));
        var sink = new CountingSink();
        Task reader = Task.Run(() => _sessions.ReadRealTime(SessionPlans.TriggerName, sink), CancellationToken.None);
        _windows.Clock.Wait(TimeSpan.FromMilliseconds(999), CancellationToken.None);
        int beforeFlush = sink.Dpcs;
        _windows.Clock.Wait(TimeSpan.FromMilliseconds(1), CancellationToken.None);
        Assert.True(beforeFlush < CountUntil(_windows.Now, isIsr: false)); // Full buffers only.
        Assert.Equal(CountUntil(_windows.Now, isIsr: false), sink.Dpcs);
        Assert.Equal(CountUntil(_windows.Now, isIsr: true), sink.Isrs);
        Assert.True(sink.Dpcs > 100);
        session.Stop();
        await reader.WaitAsync(TimeSpan.FromSeconds(100), CancellationToken.None);
    }

    [Fact]
    public void ASnapshotHoldsWhatTheRingDid()
    {
        using ITraceSession session = _sessions.Start(SessionPlans.Recorder(TwoCpus, TimeSpan.FromSeconds(3), ringMb: 1));
        _windows.Clock.Wait(TimeSpan.FromSeconds(3), CancellationToken.None);
        session.Snapshot(_file);
        Assert.InRange(new FileInfo(_file).Length, 1 << 20, (1 << 20) + (64 << 10));
        using EtlReader reader = EtlReader.Open(_file);
        var times = new TimesSink();
        reader.Read(EtlOrder.Time, ref times);
        Assert.True(reader.Header.Mode.HasFlag((EtlLogFileMode)FakeSession.Buffering));
        Assert.Equal(0, times.Rundowns);
        Assert.True(times.First > Machine.FirstTicks);
        Assert.InRange(_windows.Now - times.Last, 0, _windows.Clock.QpcHz / 10);
    }

    [Fact]
    public void ARundownIsInItsFileWhenItStops()
    {
        using ITraceSession session = _sessions.Start(SessionPlans.Rundown(TwoCpus, _file, withConfiguration: true));
        session.Stop();
        using EtlReader reader = EtlReader.Open(_file);
        var times = new TimesSink();
        reader.Read(EtlOrder.Time, ref times);
        Assert.Equal(2 * Machine.AliveAtStart.Count, times.Rundowns);
        Assert.True(times.Configurations > 0);
    }

    /// <summary>What the session was started with is no parameter of a flush, perhaps: it is asked again without.</summary>
    [Fact]
    public void ASnapshotThatIsRefusedForAParameterIsAskedForPlainly()
    {
        using ITraceSession session = _sessions.Start(SessionPlans.Recorder(TwoCpus, TimeSpan.FromSeconds(3), ringMb: 1));
        _windows.Clock.Wait(TimeSpan.FromSeconds(1), CancellationToken.None);
        Assert.Empty(session.Refusals);
        _windows.Refuse("ControlTraceW.3", WindowsCode.InvalidParameter, times: 1);
        session.Snapshot(_file);
        Assert.True(new FileInfo(_file).Length > 0);
        Assert.StartsWith("ControlTrace (flush) failed with 87 ", Assert.Single(session.Refusals), StringComparison.Ordinal);
        session.Snapshot(_file);
        Assert.Single(session.Refusals);
        _windows.Refuse("ControlTraceW.3", WindowsCode.InvalidParameter, times: 2);
        Assert.Equal((int)WindowsCode.InvalidParameter, Assert.Throws<EtwException>(() => session.Snapshot(_file)).Code);
    }

    /// <summary>A session whose counters Windows does not tell has started all the same; one that is not there has not.</summary>
    [Fact]
    public void AQueryThatIsRefusedAtTheStartLeavesAnUnknown()
    {
        _windows.Refuse("ControlTraceW.0", WindowsCode.InvalidParameter, times: 1);
        SessionPlan plan = SessionPlans.Recorder(TwoCpus, TimeSpan.FromSeconds(1), ringMb: 1);
        using (ITraceSession session = _sessions.Start(plan))
        {
            Assert.Empty(session.Missing);
            Assert.StartsWith(
                "whether 'Tracer.Recorder' has buffers is not known: ControlTrace (query) failed with 87", Assert.Single(session.Refusals),
                StringComparison.Ordinal);
        }

        _windows.Refuse("ControlTraceW.0", WindowsCode.InstanceNotFound, times: 1);
        Assert.Throws<EtwException>(() => _sessions.Start(plan));
        Assert.DoesNotContain(plan.Name, _windows.SessionNames);
    }

    [Fact]
    public void MasksThatWindowsDoesNotTellAreThoseThatItTook()
    {
        _windows.Refuse("TraceQueryInformation.4", WindowsCode.AccessDenied);
        SessionPlan plan = SessionPlans.Recorder(TwoCpus, TimeSpan.FromSeconds(1), ringMb: 1);
        using ITraceSession session = _sessions.Start(plan);
        Assert.False(session.IsGrantedTold);
        Assert.Empty(session.Missing);
        Assert.Empty(RecordedEvents.Missing(plan.Masks, session.Granted));
        session.Stop();
        Assert.Equal(0, _windows.Descriptions); // What was set does not switch the machine's description on.
    }

    [Fact]
    public void HowManySessionsMayRunIsAsked()
    {
        Assert.Equal(64, _sessions.Places);
        _windows.Refuse("TraceQueryInformation.19", WindowsCode.InvalidParameter);
        Assert.Null(_sessions.Places);
    }

    private static int CountUntil(long ticks, bool isIsr)
    {
        int count = 0;
        foreach (MachineEvent one in Machine.Events)
        {
            ushort hook = Machine.Kinds[one.Kind].IsStack ? (ushort)0 : Machine.Kinds[one.Kind].Hook;
            bool counts = isIsr ? hook is 0x0F43 or 0x0F32 : hook is 0x0F42 or 0x0F44 or 0x0F45;
            count += counts && one.Ticks <= ticks ? 1 : 0;
        }

        return count;
    }

    private sealed class CountingSink : IInterruptWorkSink
    {
        public int Dpcs { get; private set; }

        public int Isrs { get; private set; }

        public void OnWork(in InterruptWork work)
        {
            Dpcs += work.IsIsr ? 0 : 1;
            Isrs += work.IsIsr ? 1 : 0;
        }

        public void OnLost(int count) => Assert.Fail("nothing is lost");
    }

    private struct TimesSink : IEtlEventSink
    {
        public long First;
        public long Last;
        public int Rundowns;
        public int Configurations;

        public bool OnEvent(in EtlEvent traceEvent)
        {
            Rundowns += traceEvent.HookId is 0x0303 or 0x0304 or 0x0503 or 0x0504 or KernelHook.ImageDCStart or KernelHook.ImageDCEnd
                or 0x1421 or 0x1422 ? 1 : 0;
            Configurations += traceEvent.IsKernelHook && traceEvent.Group == KernelGroup.SystemConfig ? 1 : 0;
            if (traceEvent.Group != KernelGroup.Header)
            {
                First = First == 0 ? traceEvent.TimestampTicks : First;
                Last = traceEvent.TimestampTicks;
            }

            return true;
        }
    }
}
