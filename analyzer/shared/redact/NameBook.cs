using System.Text.RegularExpressions;

namespace Tracer.AnalyzerShared.Redact;

internal enum NameKind
{
    Process,

    /// <summary>A person's account.</summary>
    User,

    Computer,

    /// <summary>Its domain or workgroup.</summary>
    Domain,

    Folder,

    File,

    /// <summary>A library that a program loads.</summary>
    Module,

    /// <summary>A module of the kernel.</summary>
    Driver,

    /// <summary>Who made a module.</summary>
    Company,

    Service,

    Device,

    /// <summary>A mark that somebody set in the recording.</summary>
    Mark,

    /// <summary>A method of the firmware.</summary>
    Method,
}

/// <summary>
/// The names that were replaced and what stands in their place: numbers in the order in which names are met, so that nobody can try out
/// names until one fits. One name has one replacement, whatever its case. Memory is bounded.
/// </summary>
internal sealed class NameBook
{
    /// <summary>Most names of a kind; those beyond have one replacement together.</summary>
    private const int MostNames = 1 << 16;

    /// <summary>
    /// Most names that are looked for in others: machines have some dozens of accounts, and a trace that claims more must not take an hour.
    /// </summary>
    private const int MostSearched = 1 << 10;

    /// <summary>Shorter names are replaced in other names only where they stand alone.</summary>
    private const int LeastInside = 5;

    /// <summary>Shorter ones are not looked for in other names: they are parts of too many words.</summary>
    private const int LeastAlone = 3;

    private static readonly HashSet<string> Common = new(StringComparer.OrdinalIgnoreCase)
    {
        "admin", "administrator", "user", "users", "owner", "guest", "test", "system", "windows", "device", "driver", "local", "network",
        "workgroup", "public", "default",
    };

    private readonly Dictionary<string, string>[] _names =
        [.. Enum.GetValues<NameKind>().Select(_ => new Dictionary<string, string>(StringComparer.OrdinalIgnoreCase))];

    private readonly List<(string Name, string Replacement)> _personal = [];
    private readonly HashSet<string> _reserved = new(StringComparer.OrdinalIgnoreCase);
    private readonly int[] _last = new int[Enum.GetValues<NameKind>().Length];
    private readonly SortedDictionary<(NameKind Kind, string Name), string> _kept = [];

    /// <summary>The names of a kind, in the order in which they were met.</summary>
    public IEnumerable<(string Name, string Replacement)> Of(NameKind kind) => _names[(int)kind].Select(pair => (pair.Key, pair.Value));

    /// <summary>How many names of a kind were replaced.</summary>
    public int Count(NameKind kind) => _names[(int)kind].Count;

    /// <summary>The names that stay, with why, by kind and name.</summary>
    public IEnumerable<(NameKind Kind, string Name, string Why)> Kept => _kept.Select(pair => (pair.Key.Kind, pair.Key.Name, pair.Value));

    /// <summary>Notes that a name stays.</summary>
    /// <returns>The name.</returns>
    public string Keep(NameKind kind, string name, string why)
    {
        if (name.Length > 0 && _kept.Count < MostNames)
        {
            _kept.TryAdd((kind, name), why);
        }

        return name;
    }

    /// <summary>Bars a name that stays from being a replacement: in a pack of a pack it may have that form.</summary>
    public void Reserve(string name)
    {
        if (_reserved.Count < MostNames)
        {
            _reserved.Add(name);
        }
    }

    /// <summary>Whether a name has the form of a replacement, as in a pack it is one.</summary>
    public static bool IsReplacement(NameKind kind, string name) =>
        name.StartsWith(Word(kind) + "-", StringComparison.OrdinalIgnoreCase)
        && !name.AsSpan(Word(kind).Length + 1).ContainsAnyExceptInRange('0', '9');

    public bool Has(NameKind kind, string name) => _names[(int)kind].ContainsKey(name);

    /// <summary>What stands in the place of a name.</summary>
    /// <param name="ending">What follows the number, such as <c>.exe</c>.</param>
    public string Replacement(NameKind kind, string name, string ending = "")
    {
        Dictionary<string, string> names = _names[(int)kind];
        if (names.TryGetValue(name, out string? known))
        {
            return known;
        }

        string word = Word(kind);
        if (names.Count == MostNames)
        {
            return $"{word}-more{ending}";
        }

        string replacement;
        do
        {
            replacement = FormattableString.Invariant($"{word}-{++_last[(int)kind]}");
        }
        while (_reserved.Contains(replacement + ending) || _reserved.Contains(replacement));

        replacement += ending;
        names.Add(name, replacement);
        if (kind is NameKind.User or NameKind.Computer or NameKind.Domain && _personal.Count < MostSearched)
        {
            _personal.Add((name, replacement));
            _personal.Sort(static (one, other) => one.Name.Length != other.Name.Length
                ? other.Name.Length.CompareTo(one.Name.Length)
                : string.CompareOrdinal(one.Name, other.Name));
        }

        return replacement;
    }

    /// <summary>A text that stays, without the names of people, computer and domain that may be parts of it.</summary>
    public string Without(string text)
    {
        foreach ((string name, string replacement) in _personal)
        {
            if (name.Length < LeastAlone || text.IndexOf(name, StringComparison.OrdinalIgnoreCase) < 0)
            {
                continue;
            }

            text = name.Length >= LeastInside && !Common.Contains(name)
                ? text.Replace(name, replacement, StringComparison.OrdinalIgnoreCase)
                : Alone(name).Replace(text, replacement);
        }

        return text;
    }

    private static string Word(NameKind kind) => kind.ToString().ToLowerInvariant();

    private static Regex Alone(string name) => new(
        $"(?<![A-Za-z0-9]){Regex.Escape(name)}(?![A-Za-z0-9])", RegexOptions.IgnoreCase | RegexOptions.CultureInvariant);
}
