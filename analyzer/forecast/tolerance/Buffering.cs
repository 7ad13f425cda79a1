namespace Tracer.Forecast;

/// <summary>
/// How an application buffers: it fills or empties one buffer in each period, and must not be late by more than the others hold.
/// </summary>
/// <param name="Buffers">How many buffers; at least 2.</param>
/// <param name="BufferNs">How long one buffer lasts, which is the application's period, in nanoseconds.</param>
/// <param name="ComputeNs">How long the application computes for one buffer, in nanoseconds; below the period.</param>
public sealed record Buffering(int Buffers, double BufferNs, double ComputeNs)
{
    /// <summary>Buffers beyond this are no real-time application's.</summary>
    public const int MostBuffers = 1024;

    /// <summary>What the other buffers hold: (n - 1) t, the paper's latency tolerance (Cota-Robles &amp; Held 1, Table 1).</summary>
    public double ToleranceNs => (Buffers - 1) * BufferNs;

    /// <summary>How late the application may start: the tolerance without the time that it computes (the paper's section 5).</summary>
    public double SlackNs => ToleranceNs - ComputeNs;

    /// <summary>Why this is no buffering, as one sentence without a full stop; null where it is one.</summary>
    public string? Problem =>
        Buffers < 2 ? "it takes at least two buffers, one that is played while the other is filled"
        : Buffers > MostBuffers ? $"{Counted.Of(MostBuffers, "buffer")} are the most"
        : !(BufferNs > 0) ? "a buffer must last some time"
        : ComputeNs < 0 ? "the compute time must not be negative"
        : ComputeNs >= BufferNs
            ? $"computing for {Times.Text((long)ComputeNs)} in each {Times.Text((long)BufferNs)} never keeps up; give a longer buffer or a "
                + "shorter compute time"
        : null;

    /// <summary>The time that so many samples last.</summary>
    /// <param name="rate">Samples a second.</param>
    public static double SamplesNs(long samples, long rate) => samples * 1e9 / rate;
}
