using System.Text.Json;
using Tracer.Etl.Stacks;

namespace Tracer.AnalyzerCommand.Commands.Export;

/// <summary>
/// Writes a file of speedscope: for each CPU what it ran, as events, and the stacks of its samples. Its events lie CPU by CPU behind each
/// other, so they are kept until the end, up to a limit.
/// </summary>
internal sealed class SpeedscopeFile : IScheduleWriter
{
    /// <summary>Most spans, and most samples, that a file holds.</summary>
    public const int MostKept = 1 << 20;

    private const string Schema = "https://www.speedscope.app/file-format-schema.json";

    private readonly ExportedTrace _trace;
    private readonly StackTree _tree;
    private readonly SortedDictionary<int, List<(long Ticks, int Frame, bool IsOpen)>> _spans = [];
    private readonly SortedDictionary<int, List<(int Node, int Count)>> _samples = [];
    private readonly Dictionary<int, Stack<bool>> _kept = [];
    private long _spansKept;
    private long _samplesKept;
    private long _spansLeftOut;
    private long _samplesLeftOut;

    private SpeedscopeFile(ExportedTrace trace) => (_trace, _tree) = (trace, new StackTree(trace));

    /// <param name="content">Takes the bytes.</param>
    /// <exception cref="IOException">The storage failed.</exception>
    public static long Write(ExportedTrace trace, Stream content)
    {
        var file = new SpeedscopeFile(trace);
        trace.ReadSchedule(file);
        trace.Tell(file._spansLeftOut, "span", $"left out: a speedscope file holds {MostKept:N0}; ask for a shorter time");
        trace.Tell(file._samplesLeftOut, "sample", $"left out: a speedscope file holds {MostKept:N0}; ask for a shorter time");
        trace.Tell(file._tree.Cut, "stack", $"cut: more than {StackTree.MostNodes:N0} different ones");
        using var json = new Utf8JsonWriter(content);
        file.Write(json);
        return file._spansKept + file._samplesKept;
    }

    public void Open(CpuSpan span)
    {
        if (_trace.Culprit is not null)
        {
            return; // One culprit's samples are asked for.
        }

        Stack<bool> kept = KeptOf(span.Cpu);
        bool keeps = _spansKept < MostKept;
        kept.Push(keeps);
        if (keeps)
        {
            _spansKept++;
            Of(_spans, span.Cpu).Add((span.StartTicks, _tree.Frame(_trace.Names.Span(span)), true));
        }
        else
        {
            _spansLeftOut++;
        }
    }

    public void Close(CpuSpan span)
    {
        if (_trace.Culprit is null && KeptOf(span.Cpu).Pop())
        {
            Of(_spans, span.Cpu).Add((span.EndTicks, _tree.Frame(_trace.Names.Span(span)), false));
        }
    }

    public void Sample(in ExportedSample sample, in EventStack stack)
    {
        if (_samplesKept >= MostKept)
        {
            _samplesLeftOut++;
        }
        else if (_tree.Add(in sample, in stack) is { } node)
        {
            _samplesKept++;
            Of(_samples, sample.Cpu).Add((node, sample.Count));
        }
    }

    private static List<T> Of<T>(SortedDictionary<int, List<T>> lists, int cpu)
    {
        if (!lists.TryGetValue(cpu, out List<T>? list))
        {
            lists.Add(cpu, list = []);
        }

        return list;
    }

    /// <summary>Of the spans of a CPU that have begun and not ended, whether each is kept.</summary>
    private Stack<bool> KeptOf(int cpu)
    {
        if (!_kept.TryGetValue(cpu, out Stack<bool>? kept))
        {
            _kept.Add(cpu, kept = []);
        }

        return kept;
    }

    private void Write(Utf8JsonWriter json)
    {
        json.WriteStartObject();
        json.WriteString("$schema", Schema);
        json.WriteString("exporter", "Tracer");
        json.WriteString("name", Path.GetFileName(_trace.Path));
        json.WriteStartArray("profiles");
        foreach ((int cpu, List<(long Ticks, int Frame, bool IsOpen)> events) in _spans)
        {
            WriteEvents(json, cpu, events);
        }

        foreach ((int cpu, List<(int Node, int Count)> samples) in _samples)
        {
            WriteSamples(json, cpu, samples);
        }

        json.WriteEndArray();
        json.WriteStartObject("shared");
        json.WriteStartArray("frames");
        foreach (string name in _tree.Frames)
        {
            json.WriteStartObject();
            json.WriteString("name", name);
            json.WriteEndObject();
        }

        json.WriteEndArray();
        json.WriteEndObject();
        json.WriteEndObject();
    }

    private void WriteEvents(Utf8JsonWriter json, int cpu, List<(long Ticks, int Frame, bool IsOpen)> events)
    {
        string name = string.Create(CultureInfo.InvariantCulture, $"CPU {cpu}");
        Begin(json, "evented", name, "nanoseconds", At(events[0].Ticks), At(events[^1].Ticks));
        json.WriteStartArray("events");
        foreach ((long ticks, int frame, bool isOpen) in events)
        {
            json.WriteStartObject();
            json.WriteString("type", isOpen ? "O" : "C");
            json.WriteNumber("frame", frame);
            json.WriteNumber("at", At(ticks));
            json.WriteEndObject();
        }

        json.WriteEndArray();
        json.WriteEndObject();
    }

    private void WriteSamples(Utf8JsonWriter json, int cpu, List<(int Node, int Count)> samples)
    {
        string name = string.Create(CultureInfo.InvariantCulture, $"samples of CPU {cpu}");
        Begin(json, "sampled", name, "none", 0, samples.Sum(one => (long)one.Count));
        json.WriteStartArray("samples");
        foreach ((int node, _) in samples)
        {
            json.WriteStartArray();
            foreach (int frame in _tree.PathOf(node))
            {
                json.WriteNumberValue(frame);
            }

            json.WriteEndArray();
        }

        json.WriteEndArray();
        json.WriteStartArray("weights");
        foreach ((_, int count) in samples)
        {
            json.WriteNumberValue(count);
        }

        json.WriteEndArray();
        json.WriteEndObject();
    }

    private static void Begin(Utf8JsonWriter json, string type, string name, string unit, long start, long end)
    {
        json.WriteStartObject();
        json.WriteString("type", type);
        json.WriteString("name", name);
        json.WriteString("unit", unit);
        json.WriteNumber("startValue", start);
        json.WriteNumber("endValue", end);
    }

    private long At(long ticks) => _trace.Clock.NanosecondsFromHeader(ticks);
}
