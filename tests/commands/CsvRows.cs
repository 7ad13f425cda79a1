using System.Text;

namespace Tracer.Commands.Tests;

/// <summary>A reader of RFC 4180, apart from the writer.</summary>
internal static class CsvRows
{
    /// <summary>The rows of a table, cell by cell.</summary>
    public static IEnumerable<string[]> Of(string text)
    {
        List<string> row = [];
        var cell = new StringBuilder();
        bool isQuoted = false;
        for (int i = 0; i < text.Length; i++)
        {
            char letter = text[i];
            if (isQuoted && letter == '"' && i + 1 < text.Length && text[i + 1] == '"')
            {
                cell.Append('"');
                i++;
            }
            else if (letter == '"')
            {
                isQuoted = !isQuoted;
            }
            else if (!isQuoted && (letter is ',' or '\n'))
            {
                row.Add(cell.ToString());
                cell.Clear();
                if (letter == '\n')
                {
                    yield return [.. row];
                    row.Clear();
                }
            }
            else
            {
                cell.Append(letter);
            }
        }
    }
}
