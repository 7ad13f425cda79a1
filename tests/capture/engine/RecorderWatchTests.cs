using Tracer.Capture.Engine;
using Tracer.Capture.Sessions;

namespace Tracer.Capture.Tests;

/// <summary>What the recorder's counters tell: how far the ring reaches back by its rate, and when events were lost.</summary>
public sealed class RecorderWatchTests
{
    private readonly VirtualClock _clock = new();
    private readonly FakeSessions _sessions = new();

    [Fact]
    public void TheReachFollowsFromTheRateAtWhichBuffersFill()
    {
        RecorderWatch watch = Watch();
        Assert.Null(watch.Ring.Estimated);
        for (uint second = 0; second < 20; second++)
        {
            _sessions.Counters = new SessionCounters(100, 0, second * 25, 0, 0);
            watch.Poll();
            _clock.Wait(TimeSpan.FromSeconds(1), CancellationToken.None);
        }

        Assert.Equal(Duration.FromSeconds(4), watch.Ring.Estimated); // 100 buffers, 25 a second.
        Assert.Equal(100L * 64 * 1024, watch.Ring.Bytes);
        Assert.Equal(Duration.FromSeconds(3), watch.Ring.Wanted);
    }

    [Fact]
    public void LossesAreDated()
    {
        RecorderWatch watch = Watch();
        long begin = _clock.Qpc;
        for (uint second = 0; second < 300; second++)
        {
            _sessions.Counters = new SessionCounters(100, 0, 0, second / 10, 0);
            watch.Poll();
            _clock.Wait(TimeSpan.FromSeconds(1), CancellationToken.None);
        }

        Assert.Equal(29u, watch.EventsLost);
        Assert.Equal(25u, watch.EventsLostBefore(begin + (255 * _clock.QpcHz)));
        Assert.Equal(0u, watch.EventsLostBefore(begin + _clock.QpcHz)); // Longer ago than is known.
    }

    /// <summary>Refused queries end no capture, however many: what is lost is not known then. A session that is gone does.</summary>
    [Theory]
    [InlineData(8, 1, false)]
    [InlineData(5, 100, false)]
    [InlineData(4201, 1, true)]
    [InlineData(6, 1, true)]
    public void ARefusedQueryEndsNothing(int code, int times, bool ends)
    {
        RecorderWatch watch = Watch();
        _sessions.QueryRefusal = code;
        for (int i = 1; i < times; i++)
        {
            watch.Poll();
            _clock.Wait(TimeSpan.FromSeconds(1), CancellationToken.None);
        }

        Assert.Equal(ends, Record.Exception(watch.Poll) is EtwException);
        Assert.Equal(ends ? null : code, watch.Refusal?.Code);
    }

    private RecorderWatch Watch()
    {
        var plan = new SessionPlan { Name = "Tracer.Recorder", Role = SessionRole.Recorder, BufferKb = 64, Buffers = 100, Masks = default };
        return new RecorderWatch(_sessions.Start(plan), _clock, Duration.FromSeconds(3));
    }
}
