using System.CommandLine.Parsing;

namespace Tracer.AnalyzerCommand;

/// <summary>What <c>analyzer dump</c> does with stack records.</summary>
internal enum DumpedStacks
{
    /// <summary>They are joined to their events.</summary>
    Joined,

    /// <summary>They are printed as the records that they are.</summary>
    Records,

    /// <summary>They are left out.</summary>
    None,
}

/// <summary>The option that chooses.</summary>
internal static class DumpedStacksOption
{
    /// <summary>Reads its value.</summary>
    public static DumpedStacks Parse(ArgumentResult result)
    {
        switch (result.Tokens[0].Value)
        {
            case "joined":
                return DumpedStacks.Joined;
            case "records":
                return DumpedStacks.Records;
            case "none":
                return DumpedStacks.None;
            default:
                result.AddError($"--stacks: '{result.Tokens[0].Value}' is none of joined, records and none");
                return DumpedStacks.Joined;
        }
    }
}
