using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Nodes;

namespace Tracer.AnalyzerCommand.Commands.Mcp.Answers;

/// <summary>
/// Cuts JSON until it is small enough for an assistant: lists first, the longest of them most, then texts. What was left out is counted
/// beside it, under <c>leftOut</c>, by the path of the list or text.
/// </summary>
internal static class BoundedJson
{
    /// <summary>The most bytes of an answer's data.</summary>
    public const int MostBytes = 24 * 1024;

    public const int MostCharacters = 12 * 1024;

    private const int LongestText = 2048;
    private const string LeftOut = "leftOut";

    private static readonly JsonSerializerOptions Compact = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    /// <summary>How many bytes JSON takes, in UTF-8 and without blanks.</summary>
    public static int BytesOf(JsonNode? node) => node is null ? 4 : System.Text.Encoding.UTF8.GetByteCount(node.ToJsonString(Compact));

    /// <summary>JSON as text without blanks.</summary>
    public static string TextOf(JsonNode? node) => node?.ToJsonString(Compact) ?? "null";

    /// <summary>Cuts an object in its place.</summary>
    /// <param name="most">The most bytes that it may take.</param>
    public static JsonObject Fit(JsonObject data, int most = MostBytes)
    {
        Dictionary<string, int> leftOut = [];
        int items = 1024;
        int letters = LongestText;
        while (BytesOf(data) + BytesOfNote(leftOut) > most && (items > 0 || letters > 16))
        {
            items /= 2;
            letters = items < 8 ? Math.Max(16, letters / 2) : letters;
            Cut(data, "", items, letters, leftOut);
        }

        if (leftOut.Count > 0)
        {
            data[LeftOut] = NoteOf(leftOut);
        }

        return data;
    }

    /// <summary>A text that is cut where it is too long, and says so.</summary>
    public static string Fit(string text, int most = MostCharacters)
    {
        if (text.Length <= most)
        {
            return text;
        }

        int end = text.LastIndexOf('\n', most) is > 0 and int line ? line : most - (char.IsHighSurrogate(text[most - 1]) ? 1 : 0);
        return string.Create(CultureInfo.InvariantCulture, $"{text[..end]}\n[{text.Length - end} more characters are left out]\n");
    }

    private static void Cut(JsonNode? node, string path, int items, int letters, Dictionary<string, int> leftOut)
    {
        switch (node)
        {
            case JsonObject fields:
                foreach ((string name, JsonNode? value) in fields.ToArray())
                {
                    string place = path.Length == 0 ? name : $"{path}.{name}";
                    if (value is JsonValue text && text.TryGetValue(out string? letter) && letter.Length > letters)
                    {
                        fields[name] = Shortened(letter, letters);
                        leftOut.TryAdd(place, 0);
                    }
                    else
                    {
                        Cut(value, place, items, letters, leftOut);
                    }
                }

                break;
            case JsonArray list:
                while (list.Count > items)
                {
                    list.RemoveAt(list.Count - 1);
                    leftOut[path] = leftOut.GetValueOrDefault(path) + 1;
                }

                for (int i = 0; i < list.Count; i++)
                {
                    if (list[i] is JsonValue text && text.TryGetValue(out string? letter) && letter.Length > letters)
                    {
                        list[i] = Shortened(letter, letters);
                        leftOut.TryAdd(path, 0);
                    }
                    else
                    {
                        Cut(list[i], path, items, letters, leftOut);
                    }
                }

                break;
            default:
                break;
        }
    }

    private static string Shortened(string text, int letters) =>
        string.Concat(text.AsSpan(0, char.IsHighSurrogate(text[letters - 1]) ? letters - 1 : letters), "...");

    private static int BytesOfNote(Dictionary<string, int> leftOut) =>
        leftOut.Count == 0 ? 0 : BytesOf(NoteOf(leftOut)) + LeftOut.Length + 4;

    /// <summary>A path with how many of its items are left out; 0 where a text was cut.</summary>
    private static JsonObject NoteOf(Dictionary<string, int> leftOut)
    {
        var note = new JsonObject();
        foreach ((string place, int count) in leftOut.Take(16))
        {
            note[place.Length > 64 ? place[..64] : place] = count;
        }

        return note;
    }
}
