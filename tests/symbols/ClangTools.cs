namespace Tracer.Symbols.Tests;

/// <summary>The compiler, the linker and the tools that ours are compared with: Debian's clang-16, lld-16 and llvm-16.</summary>
internal static class ClangTools
{
    private static readonly string[] Needed =
        ["clang-16", "lld-link-16", "llvm-readobj-16", "llvm-nm-16", "llvm-rc-16", "llvm-undname-16"];

    private static readonly Lazy<string?> FirstMissing = new(() => Array.Find(Needed, tool => !IsHere(tool)));

    public static bool AreHere => FirstMissing.Value is null;

    /// <summary>Skips the test where a tool is absent.</summary>
    public static void Require() =>
        Assert.SkipWhen(FirstMissing.Value is not null, $"{FirstMissing.Value} is not here (packages clang-16 lld-16 llvm-16)");

    /// <summary>Compiles a file of the checkout for another system; gives the object file.</summary>
    public static string Compile(string source, string target, string folder, params IEnumerable<string> options)
    {
        string output = Path.Combine(folder, Path.GetFileNameWithoutExtension(source) + "-" + target + ".obj");
        ChildProcess.Output(
            "clang-16",
            ["--target=" + target, "-w", "-nostdinc", .. options, "-c", Path.Combine(RepositoryFiles.Root, source), "-o", output]);
        return output;
    }

    private static bool IsHere(string tool) => (Environment.GetEnvironmentVariable("PATH") ?? "")
        .Split(Path.PathSeparator)
        .Any(folder => File.Exists(Path.Combine(folder, tool)));
}
