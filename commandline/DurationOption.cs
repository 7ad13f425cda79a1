using System.CommandLine;
using System.CommandLine.Parsing;

namespace Tracer.CommandLine;

/// <summary>Makes options that take a <see cref="Duration"/>, such as <c>--threshold 500us</c>.</summary>
public static class DurationOption
{
    /// <param name="name">Its name with the two dashes.</param>
    /// <param name="defaultValue">Its value when it is not given; null for none.</param>
    public static Option<Duration?> Create(string name, string description, Duration? defaultValue = null) => new(name)
    {
        Description = description,
        HelpName = "DURATION",
        CustomParser = Parse,
        DefaultValueFactory = _ => defaultValue,
    };

    private static Duration? Parse(ArgumentResult result)
    {
        if (Duration.TryParse(result.Tokens[0].Value, out Duration duration, out string? problem))
        {
            return duration;
        }

        result.AddError(result.Parent is OptionResult option ? $"{option.Option.Name}: {problem}" : problem!);
        return null;
    }
}
