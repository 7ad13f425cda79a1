using System.Text;

namespace Tracer.TracerCommand.Commands.Service;

/// <summary>
/// The command line that the service manager stores and starts. Each argument is quoted so that Windows' programs read it as it was
/// (Learn, "Parsing C++ command-line arguments"; CommandLineToArgvW): blanks and quotation marks are kept, backslashes doubled only in
/// front of a quotation mark. The program's path is always quoted: without, Windows would try C:\Program.exe first.
/// </summary>
public static class ServiceCommandLine
{
    /// <exception cref="ArgumentException">The path has a quotation mark, which no path of Windows has.</exception>
    public static string Of(string program, IEnumerable<string> arguments)
    {
        ArgumentNullException.ThrowIfNull(program);
        ArgumentNullException.ThrowIfNull(arguments);
        if (program.Contains('"', StringComparison.Ordinal))
        {
            throw new ArgumentException("a path has no quotation mark", nameof(program));
        }

        var line = new StringBuilder().Append('"').Append(program).Append('"');
        foreach (string argument in arguments)
        {
            line.Append(' ');
            Append(line, argument);
        }

        return line.ToString();
    }

    private static void Append(StringBuilder line, string argument)
    {
        if (argument.Length > 0 && argument.AsSpan().IndexOfAny([' ', '\t', '\n', '\v', '"']) < 0)
        {
            line.Append(argument);
            return;
        }

        line.Append('"');
        int backslashes = 0;
        foreach (char one in argument)
        {
            if (one == '\\')
            {
                backslashes++;
                continue;
            }

            // A quotation mark needs one more, and itself would make halves of those in front of it.
            line.Append('\\', one == '"' ? (2 * backslashes) + 1 : backslashes).Append(one);
            backslashes = 0;
        }

        line.Append('\\', 2 * backslashes).Append('"');
    }
}
