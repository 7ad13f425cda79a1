using Tracer.Measure.Ground;

namespace Tracer.Measure.Tests;

[Collection("one measurement at a time")]
public sealed class TemporaryFileTests
{
    [Fact]
    public void It_has_no_name_and_takes_numbers_over_and_over()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Windows removes it when it is closed.");
        DirectoryInfo folder = Directory.CreateTempSubdirectory("tracer-file-");
        string? usual = Environment.GetEnvironmentVariable("TMPDIR");
        Environment.SetEnvironmentVariable("TMPDIR", folder.FullName);
        try
        {
            using var file = new TemporaryFile();
            file.Write(1);
            file.Write(2);
            Assert.Empty(folder.GetFiles());
        }
        finally
        {
            Environment.SetEnvironmentVariable("TMPDIR", usual);
            folder.Delete(recursive: true);
        }
    }
}
