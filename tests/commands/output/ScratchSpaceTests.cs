using System.Diagnostics;
using Tracer.CommandLine;

namespace Tracer.Commands.Tests.Output;

/// <summary>Files for a while: private, without a name where that can be, and gone with whoever made them, if killed too.</summary>
public class ScratchSpaceTests
{
    [Fact]
    public void A_scratch_file_is_private_and_has_no_name()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Windows removes it when it is closed");
        string[] before = Directory.GetFiles(Path.GetTempPath(), "tracer-*");
        using FileStream file = ScratchSpace.File();
        Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite, File.GetUnixFileMode(file.SafeFileHandle));
        Assert.DoesNotContain(
            Directory.GetFiles(Path.GetTempPath(), "tracer-*").Except(before), name => name.Contains($"-{Environment.ProcessId:x}-"));
        file.WriteByte(1);
    }

    [Fact]
    public void What_a_killed_run_left_is_removed_and_what_a_living_one_has_is_not()
    {
        using var dead = Process.Start(new ProcessStartInfo(Environment.ProcessPath!, "--version") { RedirectStandardOutput = true })!;
        dead.WaitForExit();
        string mine = ScratchSpace.Folder("testing");
        string left = mine.Replace($"-{Environment.ProcessId:x}-", $"-{dead.Id:x}-", StringComparison.Ordinal);
        string ofOtherHost = left.Replace(left.Split('-')[^2], "zzzz", StringComparison.Ordinal);
        string other = Path.Combine(Path.GetTempPath(), "tracer-testing-notes");
        foreach (string folder in new[] { left, ofOtherHost, other })
        {
            Directory.CreateDirectory(folder);
            File.WriteAllText(Path.Combine(folder, "a"), "");
        }

        string next = ScratchSpace.Folder("testing");
        Assert.Equal((false, true, true, true), (
            Directory.Exists(left), Directory.Exists(ofOtherHost), Directory.Exists(other), Directory.Exists(mine)));
        foreach (string folder in new[] { ofOtherHost, other, mine, next })
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    /// <summary>Who may change what lies in a folder that root empties may lead it to any file.</summary>
    [Fact]
    public void What_another_user_left_stays()
    {
        using var mine = new ScratchFolder("owned");
        string left = mine.Path.Replace($"-{Environment.ProcessId:x}-", "-7ffffffe-", StringComparison.Ordinal);
        Directory.CreateDirectory(left);
        try
        {
            FileFacts.TryGive(left, (12_345, 12_345));
            Assert.SkipUnless(FileFacts.Of(left).Owner is (12_345, _), "Only root can give a folder away.");
            using var next = new ScratchFolder("owned");
            Assert.True(Directory.Exists(left));
        }
        finally
        {
            Directory.Delete(left);
        }
    }

    [Fact]
    public void The_draft_of_a_killed_run_is_removed_by_the_next_one()
    {
        string folder = Directory.CreateTempSubdirectory("tracer-drafts-").FullName;
        string target = Path.Combine(folder, "report.json");
        string draft;
        using (var output = new OutputFile(target))
        {
            draft = Assert.Single(Directory.GetFiles(folder));
        }

        using var dead = Process.Start(new ProcessStartInfo(Environment.ProcessPath!, "--version") { RedirectStandardOutput = true })!;
        dead.WaitForExit();
        string left = draft.Replace($".{Environment.ProcessId:x}-", $".{dead.Id:x}-", StringComparison.Ordinal);
        File.WriteAllText(left, "half");
        using (var output = new OutputFile(target))
        {
            output.Keep();
        }

        Assert.Equal([target], Directory.GetFiles(folder));
        Directory.Delete(folder, recursive: true);
    }
}
