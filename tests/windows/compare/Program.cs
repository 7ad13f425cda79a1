using System.Text.Json;
using Tracer.WindowsProof;

// compare BUNDLE... [--keep]: says what Windows said, line by line; --keep remembers it and writes docs/generated/windows-confirmed.md.
// compare check FOLDER [--portable]: ends with 1 where a run on Windows may not pass.
const int Failed = 1;
const int WrongUsage = 64;
const string Usage =
    """
    Usage: compare BUNDLE... [--keep]
           compare check FOLDER [--portable]
    A bundle is a proof.zip of 'tracer doctor --self-test --bundle', or the folder or zip that the Windows workflow uploads.
    """;

string[] paths = [.. args.Where(static one => !one.StartsWith("--", StringComparison.Ordinal))];
string[] options = [.. args.Where(static one => one.StartsWith("--", StringComparison.Ordinal))];
bool isCheck = paths is ["check", _];
if (paths.Length == 0 || paths is ["check"] || (paths[0] == "check" && !isCheck)
    || options.Any(one => one != (isCheck ? "--portable" : "--keep")))
{
    Console.Error.WriteLine(Usage);
    return WrongUsage;
}

try
{
    return isCheck ? Check(paths[1], options.Length > 0) : Compare(paths, options.Length > 0);
}
catch (Exception fault) when (fault is IOException or UnauthorizedAccessException or InvalidDataException or JsonException)
{
    Console.Error.WriteLine($"compare: {fault.Message}");
    return Failed;
}

static int Check(string path, bool isPortable)
{
    IReadOnlyList<string> problems = BundleCheck.Problems(ProofFolder.Open(path), isPortable);
    foreach (string problem in problems)
    {
        Console.Error.WriteLine($"compare: {problem}");
    }

    bool passes = problems.Count == 0;
    Console.WriteLine(passes ? "The run shows what it is to show." : $"The run does not pass, for {problems.Count} of its checks.");
    return problems.Count == 0 ? 0 : Failed;
}

static int Compare(string[] paths, bool isKept)
{
    List<RunAnswers> runs = isKept && File.Exists(ProofResults.Path) ? [.. ProofResults.Read(File.ReadAllText(ProofResults.Path))] : [];
    foreach (string path in paths)
    {
        RunAnswers run = ProofResults.Of(ProofFolder.Open(path));
        Console.WriteLine(run.Run);
        Console.Write(ProofPage.Lines(run));
        runs.RemoveAll(one => one.Run == run.Run);
        runs.Add(run);
    }

    if (isKept)
    {
        File.WriteAllText(ProofResults.Path, ProofResults.Write(runs));
        File.WriteAllText("docs/generated/windows-confirmed.md", ProofPage.Of(runs));
    }

    return 0;
}
