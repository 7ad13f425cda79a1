using System.Collections.Concurrent;

namespace Tracer.Symbols.Tests.Pdb;

/// <summary>How one fixture is compiled and linked.</summary>
/// <param name="Machine">Name of the machine as clang writes it.</param>
/// <param name="Compile">Options of the compiler.</param>
internal sealed record PdbShape(string Machine, string[] Compile, string[] Link);

/// <summary>
/// Images and PDBs that are built from the sources beside this file when a test needs them, once in a run, in a temporary folder.
/// </summary>
internal sealed class PdbFixture
{
    private static readonly ConcurrentDictionary<string, Lazy<PdbFixture>> Built = new(StringComparer.Ordinal);

    private static readonly Lazy<string> Folder = new(MakeFolder);

    /// <summary>The fixtures: all machines, optimized or not, page sizes, and what linkers do to functions.</summary>
    private static readonly Dictionary<string, PdbShape> Shapes = new(StringComparer.Ordinal)
    {
        ["x64"] = new("x86_64", ["-O2", "-ffunction-sections"], ["/opt:ref,noicf"]),
        ["x64 folded"] = new("x86_64", ["-O2", "-ffunction-sections"], ["/opt:ref,icf", "/pdbpagesize:8192"]),
        ["x64 split"] = new("x86_64", ["-O2", "-mllvm", "-hot-cold-split"], ["/opt:ref,noicf", "/pdbpagesize:16384"]),
        ["x64 plain"] = new("x86_64", ["-O0"], ["/opt:noref,noicf", "/pdbpagesize:32768"]),
        ["x64 small"] = new("x86_64", ["-Os", "-ffunction-sections"], ["/opt:noref,noicf", "/incremental:no"]),
        ["x86"] = new("i686", ["-O2", "-ffunction-sections"], ["/opt:ref,noicf", "/safeseh:no"]),
        ["x86 plain"] = new("i686", ["-O0"], ["/opt:noref,noicf", "/safeseh:no", "/pdbpagesize:8192"]),
        ["arm64"] = new("aarch64", ["-O2", "-ffunction-sections"], ["/opt:ref,noicf", "/pdbpagesize:16384"]),
        ["arm64 plain"] = new("aarch64", ["-O0"], ["/opt:noref,icf"]),
        ["x64 publics"] = new("x86_64", ["-O2", "-g0", "-ffunction-sections"], ["/opt:ref,noicf"]),
        ["x86 publics"] = new("i686", ["-O2", "-g0", "-ffunction-sections"], ["/opt:ref,noicf", "/safeseh:no"]),
    };

    private PdbFixture(string image, string pdb)
    {
        Image = image;
        PdbPath = pdb;
    }

    /// <summary>All, or without the unoptimized ones and the second of small code and of public symbols (test.sh all).</summary>
    public static IEnumerable<string> Names =>
        Shapes.Keys.Where(name =>
            Selection.IsAll || name is not ("x64 plain" or "x64 small" or "x86 plain" or "arm64 plain" or "x86 publics"));

    /// <summary>Those with private symbols.</summary>
    public static IEnumerable<string> PrivateNames => Names.Where(name => !name.EndsWith("publics", StringComparison.Ordinal));

    public string Image { get; }

    public string PdbPath { get; }

    /// <summary>Builds a fixture, or gives the one that was built; the test is skipped where the tools are absent.</summary>
    public static PdbFixture Of(string name)
    {
        LlvmTools.Need("clang-16", "lld-link-16");
        return Built.GetOrAdd(name, _ => new(() => Build(name, Shapes[name]))).Value;
    }

    public PdbFile Open() => Opened(File.ReadAllBytes(PdbPath));

    public static PdbFile Opened(byte[] bytes)
    {
        PdbFile? pdb = PdbFile.Open(SymbolBytes.Of(bytes), out PdbFault? fault);
        Assert.True(pdb is not null, fault?.Message);
        return pdb;
    }

    private static PdbFixture Build(string name, PdbShape shape)
    {
        string folder = Path.Combine(Folder.Value, name.Replace(' ', '-'));
        Directory.CreateDirectory(folder);
        string sources = Path.Combine(RepositoryFiles.Root, "tests", "symbols", "pdb", "sources");
        List<string> objects = [];
        foreach (string source in Directory.EnumerateFiles(sources, "*.c*").Order(StringComparer.Ordinal))
        {
            string compiled = Path.Combine(folder, Path.GetFileName(source) + ".obj");
            ChildProcess.Output(
                "clang-16",
                [
                    $"--target={shape.Machine}-pc-windows-msvc", "-c", source, "-o", compiled, "-g", "-gcodeview", "-ffreestanding",
                    "-fno-exceptions", "-fno-rtti", "-fno-stack-protector", "-mno-stack-arg-probe", .. shape.Compile,
                ]);
            objects.Add(compiled);
        }

        string image = Path.Combine(folder, "image.exe");
        string pdb = Path.Combine(folder, "image.pdb");
        ChildProcess.Output(
            "lld-link-16",
            [
                "/debug", "/nodefaultlib", "/entry:entry", "/subsystem:console", $"/out:{image}", $"/pdb:{pdb}", .. shape.Link, .. objects,
            ]);
        return new PdbFixture(image, pdb);
    }

    private static string MakeFolder()
    {
        string folder = Directory.CreateTempSubdirectory("tracer-pdb-").FullName;
        AppDomain.CurrentDomain.ProcessExit += (_, _) => Directory.Delete(folder, recursive: true);
        return folder;
    }
}
