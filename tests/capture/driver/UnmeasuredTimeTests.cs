using Tracer.Capture.Driver;

namespace Tracer.Capture.Tests;

/// <summary>A night that the driver slept through is told, and nothing is told twice.</summary>
public sealed class UnmeasuredTimeTests
{
    [Fact]
    public void WhatWasNotMeasuredIsToldOnce()
    {
        var missed = new UnmeasuredTime();
        Assert.Null(missed.Look(Duration.FromSeconds(100), Duration.FromSeconds(99)));
        string? told = missed.Look(Duration.FromSeconds(28_900), Duration.FromSeconds(100));
        Assert.Contains("has not measured", told, StringComparison.Ordinal);
        Assert.Contains("slept", told, StringComparison.Ordinal);
        Assert.Null(missed.Look(Duration.FromSeconds(28_910), Duration.FromSeconds(109)));
        Assert.NotNull(missed.Look(Duration.FromSeconds(28_920), Duration.FromSeconds(110)));
    }

    [Fact]
    public void ARunThatMeasuresAllHasNothingToTell()
    {
        var missed = new UnmeasuredTime();
        Every.Item(Enumerable.Range(1, 100), second =>
            Assert.Null(missed.Look(Duration.FromSeconds(second), Duration.FromSeconds(second))));
    }
}
