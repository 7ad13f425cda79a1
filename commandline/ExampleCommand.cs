using System.CommandLine;
using System.Diagnostics.CodeAnalysis;

namespace Tracer.CommandLine;

/// <summary>A command whose help ends with examples. Every command of <c>analyzer</c> and <c>tracer</c> below the root is one.</summary>
/// <param name="name">Its name on the command line.</param>
/// <param name="description">What it does, as a sentence that starts with a verb.</param>
/// <param name="examples">Command lines that work as they stand, or do with the user's own file names.</param>
[SuppressMessage("Design", "CA1010", Justification = "Command enumerates for collection initialisers only.")]
public sealed class ExampleCommand(string name, string description, params IReadOnlyList<string> examples) : Command(name, description)
{
    /// <summary>The examples, the usual case first.</summary>
    public IReadOnlyList<string> Examples { get; } = examples;
}
