using Tracer.Capture.Sessions;
using Tracer.Capture.Sessions.Native;

namespace Tracer.Capture.Tests;

/// <summary>Win32 codes come out in words, each its own.</summary>
public sealed class EtwFailuresTests
{
    private static readonly SessionPlan Ring =
        new() { Name = "Tracer.Recorder", Role = SessionRole.Recorder, BufferKb = 64, Buffers = 100, Masks = default };

    [Fact]
    public void EveryCodeOfTheListHasWords()
    {
        foreach (int code in typeof(EtwError).GetFields().Select(static field => (int)field.GetRawConstantValue()!)
            .Where(static code => code != EtwError.Success))
        {
            EtwException failure = EtwFailures.Of("StartTrace", code);
            Assert.Equal(("StartTrace", code), (failure.Function, failure.Code));
            string start = string.Create(CultureInfo.InvariantCulture, $"StartTrace failed with {code}: ");
            Assert.StartsWith(start, failure.Message, StringComparison.Ordinal);
            Assert.DoesNotContain("net helpmsg", failure.Message, StringComparison.Ordinal);
        }
    }

    [Fact]
    public void AnUnknownCodeSaysWhereToLook() =>
        Assert.EndsWith("see 'net helpmsg 31'", EtwFailures.Of("StartTrace", 31).Message, StringComparison.Ordinal);

    [Fact]
    public void NoPlaceNamesWhoHasThem()
    {
        RunningSession[] running =
        [
            new("NT Kernel Logger", true), new("EventLog-System", false), .. "abcdef".Select(one => new RunningSession($"{one}", true)),
        ];
        EtwException failure = EtwFailures.NoPlace("StartTrace", Ring, running);
        Assert.Contains("taken by 'NT Kernel Logger', 'a', 'b', 'c', 'd', 'e', 'f'; stop one", failure.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("EventLog-System", failure.Message, StringComparison.Ordinal);
        Assert.Equal((EtwError.NoSystemResources, false), (failure.Code, failure.IsMemoryShort));
    }

    /// <summary>Five system loggers besides the reserved ones leave a place: then 1450 means memory, and a smaller ring may do.</summary>
    [Fact]
    public void WithFreePlacesItIsTheMemory()
    {
        RunningSession[] running =
        [
            new("NT Kernel Logger", true), new("Circular Kernel Context Logger", true),
            .. "abcde".Select(one => new RunningSession($"{one}", true)),
        ];
        EtwException failure = EtwFailures.NoPlace("StartTrace", Ring, running);
        Assert.Contains("(7 of 64 are taken, 7 by system loggers), but no memory for its 6 MiB", failure.Message, StringComparison.Ordinal);
        Assert.Contains("--buffer-mb", failure.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("logman", failure.Message, StringComparison.Ordinal);
        Assert.True(failure.IsMemoryShort);
        Assert.True(EtwFailures.NoPlace("StartTrace", Ring, []).IsMemoryShort);
    }

    [Fact]
    public void SixtyFourSessionsOfAnyKindAreAll()
    {
        RunningSession[] running = [.. Enumerable.Range(1, 64).Select(number => new RunningSession($"Session {number}", number == 1))];
        EtwException failure = EtwFailures.NoPlace("StartTrace", Ring, running);
        Assert.Contains("64 trace sessions at most, and 64 run: 'Session 1', ", failure.Message, StringComparison.Ordinal);
        Assert.Contains("'Session 64'; stop one", failure.Message, StringComparison.Ordinal);
        Assert.False(failure.IsMemoryShort);
    }

    [Theory]
    [InlineData(EtwError.AccessDenied)] // UnauthorizedAccessException
    [InlineData(EtwError.InvalidParameter)] // ArgumentException
    [InlineData(EtwError.OutOfMemory)] // OutOfMemoryException
    [InlineData(EtwError.InstanceNotFound)] // COMException
    public void WhatDotNetThrowsForACodeHoldsIt(int code)
    {
        Exception failure = Assert.ThrowsAny<Exception>(
            () => System.Runtime.InteropServices.Marshal.ThrowExceptionForHR(unchecked((int)0x8007_0000) | code));
        Assert.Equal(code, RealTimeReading.CodeOf(failure));
    }

    [Fact]
    public void OtherExceptionsHoldNoCode()
    {
        Assert.Equal(EtwError.InvalidHandle, RealTimeReading.CodeOf(new System.Reflection.TargetException()));
        Assert.Null(RealTimeReading.CodeOf(new InvalidOperationException()));
    }
}
