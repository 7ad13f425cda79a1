namespace Tracer.CommandLine;

/// <summary>Something that the menu offers.</summary>
/// <param name="Question">What is asked first; null for nothing.</param>
/// <param name="Run">Does it, with the answer; empty where nothing was asked.</param>
public sealed record MenuEntry(string Text, string? Question, Action<string> Run);

/// <summary>
/// What a program offers that was started by a double-click, in a window that would close before anything is read: a list to choose from by
/// number, again and again, until the person ends it.
/// </summary>
/// <param name="title">What the program is, in a line.</param>
public sealed class StartMenu(string title, IReadOnlyList<MenuEntry> entries)
{
    private const string End = "q";

    /// <summary>Asks and does until <c>q</c> or the end of input.</summary>
    public void Show(TextReader input, TextWriter output)
    {
        ArgumentNullException.ThrowIfNull(input);
        ArgumentNullException.ThrowIfNull(output);
        while (true)
        {
            output.WriteLine(title);
            output.WriteLine();
            for (int number = 1; number <= entries.Count; number++)
            {
                output.WriteLine($"  {number}  {entries[number - 1].Text}");
            }

            output.WriteLine($"  {End}  end");
            output.WriteLine();
            output.Write("Type a number and press Enter: ");
            string? chosen = input.ReadLine()?.Trim();
            output.WriteLine();
            if (chosen is null or End or "Q")
            {
                return;
            }

            if (!int.TryParse(chosen, NumberStyles.None, CultureInfo.InvariantCulture, out int index) || index < 1 || index > entries.Count)
            {
                output.WriteLine($"'{chosen}' is not one of them.");
                output.WriteLine();
                continue;
            }

            MenuEntry entry = entries[index - 1];
            if (Answer(entry.Question, input, output) is not { } answer)
            {
                continue;
            }

            entry.Run(answer);
            output.WriteLine();
            output.Write("Press Enter to continue. ");
            if (input.ReadLine() is null)
            {
                return;
            }

            output.WriteLine();
        }
    }

    /// <summary>Waits until what was printed has been read: the window closes with the program.</summary>
    public static void Wait(TextReader input, TextWriter output)
    {
        ArgumentNullException.ThrowIfNull(input);
        ArgumentNullException.ThrowIfNull(output);
        output.WriteLine();
        output.Write("Press Enter to close this window. ");
        input.ReadLine();
    }

    /// <summary>The answer, without the quotes in which Windows puts a file that is dragged there; null where there is none.</summary>
    private static string? Answer(string? question, TextReader input, TextWriter output)
    {
        if (question is null)
        {
            return "";
        }

        output.Write(question + " ");
        string? answer = input.ReadLine()?.Trim().Trim('"');
        output.WriteLine();
        return string.IsNullOrEmpty(answer) ? null : answer;
    }
}
