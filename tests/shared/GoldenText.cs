namespace Tracer.Tests;

/// <summary>
/// Compares text with a stored file of the checkout. With UPDATE_GOLDEN=1 it is written instead, to be reviewed as a diff.
/// </summary>
internal static class GoldenText
{
    public static void AssertEqual(string pathInRepository, string actual)
    {
        string path = Path.Combine(RepositoryFiles.Root, pathInRepository);
        if (Environment.GetEnvironmentVariable("UPDATE_GOLDEN") == "1")
        {
            Directory.CreateDirectory(Path.GetDirectoryName(path)!);
            File.WriteAllText(path, actual);
        }

        Assert.True(File.Exists(path), $"{pathInRepository} is not stored yet; UPDATE_GOLDEN=1 writes it");
        Assert.Equal(File.ReadAllText(path), actual);
    }
}
