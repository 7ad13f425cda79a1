using System.CommandLine;
using System.Text.RegularExpressions;

namespace Tracer.CommandLine;

/// <summary>
/// What a shell may complete a command line with. It asks as System.CommandLine's suggest directive has it: <c>[suggest:POSITION]</c>, then
/// the line, with or without the program's own name in front, as one argument.
/// </summary>
internal static partial class Completion
{
    /// <summary>Prints the completions, one a line, where a shell asks for them.</summary>
    /// <returns>False where no shell asks.</returns>
    public static bool TryWrite(
        RootCommand root, string name, IReadOnlyList<string> arguments, ParserConfiguration configuration, TextWriter output)
    {
        if (arguments.Count != 2 || Directive().Match(arguments[0]) is not { Success: true } directive)
        {
            return false;
        }

        string line = arguments[1];
        int position = int.TryParse(directive.Groups["position"].ValueSpan, NumberStyles.None, CultureInfo.InvariantCulture, out int given)
            ? given
            : line.Length;

        // A shell may count blanks behind the last word that it does not pass on.
        const int MostBlanks = 256;
        line = position < line.Length ? line[..position] : line.PadRight(Math.Min(position, line.Length + MostBlanks));
        if (line.StartsWith(name + " ", StringComparison.Ordinal) || line.StartsWith(name + ".exe ", StringComparison.OrdinalIgnoreCase))
        {
            line = line[(line.IndexOf(' ', StringComparison.Ordinal) + 1)..];
        }

        line = line.TrimStart();
        int first = line.IndexOf(' ', StringComparison.Ordinal);
        if (first > 0 && root is RootWithDefault withDefault)
        {
            line = withDefault.Missing(line[..first]) + line;
        }

        string word = line[(line.LastIndexOf(' ') + 1)..];
        foreach (string label in root.Parse(line, configuration).GetCompletions(line.Length)
            .Select(item => item.InsertText ?? item.Label)
            .Where(label => label.StartsWith(word, StringComparison.OrdinalIgnoreCase) && (label[0] != '/' || word.Length > 0))
            .Distinct()
            .Order(StringComparer.Ordinal))
        {
            output.WriteLine(label);
        }

        return true;
    }

    [GeneratedRegex(@"^\[suggest(:(?<position>[0-9]{1,9}))?\]\z")]
    private static partial Regex Directive();
}
