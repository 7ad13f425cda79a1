using System.CommandLine;
using System.CommandLine.Help;
using System.CommandLine.Invocation;
using System.Diagnostics.CodeAnalysis;

namespace Tracer.CommandLine;

/// <summary>Prints a command's help, then its examples: <see cref="ExampleCommand.Examples"/>.</summary>
internal sealed class HelpWithExamples(HelpAction help) : SynchronousCommandLineAction
{
    /// <summary>Width of help that is not printed to a terminal, in columns.</summary>
    private const int PipedWidth = 100;

    public override bool ClearsParseErrors => true;

    public override int Invoke(ParseResult parseResult)
    {
        if (!Terminal.IsOutput)
        {
            help.MaxWidth = PipedWidth;
        }

        TextWriter output = parseResult.InvocationConfiguration.Output;
        using var text = new StringWriter();
        parseResult.InvocationConfiguration.Output = text;
        int exitCode = help.Invoke(parseResult);
        parseResult.InvocationConfiguration.Output = output;
        if (parseResult.CommandResult.Command is ExampleCommand { Examples.Count: > 0 } command)
        {
            text.WriteLine(command.Examples.Count == 1 ? "Example:" : "Examples:");
            foreach (string example in command.Examples)
            {
                text.WriteLine("  " + example);
            }
        }

        // Where the library wraps a line it leaves the space, and it ends with empty lines.
        foreach (string line in text.ToString().TrimEnd().Split('\n'))
        {
            output.WriteLine(line.TrimEnd());
        }

        return exitCode;
    }
}

/// <summary>A command whose help ends with examples. Every command of <c>analyzer</c> and <c>tracer</c> below the root is one.</summary>
/// <param name="description">What it does, as a sentence that starts with a verb.</param>
/// <param name="examples">Command lines that work as they stand, or do with the user's own file names.</param>
[SuppressMessage("Design", "CA1010", Justification = "Command enumerates for collection initialisers only.")]
public sealed class ExampleCommand(string name, string description, params IReadOnlyList<string> examples) : Command(name, description)
{
    /// <summary>The examples, the usual case first.</summary>
    public IReadOnlyList<string> Examples { get; } = examples;
}
