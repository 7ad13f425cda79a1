using System.Text;

namespace Tracer.AnalyzerCommand.Commands.Fleet.Store;

/// <summary>Texts in ClickHouse's tables of tabs and in its SQL.</summary>
internal static class ClickHouseText
{
    public static void Add(StringBuilder rows, object[] values)
    {
        for (int i = 0; i < values.Length; i++)
        {
            rows.Append(i == 0 ? "" : "\t");
            switch (values[i])
            {
                case string text:
                    Escape(rows, text);
                    break;
                case (long Bucket, long Count)[] buckets:
                    Array(rows, buckets.Select(one => one.Bucket));
                    rows.Append('\t');
                    Array(rows, buckets.Select(one => one.Count));
                    break;
                default:
                    rows.Append(CultureInfo.InvariantCulture, $"{values[i]}");
                    break;
            }
        }

        rows.Append('\n');
    }

    public static string Literal(string text)
    {
        var literal = new StringBuilder("'");
        Escape(literal, text);
        return literal.Append('\'').ToString();
    }

    public static string Read(string cell)
    {
        if (!cell.Contains('\\', StringComparison.Ordinal))
        {
            return cell;
        }

        var text = new StringBuilder();
        for (int i = 0; i < cell.Length; i++)
        {
            text.Append(cell[i] != '\\' || i + 1 == cell.Length ? cell[i] : cell[++i] switch
            {
                't' => '\t',
                'n' => '\n',
                'r' => '\r',
                'b' => '\b',
                'f' => '\f',
                '0' => '\0',
                char other => other,
            });
        }

        return text.ToString();
    }

    private static void Array(StringBuilder rows, IEnumerable<long> numbers) =>
        rows.Append('[').AppendJoin(',', numbers.Select(number => number.ToString(CultureInfo.InvariantCulture))).Append(']');

    private static void Escape(StringBuilder target, string text)
    {
        foreach (char letter in text)
        {
            _ = letter switch
            {
                '\\' => target.Append("\\\\"),
                '\'' => target.Append("\\'"),
                '\t' => target.Append("\\t"),
                '\n' => target.Append("\\n"),
                '\r' => target.Append("\\r"),
                '\0' => target.Append("\\0"),
                _ => target.Append(letter),
            };
        }
    }
}
