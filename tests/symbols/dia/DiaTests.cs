using System.Text;
using System.Text.Json;
using Tracer.Symbols.Tests.Pdb;

namespace Tracer.Symbols.Tests.Dia;

/// <summary>
/// Microsoft's DIA, which the analyzer for Windows uses under Wine, gives the same answers as our own reader. tests/symbols/dia.sh makes
/// what is needed; without that, or without Wine, these tests say so and are skipped.
/// </summary>
public class DiaTests
{
    private const string Wine = "/usr/lib/wine/wine64";
    private const int AddressesInOneRun = 1500;

    private static readonly string Analyzer = Path.Combine(RepositoryFiles.Root, "artifacts", "dia", "analyzer.exe");

    /// <summary>The names of the PDBs: the fixtures, then those of the corpus that hold native code.</summary>
    private static string[] Names => [.. PdbFixture.Names, "perfview-CppCon.pdb"];

    [Fact]
    public void Every_answer_about_every_function_of_every_pdb_is_ours()
    {
        Need();
        var report = new StringBuilder(Heading);
        foreach (string name in Names)
        {
            if (PathOf(name) is not { } path)
            {
                report.Append(CultureInfo.InvariantCulture, $"| {name} | not here | | |\n");
                continue;
            }

            PdbFile pdb = PdbFixture.Opened(File.ReadAllBytes(path));
            uint[] places = [.. Places(pdb)];
            string[] dia = [.. places.Chunk(AddressesInOneRun).SelectMany(chunk => Answers(path, chunk, "dia"))];
            Assert.Equal(places.Length, dia.Length);
            for (int i = 0; i < places.Length; i++)
            {
                Assert.Equal(Ours(pdb, places[i]), dia[i]);
            }

            int functions = pdb.Procedures().Count();
            int publics = pdb.Publics().Count();
            report.Append(CultureInfo.InvariantCulture, $"| {name} | {functions} | {publics} | {places.Length}, all equal |\n");
        }

        if (Environment.GetEnvironmentVariable("TRACER_DIA_REPORT") is { } target)
        {
            File.WriteAllText(target, report.ToString());
        }
    }

    /// <summary>Our own reader gives the same on Windows as anywhere.</summary>
    [Fact]
    public void Our_own_reader_answers_the_same_under_wine()
    {
        Need();
        var fixture = PdbFixture.Of("x64");
        PdbFile pdb = fixture.Open();
        uint[] places = [.. Places(pdb)];
        Assert.Equal(places.Select(rva => Ours(pdb, rva)), Answers(fixture.PdbPath, places, "managed"));
    }

    [Fact]
    public void What_dia_refuses_is_told()
    {
        Need();
        string path = Path.GetTempFileName();
        try
        {
            byte[] bytes = File.ReadAllBytes(PdbFixture.Of("x64").PdbPath);
            File.WriteAllBytes(path, bytes[..5000]);
            (int exitCode, string output, string error) = Run(path, [0x1000], "dia");
            Assert.Equal((1, ""), (exitCode, output));
            Assert.Contains("DIA can't read this PDB (0x", error, StringComparison.Ordinal);
        }
        finally
        {
            File.Delete(path);
        }
    }

    private static string Heading =>
        """
        # Our PDB reader beside DIA

        Written by `tests/symbols/dia.sh`: the analyzer for Windows runs under Wine with `--symbol-engine dia`, which loads Microsoft's
        msdia140.dll (of the NuGet package Microsoft.Diagnostics.Tracing.TraceEvent), and is asked for begin, middle, last byte and the byte
        behind each function of the private symbols, and for each public symbol and the byte behind its first. Compared are function,
        decorated name, offset, proof, file and line, and every inlined call with its file and line, with what our own reader says on Linux.

        | PDB | functions | public symbols | addresses asked |
        |---|---|---|---|

        """.ReplaceLineEndings("\n");

    private static void Need()
    {
        Assert.SkipUnless(File.Exists(Wine), "Wine is not here (apt-get install wine wine64)");
        Assert.SkipUnless(
            File.Exists(Analyzer) && File.Exists(Path.Combine(Path.GetDirectoryName(Analyzer)!, "msdia140.dll")),
            "the analyzer for Windows and msdia140.dll are not in artifacts/dia: tests/symbols/dia.sh puts them there");
        if (Environment.GetEnvironmentVariable("WINEPREFIX") is null)
        {
            string prefix = Directory.CreateTempSubdirectory("tracer-wine-").FullName;
            Environment.SetEnvironmentVariable("WINEPREFIX", prefix);
        }

        Environment.SetEnvironmentVariable("WINEDEBUG", "-all");
    }

    private static string? PathOf(string name)
    {
        if (!name.EndsWith(".pdb", StringComparison.Ordinal))
        {
            return PdbFixture.Of(name).PdbPath;
        }

        string folder = Environment.GetEnvironmentVariable("TRACER_CORPUS") ?? Path.Combine(RepositoryFiles.Root, "..", "shared", "corpus");
        string path = Path.Combine(folder, "pdb", name);
        return File.Exists(path) ? path : null;
    }

    private static IEnumerable<uint> Places(PdbFile pdb) => pdb.Procedures()
        .SelectMany(one => (uint[])[one.Rva, one.Rva + (one.Length / 2), one.Rva + one.Length - 1, one.Rva + one.Length])
        .Concat(pdb.Publics().SelectMany(one => (uint[])[one.Rva, one.Rva + 1]))
        .Distinct().Order();

    private static (int ExitCode, string Output, string Error) Run(string path, IEnumerable<uint> places, string engine) =>
        ChildProcess.Run(
            Wine,
            [
                Analyzer, "symbols", "Z:" + path, "--format", "json", "--symbol-engine", engine,
                .. places.Select(rva => string.Create(CultureInfo.InvariantCulture, $"0x{rva:x}")),
            ]);

    private static IEnumerable<string> Answers(string path, IEnumerable<uint> places, string engine)
    {
        (int exitCode, string output, string error) = Run(path, places, engine);
        Assert.True(exitCode == 0, error);
        return output.Split('\n', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries).Select(OfJson);
    }

    private static string OfJson(string line)
    {
        using var json = JsonDocument.Parse(line);
        JsonElement root = json.RootElement;
        JsonElement source = root.GetProperty("source");
        string place = source.ValueKind == JsonValueKind.Null ? "" : $"{source.GetProperty("file")}:{source.GetProperty("line")}";
        IEnumerable<string> inlines = root.GetProperty("inlines").EnumerateArray().Select(call =>
            $"{call.GetProperty("function")} {call.GetProperty("file")}:{call.GetProperty("line")}");
        return $"{root.GetProperty("rva")} {root.GetProperty("proof")} {root.GetProperty("function")}|{root.GetProperty("decorated")} "
            + $"+{root.GetProperty("offset")} {place} [{string.Join("; ", inlines)}]";
    }

    private static string Ours(PdbFile pdb, uint rva)
    {
        AddressName name = new ModuleNames(pdb, null).Find(rva);
        string place = name.Source is { } source ? $"{source.File}:{source.Line}" : "";
        IEnumerable<string> inlines = name.Inlines.ToArray().Select(call => $"{call.Function} {call.Source?.File}:{call.Source?.Line}");
        return string.Create(
            CultureInfo.InvariantCulture,
            $"0x{rva:x} {name.Proof.ToString().ToLowerInvariant()} {name.Function}|{name.Decorated} +{name.Offset} {place} "
            + $"[{string.Join("; ", inlines)}]");
    }
}
