using Tracer.Capture.Engine;
using Tracer.Capture.Ground;
using Tracer.Capture.Sessions;
using Tracer.Capture.Triggers.Events;

namespace Tracer.Capture.Tests;

/// <summary>What the user asks for is saved, whatever was measured; events are moments of their own.</summary>
public sealed class AskedForTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-asked-").FullName;
    private readonly FakeCaptureMachine _machine;
    private readonly FakeTrigger _trigger;
    private readonly SaveRequests _requests = new();

    public AskedForTests()
    {
        _machine = new FakeCaptureMachine(_folder);
        _trigger = new FakeTrigger(_machine.Clock, TriggerKind.Wakeup);
        _machine.Sessions.WriteSnapshot = path => TinyTrace.WriteSnapshot(path, _machine.Clock, 60);
        _machine.Sessions.WriteRundown = path => TinyTrace.WriteRundown(path, _machine.Clock);
    }

    private string Output => Path.Combine(_folder, "capture.etl");

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void ItsWindowEndsWhenItWasAskedFor()
    {
        long asked = AskAfter(7);
        CaptureResult result = Run(Options());
        CapturedEpisode episode = Assert.Single(result.Status.Episodes);
        Assert.Equal((TriggerKind.AskedFor, Output), (episode.Trigger, episode.File));
        Assert.Equal(Duration.Zero, episode.Latency);
        Assert.Equal(CaptureEnd.Episodes, result.End);
        Assert.False(result.IsHit); // Nothing reached the threshold.
        using EtlReader reader = EtlReader.Open(Output);
        long lead = EpisodeWriting.Lead.Nanoseconds * _machine.Clock.QpcHz / 1_000_000_000;
        Assert.Equal(asked - (2 * _machine.Clock.QpcHz) - lead, reader.Header.Clock.HeaderTicks);
        var times = new LastSample();
        reader.Read(EtlOrder.Time, ref times);
        Assert.InRange(times.Ticks, asked - 100_000, asked);
    }

    [Fact]
    public void SeveralAsksThatAreNotYetServedAreOne()
    {
        AskAfter(7, times: 5);
        Assert.Single(Run(Options() with { Duration = Duration.FromSeconds(20) }).Status.Episodes);
    }

    [Fact]
    public void ItWaitsForAnEpisodeThatIsBeingRecorded()
    {
        _trigger.Measure(10, 900);
        AskAfter(11.1); // The first second passes before it watches.
        CaptureResult result = Run(Options() with { Duration = Duration.FromSeconds(20) });
        Assert.Equal([TriggerKind.Wakeup, TriggerKind.AskedFor], result.Status.Episodes.Select(static one => one.Trigger));
    }

    [Fact]
    public void NoWorseOneReplacesIt()
    {
        AskAfter(5);
        _trigger.Measure(30, 700);
        _trigger.Measure(60, 900);
        _trigger.Measure(90, 1100);
        CaptureResult result = Run(Options() with { Duration = Duration.FromSeconds(120), KeepWorst = 1 });
        Assert.Equal([1, 4], result.Status.Episodes.Select(static one => one.Number));
        Assert.Equal(TriggerKind.AskedFor, result.Status.Episodes[0].Trigger);
        Every.Item(result.Status.Episodes, static one => Assert.True(File.Exists(one.File)));
    }

    [Fact]
    public void OnExitTheRingIsSavedWhenTheTimeIsOver()
    {
        CaptureResult result = Run(Options() with { Duration = Duration.FromSeconds(10), SaveOnExit = true });
        Assert.Equal(CaptureEnd.Duration, result.End);
        Assert.Equal(TriggerKind.AskedFor, Assert.Single(result.Status.Episodes).Trigger);
    }

    [Fact]
    public void OnExitTheRingIsSavedWhenTheUserEndsItButNotWhenTheSystemDoes()
    {
        using var finish = new CancellationTokenSource();
        _machine.Clock.Passed = _ => CancelAfter(finish, 8);
        CaptureResult result = Run(Options() with { SaveOnExit = true }, finish);
        Assert.Equal(CaptureEnd.Cancelled, result.End);
        Assert.Single(result.Status.Episodes);

        using var abandon = new CancellationTokenSource();
        long begin = _machine.Clock.Qpc;
        _machine.Clock.Passed = now =>
        {
            if (now > begin + (8 * _machine.Clock.QpcHz))
            {
                abandon.Cancel();
            }
        };
        Assert.Empty(Run(Options() with { SaveOnExit = true }, null, abandon).Status.Episodes);
    }

    [Fact]
    public void WhatWasAskedForInTheLastInstantIsSaved()
    {
        using var finish = new CancellationTokenSource();
        _machine.Clock.Passed = _ =>
        {
            if (_machine.Clock.Qpc > 1_000_000_000 + (8 * _machine.Clock.QpcHz) && !finish.IsCancellationRequested)
            {
                _requests.Ask(_machine.Clock.Qpc);
                finish.Cancel();
            }
        };
        Assert.Equal(TriggerKind.AskedFor, Assert.Single(Run(Options(), finish).Status.Episodes).Trigger);
    }

    [Fact]
    public void WhereTheDiskIsFullNothingIsWrittenAndWhatIsThereStays()
    {
        File.WriteAllText(Output, "of yesterday");
        AskAfter(7);
        _machine.Clock.Passed += _ => _machine.FreeBytes = _machine.Clock.Qpc > 1_000_000_000 + (6 * _machine.Clock.QpcHz) ? 1 : 1L << 40;
        CaptureResult result = Run(Options());
        Assert.Equal(CaptureEnd.DiskFull, result.End);
        Assert.Equal("of yesterday", File.ReadAllText(Output));
    }

    [Fact]
    public void EventsAreEpisodesWithoutALatencyAndTheFirstAreKept()
    {
        var events = new FakeTrigger(_machine.Clock, TriggerKind.Event);
        events.Measure(10, 0);
        events.Measure(40, 0);
        events.Measure(70, 0);
        _trigger.Measure(100, 600);
        CaptureResult result = Run(Options() with { Duration = Duration.FromSeconds(120), KeepWorst = 2 }, null, null, events);
        Assert.Equal(
            [TriggerKind.Event, TriggerKind.Event, TriggerKind.Wakeup], result.Status.Episodes.Select(static one => one.Trigger));
        Assert.Equal(4, result.Status.EpisodesSeen); // The third event is counted.
        Assert.True(result.IsHit);
        TriggerStatus status = Assert.Single(result.Status.Triggers, static one => one.Kind == TriggerKind.Event);
        Assert.Equal((3L, 3L), (status.Count, status.OverThreshold));
        Assert.Null(status.Worst); // An event has no latency, not one of 0.
    }

    [Theory]
    [InlineData(TriggerKind.Process)]
    [InlineData(TriggerKind.Job)]
    public void AProcessHasAThresholdOfItsOwn(TriggerKind kind)
    {
        var process = new FakeTrigger(_machine.Clock, kind);
        process.Measure(10, 900);
        process.Measure(30, 3500);
        CaptureResult result = Run(Options() with { ProcessLatency = Duration.FromMilliseconds(3) }, null, null, process);
        CapturedEpisode episode = Assert.Single(result.Status.Episodes);
        Assert.Equal((kind, Duration.FromMicroseconds(3500)), (episode.Trigger, episode.Latency));
        Assert.Equal(1, result.Status.EpisodesSeen);
    }

    [Fact]
    public void TheProvidersOfATriggerAreRecorded()
    {
        var wanted = new ProviderRequest("x", Guid.NewGuid(), 1, [5]);
        AskAfter(3);
        Run(Options(), null, null, new RecordedTrigger(wanted));
        SessionPlan recorder = _machine.Sessions.Started.First(static plan => plan.Role == SessionRole.Recorder);
        Assert.Contains(wanted, recorder.Providers);
        Assert.Equal(RecordedEvents.Providers.Count + 1, recorder.Providers.Count);
    }

    private void CancelAfter(CancellationTokenSource cancellation, double seconds)
    {
        if (_machine.Clock.Qpc > 1_000_000_000 + (seconds * _machine.Clock.QpcHz))
        {
            cancellation.Cancel();
        }
    }

    /// <summary>Asks when the clock has come so far.</summary>
    private long AskAfter(double seconds, int times = 1)
    {
        long at = _machine.Clock.Qpc + (long)(seconds * _machine.Clock.QpcHz);
        _machine.Clock.Passed = now =>
        {
            if (now >= at && times > 0)
            {
                times = 0;
                for (int i = 0; i < 5; i++)
                {
                    _requests.Ask(at + i);
                }
            }
        };
        return at;
    }

    private CaptureOptions Options() => new() { Threshold = Duration.FromMicroseconds(500), OutputPath = Output };

    private CaptureResult Run(
        CaptureOptions options,
        CancellationTokenSource? finish = null,
        CancellationTokenSource? abandon = null,
        params ITriggerSource[] more) =>
        new CaptureEngine(options, _machine.Describe(), [_trigger, .. more], static _ => null, _machine.Observer) { Requests = _requests }
            .Run(finish?.Token ?? CancellationToken.None, abandon?.Token ?? CancellationToken.None);

    private struct LastSample : IEtlEventSink
    {
        public long Ticks { get; private set; }

        public bool OnEvent(in EtlEvent traceEvent)
        {
            if (traceEvent.HookId == 0x0F2E)
            {
                Ticks = Math.Max(Ticks, traceEvent.TimestampTicks);
            }

            return true;
        }
    }

    private sealed class RecordedTrigger(ProviderRequest request) : ITriggerSource, IRecordedProviders
    {
        public TriggerKind Kind => TriggerKind.Event;

        public TimeSpan Delay => TimeSpan.Zero;

        public long FloorNs => 0;

        public IReadOnlyList<ProviderRequest> Providers => [request];

        public void Start()
        {
        }

        public void Drain(ITriggerSink sink)
        {
        }

        public void Dispose()
        {
        }
    }
}
