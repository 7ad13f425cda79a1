using System.CommandLine;
using Tracer.Analysis.Contents;
using Tracer.Analysis.Facts;
using Tracer.AnalyzerCommand.Common;
using Tracer.AnalyzerShared.Inputs;

namespace Tracer.AnalyzerCommand.Commands.Info;

/// <summary><c>analyzer info</c>: what a trace holds and which questions it can answer.</summary>
internal static class InfoCommand
{
    public static Command Create()
    {
        Argument<string[]> traces = TraceArgument.CreateForSeveral();
        Option<OutputFormat> format = OutputFormats.OptionWithCsv();
        Option<int> top = new("--top")
        {
            Description = "How many kinds of events the text lists; JSON has them all.",
            HelpName = "N",
            DefaultValueFactory = _ => 25,
        };
        top.Validators.Add(result =>
        {
            if (result.Tokens.Count > 0 && result.GetValueOrDefault<int>() < 0)
            {
                result.AddError("--top: a number of at least 0 is expected");
            }
        });
        Option<bool> drivers = new("--drivers")
        {
            Description = "List the drivers with version, company, date, size and PDB; JSON has them beside all else, CSV only them.",
        };
        Option<string[]> tmf = TraceArgument.MessageFormatsOption();
        var command = new ExampleCommand(
            "info",
            "Tell what a trace holds: machine, losses, kinds of events, load, and which questions it can answer.",
            "analyzer info trace.etl",
            "analyzer info trace.etl --format json",
            "analyzer info traces --format json",
            "analyzer info trace.etl --drivers --format csv",
            "xz -dc trace.etl.xz | analyzer info -")
        {
            traces, format, top, drivers, tmf,
        };
        command.SetAction(parse => Run(
            TraceInputs.Several(parse, traces),
            parse.GetValue(format),
            parse.GetValue(top),
            parse.GetValue(drivers),
            parse.GetValue(tmf) ?? [],
            parse.InvocationConfiguration.Output,
            parse.InvocationConfiguration.Error));
        return command;
    }

    private static int Run(
        string[] paths, OutputFormat format, int top, bool withDrivers, string[] tmf, TextWriter output, TextWriter error)
    {
        if (paths is [var path])
        {
            return Run(path, format, top, withDrivers, tmf, output, error);
        }

        if (TraceArgument.ProblemWithSeveral(paths) is { } problem)
        {
            return WrongUsage.Tell("info", problem, error);
        }

        int exit = ExitCode.Done;
        for (int i = 0; i < paths.Length; i++)
        {
            try
            {
                exit = Math.Max(exit, Run(paths[i], format, top, withDrivers, tmf, output, error, which: i));
            }
            catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
            {
                error.WriteLine($"analyzer: {failure.Message}");
                exit = ExitCode.Failed;
            }
        }

        return exit;
    }

    /// <summary>Tells of one trace; where it is one of several, JSON is one line for each, and an empty line comes between texts.</summary>
    private static int Run(
        string path,
        OutputFormat format,
        int top,
        bool withDrivers,
        string[] tmf,
        TextWriter output,
        TextWriter error,
        int? which = null)
    {
        if (format == OutputFormat.Csv && !withDrivers)
        {
            return WrongUsage.Tell("info", "--format csv is for the table of drivers; write --drivers, too", error);
        }

        using EtlReader reader = TraceArgument.Open(path);
        reader.MakeRereadable(); // Where events are missing is looked for when all were read.
        IReadOnlyList<DriverFile>? drivers = null;
        if (withDrivers)
        {
            ReadingProgress.Show(path, () => reader.Progress, () => drivers = DriverInventory.Read(reader));
        }

        var contents = new TraceContents(TraceArgument.MessageFormats(path, tmf));
        ReadingProgress.Show(path, () => reader.Progress, () =>
        {
            contents.Read(reader);
            return contents.Events;
        });
        DamageWarning.Write(path, reader, error);
        if (contents.Events == 0)
        {
            error.WriteLine($"analyzer: {path}: no event could be read");
            return ExitCode.Failed;
        }

        InfoReport report = InfoReportOfTrace.Make(path, reader, contents) with { Drivers = drivers };
        using var printed = new ReportOutput(null, output);
        Interruption.Print(() => Print(path, format, top, which, report, reader, printed));
        printed.Keep();
        return ExitCode.Done;
    }

    private static void Print(
        string path, OutputFormat format, int top, int? which, InfoReport report, EtlReader reader, ReportOutput printed)
    {
        if (format == OutputFormat.Json)
        {
            printed.WriteJson(json => ReportJson.Write(json, report, indented: which is null));
        }
        else if (report.Drivers is { } listed && format == OutputFormat.Csv)
        {
            DriverInventoryTable.Write(path, listed, withHeader: which is null or 0, printed.Writer);
        }
        else if (report.Drivers is { } drivers)
        {
            SetApart(which, printed.Writer);
            DriverInventoryText.Write(path, drivers, printed.Writer);
        }
        else
        {
            SetApart(which, printed.Writer);
            InfoText.Write(report, reader, top, printed.Writer);
        }
    }

    private static void SetApart(int? which, PrintableWriter printed)
    {
        if (which > 0)
        {
            printed.WriteLine();
        }
    }
}
