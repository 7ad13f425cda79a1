using System.CommandLine;
using System.CommandLine.Parsing;
using Tracer.Analysis.Latencies;

namespace Tracer.AnalyzerCommand.Commands.Latency;

/// <summary>The options that say which latencies are measured, and what they are told apart by.</summary>
internal sealed class LatencyOptions
{
    private static readonly NamedChoice<LatencyKind> Kinds = NamedChoice.OfAll<LatencyKind>();
    private static readonly NamedChoice<LatencySource> Sources = NamedChoice.OfAll<LatencySource>();
    private static readonly NamedChoice<LatencyDimensions> Dimensions =
        new([.. LatencyRequest.Each.Select(one => (KebabCase.Of(one), one))]);

    private readonly Option<LatencyKind[]?> _kinds = List(
        "--kind", "Only these kinds of latency: " + string.Join(", ", Enum.GetValues<LatencyKind>().Select(KebabCase.Of)) + ".", Kinds);

    private readonly Option<LatencySource[]?> _sources = List(
        "--source",
        "Only what these measured: " + string.Join(", ", Enum.GetValues<LatencySource>().Select(KebabCase.Of)) + ".",
        Sources);

    private readonly Option<LatencyDimensions[]?> _splits = new("--per")
    {
        Description = "Tell apart by these: trace, cpu, priority, group (of priorities), process, label (marks); cpu+priority by both at "
            + "once; 'none' for totals alone [default: each; the text shows group and label, and trace where there are several].",
        HelpName = "LIST",
        CustomParser = ParseSplits,
    };

    /// <summary>The options, in the order of the help.</summary>
    public IEnumerable<Option> All => [_kinds, _sources, _splits];

    /// <summary>Whether the user said what to tell apart.</summary>
    public bool HasSplits(ParseResult parse) => parse.GetResult(_splits) is not null;

    public LatencyRequest Request(ParseResult parse) => new()
    {
        Kinds = parse.GetResult(_kinds) is null ? null : parse.GetValue(_kinds)!.ToHashSet(),
        Sources = parse.GetResult(_sources) is null ? null : parse.GetValue(_sources)!.ToHashSet(),
        Splits = HasSplits(parse) ? parse.GetValue(_splits)! : LatencyRequest.Each,
    };

    private static Option<T[]?> List<T>(string name, string description, NamedChoice<T> names)
        where T : struct, Enum
    {
        var option = new Option<T[]?>(name)
        {
            Description = description,
            HelpName = "LIST",
            CustomParser = result =>
            {
                List<T> found = [];
                foreach (string one in result.Tokens[0].Value.Split(','))
                {
                    if (!names.TryRead(result, one, out T value, isLoose: true))
                    {
                        return null;
                    }

                    found.Add(value);
                }

                return [.. found];
            },
        };
        names.Complete(option);
        return option;
    }

    private static LatencyDimensions[]? ParseSplits(ArgumentResult result)
    {
        string text = result.Tokens[0].Value;
        if (text == "none")
        {
            return [];
        }

        List<LatencyDimensions> splits = [];
        foreach (string list in text.Split(','))
        {
            LatencyDimensions split = LatencyDimensions.None;
            foreach (string name in list.Split('+'))
            {
                if (!Dimensions.TryRead(result, name, out LatencyDimensions one, isLoose: true))
                {
                    return null;
                }

                split |= one;
            }

            if (!splits.Contains(split))
            {
                splits.Add(split);
            }
        }

        return [.. splits];
    }
}
