using System.Text;
using System.Text.Json.Nodes;

namespace Tracer.AnalyzerCommand.Commands.Mcp.Answers;

/// <summary>
/// A list that a client reads page by page: as many items as it asks for and as have room, how many there are, and the cursor of the next.
/// </summary>
/// <param name="data">What stands above it.</param>
internal sealed class PagedAnswer(string name, JsonObject data)
{
    /// <summary>What cursors say of themselves, so that one of another tool is told from it.</summary>
    private const string Mark = "after:";

    private readonly JsonArray _items = [];
    private readonly StringBuilder _text = new();
    private readonly int _above = BoundedJson.BytesOf(data) + name.Length + 128;
    private int _bytes;

    /// <summary>The argument that goes on where the last page ended.</summary>
    public static ToolArgument Cursor { get; } = new("cursor", ArgumentKind.Text, "nextCursor of the page before, to go on after it.");

    /// <summary>Makes the argument that says how many items a page has.</summary>
    public static ToolArgument Limit(int usual, int most) => new(
        "limit",
        ArgumentKind.Number,
        $"How many at most [default: {usual}]; fewer come where they are large.")
    {
        Least = 1,
        Most = most,
    };

    /// <summary>How many items were on the pages before.</summary>
    /// <exception cref="ToolProblem">The cursor is none of ours.</exception>
    public static int Before(ToolCall call) => call.Text("cursor") switch
    {
        null => 0,
        { } cursor when cursor.StartsWith(Mark, StringComparison.Ordinal)
            && int.TryParse(cursor.AsSpan(Mark.Length), NumberStyles.None, CultureInfo.InvariantCulture, out int before) => before,
        _ => throw new ToolProblem("cursor: this is not one that a page gave as nextCursor"),
    };

    /// <summary>Adds an item where it has room; a single one that has none is cut.</summary>
    /// <returns>False where the page is full; then it was not added.</returns>
    public bool TryAdd(JsonObject item, string line)
    {
        BoundedJson.Fit(item, BoundedJson.MostBytes / 3);
        int bytes = BoundedJson.BytesOf(item) + 1;
        line = PrintableText.Of(BoundedJson.Fit(line, BoundedJson.MostCharacters / 4).TrimEnd('\n'));
        if (_above + _bytes + bytes > BoundedJson.MostBytes || _text.Length + line.Length + 1 > BoundedJson.MostCharacters)
        {
            return false;
        }

        _bytes += bytes;
        _items.Add((JsonNode)item);
        _text.Append(line).Append('\n');
        return true;
    }

    /// <param name="heading">What stands above the lines of its text: lines without unprintable characters.</param>
    /// <param name="before">How many items were on the pages before.</param>
    /// <param name="total">How many there are; null where that is not known.</param>
    /// <param name="hasMore">Whether there are more behind the page.</param>
    public ToolAnswer Done(string heading, int before, int? total, bool hasMore)
    {
        string? next = hasMore ? string.Create(CultureInfo.InvariantCulture, $"{Mark}{before + _items.Count}") : null;
        if (total is not null)
        {
            data["total"] = total;
        }

        data["first"] = before;
        data["nextCursor"] = next;
        data[name] = _items;
        string more = next is null ? "" : $"[more: ask again with cursor \"{next}\"]\n";
        return new ToolAnswer($"{heading.TrimEnd('\n')}\n{_text}{more}", data);
    }

    /// <summary>A page of a list that is there as a whole.</summary>
    /// <param name="usual">How many where it does not say.</param>
    /// <param name="heading">What stands above the lines, printable.</param>
    public ToolAnswer Of<T>(
        ToolCall call, int usual, IReadOnlyList<T> all, Func<T, JsonObject> item, Func<T, string> line, string heading)
    {
        int before = Math.Min(Before(call), all.Count);
        int most = (int)Math.Min((long)before + (call.Number("limit") ?? usual), all.Count);
        int at = before;
        while (at < most && TryAdd(item(all[at]), line(all[at])))
        {
            at++;
        }

        return Done(heading, before, all.Count, at < all.Count);
    }
}
