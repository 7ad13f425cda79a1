using System.Diagnostics.CodeAnalysis;

namespace Tracer.Capture.Triggers.Events;

/// <summary>
/// An event that is to trigger, as the user wrote it: <c>event:PROVIDER/ID[:FIELD&gt;VALUE]</c> or <c>event:PRESET</c>. Whether the machine
/// has such an event is asked later (<see cref="EventRule"/>).
/// </summary>
public sealed record EventCondition
{
    /// <summary>How such a trigger begins.</summary>
    public const string Prefix = "event:";

    /// <summary>What is expected, for messages.</summary>
    public const string Form = "event:PROVIDER/ID[:FIELD>VALUE]";

    /// <summary>Stands for every event of a provider, in place of an id.</summary>
    public const string AnyId = "*";

    /// <summary>Begins the name of a provider that is not registered: its GUID is made from the name (EventSource, TraceLogging).</summary>
    public const char UnregisteredMark = '*';

    // The longer ones first, since the shorter ones begin them.
    private static readonly (string Sign, FieldComparison Comparison)[] Comparisons =
    [
        (">=", FieldComparison.GreaterOrEqual),
        ("<=", FieldComparison.LessOrEqual),
        ("!=", FieldComparison.NotEqual),
        (">", FieldComparison.Greater),
        ("<", FieldComparison.Less),
        ("=", FieldComparison.Equal),
    ];

    /// <summary>As the user wrote it.</summary>
    public required string Text { get; init; }

    /// <summary>The provider: a registered name, a GUID, or a name behind a star.</summary>
    public required string Provider { get; init; }

    /// <summary>Ids of the events; empty for every event of the provider.</summary>
    public required IReadOnlyList<ushort> Ids { get; init; }

    /// <summary>Whether it is a preset: then the machine need not have all of its ids.</summary>
    public bool IsPreset { get; init; }

    /// <summary>What a field of the event must be; null for nothing.</summary>
    public FieldTest? Test { get; init; }

    /// <param name="problem">What is wrong, as a sentence's end that says what to write.</param>
    /// <returns>False where something is wrong.</returns>
    public static bool TryParse(
        string text, [NotNullWhen(true)] out EventCondition? condition, [NotNullWhen(false)] out string? problem)
    {
        ArgumentNullException.ThrowIfNull(text);
        condition = null;
        string rest = text.StartsWith(Prefix, StringComparison.OrdinalIgnoreCase) ? text[Prefix.Length..].Trim() : text.Trim();
        int slash = SlashOf(rest);
        if (slash < 0)
        {
            condition = EventPresets.Find(rest) is { } preset
                ? new EventCondition { Text = text, Provider = preset.Provider, Ids = preset.Ids, IsPreset = true }
                : null;
            problem = condition is null
                ? $"'{text}' names no event: {Form} is expected, or one of {string.Join(", ", EventPresets.All.Select(Named))}"
                : null;
            return condition is not null;
        }

        string provider = rest[..slash].Trim();
        string behind = rest[(slash + 1)..];
        int colon = behind.IndexOf(':', StringComparison.Ordinal);
        string id = (colon < 0 ? behind : behind[..colon]).Trim();
        if (provider.TrimStart(UnregisteredMark).Length == 0)
        {
            problem = $"'{text}' names no provider in front of the slash: {Form} is expected";
            return false;
        }

        if (!TryReadIds(id, out IReadOnlyList<ushort> ids))
        {
            problem = $"'{id}' in '{text}' is not an event id: a number from 0 to {ushort.MaxValue} is expected, or {AnyId} for all events";
            return false;
        }

        FieldTest? test = null;
        if (colon >= 0 && !TryReadTest(behind[(colon + 1)..], out test, out problem))
        {
            problem = $"'{text}': {problem}";
            return false;
        }

        condition = new EventCondition { Text = text, Provider = provider, Ids = ids, Test = test };
        problem = null;
        return true;
    }

    private static string Named(EventPreset preset) => Prefix + preset.Name;

    /// <summary>The slash between provider and id: the last one in front of the comparison.</summary>
    private static int SlashOf(string rest)
    {
        int colon = rest.IndexOf(':', StringComparison.Ordinal);
        return (colon < 0 ? rest : rest[..colon]).LastIndexOf('/');
    }

    private static bool TryReadIds(string text, out IReadOnlyList<ushort> ids)
    {
        ids = [];
        if (text == AnyId)
        {
            return true;
        }

        if (!ushort.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out ushort id))
        {
            return false;
        }

        ids = [id];
        return true;
    }

    private static bool TryReadTest(string text, out FieldTest? test, [NotNullWhen(false)] out string? problem)
    {
        test = null;
        int at = text.IndexOfAny(['>', '<', '=', '!']);
        (string? sign, FieldComparison comparison) = at < 0
            ? default
            : Comparisons.FirstOrDefault(one => text.AsSpan(at).StartsWith(one.Sign, StringComparison.Ordinal));
        if (sign is null || text[..at].Trim().Length == 0)
        {
            problem = "after the second colon a field, one of > >= < <= = != and a value are expected, such as Count>3";
            return false;
        }

        string value = text[(at + sign.Length)..].Trim();
        value = value.Length >= 2 && value[0] == '"' && value[^1] == '"' ? value[1..^1] : value;
        test = new FieldTest(text[..at].Trim(), comparison, value);
        problem = value.Length == 0 ? $"a value is expected after {sign}"
            : test.AsksOrder && !test.IsNumber ? $"'{value}' is not a number, and texts can be compared by = and != only"
            : null;
        return problem is null;
    }
}
