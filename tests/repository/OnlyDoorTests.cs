using System.Text.RegularExpressions;
using Tracer.Tests;

namespace Tracer.Repository.Tests;

/// <summary>
/// Text leaves the commands by one door and files by another: <c>PrintableWriter</c> and <c>Terminal</c>, <c>OutputFile</c>. Code that goes
/// past them is found here, so that it cannot be forgotten.
/// </summary>
public partial class OnlyDoorTests
{
    private static readonly string[] Product = ["analyzer", "commandline", "contract", "etl", "symbols", "tracer"];

    /// <summary>Who may use the console itself, and why.</summary>
    private static readonly string[] MayUseTheConsole =
    [
        "commandline/CommandProgram.cs",    // Puts the door before it.
        "commandline/text/Terminal.cs",     // The door of what is drawn.
        "commandline/output/Interruption.cs", // The one place of signals.
        "commandline/output/StandardStreams.cs", // Standard input and output that may be closed.
    ];

    /// <summary>Who may create files of the user by itself, and why.</summary>
    private static readonly string[] MayCreateFiles =
    [
        "commandline/output/OutputFile.cs",
        "commandline/output/GrowingFile.cs",               // Grows line by line, so that a killed run can go on.
        "commandline/output/ScratchSpace.cs",              // Private files that vanish with the process.
        "symbols/finding/DiskSymbolFiles.cs",              // Drafts of its own, in a store.
        "etl/reading/SpoolFile.cs",                        // A nameless copy of a pipe.
        "etl/writing/EtlWriter.cs",                        // A library's own: no command calls it with a path.
        "tracer/simulator/scenarios/ScenarioRun.cs",       // The same, for tests and benchmarks.
        "tracer/simulator/writing/TruthFile.cs",
        "tracer/capture/engine/EpisodeWriting.cs",         // A capture's drafts: the next start removes what a crash leaves.
        "tracer/capture/engine/StateFile.cs",
        "tracer/capture/probe/ProbeMemory.cs",             // Shared memory.
        "tracer/capture/driver/install/InstalledCopy.cs",  // A driver where only administrators write: no file of the user's.
        "tracer/commands/monitor/MonitorRun.cs",           // A lock: held while it runs, gone at its end.
        "tracer/measure/loads/LoadWork.cs",                // What a load works on, in a folder of its own that it removes.
        "tracer/measure/ground/TemporaryFile.cs",          // Of no name that anybody gave, and gone when it is closed.
        "tracer/commands/service/ServiceLog.cs",           // A log, bounded.
    ];

    [Fact]
    public void Nothing_but_the_door_prints() => AssertOnly(MayUseTheConsole, ConsoleItself());

    [Fact]
    public void Nothing_but_the_door_creates_files() => AssertOnly(MayCreateFiles, FileCreation());

    private static void AssertOnly(string[] allowed, Regex offence)
    {
        string[] offenders = [.. ProductFiles()
            .Where(path => File.ReadLines(Path.Combine(RepositoryFiles.Root, path))
                .Any(line => !line.TrimStart().StartsWith("//", StringComparison.Ordinal) && offence.IsMatch(line)))];
        Assert.Empty(offenders.Except(allowed));
        // A place that needs no leave any more is taken from the list.
        Assert.Empty(allowed.Except(offenders));
    }

    private static IEnumerable<string> ProductFiles() =>
        from folder in Product
        from path in Directory.EnumerateFiles(Path.Combine(RepositoryFiles.Root, folder), "*.cs", SearchOption.AllDirectories)
        select Path.GetRelativePath(RepositoryFiles.Root, path).Replace('\\', '/');

    [GeneratedRegex(@"\bConsole\.(Out|Error|Write\w*|OpenStandard\w+|CancelKeyPress)\b|AnsiConsole\.Create\(|\bPosixSignalRegistration\b")]
    private static partial Regex ConsoleItself();

    [GeneratedRegex(@"FileMode\.(Create|CreateNew|OpenOrCreate|Append|Truncate)\b|\bFile\.(Create|WriteAll|AppendAll|OpenWrite)\w*\(")]
    private static partial Regex FileCreation();
}
