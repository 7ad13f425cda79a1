using System.Text.Encodings.Web;
using System.Text.Json;

namespace Tracer.Contract;

/// <summary>
/// The records that a running command prints, one object a line: of a capture, a monitor and the doctor. The code of each schema is made
/// where it is first used.
/// </summary>
public static class JsonLines
{
    /// <summary>A line of a capture as JSON text.</summary>
    public static string Of(CaptureStatusLine line) => JsonSerializer.Serialize(line, Captures.Context.CaptureStatusLine);

    /// <inheritdoc cref="Of(CaptureStatusLine)"/>
    public static string Of(CaptureNoteLine line) => JsonSerializer.Serialize(line, Captures.Context.CaptureNoteLine);

    /// <inheritdoc cref="Of(CaptureStatusLine)"/>
    public static string Of(CaptureEpisodeLine line) => JsonSerializer.Serialize(line, Captures.Context.CaptureEpisodeLine);

    /// <summary>What a monitor has counted as a line of JSON text.</summary>
    public static string Of(MonitorCounts counts) => JsonSerializer.Serialize(counts, Monitors.Context.MonitorCounts);

    /// <inheritdoc cref="Of(MonitorCounts)"/>
    public static string Of(MonitorNote note) => JsonSerializer.Serialize(note, Monitors.Context.MonitorNote);

    /// <summary>A line of the doctor as JSON text.</summary>
    public static string Of(DoctorLine line) => JsonSerializer.Serialize(line, Doctors.Context.DoctorLine);

    /// <summary>Reads the summary that a monitor saved.</summary>
    /// <exception cref="JsonException">The text is no JSON, no summary, or lacks or mistypes a field of it.</exception>
    public static MonitorCounts ReadMonitor(ReadOnlySpan<byte> utf8)
    {
        MonitorCounts? counts = JsonSerializer.Deserialize(utf8, Monitors.Context.MonitorCounts);
        if (counts is not { Schema: MonitorCounts.SchemaName, Type: MonitorCounts.Summary } || counts.Elapsed <= Duration.Zero)
        {
            throw new JsonException("The summary of a monitor is expected.");
        }

        IEnumerable<object?> entries = [.. counts.Drivers, .. counts.Processes, .. counts.Cpus];
        return entries.Contains(null) ? throw new JsonException("A list holds null.") : counts;
    }

    private static JsonSerializerOptions Options() => new()
    {
        PropertyNamingPolicy = JsonNamingPolicy.CamelCase,
        RespectNullableAnnotations = true,
        RespectRequiredConstructorParameters = true,
        Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
    };

    private static class Captures
    {
        internal static readonly CaptureJsonContext Context = new(Options());
    }

    private static class Monitors
    {
        internal static readonly MonitorJsonContext Context = new(Options());
    }

    private static class Doctors
    {
        internal static readonly DoctorJsonContext Context = new(Options());
    }
}
