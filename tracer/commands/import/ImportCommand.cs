using System.CommandLine;

namespace Tracer.TracerCommand.Commands.Import;

/// <summary><c>tracer import</c>: records of the driver, as a trace.</summary>
internal static class ImportCommand
{
    public static Command Create()
    {
        Argument<string> file = new("FILE")
        {
            Description = "Records of the driver, as 'tracer driver start --record' or kdriver/baremetal writes them.",
        };
        Option<string?> output = new("--output", "-o") { Description = "The trace [default: FILE with .etl].", HelpName = "OUT.etl" };
        var command = new ExampleCommand(
            "import",
            "Turn recorded wake-ups of the driver into a trace, on any machine. PDBs beside the trace give 'analyzer' names of functions.",
            "tracer import records.bin",
            "tracer import records.bin -o nic-dpc.etl")
        {
            file, output,
        };
        command.SetAction(parse => Run(
            parse.GetValue(file)!,
            parse.GetValue(output),
            parse.InvocationConfiguration.Output,
            parse.InvocationConfiguration.Error));
        return command;
    }

    private static int Run(string path, string? wanted, TextWriter output, TextWriter error)
    {
        string trace = wanted ?? Path.ChangeExtension(path, ".etl");
        if (OutputFile.Problem("--output", trace, [path]) is { } problem)
        {
            error.WriteLine($"tracer: {(wanted is null ? $"{path} would be overwritten: name the trace with -o" : problem)}");
            return ExitCode.WrongUsage;
        }

        using FileStream recording = File.OpenRead(path);
        if (RecordingOverview.Read(recording) is not { } overview)
        {
            error.WriteLine(
                $"tracer: {path}: no run of the driver begins in it; "
                + "'tracer driver start --record' and kdriver/baremetal write such files");
            return ExitCode.Failed;
        }

        recording.Position = 0;
        using var file = new OutputFile(trace, mustSeek: true);
        var imported = ImportedTrace.Write(recording, overview, file.Content);
        file.Keep();
        // Where the trace itself goes there is no room for words about it.
        (file.IsStandardOutput ? error : output).WriteLine(
            $"{trace}: {imported.Wakeups} wake-ups, {imported.Episodes} episodes with {imported.Samples} samples, "
            + $"{imported.Modules} modules");
        if (imported.DamagedBytes + imported.BadRecords > 0)
        {
            error.WriteLine($"tracer: {path} is damaged: left out {imported.DamagedBytes} bytes and {imported.BadRecords} records");
        }

        return ExitCode.Done;
    }
}
