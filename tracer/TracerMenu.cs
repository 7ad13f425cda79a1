namespace Tracer.TracerCommand;

/// <summary>What <c>tracer</c> offers to who double-clicks it.</summary>
internal static class TracerMenu
{
    /// <param name="run">Runs a command line, and gives its exit status.</param>
    /// <param name="folder">Where recordings go; made where it is not there.</param>
    public static StartMenu Create(Func<string[], int> run, string folder) => new(
        "Tracer records what a machine did when something was late. Recording needs 'Run as administrator'.",
        [
            new("record until something is late by 1 ms or more", null, _ =>
            {
                Directory.CreateDirectory(folder);
                run(["capture", "--threshold", "1ms", "--open", "-o", Path.Combine(folder, NameOf(DateTime.Now))]);
            }),
            new("check this machine", null, _ => run(["doctor"])),
            new("all commands", null, _ => run(["--help"])),
        ]);

    /// <summary>The folder that people look into.</summary>
    public static string Folder => Path.Combine(Environment.GetFolderPath(Environment.SpecialFolder.MyDocuments), "Tracer");

    private static string NameOf(DateTime now) => FormattableString.Invariant($"late-{now:yyyyMMdd-HHmmss}.etl");
}
