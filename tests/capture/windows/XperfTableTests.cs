using Tracer.WindowsProof;

namespace Tracer.Capture.Tests;

/// <summary>The tables of xperf and ours are read by the same lines, and compared by counts and times.</summary>
public sealed class XperfTableTests
{
    public static string Text(long count, long microseconds) => string.Create(
        CultureInfo.InvariantCulture,
        $"""
        --------------------------
        DPC Info

        --------------------------
        CPU Usage Summing By Module For the Whole Trace

        CPU Usage from 0 us to 1999000 us:

             CPU 0 Usage,      CPU 1 Usage,
             usec      %,      usec      %, Module
        {microseconds,9}   2.85,       100   0.01, nic.sys
               17   0.00,         0   0.00, ntoskrnl.exe

        Total = {count + 3}
        Elapsed Time, >       16 usecs AND <=       32 usecs,     65, or   6.77%
        Total,                                                   960

        Total = {count} for module nic.sys
        Total = 3 for module ntoskrnl.exe
        Usage From 0 ms to 1999 ms, Summing In 1 second intervals. Intervals=2
                 0-1000      :,     27024   2.70,         0   0.00

        --------------------------
        Interrupt Info

        CPU Usage Summing By Module For the Whole Trace
             usec      %,      usec      %, Module
             3803   0.19,         0   0.00, nic.sys

        Total = 41 for module nic.sys
        """);

    [Fact]
    public void CountsAndTimesOfEachModuleAreRead()
    {
        XperfTable table = XperfTable.Read(Text(960, 56_933).Replace("\n", "\r\n", StringComparison.Ordinal))!;
        Assert.Equal(new LevelUse(960, 57_033), table.Uses[("DPC", "NIC.SYS")]);
        Assert.Equal(new LevelUse(3, 17), table.Uses[("DPC", "NTOSKRNL.EXE")]);
        Assert.Equal(new LevelUse(41, 3_803), table.Uses[("ISR", "NIC.SYS")]);
        Assert.Equal(3, table.Uses.Count);
        Assert.Null(XperfTable.Read("nothing of the kind"));
    }

    [Theory]
    [InlineData(960, 57_900, 0)] // Each of 960 may be rounded by a microsecond.
    [InlineData(960, 59_000, 1)]
    [InlineData(970, 56_933, 1)]
    [InlineData(961, 56_933, 0)]
    public void WhatDiffersByMoreThanRoundingIsARow(long count, long microseconds, int rows) => Assert.Equal(
        rows, XperfTable.Differences(XperfTable.Read(Text(960, 56_933))!, XperfTable.Read(Text(count, microseconds))!).Count);

    [Fact]
    public void AModuleThatOneLacksIsARow() => Assert.StartsWith(
        "DPC STRANGER.SYS: 3 in 17 us by ours, 0 in 0 us by xperf",
        XperfTable.Differences(
            XperfTable.Read(Text(9, 9).Replace("ntoskrnl.exe", "stranger.sys", StringComparison.Ordinal))!,
            XperfTable.Read(Text(9, 9))!)[1],
        StringComparison.Ordinal);
}
