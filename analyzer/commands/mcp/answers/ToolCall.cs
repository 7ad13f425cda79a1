using System.Text.Json;
using System.Text.RegularExpressions;

namespace Tracer.AnalyzerCommand.Commands.Mcp.Answers;

/// <summary>The arguments of one call, each of which is of its kind.</summary>
internal sealed partial class ToolCall
{
    /// <summary>The most texts that an argument may have.</summary>
    public const int MostTexts = 256;

    private const int LongestText = 4096;

    private readonly Dictionary<string, string[]> _values = [];

    private ToolCall()
    {
    }

    /// <summary>The arguments in one text: the same for calls that ask for the same.</summary>
    /// <param name="except">Names that make no difference.</param>
    public string Key(params ReadOnlySpan<string> except)
    {
        string[] without = except.ToArray();
        return string.Join('\n', _values.Where(one => !without.Contains(one.Key)).OrderBy(one => one.Key, StringComparer.Ordinal)
            .Select(one => $"{one.Key}={string.Join('\r', one.Value)}"));
    }

    /// <param name="given">As the client wrote them; null for none.</param>
    /// <exception cref="ToolProblem">One is missing, unknown, or of another kind.</exception>
    public static ToolCall Of(IReadOnlyList<ToolArgument> declared, IDictionary<string, JsonElement>? given)
    {
        var call = new ToolCall();
        foreach ((string name, JsonElement value) in given ?? new Dictionary<string, JsonElement>())
        {
            ToolArgument argument = declared.FirstOrDefault(one => one.Name == name)
                ?? throw new ToolProblem($"there is no argument '{Shown(name)}'{Hint(name, declared)}");
            if (value.ValueKind != JsonValueKind.Null)
            {
                call._values.Add(name, Read(argument, value));
            }
        }

        return declared.FirstOrDefault(one => one.IsRequired && !call._values.ContainsKey(one.Name)) is { } missing
            ? throw new ToolProblem($"{missing.Name} is missing: {missing.Description}")
            : call;
    }

    /// <summary>The same call without one of its arguments.</summary>
    public ToolCall Without(string name)
    {
        var call = new ToolCall();
        foreach ((string other, string[] values) in _values.Where(one => one.Key != name))
        {
            call._values.Add(other, values);
        }

        return call;
    }

    /// <summary>A text; null where it was not given.</summary>
    public string? Text(string name) => _values.TryGetValue(name, out string[]? values) ? values[0] : null;

    /// <summary>Texts; none where they were not given.</summary>
    public string[] Texts(string name) => _values.TryGetValue(name, out string[]? values) ? values : [];

    /// <summary>A number; null where it was not given.</summary>
    public int? Number(string name) => Text(name) is { } text ? int.Parse(text, CultureInfo.InvariantCulture) : null;

    /// <summary>The arguments as options of a command line, which knows how to read them.</summary>
    /// <param name="names">Which; an underscore stands for a hyphen.</param>
    public string[] Options(IEnumerable<string> names) =>
        [.. names.SelectMany(name => Texts(name).Select(value => $"--{name.Replace('_', '-')}={value}"))];

    /// <summary>A sentence about options as one about arguments.</summary>
    public static string InWords(string sentence) =>
        OptionName().Replace(sentence, match => match.Groups["name"].Value.Replace('-', '_'));

    private static string[] Read(ToolArgument argument, JsonElement value)
    {
        switch (argument.Kind)
        {
            case ArgumentKind.Number:
                long number = 0;
                bool isNumber = value.ValueKind == JsonValueKind.Number ? value.TryGetInt64(out number)
                    : value.ValueKind == JsonValueKind.String
                        && long.TryParse(value.GetString(), NumberStyles.None, CultureInfo.InvariantCulture, out number);
                return isNumber && number >= argument.Least && number <= argument.Most
                    ? [number.ToString(CultureInfo.InvariantCulture)]
                    : throw new ToolProblem($"{argument.Name}: a whole number from {argument.Least} to {argument.Most} is expected");
            case ArgumentKind.Texts when value.ValueKind == JsonValueKind.Array:
                return value.GetArrayLength() <= MostTexts
                    ? [.. value.EnumerateArray().Select(one => TextOf(argument, one))]
                    : throw new ToolProblem($"{argument.Name}: at most {MostTexts} are taken at once");
            default:
                return [TextOf(argument, value)];
        }
    }

    private static string TextOf(ToolArgument argument, JsonElement value)
    {
        string? text = value.ValueKind switch
        {
            JsonValueKind.String => TryText(value),
            JsonValueKind.Number => value.GetRawText(),
            _ => null,
        };
        if (text is null || text.Length > LongestText)
        {
            throw new ToolProblem($"{argument.Name}: text of at most {LongestText} characters is expected");
        }

        return argument.Choices.Count == 0 || argument.Choices.Contains(text)
            ? text
            : throw new ToolProblem($"{argument.Name}: '{Shown(text)}' is not one of {string.Join(", ", argument.Choices)}");
    }

    /// <summary>Half of a surrogate pair may be written in JSON, and is no text.</summary>
    private static string? TryText(JsonElement value)
    {
        try
        {
            return value.GetString();
        }
        catch (InvalidOperationException)
        {
            return null;
        }
    }

    private static string Hint(string name, IReadOnlyList<ToolArgument> declared) =>
        NearestName.Of(name, declared.Select(one => one.Name)) is { } nearest ? $"; did you mean {nearest}?"
        : declared.Count == 0 ? ": this tool has none"
        : $"; there are {string.Join(", ", declared.Select(one => one.Name))}";

    private static string Shown(string text) => text.Length > 64 ? text[..64] + "..." : text;

    [GeneratedRegex("--(?<name>[a-z][a-z-]*)")]
    private static partial Regex OptionName();
}
