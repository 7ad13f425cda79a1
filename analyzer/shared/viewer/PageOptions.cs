using System.CommandLine;
using Tracer.Analysis.Request;
using Tracer.AnalyzerShared.Options;

namespace Tracer.AnalyzerShared.Viewer;

/// <summary>The options of <c>analyzer report</c> that say what is looked at, read as the command line reads them.</summary>
internal sealed class PageOptions
{
    private readonly BlameOptions _blame = new();
    private readonly CulpritOptions _culprits = new();
    private readonly Command _command = new("blame");

    public PageOptions()
    {
        foreach (Option option in _blame.All.Concat(_culprits.All))
        {
            _command.Add(option);
        }
    }

    /// <param name="arguments">Options with their values behind an equals sign, such as <c>--threshold=1ms</c>.</param>
    /// <param name="problem">What is wrong with them, beginning with the option's name; null when nothing is.</param>
    public BlameRequest? Request(IReadOnlyList<string> arguments, out string? problem)
    {
        ParseResult parse = _command.Parse(arguments);
        problem = parse.Errors.Count > 0
            ? parse.Errors[0].Message.TrimEnd('.')
            : _blame.Problem(parse) ?? _culprits.Problem(parse);
        return problem is null ? _culprits.Request(parse, _blame.Request(parse, withStrips: false)) with { WithLanes = true } : null;
    }
}
