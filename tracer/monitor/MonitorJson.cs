using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using Tracer.Capture;
using Tracer.Contract;

namespace Tracer.TracerCommand;

/// <summary>
/// A monitor's counts as JSON, one object a line, schema <c>tracer.monitor/1</c> (docs/use/monitor.md): <c>status</c> each second,
/// <c>note</c>, and <c>summary</c> at the end, which is also what a saved summary is. Times in microseconds; what is not known is null.
/// </summary>
internal static class MonitorJson
{
    /// <summary>Name of the schema, in every line.</summary>
    public const string Schema = "tracer.monitor/1";

    /// <summary>Type of the last line, and of a saved file.</summary>
    public const string Summary = "summary";

    /// <summary>A saved summary is a few hundred kilobytes at most.</summary>
    private const long MostBytes = 16 << 20;

    private static readonly JsonWriterOptions Options = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    /// <summary>Counts as a line.</summary>
    /// <param name="type">Its type.</param>
    /// <param name="counts">The counts.</param>
    /// <param name="sort">What the drivers are sorted by.</param>
    public static string Line(string type, MonitorCounts counts, MonitorSort sort) => Object(type, json =>
    {
        json.WriteDuration("elapsedUs", counts.Elapsed);
        json.WriteNumber("events", counts.Events);
        json.WriteNumber("eventsLost", counts.EventsLost);
        json.WriteNumber("damaged", counts.Damaged);
        Array(json, "drivers", MonitorSorting.Sorted(counts.Drivers, sort), one =>
        {
            json.WriteString("name", one.Name);
            Write(json, "isr", one.Isr);
            Write(json, "dpc", one.Dpc);
        });
        Array(json, "processes", counts.Processes, one =>
        {
            json.WriteString("name", one.Name);
            Write(json, "hardFaults", one.Faults);
            json.WriteNumber("bytes", one.Bytes);
        });
        Array(json, "cpus", counts.Cpus, one =>
        {
            json.WriteNumber("cpu", one.Cpu);
            Write(json, "isr", one.Isr);
            Write(json, "dpc", one.Dpc);
            json.WriteDuration("worstWakeupUs", one.WorstWakeup);
        });
        Nullable(json, "wakeups", counts.Wakeups, one =>
        {
            json.WriteNumber("count", one.Count);
            json.WriteDuration("medianUs", one.Median);
            json.WriteDuration("p99Us", one.P99);
            json.WriteDuration("worstUs", one.Worst);
            json.WriteNumber("cpu", one.Cpu);
            json.WriteNumber("lost", one.Lost);
        });
        Nullable(json, "cost", counts.Cost, one =>
        {
            json.WriteDuration("monitorUs", one.Monitor);
            if (one.ProbeShare is { } share)
            {
                json.WriteNumber("probeShare", Math.Round(share, 6));
            }
            else
            {
                json.WriteNull("probeShare");
            }
        });
    });

    /// <summary>Something that is told once, as a line.</summary>
    /// <param name="level">How much it matters.</param>
    /// <param name="text">A sentence.</param>
    public static string Note(CaptureNoteLevel level, string text) => Object("note", json =>
    {
        json.WriteString("level", KebabCase.Of(level));
        json.WriteString("text", text);
    });

    /// <summary>Reads a saved summary.</summary>
    /// <param name="path">The file.</param>
    /// <returns>The counts.</returns>
    /// <exception cref="IOException">It can't be read, or is no summary.</exception>
    public static MonitorCounts Read(string path)
    {
        try
        {
            if (new FileInfo(path) is { Exists: true, Length: > MostBytes })
            {
                throw NoSummary(path);
            }

            using var document = JsonDocument.Parse(File.ReadAllBytes(path));
            JsonElement root = document.RootElement;
            return root.GetProperty("schema").GetString() == Schema && root.GetProperty("type").GetString() == Summary
                ? CountsOf(root)
                : throw NoSummary(path);
        }
        catch (Exception fault) when (fault is JsonException or KeyNotFoundException or InvalidOperationException or FormatException
            or OverflowException)
        {
            throw NoSummary(path);
        }
        catch (UnauthorizedAccessException fault)
        {
            throw new IOException($"{path}: {fault.Message}", fault);
        }
    }

    private static IOException NoSummary(string path) => new(
        $"{path} is no summary of a monitor: 'tracer monitor -o FILE' writes one at its end");

    private static MonitorCounts CountsOf(JsonElement root) => new()
    {
        Elapsed = DurationOf(root, "elapsedUs") is { Nanoseconds: > 0 } elapsed ? elapsed : throw new FormatException(),
        Events = root.GetProperty("events").GetInt64(),
        EventsLost = root.GetProperty("eventsLost").GetInt64(),
        Damaged = root.GetProperty("damaged").GetInt64(),
        Drivers =
        [
            .. root.GetProperty("drivers").EnumerateArray()
                .Select(static one => new MonitorDriver(NameOf(one), TimesOf(one, "isr"), TimesOf(one, "dpc"))),
        ],
        Processes =
        [
            .. root.GetProperty("processes").EnumerateArray()
                .Select(static one => new MonitorProcess(NameOf(one), TimesOf(one, "hardFaults"), one.GetProperty("bytes").GetInt64())),
        ],
        Cpus =
        [
            .. root.GetProperty("cpus").EnumerateArray().Select(static one => new MonitorCpu(
                one.GetProperty("cpu").GetInt32(), TimesOf(one, "isr"), TimesOf(one, "dpc"),
                one.GetProperty("worstWakeupUs").ValueKind == JsonValueKind.Null ? null : DurationOf(one, "worstWakeupUs"))),
        ],
        Wakeups = root.GetProperty("wakeups") is { ValueKind: JsonValueKind.Object } wakeups
            ? new MonitorWakeups(
                wakeups.GetProperty("count").GetInt64(),
                DurationOf(wakeups, "medianUs"),
                DurationOf(wakeups, "p99Us"),
                DurationOf(wakeups, "worstUs"),
                wakeups.GetProperty("cpu").GetInt32(),
                wakeups.GetProperty("lost").GetInt64())
            : null,
    };

    private static string NameOf(JsonElement one) => one.GetProperty("name").GetString() ?? throw new FormatException();

    private static MonitorTimes TimesOf(JsonElement parent, string name)
    {
        JsonElement times = parent.GetProperty(name);
        return new MonitorTimes(
            times.GetProperty("count").GetInt64(), DurationOf(times, "totalUs"), DurationOf(times, "maxUs"), DurationOf(times, "p99Us"));
    }

    private static Duration DurationOf(JsonElement parent, string name) =>
        new(checked((long)(parent.GetProperty(name).GetDecimal() * 1000m)));

    private static void Write(Utf8JsonWriter json, string name, MonitorTimes times)
    {
        json.WriteStartObject(name);
        json.WriteNumber("count", times.Count);
        json.WriteDuration("totalUs", times.Total);
        json.WriteDuration("maxUs", times.Max);
        json.WriteDuration("p99Us", times.P99);
        json.WriteEndObject();
    }

    private static void Array<T>(Utf8JsonWriter json, string name, IReadOnlyList<T> items, Action<T> write)
    {
        json.WriteStartArray(name);
        foreach (T item in items)
        {
            json.WriteStartObject();
            write(item);
            json.WriteEndObject();
        }

        json.WriteEndArray();
    }

    private static void Nullable<T>(Utf8JsonWriter json, string name, T? value, Action<T> write)
        where T : class
    {
        if (value is null)
        {
            json.WriteNull(name);
            return;
        }

        json.WriteStartObject(name);
        write(value);
        json.WriteEndObject();
    }

    private static string Object(string type, Action<Utf8JsonWriter> fields)
    {
        using var bytes = new MemoryStream();
        using (var json = new Utf8JsonWriter(bytes, Options))
        {
            json.WriteStartObject();
            json.WriteString("schema", Schema);
            json.WriteString("type", type);
            fields(json);
            json.WriteEndObject();
        }

        return Encoding.UTF8.GetString(bytes.GetBuffer().AsSpan(0, (int)bytes.Length));
    }
}
