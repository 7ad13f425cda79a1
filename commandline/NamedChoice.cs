using System.CommandLine;
using System.CommandLine.Parsing;

namespace Tracer.CommandLine;

/// <summary>A table of the names that an option takes and of what each stands for: the one place that reads such a name.</summary>
/// <param name="table">The names in the order of the help; the first holds where the option is not given.</param>
public sealed class NamedChoice<T>(params IReadOnlyList<(string Name, T Value)> table)
    where T : struct, Enum
{
    /// <summary>The names as a refusal lists them; with commas when left out.</summary>
    public string? Listed { get; init; }

    /// <summary>The names as the help shows them: <c>text|json</c>.</summary>
    public string HelpName => string.Join('|', Names);

    private IEnumerable<string> Names => table.Select(one => one.Name);

    /// <param name="name">Its name with the two dashes.</param>
    public Option<T> Option(string name, string description)
    {
        var option = new Option<T>(name) { Description = description, HelpName = HelpName, CustomParser = Parse };
        Complete(option);
        return option;
    }

    /// <summary>Has shells complete an option with the names, which stand for the names of the enumeration.</summary>
    public void Complete(Option option)
    {
        ArgumentNullException.ThrowIfNull(option);
        option.CompletionSources.Clear();
        option.CompletionSources.Add([.. Names]);
    }

    public string NameOf(T value) => table.First(one => EqualityComparer<T>.Default.Equals(one.Value, value)).Name;

    /// <summary>Reads an option's value: the first of the table, and an error in the result, where it is none of the names.</summary>
    public T Parse(ArgumentResult result)
    {
        ArgumentNullException.ThrowIfNull(result);
        return TryRead(result, result.Tokens[0].Value, out T value) ? value : table[0].Value;
    }

    /// <summary>Reads a name that an option's value holds; an error in the result where it is none.</summary>
    /// <param name="isLoose">Whether letters in upper case and blanks around it do not matter.</param>
    public bool TryRead(ArgumentResult result, string written, out T value, bool isLoose = false)
    {
        ArgumentNullException.ThrowIfNull(result);
        ArgumentNullException.ThrowIfNull(written);
        foreach ((string name, T named) in table)
        {
            if (isLoose ? name.Equals(written.Trim(), StringComparison.OrdinalIgnoreCase) : name == written)
            {
                value = named;
                return true;
            }
        }

        string others = table.Count == 2 && Listed is null
            ? $"neither {table[0].Name} nor {table[1].Name}"
            : $"not one of {Listed ?? string.Join(", ", Names)}";
        result.AddError($"{(result.Parent as OptionResult)?.Option.Name}: '{written}' is {others}");
        value = default;
        return false;
    }
}

/// <summary>Makes tables of names.</summary>
public static class NamedChoice
{
    /// <summary>A table of all values of an enumeration, in kebab case.</summary>
    public static NamedChoice<T> OfAll<T>()
        where T : struct, Enum => new([.. Enum.GetValues<T>().Select(value => (KebabCase.Of(value), value))]);
}
