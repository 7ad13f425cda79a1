using System.Text.Json;

namespace Tracer.WindowsProof;

/// <summary>The lines of the self-test in a bundle.</summary>
internal static class DoctorLines
{
    /// <summary>The report; null where there is none that can be read.</summary>
    public static ProofReport? Report(ProofFolder folder)
    {
        if (folder.Read("proof.json") is not { } bytes)
        {
            return null;
        }

        try
        {
            return ReportJson.Read<ProofReport>(bytes);
        }
        catch (JsonException)
        {
            return null;
        }
    }

    /// <summary>What a line of the self-test says to a statement.</summary>
    /// <param name="name">The line's name.</param>
    public static Func<ProofFolder, Finding> Of(string name) => folder =>
    {
        if (Report(folder) is not { } report)
        {
            return Finding.NotShown("no proof.json");
        }

        if (report.Machine.Wine is { } wine)
        {
            return Finding.NotShown($"this is Wine {wine}, no Windows");
        }

        ProofLine? line = report.Lines.LastOrDefault(one => one.Type == "test" && one.Name == name);
        return line switch
        {
            null => Finding.NotShown($"the self-test has no line '{name}'"),
            { Outcome: "ok" } => Finding.Confirmed(line.Finding),
            { Outcome: "skipped" } => Finding.NotShown(line.Finding),
            _ => Finding.Refuted(line.Finding),
        };
    };
}
