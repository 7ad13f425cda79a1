using System.CommandLine;
using System.CommandLine.Parsing;
using Tracer.Analysis.Request;

namespace Tracer.AnalyzerShared.Options;

/// <summary>The options that say which part of a trace is of interest, and from where its seconds count.</summary>
internal sealed class TimeOptions
{
    private readonly Option<TimePoint?> _from;
    private readonly Option<TimePoint?> _to;
    private readonly Option<TimePoint?> _at;
    private readonly Option<TimePoint?> _zero;
    private readonly Predicate<string>? _isOther;

    /// <param name="isOther">Which values of <c>--to</c> mean something else than a time, by <see cref="Other"/>; null for none.</param>
    public TimeOptions(string ofFrom, string ofTo, Predicate<string>? isOther = null)
    {
        _isOther = isOther;
        (Duration before, Duration after) = TraceTimes.Around;
        _from = Create("--from", $"Only {ofFrom}: a duration from the start of the trace (1.5s), a time of its clock (18:36:40, "
            + "2026-08-30T04:56:58Z), a mark (mark:NAME), the first event of a name (event:NAME, event:PROVIDER/NAME) or a glitch that "
            + "Windows recorded (glitch, glitch:N).");
        _to = Create("--to", $"Only {ofTo}.");
        if (isOther is not null)
        {
            _to.CustomParser = result => isOther(result.Tokens[0].Value) ? null : Parse(result);
        }

        _at = Create("--at", $"As --from {before} before this time and --to {after} after it.");
        _zero = Create("--zero", "Count all seconds from this time, in what is written and in what is printed.");
    }

    /// <summary>The options, in the order of the help.</summary>
    public IEnumerable<Option> All => [_from, _to, _at, _zero];

    /// <summary>The value of <c>--to</c> that is no time but something else; null where it is a time, or not there.</summary>
    public string? Other(ParseResult parse) =>
        parse.GetResult(_to) is { Tokens: [var only] } && _isOther?.Invoke(only.Value) == true ? only.Value : null;

    /// <summary>What is wrong with the values, each of which is right by itself; null when nothing is.</summary>
    public string? Problem(ParseResult parse)
    {
        RequestedTimes times = Times(parse);
        if (times is { At: not null, From: not null } or { At: not null, To: not null })
        {
            return "--at says from when to when by itself; leave --from and --to out";
        }

        return times is { From.FromStart: { } from, To.FromStart: { } to } && from > to
            ? $"--from {from} is later than --to {to}"
            : null;
    }

    public RequestedTimes Times(ParseResult parse) => new()
    {
        From = parse.GetValue(_from),
        To = Other(parse) is null ? parse.GetValue(_to) : null,
        At = parse.GetValue(_at),
        Zero = parse.GetValue(_zero),
    };

    /// <summary>A request with the times: durations as they are, all else to be found in the trace.</summary>
    public BlameRequest Request(ParseResult parse, BlameRequest request)
    {
        RequestedTimes times = Times(parse);
        return times is { At: null, Zero: null } && !times.NeedTrace
            ? request with { From = times.From?.FromStart, To = times.To?.FromStart }
            : request with { Times = times };
    }

    /// <summary>What the times are in a trace; nothing where none is asked for.</summary>
    /// <param name="reader">The trace, which is read where a time of its clock or a mark is asked for.</param>
    /// <exception cref="MeaninglessRequestException">The trace has no such time.</exception>
    public FoundTimes Find(ParseResult parse, EtlReader reader)
    {
        RequestedTimes times = EventTimes.In(Times(parse), reader);
        return times.In(times.NeedTrace ? TraceTimes.Read(reader) : new TraceTimes(reader.Header, 0, 0, [], []));
    }

    private static Option<TimePoint?> Create(string name, string description) => new(name)
    {
        Description = description,
        HelpName = "TIME",
        CustomParser = Parse,
    };

    private static TimePoint? Parse(ArgumentResult result)
    {
        if (TimePoint.TryParse(result.Tokens[0].Value, out TimePoint? point, out string? problem))
        {
            return point;
        }

        result.AddError(result.Parent is OptionResult option ? $"{option.Option.Name}: {problem}" : problem!);
        return null;
    }
}
