using System.CommandLine;

namespace Tracer.CommandLine;

/// <summary>
/// The commands of a program by their names. To make them all takes longer than many a command runs, so a command line gets the one that
/// it names.
/// </summary>
/// <param name="commands">Name and maker of each, in the order of the help.</param>
public sealed class CommandTable(IReadOnlyList<(string Name, Func<Command> Make)> commands)
{
    public IEnumerable<string> Names => commands.Select(static command => command.Name);

    /// <summary>Makes those that a command line needs, and adds them to a root.</summary>
    /// <param name="arguments">
    /// The command line; null for all commands, which are also made for help, completions and names that are none.
    /// </param>
    public RootCommand AddTo(RootCommand root, IReadOnlyList<string>? arguments = null)
    {
        ArgumentNullException.ThrowIfNull(root);
        string? first = arguments is [string written, ..] && Names.Contains(written) ? written : null;
        foreach ((string name, Func<Command> make) in arguments is ["--version"] ? [] : commands)
        {
            if (first is null || first == name)
            {
                root.Add(make());
            }
        }

        return root;
    }
}
