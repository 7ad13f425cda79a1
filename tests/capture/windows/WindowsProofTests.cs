using System.IO.Compression;
using Tracer.WindowsProof;

namespace Tracer.Capture.Tests;

/// <summary>What a bundle of a Windows says is read line by line, and a run that skipped its way through does not pass.</summary>
public sealed class WindowsProofTests : IDisposable
{
    private readonly WholeRun _run = new();

    public void Dispose() => _run.Dispose();

    [Fact]
    public void TheDocumentIsWhatTheBundlesReadSoFarSay() => GoldenText.AssertEqual(
        "docs/generated/windows-confirmed.md",
        ProofPage.Of(ProofResults.Read(File.ReadAllText(Path.Combine(RepositoryFiles.Root, ProofResults.Path)))));

    [Fact]
    public void BeforeABundleIsReadEveryRowSaysNotYet()
    {
        string[] rows = [.. ProofPage.Of([]).Split('\n').Where(line => line.StartsWith("| ", StringComparison.Ordinal)
            && !line.StartsWith("| what is believed", StringComparison.Ordinal))];
        Assert.Equal(Statements.All.Count, rows.Length);
        Every.Item(rows, row => Assert.EndsWith("| not yet |", row, StringComparison.Ordinal));
    }

    /// <summary>The file that a row names has the line that it is about.</summary>
    [Fact]
    public void EveryRowNamesTheCodeThatTriesIt() => Every.Item(Statements.All, one => Assert.Contains(
        one.Line is { } line ? $"\"{line}\"" : "Invoke-Step",
        File.ReadAllText(Path.Combine(RepositoryFiles.Root, one.Code)),
        StringComparison.Ordinal));

    [Fact]
    public void EveryStatementHasANameOfItsOwn() =>
        Assert.Equal(Statements.All.Count, Statements.All.Select(one => one.Id).Distinct().Count());

    [Fact]
    public void AWholeRunConfirmsAllButTheDriverAndPasses()
    {
        ProofFolder folder = _run.Open();
        RunAnswers answers = ProofResults.Of(folder);
        Every.Item(
            answers.Answers.Where(one => !one.Key.StartsWith("driver", StringComparison.Ordinal)),
            one => Assert.Equal((one.Key, Answer.Confirmed), (one.Key, one.Value.Answer)));
        Assert.Equal(new Finding(Answer.NotShown, "none is installed"), answers.Answers["driver-run"]);
        Assert.Empty(BundleCheck.Problems(folder, isPortable: false));
        Assert.Empty(BundleCheck.Problems(folder, isPortable: true));
        RunAnswers again = Assert.Single(ProofResults.Read(ProofResults.Write([answers])));
        Assert.Equal(answers.Answers, again.Answers);
        Assert.Contains("nothing lost at 84,123 events a second", ProofPage.Lines(again), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("commands.jsonl")]
    [InlineData("proof.json")]
    [InlineData("proof.etl")]
    [InlineData("doctor.jsonl")]
    [InlineData("capture.jsonl")]
    [InlineData("capture-blame.json")]
    [InlineData("wpr.etl")]
    [InlineData("wpr-info.json")]
    [InlineData("wpr-blame.json")]
    [InlineData("analyzer-dpcisr.txt")]
    [InlineData("culprit.txt")]
    [InlineData("tests/Tracer.Etl.Tests.xml")]
    public void ARunWithoutOneOfItsFilesDoesNotPass(string name)
    {
        _run.Remove(name);
        Assert.NotEmpty(BundleCheck.Problems(_run.Open(), isPortable: false));
    }

    [Fact]
    public void ARunWhoseTestsSkippedOrFailedDoesNotPass()
    {
        _run.Suite("Tracer.Etl.Tests", passed: 3, failed: 0, skipped: 900);
        _run.Suite("Tracer.Symbols.Tests", passed: 900, failed: 1, skipped: 0);
        Assert.Equal(
            ["Tracer.Etl.Tests: 3 passed, 900 skipped; at least 200 must pass", "Tracer.Symbols.Tests: 1 failed"],
            BundleCheck.Problems(_run.Open(), isPortable: true));
        _run.Put("tests/Tracer.Etl.Tests.xml", "<assemblies><assembly passed=\"500\""); // The program died while it wrote.
        Assert.Contains("Tracer.Etl.Tests left no results", BundleCheck.Problems(_run.Open(), isPortable: true));
    }

    [Theory]
    [InlineData("self-test", "1", "self-test ended with 1")]
    [InlineData("capture", "1", "capture ended with 1")]
    [InlineData("wpr-start", "null", "wpr-start did not run")]
    [InlineData("same-blame", "1", "same-blame ended with 1")]
    public void ARunWithACommandThatFailedDoesNotPass(string name, string status, string problem)
    {
        string lines = _run.Open().Text("commands.jsonl")!;
        _run.Put("commands.jsonl", lines.Replace(
            $$"""{"name":"{{name}}","status":0""", $$"""{"name":"{{name}}","status":{{status}}""", StringComparison.Ordinal));
        Assert.Contains(problem, BundleCheck.Problems(_run.Open(), isPortable: false));
    }

    [Fact]
    public void WhatTheSelfTestFoundOtherwiseIsRefutedAndDoesNotPass()
    {
        ProofLine[] lines = [.. WholeRun.Good.Lines];
        int at = Array.FindIndex(lines, one => one.Name == "stacks in both readers");
        lines[at] = lines[at] with { Outcome = "fail", Finding = "stacks: 9 by ours, 8 by Windows'" };
        _run.Report = WholeRun.Good with { Lines = lines };
        ProofFolder folder = _run.Open();
        Assert.Equal(Finding.Refuted("stacks: 9 by ours, 8 by Windows'"), ProofResults.Of(folder).Answers["stacks"]);
        Assert.Contains(
            BundleCheck.Problems(folder, isPortable: false),
            problem => problem.StartsWith("refuted: Both readers see the same stacks", StringComparison.Ordinal));
    }

    [Fact]
    public void WineConfirmsNothingOfWindows()
    {
        _run.Report = WholeRun.Good with { Machine = WholeRun.Good.Machine with { Wine = "8.0" } };
        Assert.Equal(Answer.NotShown, ProofResults.Of(_run.Open()).Answers["recorder"].Answer);
    }

    [Fact]
    public void LossesSilentGroupsAndAnotherCulpritAreRefuted()
    {
        _run.Put("capture.jsonl", WholeRun.CaptureLine(7, "[\"PROFILE\"]") + "\n");
        _run.Culprit("wpr-blame.json", "innocent.exe");
        _run.Put("xperf-dpcisr.txt", XperfTableTests.Text(2_000, 56_933));
        IReadOnlyDictionary<string, Finding> answers = ProofResults.Of(_run.Open()).Answers;
        Assert.Equal(Finding.Refuted("7 events and 0 measurements lost"), answers["load"]);
        Assert.Equal(Finding.Refuted("not PROFILE"), answers["arrived"]);
        Assert.Equal(Finding.Refuted("process innocent.exe; it was pwsh.exe"), answers["wpr-blame"]);
        Assert.Equal(Answer.Refuted, answers["xperf"].Answer);
    }

    /// <summary>Losses that Windows does not tell count as none in the status: that confirms nothing.</summary>
    [Theory]
    [InlineData("tracer/capture/engine/RefusalNotes.cs")]
    [InlineData("tracer/capture/sessions/SessionReading.cs")]
    public void LossesThatAreNotToldAreNotNone(string source)
    {
        Assert.Contains(
            Statements.LossesUntold, File.ReadAllText(Path.Combine(RepositoryFiles.Root, source)), StringComparison.Ordinal);
        _run.Put(
            "capture.jsonl",
            "{\"type\":\"note\",\"text\":\"what it loses " + Statements.LossesUntold + ": 5\"}\n" + WholeRun.CaptureLine(0, "[]") + "\n");
        Assert.Equal(Answer.NotShown, ProofResults.Of(_run.Open()).Answers["load"].Answer);
    }

    /// <summary>Broken files are no answers, and no crash.</summary>
    [Theory]
    [InlineData("proof.json", "recorder")]
    [InlineData("capture.jsonl", "load")]
    [InlineData("wpr-info.json", "wpr-read")]
    [InlineData("wpr-blame.json", "wpr-blame")]
    [InlineData("commands.jsonl", "wpr-profile")]
    [InlineData("xperf-dpcisr.txt", "xperf")]
    public void ABrokenFileShowsNothing(string name, string id)
    {
        _run.Put(name, "{ \"schema\": broken");
        Assert.Equal(Answer.NotShown, ProofResults.Of(_run.Open()).Answers[id].Answer);
    }

    [Fact]
    public void ABundleAloneIsReadFromItsZip()
    {
        string folder = Directory.CreateTempSubdirectory("tracer-zip-").FullName;
        string path = Path.Combine(folder, "proof-windows-2025.zip");
        using (ZipArchive zip = ZipFile.Open(path, ZipArchiveMode.Create))
        {
            using Stream entry = zip.CreateEntry("proof.json").Open();
            ReportJson.Write(entry, WholeRun.Good, indented: false);
        }

        RunAnswers answers = ProofResults.Of(ProofFolder.Open(path));
        Assert.Equal("proof-windows-2025", answers.Run);
        Assert.Equal(Answer.Confirmed, answers.Answers["stacks-samples"].Answer);
        Assert.Equal(Answer.NotShown, answers.Answers["wpr-read"].Answer);
        Assert.Throws<InvalidDataException>(() =>
        {
            File.WriteAllText(path, "no zip");
            return ProofFolder.Open(path);
        });
        Directory.Delete(folder, recursive: true);
    }

    [Fact]
    public void WhatABundleSaysStaysInItsCell()
    {
        var finding = Finding.Refuted("a | b\n<script>");
        string page = ProofPage.Of([new RunAnswers("run", new Dictionary<string, Finding> { ["recorder"] = finding })]);
        Assert.Contains(@"| REFUTED: a \| b &lt;script> |", page, StringComparison.Ordinal);
    }
}
