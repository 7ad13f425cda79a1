using Tracer.Tests;

namespace Tracer.Repository.Tests;

/// <summary>The example in docs/use/library.md is short, is the program that is built, and prints what the text says.</summary>
public class ExampleTests
{
    private const int MostLines = 15;

    private static string Document => File.ReadAllText(Path.Combine(RepositoryFiles.Root, "docs", "use", "library.md"));

    private static string Program => File.ReadAllText(Path.Combine(RepositoryFiles.Root, "docs", "use", "example", "Program.cs"));

    [Fact]
    public void The_document_shows_the_program_that_is_built()
    {
        Assert.Contains($"```csharp\n{Program}```", Document);
        Assert.InRange(Program.Split('\n', StringSplitOptions.RemoveEmptyEntries).Length, 1, MostLines);
    }

    [Fact]
    public void It_prints_what_the_document_says()
    {
        string sample = Path.Combine(RepositoryFiles.Root, "samples", "first.etl");
        (int exitCode, string output, string error) =
            ChildProcess.Run("dotnet", [Path.Combine(AppContext.BaseDirectory, "example.dll"), sample]);
        Assert.Equal((0, ""), (exitCode, error));
        Assert.Contains($"prints `{output.TrimEnd()}`.", Document);
    }
}
