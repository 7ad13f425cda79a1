using System.Text.Json;

namespace Tracer.WindowsProof;

/// <summary>
/// Whether a run on Windows may pass: its files are there, its commands ended as they must, enough tests ran, and every statement that it
/// is to show was confirmed. A run that skipped its way through does not.
/// </summary>
public static class BundleCheck
{
    private static readonly string[] Portable = [RunCommands.FileName];

    private static readonly string[] Full =
    [
        RunCommands.FileName, "proof.zip", "proof.json", "proof.etl", "blame.json", "doctor.jsonl", "capture.jsonl", "capture-blame.json",
        "wpr.etl", "wpr-info.json", "wpr-blame.json", "analyzer-dpcisr.txt", "culprit.txt",
    ];

    /// <summary>Commands that must have run, and with which statuses they may have ended.</summary>
    private static readonly (string Name, int[] Statuses)[] FullCommands =
    [
        ("doctor", [0, 1]), ("self-test", [0]), ("capture", [0, 2]), ("capture-blame", [0]), ("wpr-start", [0]), ("wpr-stop", [0]),
        ("wpr-info", [0]), ("wpr-blame", [0]), ("analyzer-dpcisr", [0]), ("same-blame", [0]),
    ];

    private static readonly (string Name, int[] Statuses)[] PortableCommands = [("same-blame", [0])];

    /// <summary>What is wrong, a sentence each; none where the run may pass.</summary>
    public static IReadOnlyList<string> Problems(ProofFolder folder, bool isPortable)
    {
        ArgumentNullException.ThrowIfNull(folder);
        List<string> problems = [];
        problems.AddRange((isPortable ? Portable : Full).Where(name => !folder.Has(name)).Select(name => $"{name} is missing or empty"));
        problems.AddRange(CommandProblems(folder, isPortable ? PortableCommands : FullCommands));
        problems.AddRange(TestResults.Problems(folder));
        foreach (Statement one in Statements.All.Where(one => (!isPortable || one.IsPortable) && one.Id != "tests"))
        {
            Finding finding = one.Read(folder);
            if (finding.Answer == Answer.Refuted || (finding.Answer == Answer.NotShown && !one.IsOptional))
            {
                string said = finding.Answer == Answer.Refuted ? "refuted" : "not shown";
                problems.Add($"{said}: {one.Text} {finding.Detail}");
            }
        }

        return problems;
    }

    private static IEnumerable<string> CommandProblems(ProofFolder folder, (string Name, int[] Statuses)[] wanted)
    {
        IReadOnlyDictionary<string, int?> statuses;
        string? fault = null;
        try
        {
            statuses = RunCommands.Statuses(folder);
        }
        catch (JsonException broken)
        {
            (statuses, fault) = (new Dictionary<string, int?>(), broken.Message);
        }

        if (fault is not null)
        {
            return [fault];
        }

        return wanted.Where(one => statuses.GetValueOrDefault(one.Name) is not { } status || !one.Statuses.Contains(status))
            .Select(one => statuses.GetValueOrDefault(one.Name) is { } status
                ? $"{one.Name} ended with {status}"
                : $"{one.Name} did not run");
    }
}
