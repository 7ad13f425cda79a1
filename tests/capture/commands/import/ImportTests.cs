using Tracer.Commands.Tests;
using Tracer.TracerCommand.Commands.Import;

namespace Tracer.Capture.Tests.Commands.Import;

/// <summary><c>tracer import</c> with a recording of the test kernel (README.md in this folder).</summary>
[Trait("Speed", "slow")]
public sealed class ImportTests : IDisposable
{
    private const int ModuleBytes = 176;

    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-test-").FullName;

    private static byte[] Recording { get; } =
        File.ReadAllBytes(Path.Combine(RepositoryFiles.Root, "tests", "capture", "commands", "import", "nic-dpc.records"));

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void A_recording_becomes_a_sound_trace_that_blames_the_guilty_module()
    {
        string trace = InFolder("nic-dpc.etl");
        (int exitCode, string output, string error) = BuiltCommand.Run("tracer", "import", Written("nic-dpc.bin", Recording), "-o", trace);
        Assert.Equal((0, ""), (exitCode, error));
        Assert.Equal($"{trace}: 186 wake-ups, 2 episodes with 19 samples, 5 modules\n", output);

        (exitCode, output, error) = CommandRun.Analyzer("blame", trace, "--format", "json");
        Assert.Equal((0, ""), (exitCode, error));
        BlameReport report = ReportJson.Read<BlameReport>(System.Text.Encoding.UTF8.GetBytes(output));
        Assert.Equal((Verdict.Driver, "nic.sys", 186), (report.Summary.Verdict, report.Summary.Culprit, report.Summary.Probes));
        Assert.Equal(0, report.Trace.EventsLost);
        Every.Item(report.Culprits[0].Functions, function => Assert.StartsWith("nic.sys+0x", function.Name, StringComparison.Ordinal));
    }

    [Fact]
    public void Modules_have_their_addresses_and_the_ids_of_their_PDBs()
    {
        string trace = InFolder("nic-dpc.etl");
        CommandRun.Tracer("import", Written("nic-dpc.bin", Recording), "-o", trace);
        (_, string output, _) = CommandRun.Analyzer("dump", trace, "--provider", "Image*");
        for (int at = 0; at < 5 * ModuleBytes; at += ModuleBytes)
        {
            string baseAddress = $"ImageBase=0x{BitConverter.ToUInt64(Recording, at + 8):x}";
            string name = System.Text.Encoding.ASCII.GetString(Recording, at + 48, 64).TrimEnd('\0');
            Assert.Contains(output.Split('\n'), line => line.Contains(baseAddress) && line.EndsWith("FileName=" + name));
            var id = new Guid(Recording.AsSpan(at + 32, 16));
            Assert.Contains(output.Split('\n'), line => line.Contains(baseAddress) && line.Contains($"PdbGuid={id}"));
        }
    }

    [Fact]
    public void The_same_recording_gives_the_same_bytes() => Assert.Equal(Imported(Recording, out _), Imported(Recording, out _));

    [Fact]
    public void Records_of_unknown_types_are_passed_over_by_their_size()
    {
        byte[] unknown = new byte[24];
        (unknown[0], unknown[2]) = (99, 24);
        byte[] expected = Imported(Recording, out _);
        Assert.Equal(expected, Imported([.. unknown, .. Recording, .. unknown], out ImportedTrace trace));
        Assert.Equal((0, 0), (trace.DamagedBytes, trace.BadRecords));
    }

    [Fact]
    public void What_is_no_record_is_left_out_and_told()
    {
        string recording = Written("cut.bin", [.. Recording[..ModuleBytes], .. new byte[16], .. Recording[ModuleBytes..^8]]);
        (int exitCode, string output, string error) = CommandRun.Tracer("import", recording);
        // The last record is a Stop of 24 bytes, of which 16 are there.
        Assert.Equal((0, $"tracer: {recording} is damaged: left out 32 bytes and 0 records\n"), (exitCode, error));
        Assert.StartsWith(InFolder("cut.etl") + ": 186 wake-ups", output, StringComparison.Ordinal);
    }

    [Fact]
    public void A_module_whose_name_has_no_end_or_is_a_path_is_left_out()
    {
        byte[] damaged = [.. Recording];
        damaged.AsSpan(48, 64).Fill((byte)'a');
        damaged[ModuleBytes + 48] = (byte)'/';
        Imported(damaged, out ImportedTrace trace);
        Assert.Equal((3, 2), (trace.Modules, trace.BadRecords));
    }

    [Theory]
    [InlineData(new byte[0])]
    [InlineData(new byte[] { 1, 0, 56, 0, 0, 0, 0, 0 })]
    public void What_holds_no_run_is_refused_and_nothing_is_written(byte[] bytes)
    {
        string recording = Written("none.bin", bytes);
        (int exitCode, string output, string error) = CommandRun.Tracer("import", recording);
        Assert.Equal((ExitCode.Failed, ""), (exitCode, output));
        Assert.StartsWith($"tracer: {recording}: no run of the driver begins in it", error, StringComparison.Ordinal);
        Assert.False(File.Exists(InFolder("none.etl")));
    }

    [Fact]
    public void A_recording_is_never_overwritten()
    {
        string recording = Written("run.etl", Recording);
        (int exitCode, _, string error) = CommandRun.Tracer("import", recording);
        Assert.Equal(
            (ExitCode.WrongUsage, $"tracer: {recording} would be overwritten: name the trace with -o\n"), (exitCode, error));
        Assert.Equal(Recording, File.ReadAllBytes(recording));
    }

    /// <summary>
    /// Damaged recordings by the thousand (TRACER_FUZZ_FILES says how many): importing each ends, throws nothing, takes memory that does
    /// not grow with what the damage claims, and gives a trace that can be read to its end.
    /// </summary>
    [Fact]
    public void Whatever_a_recording_holds_importing_it_ends_and_gives_a_trace_that_can_be_read()
    {
        string? wanted = Environment.GetEnvironmentVariable("TRACER_FUZZ_FILES");
        int recordings = int.TryParse(wanted, NumberStyles.None, CultureInfo.InvariantCulture, out int asked)
            ? asked
            : Selection.Cases(3000);
        const long MostBytes = 8 * 1024 * 1024;
        int imported = 0;
        for (int seed = 0; seed < recordings; seed++)
        {
            byte[] damaged = Damaged(new Random(seed));
            long before = GC.GetAllocatedBytesForCurrentThread();
            byte[]? trace = TryImport(damaged, out _);
            long used = GC.GetAllocatedBytesForCurrentThread() - before;
            Assert.True(used < MostBytes, $"seed {seed}: {used} bytes for a recording of {damaged.Length}");
            if (trace is not null)
            {
                imported++;
                using var reader = EtlReader.Open(new MemoryStream(trace));
                var sink = new CountingSink();
                Assert.True(reader.Read(EtlOrder.Time, ref sink), $"seed {seed}");
                Assert.True(sink.Events > 0, $"seed {seed}");
            }
        }

        // Most damage leaves the beginning of the run as it was.
        Assert.InRange(imported, recordings / 2, recordings - 1);
    }

    private static byte[] Imported(byte[] recording, out ImportedTrace trace) =>
        TryImport(recording, out trace!) ?? throw new InvalidOperationException("no run in it");

    private static byte[]? TryImport(byte[] recording, out ImportedTrace? trace)
    {
        trace = null;
        var stream = new MemoryStream(recording, writable: false);
        if (RecordingOverview.Read(stream) is not { } overview)
        {
            return null;
        }

        stream.Position = 0;
        var output = new MemoryStream();
        trace = ImportedTrace.Write(stream, overview, output);
        return output.ToArray();
    }

    /// <summary>One to eight damages: bits, numbers at their limits, bytes gone, bytes doubled, strange bytes, the end cut off.</summary>
    private static byte[] Damaged(Random random)
    {
        List<byte> bytes = [.. Recording];
        for (int damages = random.Next(1, 9); damages > 0; damages--)
        {
            int at = random.Next(bytes.Count);
            int length = Math.Min(random.Next(1, 400), bytes.Count - at);
            switch (random.Next(6))
            {
                case 0:
                    bytes[at] ^= (byte)(1 << random.Next(8));
                    break;
                case 1:
                    for (int i = at & ~7; i < Math.Min(bytes.Count, (at & ~7) + 8); i++)
                    {
                        bytes[i] = random.Next(2) == 0 ? byte.MaxValue : (byte)random.Next(256);
                    }

                    break;
                case 2:
                    bytes.RemoveRange(at, length);
                    break;
                case 3:
                    bytes.InsertRange(at, bytes.GetRange(at, length));
                    break;
                case 4:
                    byte[] strange = new byte[length];
                    random.NextBytes(strange);
                    bytes.InsertRange(at, strange);
                    break;
                default:
                    // Where records begin: their types and sizes.
                    at &= ~7;
                    bytes[at] = (byte)random.Next(10);
                    break;
            }

            if (bytes.Count < 16)
            {
                break;
            }
        }

        return [.. random.Next(4) == 0 ? bytes.Take(random.Next(bytes.Count)) : bytes];
    }

    private string InFolder(string name) => Path.Combine(_folder, name);

    private string Written(string name, byte[] bytes)
    {
        File.WriteAllBytes(InFolder(name), bytes);
        return InFolder(name);
    }

    private struct CountingSink : IEtlEventSink
    {
        public long Events { get; private set; }

        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            Events++;
            return true;
        }
    }
}
