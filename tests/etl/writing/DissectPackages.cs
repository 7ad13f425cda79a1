namespace Tracer.Etl.Tests.Writing;

/// <summary>dissect.etl, a reader that shares nothing with ours, in a Python environment of its own.</summary>
internal static class DissectPackages
{
    private static readonly Lazy<string?> Python = new(InstallOnce);

    /// <summary>Beside the corpus, wherever that is.</summary>
    private static string Folder => Environment.GetEnvironmentVariable("TRACER_CORPUS") is { } corpus
        ? Path.Combine(corpus, "..", "peers")
        : Path.Combine(RepositoryFiles.Root, "..", "shared", "peers");

    /// <summary>Runs a script with it; the test is skipped where there is no Python or no package.</summary>
    /// <param name="script">The script's text.</param>
    /// <returns>What it prints, with line feeds.</returns>
    public static string Run(string script, params IEnumerable<string> arguments)
    {
        Assert.SkipUnless(Directory.Exists(Folder), $"the packages of other readers are not here: {Folder}");
        Assert.SkipUnless(Python.Value is not null, "python3 with venv and pip is not here");
        return ChildProcess.Output(Python.Value, ["-c", script, .. arguments]).Trim().ReplaceLineEndings("\n");
    }

    private static string? InstallOnce()
    {
        string folder = Path.Combine(Path.GetTempPath(), "tracer-dissect-venv");
        string python = Path.Combine(folder, "bin", "python3");
        try
        {
            string[] install = ["-m", "pip", "install", "--quiet", "--no-index", "--find-links", Folder, "dissect.etl"];
            bool isThere = (File.Exists(python) && ChildProcess.Run(python, "-c", "import dissect.etl").ExitCode == 0)
                || (ChildProcess.Run("python3", "-m", "venv", folder).ExitCode == 0 && ChildProcess.Run(python, install).ExitCode == 0);
            return isThere ? python : null;
        }
        catch (System.ComponentModel.Win32Exception)
        {
            return null;
        }
    }
}
