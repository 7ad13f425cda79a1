using System.CommandLine;
using System.Diagnostics.CodeAnalysis;

namespace Tracer.CommandLine;

/// <summary>The commands of a program, one of which is meant where the first argument is its subject instead of a command's name.</summary>
[SuppressMessage("Design", "CA1010", Justification = "Command enumerates for collection initialisers only.")]
public sealed class RootWithDefault(string description, string command, Func<string, bool> isSubject) : RootCommand(description)
{
    /// <summary>A command line with the command that is meant.</summary>
    public IReadOnlyList<string> Completed(IReadOnlyList<string> arguments)
    {
        ArgumentNullException.ThrowIfNull(arguments);
        return arguments.Count > 0 && IsMeant(arguments[0]) ? [command, .. arguments] : arguments;
    }

    /// <summary>What is to be put in front of the arguments: the name and a blank, or nothing.</summary>
    internal string Missing(string first) => IsMeant(first) ? command + " " : "";

    private bool IsMeant(string first) => first.Length > 0
        && first[0] is not ('-' or '[')
        && Subcommands.All(sub => sub.Name != first && !sub.Aliases.Contains(first))
        && isSubject(first);
}
