namespace Tracer.Symbols.Tests.Pe;

/// <summary>Images that clang and lld make from tests/symbols/pe/fixture.cpp, once for each run.</summary>
internal static class PeFixtures
{
    private static readonly Lazy<string> Folder = new(BuildAll);

    /// <summary>The processors that images are made for, for theories.</summary>
    public static TheoryData<string> Machines => ["x86", "x64", "arm64"];

    /// <summary>The path of an image; the test is skipped where it can't be made.</summary>
    public static string PathOf(string machine)
    {
        ClangTools.Require();
        return Path.Combine(Folder.Value, machine + ".dll");
    }

    public static PeImage Read(string machine) => HandMadePe.Read(File.ReadAllBytes(PathOf(machine)));

    private static string BuildAll()
    {
        string folder = Directory.CreateTempSubdirectory("tracer-pe-").FullName;
        AppDomain.CurrentDomain.ProcessExit += (_, _) => Directory.Delete(folder, recursive: true);
        string resource = Path.Combine(folder, "fixture.res");

        // Below the root, not from "/": llvm-rc would take a clone in /check for its option /c.
        const string Script = "tests/symbols/pe/fixture.rc";
        ChildProcess.Output("llvm-rc-16", "/c", "65001", "/no-preprocess", "/fo", resource, Script);
        foreach ((string target, string machine) in
            (ReadOnlySpan<(string, string)>)[("i686", "x86"), ("x86_64", "x64"), ("aarch64", "arm64")])
        {
            string code = ClangTools.Compile(
                "tests/symbols/pe/fixture.cpp", target + "-pc-windows-msvc", folder, "-O1", "-gcodeview", "-fno-exceptions", "-fno-rtti");
            ChildProcess.Output(
                "lld-link-16",
                "/dll", "/noimplib", "/machine:" + machine, "/nodefaultlib", "/entry:entry", "/debug",
                "/pdb:" + Path.Combine(folder, machine + ".pdb"), $@"/pdbaltpath:folder\{machine}.pdb", "/Brepro",
                "/export:byOrdinal,@40,NONAME", "/export:alias=first", "/export:Forwarded=OTHER.Function",
                "/export:ForwardedOrdinal=OTHER.#7", code, resource, "/out:" + Path.Combine(folder, machine + ".dll"));
        }

        return folder;
    }
}
