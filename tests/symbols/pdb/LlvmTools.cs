using System.Collections.Concurrent;
using System.Diagnostics;
using System.Text.Json;
using System.Text.RegularExpressions;

namespace Tracer.Symbols.Tests.Pdb;

/// <summary>The compiler, the linker and the readers of LLVM 16 that fixtures are made with and compared to.</summary>
internal static partial class LlvmTools
{
    private static readonly ConcurrentDictionary<string, bool> Found = new(StringComparer.Ordinal);

    private static readonly ConcurrentDictionary<(string Pdb, string Options), Lazy<string>> Dumps = new();

    /// <summary>Skips the test where a program is absent.</summary>
    public static void Need(params string[] programs)
    {
        foreach (string program in programs)
        {
            Assert.SkipUnless(Found.GetOrAdd(program, IsHere), $"{program} is not here (packages clang-16, lld-16, llvm-16)");
        }
    }

    public static bool AreHere(params string[] programs) => programs.All(program => Found.GetOrAdd(program, IsHere));

    /// <summary>What llvm-symbolizer says of each RVA: frames, innermost first.</summary>
    public static Dictionary<uint, SourceFrame[]> Symbolize(string image, IEnumerable<uint> rvas)
    {
        Need("llvm-symbolizer-16");
        using Process process = Process.Start(new ProcessStartInfo(
            "llvm-symbolizer-16",
            [$"--obj={image}", "--relative-address", "--no-demangle", "--output-style=JSON"])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
        })!;
        Task<string> output = process.StandardOutput.ReadToEndAsync(TestContext.Current.CancellationToken);
        foreach (uint rva in rvas)
        {
            process.StandardInput.WriteLine($"0x{rva:x}");
        }

        process.StandardInput.Close();
        process.WaitForExit();
        Assert.Equal(0, process.ExitCode);
        Dictionary<uint, SourceFrame[]> frames = [];
        foreach (string line in output.Result.Split('\n', StringSplitOptions.RemoveEmptyEntries))
        {
            using var answer = JsonDocument.Parse(line);
            uint rva = uint.Parse(answer.RootElement.GetProperty("Address").GetString()![2..], NumberStyles.HexNumber, null);
            frames[rva] = [.. answer.RootElement.GetProperty("Symbol").EnumerateArray().Select(FrameOf)];
        }

        return frames;
    }

    /// <summary>The procedures and thunks that llvm-pdbutil lists: name, section, offset, length.</summary>
    public static List<ListedSymbol> Procedures(string pdb) =>
        Listed(PdbUtil(pdb, "-symbols"), ["S_GPROC32", "S_LPROC32", "S_GPROC32_ID", "S_LPROC32_ID", "S_THUNK32"]);

    /// <summary>The public symbols that llvm-pdbutil lists: name, section, offset.</summary>
    public static List<ListedSymbol> Publics(string pdb) => Listed(PdbUtil(pdb, "-publics"), ["S_PUB32"]);

    /// <summary>The variables that llvm-pdbutil lists among the global symbols: name, section, offset.</summary>
    public static List<ListedSymbol> Variables(string pdb) => Listed(PdbUtil(pdb, "-globals"), ["S_GDATA32", "S_LDATA32"]);

    /// <summary>The lines that llvm-pdbutil lists: stretches of code of one file, with places in their section.</summary>
    public static List<ListedLines> Lines(string pdb)
    {
        List<ListedLines> stretches = [];
        string file = "";
        foreach (string line in PdbUtil(pdb, "-l").Split('\n'))
        {
            Match name = FileLine().Match(line);
            Match range = RangeLine().Match(line);
            if (name.Success)
            {
                file = name.Groups[1].Value;
            }
            else if (range.Success)
            {
                int section = int.Parse(range.Groups[1].Value, CultureInfo.InvariantCulture);
                stretches.Add(new(file, section, Hex(range.Groups[2].Value), Hex(range.Groups[3].Value), []));
            }
            else if (stretches.Count > 0)
            {
                stretches[^1].Rows.AddRange(
                    from Match row in Row().Matches(line)
                    select (int.Parse(row.Groups[1].Value, CultureInfo.InvariantCulture), Hex(row.Groups[2].Value)));
            }
        }

        return stretches;
    }

    public static uint[] Sections(string pdb) =>
        [.. SectionLines().Matches(PdbUtil(pdb, "-section-headers")).Select(match => Hex(match.Groups[1].Value))];

    /// <summary>What a dump of a PDB says, which nobody changes while the tests run.</summary>
    public static string PdbUtil(string pdb, params string[] options)
    {
        Need("llvm-pdbutil-16");
        return Dumps.GetOrAdd(
            (pdb, string.Join(' ', options)),
            _ => new(() => ChildProcess.Output("llvm-pdbutil-16", ["dump", .. options, pdb]))).Value;
    }

    private static bool IsHere(string program) =>
        Environment.GetEnvironmentVariable("PATH")!.Split(Path.PathSeparator).Any(folder => File.Exists(Path.Combine(folder, program)));

    /// <summary>Line 0 says that the code has no line: then the file says nothing either.</summary>
    private static SourceFrame FrameOf(JsonElement frame) => new(
        frame.GetProperty("FunctionName").GetString()!,
        frame.GetProperty("Line").GetInt32() == 0 ? "" : frame.GetProperty("FileName").GetString()!,
        frame.GetProperty("Line").GetInt32());

    /// <summary>Symbols of some kinds: a line with kind and name, then one or two with address and length.</summary>
    private static List<ListedSymbol> Listed(string dump, string[] kinds)
    {
        List<ListedSymbol> symbols = [];
        string[] lines = dump.Split('\n');
        for (int i = 0; i + 2 < lines.Length; i++)
        {
            Match head = SymbolLine().Match(lines[i]);
            if (head.Success && kinds.Contains(head.Groups[1].Value))
            {
                string rest = lines[i + 1] + lines[i + 2];
                Match address = Address().Match(rest);
                Match length = Length().Match(rest);
                symbols.Add(new ListedSymbol(
                    head.Groups[2].Value,
                    int.Parse(address.Groups[1].Value, CultureInfo.InvariantCulture),
                    uint.Parse(address.Groups[2].Value, CultureInfo.InvariantCulture),
                    length.Success ? uint.Parse(length.Groups[1].Value, CultureInfo.InvariantCulture) : 0));
            }
        }

        return symbols;
    }

    private static uint Hex(string digits) => uint.Parse(digits, NumberStyles.HexNumber, CultureInfo.InvariantCulture);

    [GeneratedRegex(@"\| (S_\w+) \[size = \d+\] `(.*)`$")]
    private static partial Regex SymbolLine();

    [GeneratedRegex(@"^(\S.*) \((?:MD5|SHA-1|SHA-256|no checksum).*\)$")]
    private static partial Regex FileLine();

    [GeneratedRegex(@"^  ([0-9A-F]{4}):([0-9A-F]{8})-([0-9A-F]{8}), line/addr")]
    private static partial Regex RangeLine();

    [GeneratedRegex(@"(\d+) ([0-9A-F]{8}) ")]
    private static partial Regex Row();

    [GeneratedRegex(@"addr = (\d+):(\d+)")]
    private static partial Regex Address();

    [GeneratedRegex(@"(?<!\[)\bsize = (\d+)")]
    private static partial Regex Length();

    [GeneratedRegex(@"SECTION HEADER #\d+\n.*\n.*virtual size\n\s+([0-9A-F]+) virtual address")]
    private static partial Regex SectionLines();
}

internal readonly record struct SourceFrame(string Function, string File, int Line);

internal readonly record struct ListedSymbol(string Name, int Section, uint Offset, uint Length);

/// <summary>Lines of one file in one stretch of code, as llvm-pdbutil lists them: lines with places in the section.</summary>
internal sealed record ListedLines(string File, int Section, uint Start, uint End, List<(int Line, uint Offset)> Rows);
