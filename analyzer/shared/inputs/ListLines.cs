using System.Text;

namespace Tracer.AnalyzerShared.Inputs;

/// <summary>The lines of a list that somebody gave: a file of another kind, or one without an end, is told from it.</summary>
internal static class ListLines
{
    private const int LongestLine = 1 << 15;

    /// <summary>The next line of a list; null behind the last one.</summary>
    /// <exception cref="IOException">It is longer than any path or address.</exception>
    public static string? Next(TextReader list, string name, int number)
    {
        var line = new StringBuilder();
        int letter;
        while ((letter = list.Read()) is >= 0 and not '\n')
        {
            if (line.Length == LongestLine)
            {
                throw new IOException($"{name}, line {number} has more than {LongestLine:N0} characters, which no path has: is it a list?");
            }

            line.Append((char)letter);
        }

        return letter < 0 && line.Length == 0 ? null : line.ToString().TrimEnd('\r');
    }
}
