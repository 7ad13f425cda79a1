using System.Globalization;
using Tracer.Etl;

namespace Tracer.AnalyzerCommand;

/// <summary>Tells the user, on standard error, that a trace could not be read whole: what was read is printed all the same.</summary>
internal static class DamageWarning
{
    private const int PlacesNamed = 3;

    /// <summary>Warns where there is something to warn of.</summary>
    /// <param name="name">What messages call the trace.</param>
    /// <param name="health">What was odd about it.</param>
    /// <param name="error">For messages.</param>
    public static void Write(string name, TraceHealth health, TextWriter error)
    {
        long damaged = health[HealthCounter.DamagedBuffers];
        if (damaged > 0)
        {
            string places = string.Join(
                "; ", health.Damage.Take(PlacesNamed).Select(place => $"at offset 0x{place.FileOffset:x}: {place.Reason}"));
            Warn($"{Count(damaged, "damaged buffer")}, the rest was read; {places}{(damaged > PlacesNamed ? "; ..." : "")}");
        }

        if (health[HealthCounter.MissingHeader] > 0)
        {
            Warn("its first buffer is damaged, so the clock is not known: times assume 10 MHz");
        }

        if (health[HealthCounter.TruncatedBytes] > 0 || health[HealthCounter.MissingBuffers] > 0)
        {
            Warn($"the file was cut: {Count(health[HealthCounter.MissingBuffers], "buffer")} missing, "
                + $"{Count(health[HealthCounter.TruncatedBytes], "byte")} of the last one");
        }

        if (health[HealthCounter.ShortPayloads] > 0)
        {
            Warn($"{Count(health[HealthCounter.ShortPayloads], "event")} shorter than their version asks for");
        }

        void Warn(string text) => error.WriteLine($"analyzer: warning: {name}: {text}");
    }

    private static string Count(long count, string what) =>
        string.Create(CultureInfo.InvariantCulture, $"{count} {what}{(count == 1 ? "" : "s")}");
}
