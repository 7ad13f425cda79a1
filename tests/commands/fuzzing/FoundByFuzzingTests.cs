namespace Tracer.Commands.Tests.Fuzzing;

/// <summary>
/// A trace of 216 events that fuzzing made (seed 5020302, 2026-11-25): its times claim to last for 292 years. Cutting it never ended,
/// and comparing it took all memory.
/// </summary>
public class FoundByFuzzingTests
{
    private static readonly string Trace = Path.Combine(RepositoryFiles.Root, "tests", "commands", "fuzzing", "claims-centuries.etl.gz");

    [Fact]
    public void A_trace_of_centuries_is_cut()
    {
        string folder = Directory.CreateTempSubdirectory("tracer-centuries-").FullName;
        try
        {
            Assert.Equal(ExitCode.Done, CommandRun.Analyzer("pack", Trace, "-o", Path.Combine(folder, "case.zip")).ExitCode);
            string[] part = ["--from", "0s", "--to", "2s", "-o", Path.Combine(folder, "part.etl")];
            Assert.Equal(ExitCode.Done, CommandRun.Analyzer(["slice", Trace, .. part]).ExitCode);
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    [Fact]
    public void It_is_compared_as_the_point_that_it_is()
    {
        string other = Path.Combine(RepositoryFiles.Root, "samples", "nic-behind-ndis.etl");
        (int exitCode, string output, _) = CommandRun.Analyzer("diff", Trace, other);
        Assert.Equal(ExitCode.Done, exitCode);

        // Lines break where the path of this folder makes them too long.
        string line = string.Join(' ', output.Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries));
        Assert.Matches("51(\\.1)? ms measured, 1 block", line);
    }
}
