using System.Collections.Immutable;
using System.Text.RegularExpressions;

namespace Tracer.Etl.Decoding;

/// <summary>
/// Reads trace message format text (.tmf), which names the messages of one or more source files:
/// <code>
/// 744151fd-b3f4-32e6-38eb-0fd11e3fb62d component // SRC=file.cpp MJ= MN=
/// #typev file_cpp27 10 "%0name=%10!s! id=%11!d!" //   LEVEL=GENERAL FUNC=main
/// {
/// names[i], ItemString -- 10
/// i, ItemLong -- 11
/// }
/// #enumv _MYSTATE
/// {
/// StateIdle,0x0
/// }
/// </code>
/// What cannot be read is counted and left out.
/// </summary>
public sealed partial class TmfFile
{
    /// <summary>Arguments of one message; a payload cannot hold more that have any bytes.</summary>
    private const int MaximumArguments = 1024;

    private readonly List<Part> _parts = [];
    private readonly Dictionary<string, ValueMap> _enumerations = new(StringComparer.Ordinal);
    private readonly List<WppMessage> _messages = [];
    private Guid _id;
    private string? _component;
    private string _source = "";

    private TmfFile()
    {
    }

    /// <summary>The messages.</summary>
    public IReadOnlyList<WppMessage> Messages => _messages;

    /// <summary>Messages, arguments and enumerations that could not be read.</summary>
    public int Malformed { get; private set; }

    /// <summary>Reads a text.</summary>
    /// <param name="text">The text of one file, or of several in a row.</param>
    public static TmfFile Parse(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        var file = new TmfFile();
        using var reader = new StringReader(text);
        while (reader.ReadLine() is string line)
        {
            file.Take(line.Trim(), reader);
        }

        file.EndSource();
        return file;
    }

    private void Take(string line, StringReader reader)
    {
        if (line.StartsWith("#typ", StringComparison.Ordinal))
        {
            TakeMessage(line, reader);
        }
        else if (line.StartsWith("#enum", StringComparison.Ordinal))
        {
            TakeEnumeration(line, reader);
        }
        else if (line.Length >= 36 && Guid.TryParseExact(line[..36], "D", out Guid id))
        {
            EndSource();
            string[] halves = line[36..].Split("//", 2);
            _id = id;
            _component = halves[0].Trim();
            _source = halves.Length == 2 ? Properties(halves[1]).GetValueOrDefault("SRC", "") : "";
        }
    }

    private void TakeMessage(string line, StringReader reader)
    {
        List<string> block = Block(reader);
        Match match = MessageLine().Match(line);
        if (!match.Success || _component is null || block.Count > MaximumArguments
            || !ushort.TryParse(match.Groups["number"].ValueSpan, NumberStyles.None, CultureInfo.InvariantCulture, out ushort number))
        {
            Malformed++;
            return;
        }

        string name = match.Groups["name"].Value;
        Dictionary<string, string> properties = Properties(match.Groups["properties"].Value);
        properties.TryAdd("FILE", _source);
        properties.TryAdd("LINE", LastDigits().Match(name).Value);
        _parts.Add(new Part(number, name, match.Groups["text"].Value, properties, block));
    }

    private void TakeEnumeration(string line, StringReader reader)
    {
        var entries = new List<KeyValuePair<ulong, string>>();
        foreach (string entry in Block(reader))
        {
            int comma = entry.LastIndexOf(',');
            if (comma > 0 && WppArgument.TryNumber(entry[(comma + 1)..], out ulong value))
            {
                entries.Add(new(value, entry[..comma].Trim()));
            }
            else
            {
                Malformed++;
            }
        }

        string[] words = line.Split(' ', 2, StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries);
        if (words.Length == 2)
        {
            _enumerations[words[1]] = new ValueMap(words[1], isFlags: false, entries);
        }
        else
        {
            Malformed++;
        }
    }

    /// <summary>Enumerations stand behind the messages that use them, so messages are made at the end of their source file.</summary>
    private void EndSource()
    {
        foreach (Part part in _parts)
        {
            WppFormat format = WppFormat.Parse(part.Text, part.Properties);
            var arguments = new List<WppArgument>();
            foreach (string line in part.Arguments)
            {
                Match match = ArgumentLine().Match(line);
                if (match.Success
                    && int.TryParse(match.Groups["index"].ValueSpan, NumberStyles.None, CultureInfo.InvariantCulture, out int index))
                {
                    arguments.Add(WppArgument.Make(
                        index,
                        match.Groups["expression"].Value.Trim(),
                        match.Groups["item"].Value.Trim(),
                        format.ConversionOf(index),
                        _enumerations));
                }
                else
                {
                    Malformed++;
                }
            }

            ImmutableArray<WppArgument> ordered = [.. arguments.OrderBy(argument => argument.Index)];
            _messages.Add(new WppMessage(_id, part.Number, _component ?? "", part.Name, part.Text, format, ordered, part.Properties));
        }

        _parts.Clear();
        _enumerations.Clear();
    }

    /// <summary>The lines between braces, if braces follow.</summary>
    private static List<string> Block(StringReader reader)
    {
        var lines = new List<string>();
        if (reader.Peek() != '{')
        {
            return lines;
        }

        reader.ReadLine();
        while (reader.ReadLine()?.Trim() is string line && line != "}")
        {
            if (line.Length > 0)
            {
                lines.Add(line);
            }
        }

        return lines;
    }

    private static Dictionary<string, string> Properties(string text)
    {
        var properties = new Dictionary<string, string>(StringComparer.OrdinalIgnoreCase);
        foreach (string word in text.Split(' ', StringSplitOptions.RemoveEmptyEntries))
        {
            int equals = word.IndexOf('=', StringComparison.Ordinal);
            if (equals > 0)
            {
                properties.TryAdd(word[..equals], word[(equals + 1)..]);
            }
        }

        return properties;
    }

    // The text is quoted as C quotes it; what is behind it is a comment of NAME=VALUE.
    [GeneratedRegex(
        """^#typ[a-z]*\s+(?<name>\S+)\s+(?<number>\d+)\s+"(?<text>(?:[^"\\]|\\.)*)"\s*(?://(?<properties>.*))?$""",
        RegexOptions.NonBacktracking)]
    private static partial Regex MessageLine();

    // Greedy: an expression may hold commas, and the item is the last of them that starts a type.
    [GeneratedRegex(@"^(?<expression>.*),\s*(?<item>Item\w*(?:\s*\(.*\))?)\s*--\s*(?<index>\d+)$", RegexOptions.NonBacktracking)]
    private static partial Regex ArgumentLine();

    [GeneratedRegex(@"\d+$", RegexOptions.NonBacktracking)]
    private static partial Regex LastDigits();

    private sealed record Part(
        ushort Number, string Name, string Text, Dictionary<string, string> Properties, List<string> Arguments);
}
