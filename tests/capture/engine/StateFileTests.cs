using Tracer.Capture.Engine;
using Tracer.Capture.Ground;

namespace Tracer.Capture.Tests;

/// <summary>What is changed is on the disk before, one capture at a time has the file, and nothing is left of it at the end.</summary>
public sealed class StateFileTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-state-").FullName;

    private string Path => System.IO.Path.Combine(_folder, "below", "capture.state");

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void WhatACrashLeftIsReadByTheNext()
    {
        var state = new CaptureState
        {
            ProfileInterval100ns = 10_000,
            Processes = [new LeftProcess(77, new DateTime(2026, 1, 2, 3, 4, 5, DateTimeKind.Utc))],
            TemporaryFiles = ["a.tracer-tmp"],
        };
        using (StateFile file = StateFile.Open(Path, out CaptureState? nothing))
        {
            Assert.Null(nothing);
            file.Write(state with { ProfileInterval100ns = 123_456 });
            file.Write(state);
        }

        using StateFile next = StateFile.Open(Path, out CaptureState? left);
        Assert.NotNull(left);
        Assert.Equal(10_000u, left.ProfileInterval100ns);
        Assert.Equal(state.Processes, left.Processes);
        Assert.Equal(state.TemporaryFiles, left.TemporaryFiles);
    }

    [Fact]
    public void WhenAllIsUndoneNothingIsLeft()
    {
        using (StateFile file = StateFile.Open(Path, out _))
        {
            file.Write(new CaptureState { ProfileInterval100ns = 10_000 });
            file.MarkUndone();
        }

        Assert.False(File.Exists(Path));
    }

    [Fact]
    public void ASecondCaptureIsRefusedInWords()
    {
        using StateFile first = StateFile.Open(Path, out _);
        CaptureException refusal = Assert.Throws<CaptureException>(() => StateFile.Open(Path, out _));
        Assert.StartsWith("another 'tracer capture' is running", refusal.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("")]
    [InlineData("{ \"ProfileInterval100ns\": 10")]
    [InlineData("no json")]
    [InlineData("[1,2]")]
    [InlineData("{ \"TemporaryFiles\": null }")]
    [InlineData("{ \"Processes\": null }")]
    public void WhatIsCutShortOrNotOursIsNothing(string text)
    {
        Directory.CreateDirectory(System.IO.Path.GetDirectoryName(Path)!);
        File.WriteAllText(Path, text);
        using StateFile file = StateFile.Open(Path, out CaptureState? left);
        Assert.Null(left);
    }
}
