namespace Tracer.Mutation;

/// <summary>Where the checkout has what a run needs. The tests of the analysis are built before.</summary>
internal sealed class MutationPlaces
{
    public MutationPlaces()
    {
        DirectoryInfo? folder = new(AppContext.BaseDirectory);
        while (folder is not null && !File.Exists(Path.Combine(folder.FullName, "Tracer.sln")))
        {
            folder = folder.Parent;
        }

        Root = folder?.FullName ?? throw new InvalidOperationException("No folder above this program holds Tracer.sln.");
        string built = Path.Combine(Root, "artifacts", "bin", "Tracer.Analysis.Tests", "release");
        if (!Directory.Exists(built))
        {
            throw new InvalidOperationException("First: dotnet build tests/analysis -c Release");
        }

        Work = Directory.CreateDirectory(Path.Combine(Root, "artifacts", "mutation")).FullName;
        Tests = Directory.CreateDirectory(Path.Combine(Work, "tests")).FullName;
        foreach (string file in Directory.EnumerateFiles(built).Where(file => Path.GetFileName(file) != "Tracer.Analysis.dll"))
        {
            File.Copy(file, Path.Combine(Tests, Path.GetFileName(file)), overwrite: true);
        }
    }

    public string Root { get; }

    /// <summary>Where mutants and results are kept.</summary>
    public string Work { get; }

    /// <summary>A copy of the tests and what they need, without the analysis.</summary>
    public string Tests { get; }

    /// <summary>This program's sources.</summary>
    public string Sources => Path.Combine(Root, "tests", "mutation");

    /// <summary>What the build wrote for the analysis.</summary>
    public string Generated => Path.Combine(Root, "artifacts", "obj", "Tracer.Analysis", "release");
}
