using System.CommandLine;

namespace Tracer.AnalyzerCommand.Commands.Dump;

/// <summary>What <c>analyzer dump</c> does with stack records.</summary>
internal enum DumpedStacks
{
    /// <summary>They are joined to their events.</summary>
    Joined,

    /// <summary>They are printed as the records that they are.</summary>
    Records,

    None,
}

internal static class DumpedStacksOption
{
    public static Option<DumpedStacks> Create() =>
        new NamedChoice<DumpedStacks>(("joined", DumpedStacks.Joined), ("records", DumpedStacks.Records), ("none", DumpedStacks.None))
        {
            // A list with a comma before "none" would read as if none of them were meant.
            Listed = "joined, records and none",
        }.Option(
            "--stacks",
            "What to do with stack records: join them to their events, print them as records of their own, or leave them "
            + "out [default: joined].");
}
