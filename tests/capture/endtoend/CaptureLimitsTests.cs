using Tracer.Capture.Engine;
using Tracer.Capture.Ground;
using Tracer.Capture.Triggers;

namespace Tracer.Capture.Tests;

/// <summary>What a trace covers, how many are written and kept, and that nothing else stays.</summary>
[Trait("Speed", "slow")]
public sealed class CaptureLimitsTests
{
    private const double SlackMs = 20;

    private static MachineTrace Machine => FakeMachines.Of("ndis-miniport", Duration.FromSeconds(6));

    [Theory]
    [InlineData(500, 100, false)]
    [InlineData(500, 100, true)]
    [InlineData(1500, 250, false)]
    public void ATraceReachesFromPreBeforeToPostAfterItsEpisode(int preMs, int postMs, bool isEmptiedByFlush)
    {
        using var rig = new CaptureRig(Machine, new FakeOptions { FlushEmptiesRing = isEmptiedByFlush });
        rig.Options = rig.Options with { Pre = Duration.FromMilliseconds(preMs), Post = Duration.FromMilliseconds(postMs) };
        CapturedEpisode episode = Assert.Single(rig.Run().Status.Episodes);
        Assert.Equal(rig.Options.Pre, episode.PreCovered);
        (double firstMs, double lastMs) = Span(episode);
        double leadMs = EpisodeWriting.Lead.Nanoseconds / 1e6;
        Assert.InRange(firstMs, -preMs - leadMs - SlackMs, SlackMs - preMs - leadMs);
        double endMs = (episode.Latency.Nanoseconds / 1e6) + postMs;
        Assert.InRange(lastMs, endMs - SlackMs, endMs);
    }

    [Fact]
    public void ARingThatIsTooShortIsTold()
    {
        using var rig = new CaptureRig(Machine);
        rig.Options = rig.Options with { BufferMb = 1, Pre = Duration.FromSeconds(1) };
        CapturedEpisode episode = Assert.Single(rig.Run().Status.Episodes);
        Assert.InRange(episode.PreCovered.Nanoseconds, 1_000_000, 900_000_000);
        Assert.Contains(rig.Notes, note => note.Contains("--buffer-mb", StringComparison.Ordinal));
        Assert.Equal(Machine.Truth.Culprit, episode.Blame!.Culprit);
    }

    [Fact]
    public void TwoEpisodesAreNotWrittenInQuickSuccession()
    {
        using var rig = new CaptureRig(Machine, Every(TimeSpan.FromSeconds(6), 6));
        rig.Options = rig.Options with { Duration = Duration.FromSeconds(36), KeepWorst = 100, Pre = Duration.FromMilliseconds(500) };
        CaptureResult result = rig.Run();
        Assert.InRange(rig.Episodes.Count, 3, 7);
        Assert.True(result.Status.EpisodesSeen > 3 * rig.Episodes.Count);
        foreach ((CapturedEpisode one, CapturedEpisode next) in rig.Episodes.Zip(rig.Episodes.Skip(1)))
        {
            Assert.True(next.StartUtc - one.StartUtc >= TimeSpan.FromSeconds(5));
        }
    }

    [Fact]
    public void OnlyTheWorstAreKept()
    {
        using var rig = new CaptureRig(Machine, Every(TimeSpan.FromSeconds(20), 8));
        rig.Options = rig.Options with { Duration = Duration.FromSeconds(160), KeepWorst = 2, Pre = Duration.FromMilliseconds(500) };
        CaptureResult result = rig.Run();
        Assert.Equal(2, result.Status.Episodes.Count);
        Assert.Equal(rig.Episodes.Count - 2, rig.Dropped.Count);
        Assert.Equal(
            rig.Episodes.Select(one => one.Latency).OrderDescending().Take(2),
            result.Status.Episodes.Select(one => one.Latency).OrderDescending());
        Assert.Equal(result.Status.Episodes.Select(one => Path.GetFileName(one.File)).Order(), rig.Files);
    }

    [Fact]
    public void ItEndsAfterSoManyEpisodes()
    {
        using var rig = new CaptureRig(Machine, Every(TimeSpan.FromSeconds(20), 10));
        rig.Options = rig.Options with { MaxEpisodes = 3 };
        CaptureResult result = rig.Run();
        Assert.Equal(CaptureEnd.Episodes, result.End);
        Assert.Equal(["episode-1.etl", "episode-2.etl", "episode-3.etl"], rig.Files);
    }

    [Fact]
    public void NothingStaysThatWasChanged()
    {
        using var rig = new CaptureRig(Machine);
        uint interval = rig.Windows.ProfileInterval;
        IReadOnlyList<string> sessions = rig.Windows.SessionNames;
        rig.Options = rig.Options with { ProfileInterval = Duration.FromMicroseconds(250) };
        uint meanwhile = 0;
        rig.Watch = status => meanwhile = status.Phase == CapturePhase.Watching ? rig.Windows.ProfileInterval : meanwhile;
        using DpcIsrTrigger interrupts = rig.Interrupts(TriggerKind.Dpc);
        rig.Run(interrupts, rig.Wakeups());
        Assert.Equal(2_500u, meanwhile);
        Assert.Equal(interval, rig.Windows.ProfileInterval);
        Assert.Equal(sessions, rig.Windows.SessionNames);
        Assert.Equal(["episode.etl"], rig.Files);
    }

    private static FakeOptions Every(TimeSpan time, int plays)
    {
        long step = (long)((Int128)time.Ticks * Machine.Header.Clock.TicksPerSecond / TimeSpan.TicksPerSecond);
        return new FakeOptions { Plays = [.. Enumerable.Range(0, plays).Select(play => Machine.FirstTicks + (play * step))] };
    }

    /// <summary>Times of the first and last context switch in ms, counted from the episode's start.</summary>
    private static (double FirstMs, double LastMs) Span(CapturedEpisode episode)
    {
        using EtlReader reader = EtlReader.Open(episode.File);
        var sink = new SwitchTimes();
        reader.Read(EtlOrder.Time, ref sink);
        TraceClock clock = reader.Header.Clock;
        long start = (episode.StartUtc.ToFileTimeUtc() - clock.StartFileTime) * 100;
        return (
            (clock.NanosecondsFromHeader(sink.First) - start) / 1e6,
            (clock.NanosecondsFromHeader(sink.Last) - start) / 1e6);
    }

    private struct SwitchTimes : IEtlEventSink
    {
        public long First;
        public long Last;

        public bool OnEvent(in EtlEvent traceEvent)
        {
            if (traceEvent.HookId == Etl.Kernel.KernelHook.ContextSwitch)
            {
                First = First == 0 ? traceEvent.TimestampTicks : First;
                Last = traceEvent.TimestampTicks;
            }

            return true;
        }
    }
}
