using System.CommandLine;
using System.CommandLine.Parsing;

namespace Tracer.AnalyzerShared.Options;

/// <summary>A list of numbers and ranges, as <c>--cpu 0,2-4</c> takes it.</summary>
/// <param name="ranges">The ranges, both ends included.</param>
internal sealed class NumberList(IReadOnlyList<(long First, long Last)> ranges)
{
    /// <summary>Makes an option that takes such a list.</summary>
    /// <param name="name">Its name with the two dashes.</param>
    public static Option<NumberList?> Option(string name, string description) => new(name)
    {
        Description = description,
        HelpName = "LIST",
        CustomParser = Parse,
    };

    public bool Contains(long number)
    {
        foreach ((long first, long last) in ranges)
        {
            if (number >= first && number <= last)
            {
                return true;
            }
        }

        return false;
    }

    public long Largest => ranges.Max(range => range.Last);

    /// <summary>The numbers, each once, in order.</summary>
    /// <param name="most">The largest number there can be: what is above it is left out.</param>
    public IReadOnlyList<int> Numbers(int most)
    {
        var numbers = new SortedSet<int>();
        foreach ((long first, long last) in ranges)
        {
            for (long number = first; number <= Math.Min(last, most); number++)
            {
                numbers.Add((int)number);
            }
        }

        return [.. numbers];
    }

    private static NumberList? Parse(ArgumentResult result)
    {
        List<(long First, long Last)> ranges = [];
        foreach (string part in result.Tokens[0].Value.Split(','))
        {
            string[] ends = part.Split('-', 2);
            if (!TryRead(ends[0], out long first) || !TryRead(ends[^1], out long last) || last < first)
            {
                string option = result.Parent is OptionResult parent ? $"{parent.Option.Name}: " : "";
                result.AddError($"{option}'{part}' is neither a number nor a range; write 0,2-4");
                return null;
            }

            ranges.Add((first, last));
        }

        return new NumberList(ranges);
    }

    private static bool TryRead(string text, out long number) =>
        long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out number);
}
