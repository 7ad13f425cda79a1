using System.Text.RegularExpressions;

namespace Tracer.Symbols.Tests.Demangling;

/// <summary>
/// Thousands of names: those of the symbols that clang makes of tests/symbols/demangling/names.cpp for Windows. The full form equals
/// what llvm-undname-16 prints, but for the differences listed here, each of which is wanted.
/// </summary>
public partial class ReferenceNameTests
{
    /// <summary>Names in differing groups, each with how to tell it from the reference's answer (theirs, ours).</summary>
    private static readonly Func<string, string, string, bool>[] Differences =
    [
        // The reference does not know it: values of "auto" parameters.
        (decorated, theirs, _) => theirs.Length == 0,

        // A type whose name ends in "_": the reference leaves no blank behind it.
        (_, theirs, ours) => BlankBehindUnderscore().Replace(ours, "$1") == theirs,

        // A vtable for a base of a base: the reference names the first alone.
        (_, theirs, ours) => ours.Contains("'s `", StringComparison.Ordinal) && theirs == SecondTarget().Replace(ours, "'}"),

        // The reference drops what stands behind a dot: the parts of a coroutine would have one name.
        (decorated, theirs, ours) => decorated.Contains('.', StringComparison.Ordinal)
            && ours == $"{theirs} ({decorated[decorated.IndexOf('.', StringComparison.Ordinal)..]})",
    ];

    /// <summary>By default the one of 64 bits that most machines have; names of 32 bits are in hand-made.txt, too.</summary>
    public static TheoryData<string> Targets =>
        [.. Selection.Some(["x86_64-pc-windows-msvc", "i686-pc-windows-msvc", "aarch64-pc-windows-msvc"], 0, parts: 3)];

    [Theory]
    [MemberData(nameof(Targets))]
    public void Names_that_clang_makes_read_as_the_reference_tool_says(string target)
    {
        ClangTools.Require();
        DirectoryInfo folder = Directory.CreateTempSubdirectory("tracer-names-");
        try
        {
            string code = ClangTools.Compile(
                "tests/symbols/demangling/names.cpp", target, folder.FullName, "-std=c++20", "-fno-exceptions");
            Compare(target, NamesIn(code), minimumCount: 3000, minimumShare: 0.98);
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    private static string[] NamesIn(string file) =>
    [
        .. from line in ChildProcess.Output("llvm-nm-16", "--no-sort", file).Split('\n')
           let name = line[(line.LastIndexOf(' ') + 1)..]
           where name.StartsWith('?')
           select name,
    ];

    private static void Compare(string what, string[] all, int minimumCount, double minimumShare)
    {
        string[] names = [.. all.Distinct(StringComparer.Ordinal)];
        Assert.True(names.Length >= minimumCount, $"{what}: {names.Length} names");
        string[] theirs = Reference(names);
        int equal = 0;
        List<string> unexplained = [];
        for (int i = 0; i < names.Length; i++)
        {
            string ours = SymbolName.TryDemangle(names[i], NameForm.Full, out string readable) ? readable : "";
            if (ours == theirs[i])
            {
                equal++;
            }
            else if (ours.Length == 0 || !Array.Exists(Differences, difference => difference(names[i], theirs[i], ours)))
            {
                unexplained.Add($"{names[i]}\n  reference {theirs[i]}\n  ours      {ours}");
            }

            string brief = SymbolName.Demangle(names[i]);
            Assert.False(ours.Length > 0 && brief.Length == 0, $"{names[i]} has no short form");
        }

        Assert.True(unexplained.Count == 0, $"{what}: {unexplained.Count} of {names.Length}\n{string.Join('\n', unexplained.Take(20))}");
        Assert.True(equal >= names.Length * minimumShare, $"{what}: {equal} of {names.Length} equal");
        TestContext.Current.SendDiagnosticMessage(
            string.Create(CultureInfo.InvariantCulture, $"{what}: {names.Length} names, {equal} equal"));
    }

    /// <summary>
    /// What the tool makes of each name; nothing where it does not know it. It repeats each name; below it stands the answer, if there is
    /// one, and an empty line.
    /// </summary>
    private static string[] Reference(string[] names)
    {
        string input = Path.GetTempFileName();
        try
        {
            File.WriteAllLines(input, names);
            string[] lines = ChildProcess.Output("sh", "-c", $"llvm-undname-16 < '{input}' 2>/dev/null; true").Split('\n');
            var answers = new string[names.Length];
            int at = 0;
            for (int i = 0; i < names.Length; i++)
            {
                Assert.Equal(names[i], lines[at++]);
                answers[i] = lines[at].Length > 0 ? lines[at++] : "";
                at++;
            }

            return answers;
        }
        finally
        {
            File.Delete(input);
        }
    }

    [GeneratedRegex("(_) (?=[(]?[*&])")]
    private static partial Regex BlankBehindUnderscore();

    [GeneratedRegex("'s `[^']*'}")]
    private static partial Regex SecondTarget();
}
