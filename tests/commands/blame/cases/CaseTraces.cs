using Tracer.Simulator.Scenarios;

namespace Tracer.Commands.Tests.Blame.Cases;

/// <summary>A folder of traces: of drivers, of a program that is to blame, packed below, and of files that are none.</summary>
public sealed class CaseTraces : IDisposable
{
    public CaseTraces()
    {
        Folder = Directory.CreateTempSubdirectory("tracer-cases-").FullName;
        string below = Directory.CreateDirectory(Path.Combine(Folder, "z-below")).FullName;
        Hog = new ScenarioRun(ScenarioCatalog.Find("priority-hog")!, 3) { Duration = Duration.FromSeconds(4), IsQuiet = true }
            .WriteTo(Path.Combine(Folder, "a-hog.etl"));
        File.Copy(Path.Combine(RepositoryFiles.Root, "samples", "nic-behind-ndis.etl"), Path.Combine(Folder, "b-nic.etl"));
        File.WriteAllText(Path.Combine(Folder, "c-text.etl"), "no trace at all");
        File.WriteAllBytes(Path.Combine(Folder, "d-empty.etl"), []);
        byte[] first = File.ReadAllBytes(Path.Combine(RepositoryFiles.Root, "samples", "first.etl"));
        File.WriteAllBytes(Path.Combine(Folder, "e-first.etl"), first);
        byte[] other = File.ReadAllBytes(Path.Combine(RepositoryFiles.Root, "samples", "masked-interrupts.etl"));
        File.WriteAllBytes(Path.Combine(below, "f-cut.etl"), other[..(other.Length / 2)]);
        File.WriteAllBytes(Path.Combine(below, "g-same.etl"), first);
    }

    public string Folder { get; }

    /// <summary>What happened in the trace in which a program is to blame.</summary>
    public TruthReport Hog { get; }

    public void Dispose() => Directory.Delete(Folder, recursive: true);
}
