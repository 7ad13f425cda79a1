using Tracer.AnalyzerCommand;
using Tracer.CommandLine;

namespace Tracer.Commands.Tests.Fuzzing;

/// <summary>
/// Files of cases that nobody wrote through <c>analyzer fleet</c>, by its own entry: the bounds of docs/internals/fuzzing.md hold, JSON
/// is valid, what is refused is told with its line, and loading the file again changes nothing. Few by default; tests/commands/fuzz.sh
/// makes thousands.
/// </summary>
[Collection(Alone.Name)]
public class FleetFuzzTests
{
    private const int DefaultFiles = 40;
    private const int DefaultSeed = 20_261_126;

    private const double FixedSeconds = 4;
    private const double SecondsOfByte = 20e-6;
    private const long FixedBytes = 512L * 1024 * 1024;
    private const long BytesOfByte = 400;
    private const long FixedCharacters = 4 * 1024 * 1024;

    private static readonly string[][] Options =
    [
        [], ["--since", "7d"], ["--format", "json", "--since", "1h"], ["--format", "json", "--since", "2025-03-10"], ["--by", "time"],
        ["--format", "csv", "--table", "cases"], ["--format", "csv", "--table", "contrasts"], ["--format", "csv", "--table", "latencies"],
        ["--format", "csv", "--since", "36500d"],
    ];

    [Fact]
    public void Whatever_a_file_of_cases_holds_it_is_read_or_refused_with_its_line()
    {
        int files = Setting.Number("TRACER_FUZZ_FLEET_FILES", Selection.Cases(DefaultFiles));
        int seed = Setting.Number("TRACER_FUZZ_SEED", DefaultSeed);
        string folder = Directory.CreateTempSubdirectory("fleet-fuzz").FullName;
        List<string> failures = [];
        int read = 0;
        double seconds = 0;
        (double Seconds, int Seed) slowest = default;
        try
        {
            for (int i = 0; i < files; i++)
            {
                double before = Environment.CpuUsage.TotalTime.TotalSeconds;
                (int status, string? problem) = One(new Random(seed + i), folder, isFirst: i < 8);
                double used = Environment.CpuUsage.TotalTime.TotalSeconds - before;
                seconds += used;
                slowest = used > slowest.Seconds ? (used, seed + i) : slowest;
                read += status == ExitCode.Done ? 1 : 0;
                if (problem is not null)
                {
                    failures.Add($"TRACER_FUZZ_FLEET_FILES=1 TRACER_FUZZ_SEED={seed + i}: {problem}");
                }
            }
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }

        string figures = string.Create(
            CultureInfo.InvariantCulture,
            $"files {files}, seed {seed}, read {read}, {seconds:f0} s of CPU, slowest {slowest.Seconds:f2} s (seed {slowest.Seed})");
        FuzzReport.Add(string.Join('\n', [figures, .. failures]));
        Assert.True(failures.Count == 0, string.Join('\n', failures));
        Assert.True(files < DefaultFiles || (read > 0 && read < files), figures);
    }

    private static (int Status, string? Problem) One(Random random, string folder, bool isFirst)
    {
        byte[] file = new CaseMutator(random).Next();
        string cases = Path.Combine(folder, "cases.jsonl");
        File.WriteAllBytes(cases, file);
        string store = Path.Combine(folder, "fleet.db");
        File.Delete(store);
        string[] options = Options[random.Next(Options.Length)];
        string[] line = ["fleet", cases, "--store", store, .. options];
        long allocated = GC.GetTotalAllocatedBytes();
        double before = Environment.CpuUsage.TotalTime.TotalSeconds;
        (int status, string answer, string error, string? problem) = Run(line);
        double seconds = Environment.CpuUsage.TotalTime.TotalSeconds - before;
        allocated = GC.GetTotalAllocatedBytes() - allocated;
        problem ??= FuzzReport.Beyond("CPU seconds", isFirst ? 0 : seconds, FixedSeconds + (SecondsOfByte * file.Length))
            ?? FuzzReport.Beyond("bytes allocated", allocated, FixedBytes + (BytesOfByte * file.Length))
            ?? FuzzReport.Beyond("characters", answer.Length, FixedCharacters)
            ?? (status == ExitCode.Failed && !error.Contains(", line ", StringComparison.Ordinal)
                && !error.Contains("there is no case", StringComparison.Ordinal) ? $"refused without its line: {error}" : null);
        if (problem is null && status == ExitCode.Done)
        {
            (int again, string same, string told, problem) = Run(line);
            problem ??= again == status && same == answer && told.Contains("0 cases added", StringComparison.Ordinal)
                ? null : $"another answer after loading it again: {told}";
        }

        return (status, problem is null ? null : $"{string.Join(' ', options)}, {file.Length} bytes: {problem}");
    }

    private static (int Status, string Answer, string Error, string? Problem) Run(string[] line)
    {
        using var watched = new FuzzOutput(line.Contains("json"));
        using var output = new StringWriter { NewLine = "\n" };
        using var error = new StringWriter { NewLine = "\n" };
        int status = CommandProgram.Run(AnalyzerCommands.Create(), "analyzer", line, output, error);
        watched.Write(output.ToString());
        string told = error.ToString();
        return (status, output.ToString(), told, watched.ProblemAtTheEnd()
            ?? (told.Contains("internal error", StringComparison.Ordinal) ? told : null)
            ?? (status is ExitCode.Done or ExitCode.Failed ? null : $"status {status}: {told}"));
    }
}
