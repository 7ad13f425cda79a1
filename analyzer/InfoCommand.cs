using System.CommandLine;
using Tracer.Analysis;
using Tracer.CommandLine;
using Tracer.Contract;
using Tracer.Etl;

namespace Tracer.AnalyzerCommand;

/// <summary><c>analyzer info</c>: what a trace holds and which questions it can answer.</summary>
internal static class InfoCommand
{
    /// <summary>Makes the command.</summary>
    public static Command Create()
    {
        Argument<string[]> traces = TraceArgument.CreateForSeveral();
        Option<OutputFormat> format = OutputFormats.Option();
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
        Option<string[]> tmf = TraceArgument.MessageFormatsOption();
        var command = new ExampleCommand(
            "info",
            "Tell what a trace holds: machine, losses, kinds of events, load, and which questions it can answer.",
            "analyzer info trace.etl",
            "analyzer info trace.etl --format json",
            "analyzer info traces --format json",
            "xz -dc trace.etl.xz | analyzer info -")
        {
            traces, format, top, tmf,
        };
        command.SetAction(parse => Run(
            TraceInputs.Several(parse, traces),
            parse.GetValue(format),
            parse.GetValue(top),
            parse.GetValue(tmf) ?? [],
            parse.InvocationConfiguration.Output,
            parse.InvocationConfiguration.Error));
        return command;
    }

    private static int Run(string[] paths, OutputFormat format, int top, string[] tmf, TextWriter output, TextWriter error)
    {
        if (paths is [var path])
        {
            return Run(path, format, top, tmf, output, error);
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
                exit = Math.Max(exit, Run(paths[i], format, top, tmf, output, error, which: i));
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
        string path, OutputFormat format, int top, string[] tmf, TextWriter output, TextWriter error, int? which = null)
    {
        using EtlReader reader = TraceArgument.Open(path);
        reader.MakeRereadable(); // Where events are missing is looked for when all were read.
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

        InfoReport report = InfoReportOfTrace.Make(path, reader, contents);
        using var printed = new ReportOutput(null, output);
        if (format == OutputFormat.Json)
        {
            printed.WriteJson(json => ReportJson.Write(json, report, indented: which is null));
        }
        else
        {
            if (which > 0)
            {
                printed.Writer.WriteLine();
            }

            InfoText.Write(report, reader, top, printed.Writer);
        }

        printed.Keep();

        return ExitCode.Done;
    }
}
