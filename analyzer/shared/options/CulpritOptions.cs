using System.CommandLine;
using Tracer.Analysis.Request;

namespace Tracer.AnalyzerShared.Options;

/// <summary>The options that ask about one driver, process or other culprit.</summary>
internal sealed class CulpritOptions
{
    private readonly Option<string?> _suspect = new("--suspect")
    {
        Description = "Also say what speaks for and against one driver, process, or 'hardware/firmware'.",
        HelpName = "DRIVER",
    };

    private readonly Option<string?> _without = new("--without")
    {
        Description = "Also say what would be left without this driver, process or other culprit.",
        HelpName = "DRIVER",
    };

    /// <summary>The options, in the order of the help.</summary>
    public IEnumerable<Option> All => [_suspect, _without];

    public BlameRequest Request(ParseResult parse, BlameRequest request) => request with
    {
        Without = parse.GetValue(_without),
        Suspect = parse.GetValue(_suspect),
    };

    /// <summary>What is wrong with the names; null when nothing is.</summary>
    public string? Problem(ParseResult parse) =>
        IsBlank(parse.GetValue(_without)) ? "--without: a name such as nic.sys is expected"
        : IsBlank(parse.GetValue(_suspect)) ? "--suspect: a name such as nvlddmkm.sys is expected"
        : null;

    private static bool IsBlank(string? name) => name is not null && string.IsNullOrWhiteSpace(name);
}
