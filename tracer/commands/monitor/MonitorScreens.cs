using Spectre.Console;
using Tracer.TracerCommand.Common.Screen;

namespace Tracer.TracerCommand.Commands.Monitor;

/// <summary>Shows a monitor while it runs; disposed when it is over, before its summary is printed.</summary>
internal interface IMonitorScreen : IMonitorObserver, IDisposable;

internal static class MonitorScreens
{
    /// <summary>JSON lines where they are asked for, a table on a terminal that can move its cursor, plain lines everywhere else.</summary>
    /// <param name="sort">What the drivers are sorted by.</param>
    /// <param name="keys">The keyboard; null where nobody sits at it.</param>
    public static IMonitorScreen For(
        bool isJson, MonitorSort sort, IKeySource? keys, Action end, TextWriter output, TextWriter error) =>
        isJson ? new JsonMonitor(sort, output)
        : Terminal.Of(output) is { } console && console.Profile.Capabilities.Ansi ? new LiveMonitor(console, sort, keys, end)
        : new PlainMonitor(output, error);
}

/// <summary>A monitor on a terminal, drawn anew each half second; keys sort the table.</summary>
internal sealed class LiveMonitor : IMonitorScreen
{
    private const int MostNotes = 4;

    /// <summary>Lines that stand around the drivers.</summary>
    private const int OtherLines = 36;
    private const int LeastDrivers = 8;

    private static readonly TimeSpan Refresh = TimeSpan.FromMilliseconds(500);

    private readonly IAnsiConsole _console;
    private readonly bool _hasKeys;
    private readonly KeyWatch? _keys;
    private readonly Thread _drawing;
    private readonly ManualResetEventSlim _isOver = new();
    private readonly Lock _lock = new();
    private readonly Queue<CaptureNote> _notes = new();
    private MonitorCounts? _counts;
    private int _sort;

    /// <summary>Begins to draw as soon as there is something to.</summary>
    /// <param name="sort">What the drivers are sorted by.</param>
    /// <param name="keys">The keyboard; null for none.</param>
    public LiveMonitor(IAnsiConsole console, MonitorSort sort, IKeySource? keys, Action end)
    {
        _console = console;
        _sort = (int)sort;
        _hasKeys = keys is not null;
        _drawing = new Thread(Draw) { IsBackground = true };
        _drawing.Start();
        _keys = keys is null ? null : new KeyWatch(keys, key => OnKey(key, end));
    }

    public TimeSpan Interval => Refresh;

    /// <summary>What the drivers are sorted by now.</summary>
    public MonitorSort Sort => (MonitorSort)Volatile.Read(ref _sort);

    public void OnCounts(MonitorCounts counts) => Volatile.Write(ref _counts, counts);

    public void OnNote(CaptureNoteLevel level, string text)
    {
        lock (_lock)
        {
            _notes.Enqueue(new CaptureNote(level, text));
            if (_notes.Count > MostNotes)
            {
                _notes.Dequeue();
            }
        }
    }

    public void Dispose()
    {
        _keys?.Dispose();
        _isOver.Set();
        _drawing.Join();
        _isOver.Dispose();
    }

    private void OnKey(ConsoleKeyInfo key, Action end)
    {
        if (key.Key == ConsoleKey.Q)
        {
            end();
        }
        else if (MonitorSorting.OfKey(key.Key) is { } sort)
        {
            Volatile.Write(ref _sort, (int)sort);
        }
    }

    private void Draw() => _console.Live(new Text("starting")).AutoClear(true).Overflow(VerticalOverflow.Crop).Start(context =>
    {
        do
        {
            if (Volatile.Read(ref _counts) is { } counts)
            {
                CaptureNote[] notes;
                lock (_lock)
                {
                    notes = [.. _notes];
                }

                int height = _console.Profile.Height;
                ReportPage page = MonitorView.Of(counts, Sort, Math.Max(LeastDrivers, height - OtherLines), notes, _hasKeys);
                context.UpdateTarget(LiveScreen.Renderable(page, height));
            }
        }
        while (!_isOver.Wait(Refresh));
    });
}

/// <param name="sort">What the drivers are sorted by.</param>
internal sealed class JsonMonitor(MonitorSort sort, TextWriter output) : IMonitorScreen
{
    public TimeSpan Interval => TimeSpan.FromSeconds(1);

    public void OnCounts(MonitorCounts counts) => Write(MonitorJson.Line("status", counts, sort));

    public void OnNote(CaptureNoteLevel level, string text) => Write(MonitorJson.Note(level, text));

    public void Dispose() => output.Flush();

    private void Write(string line)
    {
        output.WriteLine(line);
        output.Flush();
    }
}

/// <summary>A monitor as plain lines, for files, pipes and logs: how it stands each ten seconds. Warnings go where messages go.</summary>
internal sealed class PlainMonitor(TextWriter output, TextWriter error) : IMonitorScreen
{
    public TimeSpan Interval => TimeSpan.FromSeconds(10);

    public static string Line(MonitorCounts counts)
    {
        MonitorDriver? longest = counts.Drivers.MaxBy(static one => one.Max.Nanoseconds);
        return $"{CaptureView.Clock(counts.Elapsed)} "
            + (counts.Wakeups is { } wakeups ? $"worst wake-up {ReadableDuration.Of(wakeups.Worst)}, " : "")
            + (longest is null ? "no ISR or DPC yet" : $"longest ISR or DPC {ReadableDuration.Of(longest.Max)} ({longest.Name})")
            + (GlitchCounts.WordsOf(counts.Glitches.Audio, counts.Glitches.Frames) is { Length: > 0 } heard ? $", {heard}" : "")
            + (counts.Jobs is { } jobs
                ? string.Create(CultureInfo.InvariantCulture, $", {jobs.DeadlinesMissed:#,0} of {Counted.Of(jobs.Count, "job")} too late")
                : "")
            + string.Create(CultureInfo.InvariantCulture, $", {counts.Processes.Sum(static one => one.Faults.Count):#,0} hard faults")
            + string.Create(CultureInfo.InvariantCulture, $", lost {counts.EventsLost:#,0} events");
    }

    public void OnCounts(MonitorCounts counts)
    {
        output.WriteLine(Line(counts));
        output.Flush();
    }

    public void OnNote(CaptureNoteLevel level, string text)
    {
        TextWriter to = level == CaptureNoteLevel.Warning ? error : output;
        to.WriteLine(level == CaptureNoteLevel.Warning ? $"tracer: {text}" : text);
        to.Flush();
    }

    public void Dispose() => output.Flush();
}
