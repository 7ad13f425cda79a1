using System.CommandLine;
using System.CommandLine.Parsing;

namespace Tracer.CommandLine;

/// <summary>Makes options that take a whole number within limits, such as <c>--top 10</c>.</summary>
public static class NumberOption
{
    /// <param name="name">Its name with the two dashes.</param>
    /// <param name="least">The smallest value.</param>
    /// <param name="most">The largest value.</param>
    /// <param name="defaultValue">Its value when it is not given; null for none.</param>
    public static Option<long?> Create(
        string name, string helpName, string description, long least, long most = long.MaxValue, long? defaultValue = null) => new(name)
        {
            Description = description,
            HelpName = helpName,
            CustomParser = result => Parse(result, name, least, most),
            DefaultValueFactory = _ => defaultValue,
        };

    private static long? Parse(ArgumentResult result, string name, long least, long most)
    {
        string text = result.Tokens[0].Value;
        if (long.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out long number)
            && number >= least && number <= most)
        {
            return number;
        }

        string limits = most == long.MaxValue
            ? string.Create(CultureInfo.InvariantCulture, $"of at least {least}")
            : string.Create(CultureInfo.InvariantCulture, $"from {least} to {most}");
        result.AddError($"{name}: '{text}' is not a whole number {limits}");
        return null;
    }
}
