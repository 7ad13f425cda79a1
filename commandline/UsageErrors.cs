using System.CommandLine;
using System.CommandLine.Parsing;

namespace Tracer.CommandLine;

/// <summary>
/// What is wrong with a command line. System.CommandLine takes a misspelt option for an argument where the command takes any
/// (<c>--treshold 500us trace.etl</c> would be three traces), so every token is looked at as well as its own errors.
/// </summary>
internal static class UsageErrors
{
    /// <summary>One line for each mistake, with the nearest valid name where one was misspelt; empty when there is none.</summary>
    public static IReadOnlyList<string> Find(ParseResult parse, IReadOnlyList<string> arguments)
    {
        if (parse.Action is HelpWithExamples)
        {
            // Help was asked for: that is what the user gets, whatever else stands there.
            return [];
        }

        Command command = parse.CommandResult.Command;
        string[] unknownOptions = [.. UnknownOptions(parse.Tokens, arguments)];
        if (unknownOptions.Length > 0)
        {
            // A misspelt option also makes its value a stray argument: one mistake, one line.
            string[] valid = [.. ValidOptions(parse.CommandResult).Where(name => name.StartsWith("--", StringComparison.Ordinal))];
            return [.. unknownOptions.Select(option => Unknown("option", option, valid))];
        }

        if (parse.UnmatchedTokens.Count > 0)
        {
            string stray = parse.UnmatchedTokens[0];
            IEnumerable<string> valid = command.Subcommands.Where(sub => !sub.Hidden).Select(sub => sub.Name);
            return [command.Action is null ? Unknown("command", stray, valid) : $"unexpected argument '{stray}'"];
        }

        bool isAskedForVersion = parse.Action is not null && parse.Errors.Count == 0;
        if (command.Action is null && !isAskedForVersion)
        {
            return ["a command is required"];
        }

        return [.. parse.Errors.Select(error => error.Message.TrimEnd('.'))];
    }

    /// <summary>
    /// The tokens that look like an option and are none. What follows <c>--</c> is a file name however it looks, <c>-</c> alone is
    /// standard input or output, and after an option a negative number, or anything joined to it by <c>=</c>, is its value.
    /// </summary>
    private static IEnumerable<string> UnknownOptions(IReadOnlyList<Token> tokens, IReadOnlyList<string> arguments)
    {
        Token? before = null;
        foreach (Token token in tokens)
        {
            if (token.Type == TokenType.DoubleDash)
            {
                yield break;
            }

            bool looksLikeOption = token.Type == TokenType.Argument && token.Value.Length > 1 && token.Value[0] == '-';
            bool isValue = looksLikeOption && before?.Type == TokenType.Option
                && (token.Value[1] is '.' or (>= '0' and <= '9') || arguments.Contains($"{before.Value}={token.Value}"));
            before = token;
            if (looksLikeOption && !isValue)
            {
                yield return token.Value.Split('=', ':')[0];
            }
        }
    }

    private static string Unknown(string kind, string written, IEnumerable<string> valid)
    {
        string? nearest = NearestName.Of(written, valid);
        return $"unknown {kind} '{written}'" + (nearest is null ? "" : $"; the nearest valid {kind} is '{nearest}'");
    }

    /// <summary>Names and aliases of the options of a command, and of those of its parents that hold for it too.</summary>
    private static IEnumerable<string> ValidOptions(CommandResult result)
    {
        for (SymbolResult? level = result; level is CommandResult { Command: Command command }; level = level.Parent)
        {
            foreach (Option option in command.Options.Where(option => !option.Hidden && (option.Recursive || level == result)))
            {
                yield return option.Name;
                foreach (string alias in option.Aliases)
                {
                    yield return alias;
                }
            }
        }
    }
}
