using Tracer.AnalyzerCommand;
using Tracer.CommandLine;
using Tracer.Etl.Tests.Reading;

namespace Tracer.Commands.Tests.Fuzzing;

/// <summary>
/// Damaged traces through all commands of <c>analyzer</c>, by its own entry: the bounds of docs/internals/fuzzing.md must hold,
/// JSON is valid, and nothing that moves a cursor is printed. Few by default; tests/commands/fuzz.sh makes a million.
/// </summary>
[Collection(Alone.Name)]
public class CommandFuzzTests
{
    private const int DefaultFiles = 75;
    private const int DefaultSeed = 20_261_122;

    /// <summary>One file in so many is made of one of megabytes, in long runs.</summary>
    private const int SmallOfLarge = 2000;

    /// <summary>CPU time that a command may take, all threads together: whatever the file holds, and for each of its bytes.</summary>
    private const double FixedSeconds = 8;
    private const double SecondsOfByte = 20e-6;

    /// <summary>Bytes that may be taken from the heap, most of them given back at once.</summary>
    private const long FixedBytes = 1536L * 1024 * 1024;
    private const long BytesOfByte = 4000;

    /// <summary>Characters of text or JSON for a byte of the file.</summary>
    private const long FixedCharacters = 8 * 1024 * 1024;
    private const long CharactersOfByte = 1000;

    [Fact]
    public void Whatever_a_file_holds_every_command_ends_soon_in_little_memory_with_a_valid_answer()
    {
        int files = Setting.Number("TRACER_FUZZ_FILES", Selection.Cases(DefaultFiles));
        int seed = Setting.Number("TRACER_FUZZ_SEED", DefaultSeed);
        string folder = Directory.CreateTempSubdirectory("command-fuzz").FullName;
        try
        {
            List<FuzzBase> bases = FuzzBases.Make(withLarge: files > DefaultFiles || Setting.Number("TRACER_FUZZ_LARGE", 0) == 1);
            var figures = new FuzzFigures();
            for (int i = 0; i < files; i++)
            {
                One(bases, seed + i, Path.Combine(folder, "trace.etl"), figures, isFirst: i < 8);
                if (i % 10_000 == 9_999)
                {
                    FuzzReport.Add($"{i + 1} of {files}, seed {seed}: {figures}", ".progress");
                }
            }

            FuzzReport.Add(string.Create(
                CultureInfo.InvariantCulture, $"files {files}, seed {seed}, bases {bases.Count}, {figures}"));
            Assert.True(figures.Failures.Count == 0, string.Join('\n', figures.Failures));
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    /// <summary>Whether a part of the trace is asked for, which need not be there.</summary>
    private static bool HasFilter(string[] arguments) =>
        arguments.Any(argument => argument is "--cpu" or "--from" or "--to" or "--at" or "--episode");

    private static void One(List<FuzzBase> bases, int seed, string path, FuzzFigures figures, bool isFirst)
    {
        var random = new Random(seed);
        byte[] file = new TraceMutator(bases, random, SmallOfLarge).Next(out string name);
        File.WriteAllBytes(path, file);
        string[] arguments = FuzzCommands.Next(random, path);
        bool isJson = arguments.Any(argument => argument is "json" or "cases");
        using var output = new FuzzOutput(isJson);
        using var error = new StringWriter { NewLine = "\n" };
        long allocated = GC.GetTotalAllocatedBytes();
        double before = Environment.CpuUsage.TotalTime.TotalSeconds;
        int status = CommandProgram.Run(AnalyzerCommands.Create(), "analyzer", arguments, output, error);
        double seconds = Environment.CpuUsage.TotalTime.TotalSeconds - before;
        allocated = GC.GetTotalAllocatedBytes() - allocated;
        string? problem = output.ProblemAtTheEnd()
            ?? (error.ToString().Contains("internal error", StringComparison.Ordinal) ? error.ToString() : null)
            ?? (status is ExitCode.Done or ExitCode.Failed ? null
                : status == ExitCode.WrongUsage && HasFilter(arguments) ? null
                : $"status {status}")
            ?? FuzzReport.Beyond("CPU seconds", isFirst ? 0 : seconds, FixedSeconds + (SecondsOfByte * file.Length))
            ?? FuzzReport.Beyond("bytes allocated", allocated, FixedBytes + (BytesOfByte * file.Length))
            ?? FuzzReport.Beyond("characters", output.Characters, FixedCharacters + (CharactersOfByte * file.Length));
        string what = $"TRACER_FUZZ_FILES=1 TRACER_FUZZ_LARGE=1 TRACER_FUZZ_SEED={seed}: "
            + $"{string.Join(' ', arguments[..1].Concat(arguments[2..]))}, "
            + $"{name}, {file.Length} bytes";
        figures.Add(arguments[0], name.Split(' ')[0], file.Length, isFirst ? 0 : seconds, allocated, output.Characters, what);
        if (problem is not null)
        {
            figures.Failures.Add($"{what}: {problem}");
            FuzzReport.Add($"{what}: {problem}");
        }
    }
}
