using Spectre.Console;
using Spectre.Console.Rendering;
using Tracer.Capture.Ground;

namespace Tracer.TracerCommand.Common.Screen;

/// <summary>
/// A capture on a terminal, drawn anew a few times a second by a thread of its own: the engine only leaves the latest status here. When it
/// is over the screen is cleared, and what happened stands there as plain lines.
/// </summary>
internal sealed class LiveScreen : ICaptureScreen
{
    /// <summary>What is printed at the end; a run of days has more than a user wants to scroll through.</summary>
    private const int MostHappened = 200;
    private const int MostNotes = 10;

    private static readonly TimeSpan Refresh = TimeSpan.FromMilliseconds(250);

    private readonly IAnsiConsole _console;
    private readonly bool _hasKeys;
    private readonly Thread _drawing;
    private readonly ManualResetEventSlim _isOver = new();
    private readonly Lock _lock = new();
    private readonly Queue<CaptureNote> _notes = new();
    private readonly Queue<string> _happened = new();
    private CaptureStatus? _status;

    /// <summary>Begins to draw as soon as there is something to.</summary>
    public LiveScreen(IAnsiConsole console, bool hasKeys = false)
    {
        _console = console;
        _hasKeys = hasKeys;
        _drawing = new Thread(Draw) { IsBackground = true };
        _drawing.Start();
    }

    public TimeSpan StatusInterval => Refresh;

    /// <summary>What a terminal is given to show a page: a line each, cut at its edge, as many as it has room for.</summary>
    public static IRenderable Renderable(ReportPage page, int height)
    {
        // The last line of a terminal scrolls.
        IEnumerable<IRenderable> lines = page.Lines.Take(Math.Max(1, height - 1)).Select(line =>
        {
            var text = new Paragraph { Overflow = Overflow.Crop };
            foreach (PagePiece piece in line)
            {
                text.Append(piece.Text, PagePrinter.StyleOf(piece.Ink));
            }

            // A row without text would take none.
            return line.Count == 0 ? (IRenderable)new Text(" ") : text;
        });
        return new Rows(lines);
    }

    public void OnStatus(CaptureStatus status) => Volatile.Write(ref _status, status);

    public void OnNote(CaptureNoteLevel level, string text)
    {
        lock (_lock)
        {
            Add(_notes, new CaptureNote(level, text), MostNotes);
            Add(_happened, level == CaptureNoteLevel.Warning ? $"warning: {text}" : text, MostHappened);
        }
    }

    public void OnEpisode(CapturedEpisode episode) => Happened(CaptureSentences.Of(episode));

    public void OnDropped(CapturedEpisode episode) => Happened(CaptureSentences.Dropped(episode));

    public void Dispose()
    {
        _isOver.Set();
        _drawing.Join();
        foreach (string line in _happened)
        {
            _console.WriteLine(line);
        }

        _happened.Clear();
        _isOver.Dispose();
    }

    private void Happened(string line)
    {
        lock (_lock)
        {
            Add(_happened, line, MostHappened);
        }
    }

    private static void Add<T>(Queue<T> queue, T item, int most)
    {
        queue.Enqueue(item);
        if (queue.Count > most)
        {
            queue.Dequeue();
        }
    }

    private void Draw() => _console.Live(new Text("starting")).AutoClear(true).Overflow(VerticalOverflow.Crop).Start(context =>
    {
        do
        {
            if (Volatile.Read(ref _status) is { } status)
            {
                CaptureNote[] notes;
                lock (_lock)
                {
                    notes = [.. _notes];
                }

                context.UpdateTarget(Renderable(CaptureView.Of(status, notes, _hasKeys), _console.Profile.Height));
            }
        }
        while (!_isOver.Wait(Refresh));
    });
}
