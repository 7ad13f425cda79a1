using Tracer.Analysis.Report;

namespace Tracer.AnalyzerShared.Inputs;

/// <summary>Tells the user that a trace could not be read whole: what was read is printed all the same.</summary>
internal static class DamageWarning
{
    private const int PlacesNamed = 3;

    /// <summary>Warns on standard error where there is something to warn of.</summary>
    /// <param name="health">What was odd; null for what the last reading found.</param>
    public static void Write(string name, EtlReader reader, TextWriter error, TraceHealth? health = null)
    {
        foreach (string text in Of(reader, health))
        {
            error.WriteLine($"analyzer: warning: {name}: {text}");
        }
    }

    /// <param name="health">What was odd; null for what the last reading found.</param>
    public static IEnumerable<string> Of(EtlReader reader, TraceHealth? health = null)
    {
        health ??= reader.Health;
        long damaged = health[HealthCounter.DamagedBuffers];
        if (damaged > 0)
        {
            string places = string.Join(
                "; ", health.Damage.Take(PlacesNamed).Select(place => $"at offset 0x{place.FileOffset:x}: {place.Reason}"));
            yield return $"{Count(damaged, "damaged buffer")}, the rest was read; {places}{(damaged > PlacesNamed ? "; ..." : "")}";
        }

        if (UnjudgedTrace.WhyWithoutClock(reader) is { } reason)
        {
            yield return $"{reason}: no time and no length in it is known";
        }

        if (health[HealthCounter.TruncatedBytes] > 0 || health[HealthCounter.MissingBuffers] > 0)
        {
            string what = damaged > 0 && health[HealthCounter.TruncatedBytes] == 0 ? "buffers got lost" : "the file was cut";
            yield return $"{what}: {Count(health[HealthCounter.MissingBuffers], "buffer")} missing, "
                + $"{Count(health[HealthCounter.TruncatedBytes], "byte")} of the last one";
        }

        if (health[HealthCounter.ShortPayloads] > 0)
        {
            yield return $"{Count(health[HealthCounter.ShortPayloads], "event")} shorter than their version asks for";
        }

        if (health[HealthCounter.CutPayloads] > 0)
        {
            yield return $"{Count(health[HealthCounter.CutPayloads], "event")} whose descriptions repeat far more than they hold: not all "
                + "of their fields are given";
        }

        if (health[HealthCounter.CutNames] > 0)
        {
            yield return $"{Count(health[HealthCounter.CutNames], "name")} of more than 512 characters cut";
        }
    }

    private static string Count(long count, string what) =>
        string.Create(CultureInfo.InvariantCulture, $"{count} {what}{(count == 1 ? "" : "s")}");
}
