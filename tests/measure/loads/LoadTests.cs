using System.Diagnostics;
using Tracer.Measure.Ground;
using Tracer.Measure.Loads;
using Tracer.TracerCommand.Commands.Measure;

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
                TimeSpan.FromSeconds(100)));
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
    [InlineData(LoadKind.Tty)]
    [InlineData(LoadKind.Idle)]
    public void A_load_is_ready_and_ends_when_it_is_told_to(LoadKind kind)
    {
        string[] before = Folders();
        using var stop = new CancellationTokenSource();
        bool wasReady = false;
        try
        {
            LoadWork.Run(
                kind, 1, LoadCommand.InFolder,
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

    [Theory]
    [InlineData(LoadKind.Disk)]
    [InlineData(LoadKind.Make)]
    public void A_load_without_a_folder_for_its_files_says_what_to_do(LoadKind kind)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The folder is TMPDIR's.");
        string? usual = Environment.GetEnvironmentVariable("TMPDIR");
        Environment.SetEnvironmentVariable("TMPDIR", "/dev/null");
        try
        {
            IOException told = Assert.Throws<IOException>(() => LoadWork.Run(
                kind, 1, LoadCommand.InFolder, static () => Assert.Fail("It is not ready."), TestContext.Current.CancellationToken));
            Assert.Equal(
                "no temporary file can be made in /dev/null/: set TMPDIR to a folder that is there and can be written to", told.Message);
        }
        finally
        {
            Environment.SetEnvironmentVariable("TMPDIR", usual);
        }
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

    /// <summary>SIGKILL leaves a process no time for anything: what it started ends by itself, and removes its files.</summary>
    [Fact]
    public void Nothing_is_left_of_a_measurement_that_is_killed()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Children are found by /proc.");
        string[] before = Folders();
        using Process loaded = Measuring("sleep", "--load", "disk");
        using Process answered = Measuring("udp", "--interval", "1ms");
        int[] children = [.. new[] { loaded, answered }.Select(static process =>
        {
            int child = 0;
            Assert.True(SpinUntil(() => (child = ChildOf(process.Id)) != 0));
            return child;
        })];
        // A disk load has its folder a while after it began.
        Assert.True(SpinUntil(() => Folders().Except(before).Any()));
        foreach (Process process in (Process[])[loaded, answered])
        {
            process.Kill();
            process.WaitForExit();
        }

        Assert.All(children, static child => Assert.True(SpinUntil(() => HasEnded(child))));
        Assert.Empty(Folders().Except(before));
    }

    /// <summary>Also where whoever it was left to does not ask for its status: some containers' first process does not.</summary>
    private static bool HasEnded(int process)
    {
        try
        {
            return File.ReadLines($"/proc/{process}/status").Any(static line => line.StartsWith("State:\tZ", StringComparison.Ordinal));
        }
        catch (IOException)
        {
            return true;
        }
    }

    private static bool SpinUntil(Func<bool> isSo) => SpinWait.SpinUntil(isSo, TimeSpan.FromSeconds(100));

    private static Process Measuring(params string[] arguments)
    {
        var start = new ProcessStartInfo("dotnet")
        {
            UseShellExecute = false,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        foreach (string word in (string[])[
            Path.Combine(AppContext.BaseDirectory, "tracer.dll"), "measure", .. arguments, "--duration", "1min", "--priority", "normal"])
        {
            start.ArgumentList.Add(word);
        }

        return Process.Start(start)!;
    }

    private static int ChildOf(int parent)
    {
        string[] children = File.ReadAllText($"/proc/{parent}/task/{parent}/children").Split(' ', StringSplitOptions.RemoveEmptyEntries);
        return children.Length == 0
            ? Directory.GetDirectories($"/proc/{parent}/task")
                .SelectMany(static task => File.ReadAllText(task + "/children").Split(' ', StringSplitOptions.RemoveEmptyEntries))
                .Select(static word => int.Parse(word, System.Globalization.CultureInfo.InvariantCulture)).FirstOrDefault()
            : int.Parse(children[0], System.Globalization.CultureInfo.InvariantCulture);
    }

    private static string[] Folders() => Directory.GetDirectories(Path.GetTempPath(), "tracer-load-*");
}
