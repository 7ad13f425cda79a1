using Spectre.Console;
using Spectre.Console.Rendering;

namespace Tracer.CommandLine;

/// <summary>
/// The only way to a terminal for what is drawn in colours or drawn anew: what is shown there is printable, and the terminal is left as it
/// was found.
/// </summary>
public static class Terminal
{
    /// <summary>
    /// The cursor is shown (DECTCEM), and cursor keys and keypad send what they do at a prompt: xterm's rmkx, which .NET does not send when
    /// a process ends that asked for a terminal's size or the cursor's place.
    /// </summary>
    private const string AtRest = "\u001b[?25h\u001b[?1l\u001b>";

    /// <summary>The columns of text that nobody asked to be wider or narrower.</summary>
    public const int UsualColumns = 100;

    private static TextWriter? _used;

    /// <summary>Whether colours are wanted: <c>NO_COLOR</c> is not set (no-color.org).</summary>
    public static bool AreColoursWanted => string.IsNullOrEmpty(Environment.GetEnvironmentVariable("NO_COLOR"));

    /// <summary>
    /// The columns that text for people has: what <c>COLUMNS</c> says, else the width of the terminal that it goes to, else the usual.
    /// </summary>
    public static int ColumnsOf(bool isTerminal) => FromEnvironment("COLUMNS")
        ?? (isTerminal ? SizeOf(static () => Console.WindowWidth) : null)
        ?? UsualColumns;

    /// <summary>The lines of the terminal that text goes to, as <c>LINES</c> or the terminal says; null where it has no end.</summary>
    public static int? RowsOf(bool isTerminal) =>
        isTerminal ? FromEnvironment("LINES") ?? SizeOf(static () => Console.WindowHeight) : null;

    private static int? FromEnvironment(string name) =>
        int.TryParse(Environment.GetEnvironmentVariable(name), NumberStyles.None, CultureInfo.InvariantCulture, out int size) && size > 0
            ? size
            : null;

    private static int? SizeOf(Func<int> of)
    {
        try
        {
            return of() is > 0 and int size ? size : null;
        }
        catch (IOException)
        {
            return null;
        }
    }

    /// <summary>Whether standard output is a terminal, so that lines that scroll by are seen.</summary>
    public static bool IsOutput => !Console.IsOutputRedirected;

    /// <summary>Whether messages go to a terminal, so that a person looks on.</summary>
    public static bool AreMessagesSeen => !Console.IsErrorRedirected;

    /// <returns>Null where it goes elsewhere.</returns>
    public static IAnsiConsole? Of(TextWriter output) =>
        output is PrintableWriter door && ReferenceEquals(door.Inner, Console.Out) && !Console.IsOutputRedirected
            ? Open(Console.Out)
            : null;

    /// <summary>The terminal that messages go to, where <see cref="AreMessagesSeen"/>.</summary>
    public static IAnsiConsole OfMessages() => Open(Console.Error);

    /// <summary>A terminal behind a writer; text that is drawn on it is made printable.</summary>
    /// <param name="writer">The terminal's own writer: escape sequences pass.</param>
    public static IAnsiConsole Open(TextWriter writer)
    {
        _used = writer;
        IAnsiConsole console = AnsiConsole.Create(new AnsiConsoleSettings
        {
            Out = new AnsiConsoleOutput(writer),
            ColorSystem = AreColoursWanted ? ColorSystemSupport.Detect : ColorSystemSupport.NoColors,
        });
        console.Pipeline.Attach(new PrintableSegments());
        return console;
    }

    /// <summary>Leaves the terminal as it was found; nothing where none was used, or where it knows no such sequences.</summary>
    public static void Restore()
    {
        TextWriter? used = Interlocked.Exchange(ref _used, null);
        if (used is null || OperatingSystem.IsWindows() || Environment.GetEnvironmentVariable("TERM") is null or "" or "dumb")
        {
            return;
        }

        try
        {
            used.Write(AtRest);
            used.Flush();
        }
        catch (IOException)
        {
            // The terminal is gone.
        }
    }

    private sealed class PrintableSegments : IRenderHook
    {
        public IEnumerable<IRenderable> Process(RenderOptions options, IEnumerable<IRenderable> renderables) =>
            renderables.Select(one => new Printable(one));

        private sealed class Printable(IRenderable inner) : IRenderable
        {
            public Measurement Measure(RenderOptions options, int maxWidth) => inner.Measure(options, maxWidth);

            public IEnumerable<Segment> Render(RenderOptions options, int maxWidth) =>
                inner.Render(options, maxWidth).Select(segment => segment.IsControlCode || segment.IsLineBreak
                    ? segment
                    : new Segment(PrintableText.Of(segment.Text), segment.Style));
        }
    }
}
