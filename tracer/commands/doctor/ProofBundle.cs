using System.IO.Compression;
using System.Reflection;
using System.Runtime.InteropServices;
using System.Text;
using Tracer.Capture.Doctor;

namespace Tracer.TracerCommand.Commands.Doctor;

/// <summary>
/// The zip file that <c>tracer doctor --self-test --bundle</c> writes: <c>proof.json</c> (<c>tracer.proof/1</c>), the captured trace and
/// its blame as JSON and text. What could not be made is not in it, and proof.json says so with null.
/// </summary>
internal static class ProofBundle
{
    public const string ReportName = "proof.json";

    private const int Top = 10;

    public static ProofReport Report(DoctorFacts facts, IReadOnlyList<ProofLine> lines, ProofFindings findings, DateTime utc) => new()
    {
        TracerVersion =
            typeof(ProofBundle).Assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion ?? "",
        Utc = utc,
        Machine = new ProofMachine
        {
            Build = facts.Build,
            Architecture = RuntimeInformation.ProcessArchitecture.ToString().ToLowerInvariant(),
            Cpus = facts.Cpus,
            MemoryBytes = facts.MemoryBytes,
            Wine = facts.WineVersion,
            Hypervisor = facts.Hypervisor,
            IsHypervisorRoot = facts.IsHypervisorRoot,
            InvariantTsc = facts.InvariantTsc,
            QpcHz = facts.QpcHz,
            ClockPeriod100ns = facts.ClockPeriods?.Now,
            ProfileInterval100ns = facts.ProfileInterval,
            PowerPlan = facts.PowerPlan,
            Sessions = [.. (facts.Sessions ?? []).Select(static one => one.Name)],
            Driver = facts.Driver is { } driver ? driver.State.ToString() : null,
        },
        Lines = [.. lines.Select(static one => one with { Finding = ProofText.WithoutFolders(one.Finding) })],
        Delay = findings.Delay,
        Blame = findings.Blame is { } blame ? BlameOf(blame) : null,
        Ours = findings.Ours,
        Windows = findings.Windows,
        Differences = findings.Differences,
    };

    /// <summary>Writes the file; what stood there stays until it is complete.</summary>
    /// <exception cref="IOException">It cannot be written there.</exception>
    public static void Write(string path, ProofReport report, ProofFindings findings)
    {
        using var file = new OutputFile(path, mustSeek: true);
        using (var archive = new ZipArchive(file.Content, ZipArchiveMode.Create, leaveOpen: true))
        {
            Add(archive, ReportName, stream => ReportJson.Write(stream, report, indented: true));
            if (findings.Blame is { } blame)
            {
                Add(archive, "blame.json", stream => ReportJson.Write(stream, blame, indented: true));
                Add(archive, "blame.txt", stream =>
                {
                    using var text = new StreamWriter(stream, new UTF8Encoding(false)) { NewLine = "\n" };
                    PagePrinter.Print(BlameText.PageOf(blame, Top, columns: 100), text);
                });
            }

            if (findings.Episode is { } episode)
            {
                Add(archive, ProofFindings.TraceName, stream =>
                {
                    using FileStream trace = File.OpenRead(episode.File);
                    trace.CopyTo(stream);
                });
            }
        }

        file.Keep();
    }

    private static ProofBlame BlameOf(BlameReport report)
    {
        Culprit? first = report.Culprits.Count > 0 ? report.Culprits[0] : null;
        return new ProofBlame(
            KebabCase.Of(report.Summary.Verdict), report.Summary.Culprit, first is null ? null : KebabCase.Of(first.Mechanism),
            first?.Share, (int)report.Summary.Episodes);
    }

    private static void Add(ZipArchive archive, string name, Action<Stream> write)
    {
        using Stream entry = archive.CreateEntry(name, CompressionLevel.Optimal).Open();
        write(entry);
    }
}
