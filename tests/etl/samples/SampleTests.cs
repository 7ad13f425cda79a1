namespace Tracer.Etl.Tests.Samples;

/// <summary>The stored samples are what their generators make, so that nobody need trust a binary file.</summary>
public class SampleTests
{
    private const int LargestSample = 1_000_000;

    [Fact]
    public void The_first_sample_is_what_its_generator_writes()
    {
        string path = Path.Combine(RepositoryFiles.Root, "samples", "first.etl");
        using var made = new MemoryStream();
        FirstSample.Write(made);
        Assert.InRange(made.Length, 1, LargestSample);
        if (Environment.GetEnvironmentVariable("UPDATE_GOLDEN") == "1")
        {
            File.WriteAllBytes(path, made.ToArray());
        }

        Assert.True(made.ToArray().AsSpan().SequenceEqual(File.ReadAllBytes(path)), "run with UPDATE_GOLDEN=1 after a wanted change");
    }
}
