using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using Tracer.Capture;
using Tracer.Contract;

namespace Tracer.TracerCommand;

/// <summary>
/// A capture as JSON lines, one object each, schema <c>tracer.capture/1</c> (docs/use/capturing.md): <c>status</c> each second,
/// <c>note</c>, <c>episode</c>, <c>dropped</c>. Times in microseconds; what is not known is null.
/// </summary>
/// <param name="output">Takes the lines.</param>
internal sealed class JsonScreen(TextWriter output) : ICaptureScreen
{
    /// <summary>Name of the schema, in every line.</summary>
    public const string Schema = "tracer.capture/1";

    private static readonly JsonWriterOptions Options = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    /// <inheritdoc/>
    public TimeSpan StatusInterval => TimeSpan.FromSeconds(1);

    /// <inheritdoc/>
    public void OnStatus(CaptureStatus status) => Line("status", json =>
    {
        json.WriteString("phase", KebabCase.Of(status.Phase));
        json.WriteDuration("elapsedUs", status.Elapsed);
        json.WriteDuration("limitUs", status.Limit);
        json.WriteDuration("thresholdUs", status.Threshold);
        json.WriteDuration("barUs", status.Bar);
        json.WriteDuration("worstUs", status.Worst);
        json.WriteNumber("episodesSeen", status.EpisodesSeen);
        json.WriteNumber("episodesCaptured", status.EpisodesCaptured);
        json.WriteNumber("episodesKept", status.Episodes.Count);
        json.WriteStartArray("triggers");
        foreach (TriggerStatus trigger in status.Triggers)
        {
            Write(json, trigger);
        }

        json.WriteEndArray();
        json.WriteStartArray("suspects");
        foreach (CaptureSuspect suspect in status.Suspects)
        {
            json.WriteStartObject();
            json.WriteString("name", suspect.Name);
            json.WriteDuration("blamedUs", suspect.Blamed);
            json.WriteNumber("episodes", suspect.Episodes);
            json.WriteEndObject();
        }

        json.WriteEndArray();
        json.WriteStartObject("ring");
        json.WriteNumber("bytes", status.Ring.Bytes);
        json.WriteDuration("wantedUs", status.Ring.Wanted);
        json.WriteDuration("measuredUs", status.Ring.Measured);
        json.WriteDuration("estimatedUs", status.Ring.Estimated);
        json.WriteEndObject();
        Write(json, status.Cost);
        json.WriteNumber("eventsLost", status.EventsLost);
        json.WriteNumber("measurementsLost", status.MeasurementsLost);
        json.WriteNumber("diskUsedBytes", status.DiskUsedBytes);
        if (status.DiskFreeBytes == long.MaxValue)
        {
            json.WriteNull("diskFreeBytes");
        }
        else
        {
            json.WriteNumber("diskFreeBytes", status.DiskFreeBytes);
        }

        json.WriteStartArray("notGranted");
        foreach (string missing in status.NotGranted)
        {
            json.WriteStringValue(missing);
        }

        json.WriteEndArray();
    });

    /// <inheritdoc/>
    public void OnNote(CaptureNoteLevel level, string text) => Line("note", json =>
    {
        json.WriteString("level", KebabCase.Of(level));
        json.WriteString("text", text);
    });

    /// <inheritdoc/>
    public void OnEpisode(CapturedEpisode episode) => Line("episode", json => Write(json, episode));

    /// <inheritdoc/>
    public void OnDropped(CapturedEpisode episode) => Line("dropped", json => Write(json, episode));

    /// <inheritdoc/>
    public void Dispose() => output.Flush();

    private static void Write(Utf8JsonWriter json, TriggerStatus trigger)
    {
        json.WriteStartObject();
        json.WriteString("kind", KebabCase.Of(trigger.Kind));
        json.WriteNumber("count", trigger.Count);
        json.WriteNumber("overThreshold", trigger.OverThreshold);
        json.WriteNumber("lost", trigger.Lost);
        json.WriteDuration("worstUs", trigger.Worst);
        json.WriteDuration("medianUs", trigger.Median);
        json.WriteDuration("p99Us", trigger.P99);
        json.WriteDuration("p999Us", trigger.P999);
        json.WriteDuration("floorUs", trigger.Floor);
        json.WriteStartArray("buckets");
        foreach (LatencyBucket bucket in trigger.Buckets)
        {
            json.WriteStartObject();
            json.WriteDuration("fromUs", bucket.From);
            json.WriteDuration("toUs", bucket.To);
            json.WriteNumber("count", bucket.Count);
            json.WriteEndObject();
        }

        json.WriteEndArray();
        json.WriteEndObject();
    }

    private static void Write(Utf8JsonWriter json, CaptureCost? cost)
    {
        if (cost is null)
        {
            json.WriteNull("cost");
            return;
        }

        json.WriteStartObject("cost");
        json.WriteDuration("ownCpuUs", cost.OwnCpu);
        WriteRate(json, "ownCpuPercent", cost.OwnCpuPercent);
        WriteRate(json, "eventsPerSecond", cost.EventsPerSecond);
        WriteRate(json, "stacksPerSecond", cost.StacksPerSecond);
        json.WriteDuration("clockPeriodBeforeUs", cost.ClockPeriodBefore);
        json.WriteDuration("clockPeriodUs", cost.ClockPeriod);
        json.WriteDuration("sampleIntervalUs", cost.SampleInterval);
        json.WriteEndObject();
    }

    private static void WriteRate(Utf8JsonWriter json, string name, double? value)
    {
        if (value is { } known)
        {
            json.WriteNumber(name, Math.Round(known, 2));
        }
        else
        {
            json.WriteNull(name);
        }
    }

    private static void Write(Utf8JsonWriter json, CapturedEpisode episode)
    {
        json.WriteNumber("number", episode.Number);
        json.WriteString("file", episode.File);
        json.WriteNumber("bytes", episode.Bytes);
        json.WriteString("trigger", KebabCase.Of(episode.Trigger));
        json.WriteString("startUtc", episode.StartUtc);
        json.WriteDuration("latencyUs", episode.Trigger.IsMoment() ? null : episode.Latency);
        json.WriteNumber("cpu", episode.Cpu);
        json.WriteDuration("preCoveredUs", episode.PreCovered);
        json.WriteString("verdict", episode.Blame is { } blame ? KebabCase.Of(blame.Verdict) : null);
        json.WriteString("culprit", episode.Blame?.Culprit);
    }

    private void Line(string type, Action<Utf8JsonWriter> fields)
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

        output.WriteLine(Encoding.UTF8.GetString(bytes.ToArray()));
        output.Flush();
    }
}
