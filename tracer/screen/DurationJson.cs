using System.Text.Json;
using Tracer.Contract;

namespace Tracer.TracerCommand;

/// <summary>Durations in the JSON of the screens: in microseconds, or null.</summary>
internal static class DurationJson
{
    /// <summary>Writes one.</summary>
    /// <param name="json">The JSON.</param>
    /// <param name="name">The name of the field.</param>
    /// <param name="duration">The duration; null where it is not known.</param>
    public static void WriteDuration(this Utf8JsonWriter json, string name, Duration? duration)
    {
        if (duration is { } known)
        {
            json.WriteNumber(name, known.Nanoseconds / 1000m);
        }
        else
        {
            json.WriteNull(name);
        }
    }
}
