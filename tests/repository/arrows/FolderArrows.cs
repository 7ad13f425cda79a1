using System.Text.RegularExpressions;

namespace Tracer.Repository.Tests.Arrows;

/// <summary>That a folder of a project uses another.</summary>
/// <param name="From">The folder below the project's; <c>.</c> for the project's own.</param>
/// <param name="To">The folder that it uses.</param>
/// <param name="Example">One of the types that do, and what it uses.</param>
internal sealed record Arrow(string From, string To, string Example)
{
    public override string ToString() => $"{From} -> {To}: {Example}";
}

/// <summary>The folders of a project, and which of them uses which.</summary>
internal sealed partial class FolderArrows
{
    private readonly Dictionary<(string From, string To), Arrow> _arrows = [];

    /// <param name="types">The project's types.</param>
    /// <param name="folderOf">The folder of a source below the project's; null for one that is generated or stands elsewhere.</param>
    /// <param name="textOf">What a source says.</param>
    public FolderArrows(IReadOnlyList<CompiledType> types, Func<string, string?> folderOf, Func<string, string> textOf)
    {
        Dictionary<string, string> homes = [];
        Dictionary<string, List<CompiledType>> named = [];
        foreach (CompiledType type in types)
        {
            string[] folders = [.. type.Files.Select(folderOf).OfType<string>().Distinct()];
            if (folders.Length > 1)
            {
                Scattered.Add($"{type.FullName} stands in {string.Join(" and ", folders.Order(StringComparer.Ordinal))}");
            }

            if (folders.Length > 0)
            {
                homes[type.FullName] = folders[0];
                named.TryAdd(type.Name, []);
                named[type.Name].Add(type);
            }
        }

        Homes = homes;
        foreach (CompiledType type in types.Where(type => homes.ContainsKey(type.FullName)))
        {
            foreach (string used in type.Uses.Where(homes.ContainsKey))
            {
                Add(homes[type.FullName], homes[used], $"{type.Name} uses {used}");
            }
        }

        foreach (string file in types.SelectMany(type => type.Files).Distinct().Where(file => folderOf(file) is not null))
        {
            AddWhatCodeForgets(file, folderOf(file)!, textOf(file), named);
        }
    }

    public IReadOnlyDictionary<string, string> Homes { get; }

    /// <summary>Types whose parts stand in several folders, as sentences.</summary>
    public List<string> Scattered { get; } = [];

    public IReadOnlyCollection<Arrow> Arrows => _arrows.Values;

    /// <summary>The arrows on whose way one comes back to where they begin: none where the folders can be put into an order.</summary>
    public static Arrow[] Cycles(IReadOnlyCollection<Arrow> arrows)
    {
        ILookup<string, string> next = arrows.ToLookup(arrow => arrow.From, arrow => arrow.To);
        return [.. arrows.Where(arrow => Reached(arrow.To, next).Contains(arrow.From))];
    }

    /// <summary>Arrows that go up where folders are to use only those before them.</summary>
    public static Arrow[] Upward(IEnumerable<Arrow> arrows, string[] order) =>
        [.. arrows.Where(arrow => Array.IndexOf(order, arrow.To) > Array.IndexOf(order, arrow.From))];

    /// <summary>
    /// Code holds no name of a constant's type, nor of one that only <c>nameof</c> or an attribute names: those are read in the text.
    /// </summary>
    private void AddWhatCodeForgets(string file, string folder, string text, Dictionary<string, List<CompiledType>> named)
    {
        foreach (Match use in Forgotten().Matches(Noise().Replace(text, " ")))
        {
            if (!named.TryGetValue(use.Groups["type"].Value, out List<CompiledType>? types)
                || types.Exists(type => type.Files.Contains(file)))
            {
                continue;
            }

            // Of several types of a name none is told apart here; code that uses more than their constants tells them.
            if (types is [CompiledType type] && (!use.Groups["member"].Success || type.Constants.Contains(use.Groups["member"].Value)))
            {
                Add(folder, Homes[type.FullName], $"{Path.GetFileName(file)} names {use.Value}");
            }
        }
    }

    private static HashSet<string> Reached(string from, ILookup<string, string> next)
    {
        HashSet<string> reached = [from];
        Stack<string> left = new(reached);
        while (left.TryPop(out string? folder))
        {
            foreach (string other in next[folder].Where(reached.Add))
            {
                left.Push(other);
            }
        }

        return reached;
    }

    private void Add(string from, string to, string example)
    {
        if (from != to)
        {
            _arrows.TryAdd((from, to), new Arrow(from, to, example));
        }
    }

    [GeneratedRegex(@"//[^\n]*|""(\\.|[^""\\\n])*""")]
    private static partial Regex Noise();

    [GeneratedRegex(@"(?<![\w.])(?<type>[A-Z]\w*)\.(?<member>[A-Z]\w*)|(?<=\b(?:nameof|typeof)\()(?<type>\w+)")]
    private static partial Regex Forgotten();
}
