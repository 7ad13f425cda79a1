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
        Argument<string> trace = TraceArgument.Create();
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
            "gunzip -c trace.etl.gz | analyzer info -")
        {
            trace, format, top, tmf,
        };
        command.SetAction(parse => Run(
            parse.GetRequiredValue(trace),
            parse.GetValue(format),
            parse.GetValue(top),
            parse.GetValue(tmf) ?? [],
            parse.InvocationConfiguration.Output,
            parse.InvocationConfiguration.Error));
        return command;
    }

    private static int Run(string path, OutputFormat format, int top, string[] tmf, TextWriter output, TextWriter error)
    {
        using EtlReader reader = TraceArgument.Open(path);
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
            printed.WriteJson(json => ReportJson.Write(json, report, indented: true));
        }
        else
        {
            InfoText.Write(report, reader, top, printed.Writer);
        }

        printed.Keep();

        return ExitCode.Done;
    }
}
