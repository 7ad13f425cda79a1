using System.CommandLine;
using Tracer.AnalyzerCommand.Commands.Fleet.Print;
using Tracer.AnalyzerCommand.Commands.Fleet.Questions;
using Tracer.AnalyzerCommand.Commands.Fleet.Store;
using Tracer.AnalyzerCommand.Common;
using Tracer.AnalyzerCommand.Common.Cases;
using Tracer.AnalyzerCommand.Common.Copies;

namespace Tracer.AnalyzerCommand.Commands.Fleet;

/// <summary><c>analyzer fleet</c>: which causes cost most over all machines, and what the machines that have them share.</summary>
internal sealed class FleetCommand
{
    private const int UsualTop = 10;

    private readonly Argument<string[]> _results = new("RESULTS")
    {
        Description = "Files of 'analyzer blame --format cases', folders of .jsonl files, names with * and ?, @FILE for a list, or - for "
            + "standard input.",
        Arity = ArgumentArity.ZeroOrMore,
    };

    private readonly Option<string?> _store = new("--store")
    {
        Description = "Keep the cases in this file, or on ClickHouse (clickhouse://HOST:PORT/DATABASE); cases in it are not loaded again "
            + "[default: a temporary file].",
        HelpName = "FILE",
    };

    private readonly Option<FleetOrder> _order =
        NamedChoice.OfAll<FleetOrder>().Option("--by", "What causes are ranked by [default: machines].");

    private readonly Option<string?> _cluster = new("--cluster")
    {
        Description = "List the machines and cases of one cause, with where their traces are.",
        HelpName = "ID",
    };

    private readonly Option<FleetSince?> _since = new("--since")
    {
        Description = "Tell what is new, or more frequent, since a day, or in the last days or hours before the newest case.",
        HelpName = "7d|12h|YYYY-MM-DD",
        CustomParser = result =>
        {
            string text = result.Tokens[0].Value;
            if (FleetSince.Parse(text) is { } since)
            {
                return since;
            }

            result.AddError($"--since: '{text}' is neither a length such as 7d or 12h nor a day such as 2025-03-01");
            return null;
        },
    };

    private readonly Option<long?> _top = NumberOption.Create(
        "--top", "N", "How many lines each list of the text has at most; JSON and CSV have all.", 0, int.MaxValue, UsualTop);

    private readonly Option<OutputFormat> _format = OutputFormats.OptionWithCsv();
    private readonly Option<FleetCsv?> _table = FleetTables.Option();

    private readonly Option<string?> _html = new("--html")
    {
        Description = "Write the report also as a page.",
        HelpName = "FILE",
    };

    private readonly Option<string?> _file = ReportOutput.Option();

    public static Command Create() => new FleetCommand().Make();

    private ExampleCommand Make()
    {
        var command = new ExampleCommand(
            "fleet",
            "Tell which causes cost most over all machines, and what the machines that have them share.",
            "analyzer fleet cases.jsonl",
            "analyzer fleet monday/ tuesday/ --store fleet.db --since 7d",
            "analyzer fleet --store fleet.db --cluster 1f0c22ab --by time",
            "analyzer fleet cases.jsonl --html fleet.html --format csv --table contrasts -o contrasts.csv")
        {
            _results, _store, _order, _cluster, _since, _top, _format, _table, _html, _file,
        };
        command.SetAction(parse =>
        {
            TextWriter error = parse.InvocationConfiguration.Error;
            try
            {
                string[] files = [.. (parse.GetValue(_results) ?? []).SelectMany(FleetInputs.Of)];
                return Problem(parse, files) is { } problem ? WrongUsage.Tell("fleet", problem, error) : Run(parse, files);
            }
            catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
            {
                error.WriteLine($"analyzer: {failure.Message}");
                return ExitCode.Failed;
            }
        });
        return command;
    }

    private string? Problem(ParseResult parse, string[] files)
    {
        string? store = parse.GetValue(_store);
        string[] read = [.. files, .. files.Select(file => file + CaseFile.PathsEnding)];
        string[] kept = store is not null && FleetStores.IsFile(store) ? [.. read, store] : read;
        return (files.Length == 0 && store is null
                ? "name files of 'analyzer blame --format cases', or a store of them with --store"
                : null)
            ?? TraceArgument.ProblemWithSeveral(files)
            ?? FleetStores.Problem(store)
            ?? (store is not null && FleetStores.IsFile(store) ? OutputFile.Problem("--store", store, read) : null)
            ?? (parse.GetValue(_table) is not null && parse.GetValue(_format) != OutputFormat.Csv
                ? "--table is for --format csv"
                : null)
            ?? ReportOutput.Problem(parse.GetValue(_file), kept)
            ?? OutputFile.Problem("--html", parse.GetValue(_html), kept)
            ?? (parse.GetValue(_html) is { } page && page == (parse.GetValue(_file) ?? OutputFile.StandardOutput)
                ? "--html and the report can't go to the same place; name another file"
                : null);
    }

    private int Run(ParseResult parse, string[] files)
    {
        TextWriter error = parse.InvocationConfiguration.Error;
        string? path = parse.GetValue(_store);
        if (files.Length == 0 && path is not null && FleetStores.IsFile(path) && !File.Exists(path))
        {
            error.WriteLine($"analyzer: there is no store {path}: name files of cases, too, and it is made from them");
            return ExitCode.Failed;
        }

        using var output = new ReportOutput(parse.GetValue(_file), parse.InvocationConfiguration.Output);
        using IFleetStore store = FleetStores.Open(path);
        Load(store, files, path is not null, error);
        if (store.Query(FleetQuestions.Count).First().Number(0) == 0)
        {
            error.WriteLine("analyzer: there is no case in it: make some with 'analyzer blame TRACES --format cases'");
            return ExitCode.Failed;
        }

        string? chosen = parse.GetValue(_cluster);
        var builder = new FleetBuilder(store, FleetTimes.At(TimeProvider.System.GetUtcNow()), ids => FleetInputs.Places(files, ids));
        if (builder.Make(parse.GetValue(_order), parse.GetValue(_since), chosen) is not { } report)
        {
            error.WriteLine($"analyzer: no cause is called {chosen}: without --cluster the report lists all");
            return ExitCode.Failed;
        }

        Interruption.Print(() => Print(parse, output, report, store, chosen));
        if (parse.GetValue(_html) is { } html)
        {
            using var page = new OutputFile(html);
            FleetHtml.Write(report, (int)parse.GetValue(_top)!.Value, page.Content);
            page.Keep();
        }

        output.Keep();
        return ExitCode.Done;
    }

    private static void Load(IFleetStore store, string[] files, bool isKept, TextWriter error)
    {
        var load = new FleetLoad(store);
        (string[] counting, InputCopy[] copies) = RecordedContent.Among(files);
        InputCopy.Tell(copies, error);
        try
        {
            foreach (string file in counting)
            {
                using Stream content = FleetInputs.Open(file);
                if (!load.Read(file, content))
                {
                    error.WriteLine($"analyzer: {file}: its last line is cut off, and left out; 'analyzer blame --resume' goes on with it");
                }
            }
        }
        finally
        {
            load.Complete();
        }

        foreach (((string path, string of), long count) in load.Twice)
        {
            string cases = Counted.Of(count, "case");
            error.WriteLine("analyzer: warning: " + (path == of
                ? $"{path}: {cases} of a recording that it already has a case of: each counts once"
                : $"{path}: {cases} of recordings that {of} has, too: each counts once"));
        }

        foreach (((string path, string of), long count) in load.Parts)
        {
            error.WriteLine(
                $"analyzer: warning: {path}: {Counted.Of(count, "case")} of slices of recordings that {of} has whole: each counts once");
        }

        if (load.Unreached > 0)
        {
            error.WriteLine($"analyzer: {Counted.Of(load.Unreached, "trace")} that no server gave left out; "
                + "'analyzer blame --resume' tries again");
        }

        if (isKept && files.Length > 0)
        {
            error.WriteLine($"analyzer: {Counted.Of(load.Added, "case")} added, {load.Known:N0} known before");
        }
    }

    private void Print(ParseResult parse, ReportOutput output, FleetReport report, IFleetStore store, string? chosen)
    {
        switch (parse.GetValue(_format))
        {
            case OutputFormat.Json:
                output.WriteJson(json => ReportJson.Write(json, report, indented: true));
                break;
            case OutputFormat.Csv:
                FleetTables.Write(parse.GetValue(_table) ?? FleetCsv.Clusters, report, store, output.Writer);
                break;
            default:
                output.Print(FleetText.Page(report, (int)parse.GetValue(_top)!.Value, chosen, output.Columns));
                break;
        }
    }
}
