using System.Text.Json;
using Tracer.Etl.Stacks;

namespace Tracer.AnalyzerCommand.Commands.Export;

/// <summary>
/// Writes a profile of the Firefox Profiler in its processed format: a track for each CPU with the stacks of its samples, and its ISRs and
/// DPCs as markers; the episodes are markers of a track of their own. The format has tables column by column, so what is written is kept
/// until the end, up to a limit.
/// </summary>
internal sealed class FirefoxProfile : IScheduleWriter
{
    /// <summary>Most markers, and most samples, that a file holds.</summary>
    public const int MostKept = 1 << 20;

    /// <summary>
    /// The version of the processed format that is written; newer profilers upgrade it (docs-developer/CHANGELOG-formats.md there).
    /// </summary>
    private const int ProcessedVersion = 48;

    /// <summary>The version of the format beneath it.</summary>
    private const int GeckoVersion = 30;

    private const double NanosecondsOfMillisecond = 1e6;
    private const int Interval = 1;

    private static readonly (string Name, string Color)[] Categories =
        [("Other", "grey"), ("Thread", "blue"), ("DPC", "orange"), ("ISR", "red"), ("Episode", "magenta")];

    private readonly ExportedTrace _trace;
    private readonly StackTree _tree;
    private readonly SortedDictionary<int, CpuColumns> _cpus = [];
    private long _markers;
    private long _samples;
    private long _markersLeftOut;
    private long _samplesLeftOut;

    private FirefoxProfile(ExportedTrace trace) => (_trace, _tree) = (trace, new StackTree(trace));

    /// <param name="content">Takes the bytes.</param>
    /// <exception cref="IOException">The storage failed.</exception>
    public static long Write(ExportedTrace trace, Stream content)
    {
        var file = new FirefoxProfile(trace);
        trace.ReadSchedule(file);
        trace.Tell(file._markersLeftOut, "ISR or DPC", $"left out: a profile holds {MostKept:N0}; ask for a shorter time");
        trace.Tell(file._samplesLeftOut, "sample", $"left out: a profile holds {MostKept:N0}; ask for a shorter time");
        trace.Tell(file._tree.Cut, "stack", $"cut: more than {StackTree.MostNodes:N0} different ones");
        using var json = new Utf8JsonWriter(content);
        file.Write(json);
        return file._markers + file._samples;
    }

    public void Open(CpuSpan span)
    {
        if (span.Kind == CpuSpanKind.Thread || _trace.Culprit is not null)
        {
            return; // Threads are what samples show; of one culprit's file only samples are asked for.
        }

        if (_markers >= MostKept)
        {
            _markersLeftOut++;
            return;
        }

        _markers++;
        int category = span.Kind is CpuSpanKind.Isr or CpuSpanKind.PassiveIsr ? 3 : 2;
        Of(span.Cpu).Markers.Add(new Marker(_trace.Names.Span(span), category, At(span.StartTicks), At(span.EndTicks)));
    }

    public void Close(CpuSpan span)
    {
        // Its end was known when it began.
    }

    public void Sample(in ExportedSample sample, in EventStack stack)
    {
        if (_samples >= MostKept)
        {
            _samplesLeftOut++;
        }
        else if (_tree.Add(in sample, in stack) is { } node)
        {
            _samples++;
            Of(sample.Cpu).Samples.Add((At(sample.Ticks), node, sample.Count));
        }
    }

    private CpuColumns Of(int cpu)
    {
        if (!_cpus.TryGetValue(cpu, out CpuColumns? columns))
        {
            _cpus.Add(cpu, columns = new CpuColumns());
        }

        return columns;
    }

    private double At(long ticks) => _trace.Clock.NanosecondsFromHeader(ticks) / NanosecondsOfMillisecond;

    private void Write(Utf8JsonWriter json)
    {
        json.WriteStartObject();
        WriteMeta(json);
        foreach (string name in new[] { "libs", "pages", "counters", "profilerOverhead" })
        {
            json.WriteStartArray(name);
            json.WriteEndArray();
        }

        json.WriteStartArray("threads");
        var episodes = new CpuColumns();
        foreach (Episode one in _trace.Culprit is null ? _trace.Report.Episodes : [])
        {
            double start = one.Start.Nanoseconds / NanosecondsOfMillisecond;
            string culprit = (one.Causes.Count > 0 ? one.Causes[0].Culprit : null) ?? ExportNames.Unknown;
            episodes.Markers.Add(new Marker(
                $"{one.Latency}: {culprit}", 4, start, start + ((one.End - one.Start).Nanoseconds / NanosecondsOfMillisecond)));
        }

        foreach (Glitch one in _trace.Culprit is null ? _trace.Report.Glitches ?? [] : [])
        {
            double at = one.At.Nanoseconds / NanosecondsOfMillisecond;
            episodes.Markers.Add(new Marker($"glitch {one.Number}: {one.Says}", 4, at, at));
        }

        WriteThread(json, "Episodes", episodes, isMain: true);
        foreach ((int cpu, CpuColumns columns) in _cpus)
        {
            WriteThread(json, string.Create(CultureInfo.InvariantCulture, $"CPU {cpu}"), columns, isMain: false);
        }

        json.WriteEndArray();
        json.WriteEndObject();
    }

    private void WriteMeta(Utf8JsonWriter json)
    {
        const long UnixFileTime = 116_444_736_000_000_000;
        const double FileTimeOfMillisecond = 10_000;
        long start = _trace.Clock.StartFileTime;
        json.WriteStartObject("meta");
        json.WriteNumber("version", GeckoVersion);
        json.WriteNumber("preprocessedProfileVersion", ProcessedVersion);
        json.WriteNumber("interval", 1);
        json.WriteNumber("startTime", start > UnixFileTime ? (start - UnixFileTime) / FileTimeOfMillisecond : 0);
        json.WriteNumber("processType", 0);
        json.WriteString("product", Path.GetFileName(_trace.Path));
        json.WriteString("importedFrom", "Tracer");
        json.WriteNumber("stackwalk", 1);
        json.WriteBoolean("debug", false);
        json.WriteBoolean("symbolicated", true);
        json.WriteStartArray("markerSchema");
        json.WriteEndArray();
        json.WriteStartArray("categories");
        foreach ((string name, string color) in Categories)
        {
            json.WriteStartObject();
            json.WriteString("name", name);
            json.WriteString("color", color);
            json.WriteStartArray("subcategories");
            json.WriteStringValue("Other");
            json.WriteEndArray();
            json.WriteEndObject();
        }

        json.WriteEndArray();
        json.WriteEndObject();
    }

    /// <summary>A track with its own tables: of the tree only what its samples have.</summary>
    private void WriteThread(Utf8JsonWriter json, string name, CpuColumns columns, bool isMain)
    {
        Dictionary<string, int> strings = new(StringComparer.Ordinal);
        Dictionary<int, int> funcs = [];
        Dictionary<int, int> stacks = [];
        List<(int? Prefix, int Frame)> nodes = [];
        int[] samples = [.. columns.Samples.Select(one => Local(one.Node, stacks, nodes, funcs))];
        int[] names = [.. funcs.OrderBy(one => one.Value).Select(one => Text(strings, _tree.Frames[one.Key]))];
        int[] markers = [.. columns.Markers.Select(one => Text(strings, one.Name))];

        json.WriteStartObject();
        json.WriteString("name", name);
        json.WriteString("processName", Path.GetFileName(_trace.Path));
        json.WriteString("processType", "default");
        json.WriteNumber("processStartupTime", 0);
        json.WriteNull("processShutdownTime");
        json.WriteNumber("registerTime", 0);
        json.WriteNull("unregisterTime");
        json.WriteStartArray("pausedRanges");
        json.WriteEndArray();
        json.WriteBoolean("isMainThread", isMain);
        json.WriteString("pid", "0");
        json.WriteString("tid", name);

        Begin(json, "samples", columns.Samples.Count);
        json.WriteString("weightType", "samples");
        Column(json, "stack", samples, static (to, one) => to.WriteNumberValue(one));
        Column(json, "time", columns.Samples, static (to, one) => to.WriteNumberValue(one.Time));
        Column(json, "weight", columns.Samples, static (to, one) => to.WriteNumberValue(one.Count));
        json.WriteEndObject();

        Begin(json, "markers", columns.Markers.Count);
        Column(json, "name", markers, static (to, one) => to.WriteNumberValue(one));
        Column(json, "startTime", columns.Markers, static (to, one) => to.WriteNumberValue(one.Start));
        Column(json, "endTime", columns.Markers, static (to, one) => to.WriteNumberValue(one.End));
        Column(json, "phase", columns.Markers, static (to, _) => to.WriteNumberValue(Interval));
        Column(json, "category", columns.Markers, static (to, one) => to.WriteNumberValue(one.Category));
        Column(json, "data", columns.Markers, static (to, _) => to.WriteNullValue());
        json.WriteEndObject();

        Begin(json, "stackTable", nodes.Count);
        Column(json, "prefix", nodes, static (to, one) => Number(to, one.Prefix));
        Column(json, "frame", nodes, static (to, one) => to.WriteNumberValue(one.Frame));
        Zeros(json, nodes.Count, "category", "subcategory");
        json.WriteEndObject();

        // A frame is its function: addresses are not told apart.
        Begin(json, "frameTable", names.Length);
        Column(json, "func", [.. Enumerable.Range(0, names.Length)], static (to, one) => to.WriteNumberValue(one));
        Column(json, "address", names, static (to, _) => to.WriteNumberValue(-1));
        Zeros(json, names.Length, "inlineDepth", "category", "subcategory", "innerWindowID");
        Nulls(json, names.Length, "nativeSymbol", "implementation", "line", "column");
        json.WriteEndObject();

        Begin(json, "funcTable", names.Length);
        Column(json, "name", names, static (to, one) => to.WriteNumberValue(one));
        Column(json, "isJS", names, static (to, _) => to.WriteBooleanValue(false));
        Column(json, "relevantForJS", names, static (to, _) => to.WriteBooleanValue(false));
        Column(json, "resource", names, static (to, _) => to.WriteNumberValue(-1));
        Nulls(json, names.Length, "fileName", "lineNumber", "columnNumber");
        json.WriteEndObject();

        Begin(json, "resourceTable", 0);
        Nulls(json, 0, "lib", "name", "host", "type");
        json.WriteEndObject();
        Begin(json, "nativeSymbols", 0);
        Nulls(json, 0, "libIndex", "address", "name", "functionSize");
        json.WriteEndObject();
        Column(json, "stringArray", [.. strings.OrderBy(one => one.Value)], static (to, one) => to.WriteStringValue(one.Key));
        json.WriteEndObject();
    }

    /// <summary>The number of a node of the tree within a track, whose tables get what lies around it first.</summary>
    private int Local(int node, Dictionary<int, int> stacks, List<(int? Prefix, int Frame)> nodes, Dictionary<int, int> funcs)
    {
        var missing = new Stack<int>();
        for (int at = node; at >= 0 && !stacks.ContainsKey(at); at = _tree[at].Parent)
        {
            missing.Push(at);
        }

        while (missing.TryPop(out int next))
        {
            (int parent, int frame) = _tree[next];
            if (!funcs.TryGetValue(frame, out int func))
            {
                funcs.Add(frame, func = funcs.Count);
            }

            stacks.Add(next, nodes.Count);
            nodes.Add((parent >= 0 ? stacks[parent] : null, func));
        }

        return stacks[node];
    }

    private static int Text(Dictionary<string, int> strings, string text)
    {
        if (!strings.TryGetValue(text, out int number))
        {
            strings.Add(text, number = strings.Count);
        }

        return number;
    }

    private static void Begin(Utf8JsonWriter json, string table, int length)
    {
        json.WriteStartObject(table);
        json.WriteNumber("length", length);
    }

    private static void Column<T>(Utf8JsonWriter json, string name, IReadOnlyList<T> values, Action<Utf8JsonWriter, T> write)
    {
        json.WriteStartArray(name);
        foreach (T value in values)
        {
            write(json, value);
        }

        json.WriteEndArray();
    }

    private static void Zeros(Utf8JsonWriter json, int length, params string[] names)
    {
        foreach (string name in names)
        {
            Column(json, name, new int[length], static (to, zero) => to.WriteNumberValue(zero));
        }
    }

    private static void Nulls(Utf8JsonWriter json, int length, params string[] names)
    {
        foreach (string name in names)
        {
            Column(json, name, new int[length], static (to, _) => to.WriteNullValue());
        }
    }

    private static void Number(Utf8JsonWriter json, int? value)
    {
        if (value is { } known)
        {
            json.WriteNumberValue(known);
        }
        else
        {
            json.WriteNullValue();
        }
    }

    private sealed class CpuColumns
    {
        public List<Marker> Markers { get; } = [];

        public List<(double Time, int Node, int Count)> Samples { get; } = [];
    }

    /// <summary>A marker; times in milliseconds.</summary>
    private readonly record struct Marker(string Name, int Category, double Start, double End);
}
