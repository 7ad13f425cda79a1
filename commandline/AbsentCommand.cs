using System.CommandLine;
using System.Diagnostics.CodeAnalysis;

namespace Tracer.CommandLine;

/// <summary>
/// A command that another build of the program has. It stands in the help, which says so; to use it is wrong usage, whatever follows.
/// </summary>
[SuppressMessage("Design", "CA1010", Justification = "Command enumerates for collection initialisers only.")]
public sealed class AbsentCommand(string name) : Command(name, "Not in this build: use the ordinary build.")
{
    internal string Problem => $"this build has no '{Name}': use the ordinary build";
}
