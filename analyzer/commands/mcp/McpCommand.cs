using System.CommandLine;
using Tracer.AnalyzerCommand.Commands.Mcp.Traces;
using Tracer.AnalyzerCommand.Common;
using Tracer.Symbols;

namespace Tracer.AnalyzerCommand.Commands.Mcp;

/// <summary><c>analyzer mcp</c>: the analyses of traces as tools of an assistant, by the Model Context Protocol.</summary>
internal static class McpCommand
{
    public static Command Create()
    {
        Argument<string[]> folders = new("FOLDER")
        {
            Description = "The folders whose traces may be read; nothing outside of them is.",
            Arity = ArgumentArity.OneOrMore,
        };
        Option<string?> path = new("--symbols")
        {
            Description = "Where PDBs and images are, in the syntax of _NT_SYMBOL_PATH; files beside a trace are found without it. The "
                + "variable itself is not read.",
            HelpName = "PATH",
        };
        Option<bool> server = new("--symbol-server")
        {
            Description = "Ask the symbol servers of the path, or Microsoft's if it names none. Without this nothing is ever downloaded.",
        };
        Option<bool> log = new("--log") { Description = "Write a line to standard error for each tool that is called." };
        var command = new ExampleCommand(
            "mcp",
            "Serve assistants and editors by the Model Context Protocol on standard input and output: read-only tools that open, blame "
            + "and look into the traces of the folders. It ends with its input.",
            "analyzer mcp C:\\traces",
            "analyzer mcp monday tuesday --symbols C:\\pdbs",
            "claude mcp add tracer -- analyzer mcp ~/traces")
        {
            folders, path, server, log,
        };
        command.SetAction(parse =>
        {
            TextWriter error = parse.InvocationConfiguration.Error;
            if (SymbolPathOf(parse.GetValue(path), parse.GetValue(server), out string? problem) is not { } symbols)
            {
                return WrongUsage.Tell("mcp", problem!, error);
            }

            var serving = new McpServing
            {
                Folders = TraceFolders.Of(parse.GetRequiredValue(folders)),
                Symbols = symbols,
                AsksServers = parse.GetValue(server),
                Log = parse.GetValue(log) ? error : null,
                Errors = error,
            };
            // Nothing but the protocol is written there: no reports, no progress.
            using Stream input = StandardStreams.OpenInput();
            serving.Run(input, parse.InvocationConfiguration.Output);
            return ExitCode.Done;
        });
        return command;
    }

    /// <summary>The path that was given; with servers, Microsoft's where it names none.</summary>
    private static SymbolPath? SymbolPathOf(string? text, bool asksServers, out string? problem)
    {
        if (text is not null && string.IsNullOrWhiteSpace(text))
        {
            problem = "--symbols: a symbol path such as C:\\symbols or srv*C:\\symbols*https://server is expected";
            return null;
        }

        SymbolPath? path = SymbolPath.Empty;
        string? why = null;
        if (text is not null && !SymbolPath.TryParse(text, out path, out why))
        {
            problem = $"--symbols: {why}";
            return null;
        }

        if (path!.Elements.OfType<SymbolUnusableElement>().FirstOrDefault() is { } unusable)
        {
            problem = $"--symbols: '{unusable.Text}' {unusable.Problem}";
            return null;
        }

        problem = null;
        bool hasServer = path.Elements.OfType<SymbolStoresElement>().Any(element => element.Stores.Any(store => store.IsServer));
        return asksServers && !hasServer
            && SymbolPath.TryParse(path.Elements.Count == 0 ? "srv*" : $"{path};srv*", out SymbolPath? withServer, out _)
            ? withServer
            : path;
    }
}
