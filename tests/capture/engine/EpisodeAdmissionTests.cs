using Tracer.Capture.Engine;
using Tracer.Capture.Ground;
using Tracer.Capture.Merge;

namespace Tracer.Capture.Tests;

/// <summary>Which measurements become episodes. The clock ticks at 10 MHz; a test's times are microseconds.</summary>
public sealed class EpisodeAdmissionTests
{
    private const long Hz = 10_000_000;
    private const long TicksPerUs = 10;

    private readonly CaptureWorkLog _work = new();
    private readonly EpisodeAdmission _selection;

    public EpisodeAdmissionTests() =>
        _selection = new EpisodeAdmission(Duration.FromMicroseconds(500), Duration.FromMilliseconds(250), Hz, _work);

    [Fact]
    public void WhatReachesTheThresholdIsAnEpisodeAndIsDueWhenTheTimeBehindItIsOver()
    {
        Take(1000, 499);
        Assert.Null(_selection.Pending);
        Take(2000, 500);
        Assert.Equal(500_000, _selection.Pending?.LatencyNs);
        Assert.Equal((2000 + 500 + 250_000) * TicksPerUs, _selection.DueQpc);
        Assert.Equal(1, _selection.Seen);
    }

    [Fact]
    public void SeveralTriggersForOneTimeAreOneEpisodeAndTheLongestStandsForIt()
    {
        Take(1000, 700, TriggerKind.Dpc);
        Take(900, 900, TriggerKind.Wakeup);
        Take(1100, 600, TriggerKind.Isr);
        Assert.Equal(1, _selection.Seen);
        Assert.Equal(TriggerKind.Wakeup, _selection.Pending?.Kind);
    }

    [Fact]
    public void ATriggerThatIsHeardOfLateTellsOfATimeThatWasCountedAlready()
    {
        Take(1000, 900, TriggerKind.Wakeup);
        Take(500_000, 900, TriggerKind.Wakeup);
        Take(1200, 600, TriggerKind.Dpc); // By ETW, a second later.
        Assert.Equal(2, _selection.Seen);
    }

    [Fact]
    public void AWorseOneTakesItsPlaceUntilTheTimeBehindItIsOver()
    {
        Take(1000, 600);
        Take(100_000, 5000);
        Assert.Equal(5_000_000, _selection.Pending?.LatencyNs);
        Assert.Equal(2, _selection.Seen);

        // Not for ever: counted from the first.
        Take(260_000, 9000);
        Assert.Equal(5_000_000, _selection.Pending?.LatencyNs);
    }

    [Fact]
    public void NothingTriggersWhileWeAreAtWork()
    {
        _work.Add(new CaptureWorkSpan(CaptureWorkKind.Merge, 1000 * TicksPerUs, 2000 * TicksPerUs));
        Take(400, 700);  // Reaches into it.
        Take(1200, 600); // Inside.
        Take(1900, 900); // Begins in it.
        Assert.Null(_selection.Pending);
        Assert.Equal(0, _selection.Seen);
        Take(2100, 600);
        Assert.NotNull(_selection.Pending);
    }

    [Fact]
    public void AfterAnEpisodeWasWrittenNoneIsForAWhile()
    {
        Take(1000, 600);
        _selection.Done(Us(300_000));
        Take(5_200_000, 60_000);
        Assert.Null(_selection.Pending);
        Take(5_300_001, 60_000);
        Assert.NotNull(_selection.Pending);
        Assert.Equal(3, _selection.Seen);
    }

    [Fact]
    public void TheBarIsTheLastLatencyAndHalvesEveryTenSecondsDownToTheThreshold()
    {
        Assert.Equal(500_000, _selection.BarNs(0));
        Take(1000, 8000);
        _selection.Done(0);
        Assert.Equal(8_000_000, _selection.BarNs(0));
        Assert.Equal(4_000_000, _selection.BarNs(10 * Hz));
        Assert.Equal(1_000_000, _selection.BarNs(30 * Hz));
        Assert.Equal(500_000, _selection.BarNs(60 * Hz));
        Take(9_990_000, 3999); // Heard of before ten seconds are over.
        Assert.Null(_selection.Pending);
        Take(10_100_000, 4000);
        Assert.NotNull(_selection.Pending);
    }

    [Fact]
    public void WhenEnoughAreKeptOnlyALongerOneIsWritten()
    {
        _selection.KeptLeastNs = 2_000_000;
        Take(1000, 2000);
        Assert.Null(_selection.Pending);
        Take(5000, 2001);
        Assert.NotNull(_selection.Pending);
    }

    private static long Us(long microseconds) => microseconds * TicksPerUs;

    /// <summary>A measurement, heard of at its end.</summary>
    private void Take(long startUs, long latencyUs, TriggerKind kind = TriggerKind.Wakeup) => _selection.Take(
        new TriggerMeasurement(kind, Us(startUs), latencyUs * 1000, 0, 0), Us(startUs + latencyUs));
}
