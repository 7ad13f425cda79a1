using System.Diagnostics;

namespace Tracer.Measure.Tests;

/// <summary>Loads work, end with what started them, and leave nothing behind.</summary>
[Collection("one measurement at a time")]
public sealed class LoadTests
{
    [Theory]
    [InlineData(LoadKind.Cpu)]
    [InlineData(LoadKind.Disk)]
    [InlineData(LoadKind.Net)]
    public void A_load_uses_the_machine_until_it_is_disposed_of(LoadKind kind)
    {
        string[] before = Folders();
        Process process;
        using (LoadProcess load = LoadProcess.Start(kind, seed: 3))
        {
            process = Process.GetProcessById(load.Id);
            TimeSpan begun = process.TotalProcessorTime;
            Assert.True(SpinWait.SpinUntil(
                () =>
                {
                    process.Refresh();
                    return process.TotalProcessorTime - begun > TimeSpan.FromMilliseconds(20);
                },
                TimeSpan.FromSeconds(10)));
            load.MustWork();
        }

        Assert.True(process.HasExited);
        Assert.Empty(Folders().Except(before));
    }

    /// <summary>The others in this process, where they can be stopped as well.</summary>
    [Theory]
    [InlineData(LoadKind.Heap)]
    [InlineData(LoadKind.Memory)]
    [InlineData(LoadKind.Make)]
    [InlineData(LoadKind.Idle)]
    public void A_load_is_ready_and_ends_when_it_is_told_to(LoadKind kind)
    {
        string[] before = Folders();
        using var stop = new CancellationTokenSource();
        bool wasReady = false;
        try
        {
            LoadWork.Run(
                kind, 1,
                () =>
                {
                    wasReady = true;
                    stop.CancelAfter(30);
                },
                stop.Token);
        }
        catch (MeasureException missing) when (kind == LoadKind.Make)
        {
            Assert.SkipWhen(true, missing.Message);
        }

        Assert.True(wasReady);
        Assert.Empty(Folders().Except(before));
    }

    [Fact]
    public void A_load_that_is_killed_is_told()
    {
        using LoadProcess load = LoadProcess.Start(LoadKind.Cpu, seed: 1);
        using Process process = Process.GetProcessById(load.Id);
        process.Kill();
        process.WaitForExit();
        Assert.True(SpinWait.SpinUntil(
            () =>
            {
                try
                {
                    load.MustWork();
                    return false;
                }
                catch (MeasureException told)
                {
                    return told.Message.StartsWith("the load 'cpu' ended while it was measured", StringComparison.Ordinal);
                }
            },
            TimeSpan.FromSeconds(10)));
    }

    private static string[] Folders() => Directory.GetDirectories(Path.GetTempPath(), "tracer-load-*");
}
