using System.Globalization;

namespace Tracer.Capture.Tests;

/// <summary>Win32 codes come out in words, each its own.</summary>
public sealed class EtwFailuresTests
{
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
        RunningSession[] running = [new("NT Kernel Logger", true), new("EventLog-System", false), new("WPR_initiated", true)];
        string message = EtwFailures.NoPlace("StartTrace", running).Message;
        Assert.Contains("taken by 'NT Kernel Logger', 'WPR_initiated'; stop one", message, StringComparison.Ordinal);
        Assert.DoesNotContain("EventLog-System", message, StringComparison.Ordinal);
        Assert.Contains("--buffer-mb", EtwFailures.NoPlace("StartTrace", []).Message, StringComparison.Ordinal);
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
