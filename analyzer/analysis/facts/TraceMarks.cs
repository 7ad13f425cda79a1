namespace Tracer.Analysis.Facts;

/// <summary>
/// The marks that people set while a trace was recorded (<c>xperf -m</c>, <c>wpr -marker</c>), and the moments for which our own recorder
/// captured it. Accepts events in any order; memory is bounded.
/// </summary>
public sealed class TraceMarks
{
    /// <summary>How the moment is called for which <c>tracer capture</c> saved a trace.</summary>
    public const string Capture = "capture";

    /// <summary>Hook id of PerfInfo_Mark: 8-bit text up to a NUL.</summary>
    private const ushort Mark = 0x0F22;

    private const int MostMarks = 1 << 12;

    private readonly NamePool _names = new();
    private readonly List<TraceMark> _marks = [];

    /// <summary>The marks in order of time.</summary>
    public IReadOnlyList<TraceMark> All => [.. _marks.OrderBy(mark => mark.Ticks).ThenBy(mark => mark.Name, StringComparer.Ordinal)];

    /// <summary>Adds a kernel event; others than marks are ignored.</summary>
    public void Add(ushort hookId, in EtlEvent traceEvent)
    {
        if (hookId == Mark && _marks.Count < MostMarks)
        {
            var payload = new RecordPayload(in traceEvent);
            _marks.Add(new TraceMark(traceEvent.TimestampTicks, _names.OfText8(payload.Text8(0, out _)).Trim()));
        }
    }

    /// <summary>Adds the moments that our own recorder captured.</summary>
    internal void Add(CaptureEvents captured)
    {
        foreach (CaptureWindow window in captured.Captures.Take(MostMarks - _marks.Count))
        {
            _marks.Add(new TraceMark(window.EpisodeTicks, Capture));
        }
    }
}

/// <param name="Name">What it is called; may be empty.</param>
public readonly record struct TraceMark(long Ticks, string Name);
