using System.IO.Compression;
using System.Text.Json;
using Tracer.Commands.Tests.Fuzzing;
using Tracer.Etl.Tests.Reading;
using Tracer.Etl.Tests.Writing;

namespace Tracer.Commands.Tests.Dump;

/// <summary>
/// <c>analyzer dump --from --to</c> opens only the buffers that hold what is asked for, and prints the lines that the whole dump has of
/// that time: of sound traces, of damaged ones, of rings, and of traces whose buffers stand in any order.
/// </summary>
[Trait("Speed", "slow")]
public sealed class DumpWindowTests : IDisposable
{
    private const int Damaged = 120;
    private const int Seed = 20_261_123;

    private static readonly string[][] Kinds =
        [["--format", "json"], [], ["--format", "json", "--stacks", "none"], ["--stacks", "records"]];

    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-test-").FullName;

    public static TheoryData<string> Traces() =>
        [.. Selection.Some(Selection.WithoutLargest(Files().Select(Path.GetFileName).OfType<string>()), 4)];

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Theory]
    [MemberData(nameof(Traces))]
    public void A_window_of_a_trace_has_the_lines_that_the_whole_has_of_that_time(string file)
    {
        string path = Files().Single(one => Path.GetFileName(one) == file);
        string trace = path.EndsWith(".gz", StringComparison.Ordinal) ? Write(Unpacked(path)) : path;
        AssertWindows(trace, new Random(Seed), windows: Selection.Cases(3));
    }

    [Fact]
    public void A_window_of_a_damaged_trace_has_the_lines_that_the_whole_has_of_that_time()
    {
        List<FuzzBase> bases = FuzzBases.Make(withLarge: false);
        int damaged = Selection.Cases(Damaged, parts: 6);
        int windows = 0;
        for (int i = 0; i < damaged; i++)
        {
            var random = new Random(Seed + i);
            byte[] bytes = new TraceMutator(bases, random).Next(out string name);
            windows += AssertWindows(Write(bytes), random, windows: 2, $"{name}, seed {Seed + i}");
        }

        Assert.InRange(windows, damaged / 4, int.MaxValue);
    }

    [Fact]
    public void Where_buffers_stand_does_not_matter_to_a_window()
    {
        byte[] bytes = File.ReadAllBytes(Path.Combine(RepositoryFiles.Root, "samples", "firmware-blackout.etl"));
        var random = new Random(Seed);
        byte[][] buffers = [.. StoredFile.Buffers(bytes).Select(buffer => buffer.Bytes)];
        Assert.InRange(buffers.Length, 5, int.MaxValue);
        random.Shuffle(buffers.AsSpan(1)); // The first holds the header.
        string[] whole = Lines(Path.Combine(RepositoryFiles.Root, "samples", "firmware-blackout.etl"), "--from", "100ms", "--to", "200ms");
        Assert.NotEmpty(whole);
        string shuffled = Write([.. buffers.SelectMany(buffer => buffer)]);
        Assert.Equal(whole, Lines(shuffled, "--from", "100ms", "--to", "200ms"));
        AssertWindows(shuffled, random, windows: 4);
    }

    [Fact]
    public void A_window_of_standard_input_is_that_of_the_file()
    {
        string sample = Path.Combine(RepositoryFiles.Root, "samples", "first.etl");
        string[] whole = Lines(sample, "--from", "1s", "--to", "1.2s");
        Assert.NotEmpty(whole);
        string analyzer = Path.Combine(AppContext.BaseDirectory, "analyzer.dll");
        (int exitCode, string output, string error) = ChildProcess.Run(
            "sh", ["-c", $"cat '{sample}' | dotnet '{analyzer}' dump - --us --from 1s --to 1.2s"]);
        Assert.Equal((0, ""), (exitCode, error));
        Assert.Equal(whole, output.Split('\n'));
    }

    [Fact]
    public void Damage_outside_of_the_window_is_told_all_the_same()
    {
        byte[] bytes = File.ReadAllBytes(Path.Combine(RepositoryFiles.Root, "samples", "first.etl"));
        bytes.AsSpan(20_000, 500).Fill(0x5A);
        string path = Write(bytes);
        (_, _, string whole) = CommandRun.Analyzer("dump", path);
        (int exitCode, string output, string error) = CommandRun.Analyzer("dump", path, "--from", "1.9s");
        Assert.Equal(0, exitCode);
        Assert.NotEmpty(output);
        Assert.Contains("damaged buffer", error);
        Assert.Equal(whole, error);
    }

    private static IEnumerable<string> Files() => Directory.EnumerateFiles(Path.Combine(RepositoryFiles.Root, "samples"), "*.etl")
        .Concat(RepositoryFiles.InCorpus("*.etl").Concat(RepositoryFiles.InCorpus("*.etl.gz")).Where(file => !file.StartsWith('('))
            .Select(file => Path.Combine(RepositoryFiles.Corpus(), file)));

    private static byte[] Unpacked(string path)
    {
        using var zip = new GZipStream(File.OpenRead(path), CompressionMode.Decompress);
        using var bytes = new MemoryStream();
        zip.CopyTo(bytes);
        return bytes.ToArray();
    }

    private static string[] Lines(string path, params IEnumerable<string> options)
    {
        (int exitCode, string output, string error) = CommandRun.Analyzer(["dump", path, "--us", .. options]);
        Assert.True(exitCode == 0, error);
        return output.Split('\n');
    }

    /// <summary>Compares windows between any two events of a trace.</summary>
    /// <returns>How many were compared.</returns>
    private static int AssertWindows(string path, Random random, int windows, string what = "")
    {
        if (!TryReadClock(path, out TraceClock clock))
        {
            return 0;
        }

        int compared = 0;
        Dictionary<string[], (string[] Lines, long[] Ticks)> wholes = [];
        for (int i = 0; i < windows; i++)
        {
            string[] kind = Kinds[random.Next(Kinds.Length)];
            bool isJson = kind.Contains("json");
            if (!wholes.TryGetValue(kind, out (string[] Lines, long[] Ticks) dump))
            {
                (int exitCode, string output, _) = CommandRun.Analyzer(["dump", path, "--us", .. kind]);
                if (exitCode != 0)
                {
                    return compared; // It has no event that can be read.
                }

                string[] lines = output.Split('\n')[..^1];
                dump = (lines, [.. lines.Select(line => clock.TicksAt(NanosecondsOf(line, isJson)))]);
                wholes.Add(kind, dump);
            }

            (string[] whole, long[] ticks) = dump;
            long[] bounds = [.. new[] { Pick(), Pick() }.Order()];
            // Between two ticks a duration in nanoseconds may mean either: bounds are taken as the command takes them.
            (long from, long to) = (clock.TicksAt(bounds[0]), clock.TicksAt(bounds[1]));
            string[] expected = [.. whole.Where((_, at) => ticks[at] >= from && ticks[at] <= to)];
            string[] options = random.Next(4) switch
            {
                0 => ["--to", $"{bounds[1]}ns"],
                1 => ["--from", $"{bounds[0]}ns"],
                _ => ["--from", $"{bounds[0]}ns", "--to", $"{bounds[1]}ns"],
            };
            expected = options switch
            {
                ["--to", _] => [.. whole.Where((_, at) => ticks[at] <= to)],
                ["--from", _] => [.. whole.Where((_, at) => ticks[at] >= from)],
                _ => expected,
            };
            string[] found = Lines(path, [.. kind, .. options])[..^1];
            Assert.True(expected.SequenceEqual(found), FirstDifference($"{path} {what}: dump {string.Join(' ', kind.Concat(options))}"));
            compared++;

            long Pick() => whole.Length == 0 ? 0 : Math.Max(0, NanosecondsOf(whole[random.Next(whole.Length)], isJson));

            string FirstDifference(string run)
            {
                int at = expected.Zip(found).TakeWhile(pair => pair.First == pair.Second).Count();
                return $"{run}\nline {at} of {found.Length}, expected {expected.Length}\n"
                    + $"{expected.ElementAtOrDefault(at)}\n{found.ElementAtOrDefault(at)}";
            }
        }

        return compared;
    }

    private static bool TryReadClock(string path, out TraceClock clock)
    {
        clock = default;
        try
        {
            using EtlReader reader = EtlReader.Open(path);
            reader.Settle(eventTimes: false); // As the command does: the header may be disproven.
            clock = reader.IsClockKnown ? reader.Header.Clock : default;
            return reader.IsClockKnown;
        }
        catch (EtlFormatException)
        {
            return false;
        }
    }

    private static long NanosecondsOf(string line, bool isJson)
    {
        if (!isJson)
        {
            return (long)(1000m * decimal.Parse(line.AsSpan()[..line.IndexOf(' ', line.AsSpan().IndexOfAnyExcept(' '))],
                CultureInfo.InvariantCulture));
        }

        using var json = JsonDocument.Parse(line);
        return (long)(1000m * json.RootElement.GetProperty("timeUs").GetDecimal());
    }

    private string Write(byte[] bytes)
    {
        string path = Path.Combine(_folder, Path.GetRandomFileName() + ".etl");
        File.WriteAllBytes(path, bytes);
        return path;
    }
}
