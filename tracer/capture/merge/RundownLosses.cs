namespace Tracer.Capture.Merge;

/// <summary>What a rundown lost: images, processes or threads that stand in it nowhere.</summary>
/// <param name="Events">Events that found no buffer.</param>
/// <param name="Buffers">Buffers that could not be written, or can't be read.</param>
public readonly record struct RundownLosses(uint Events, uint Buffers)
{
    private static readonly TraceLoggingEventSchema Schema = TracerProvider.RundownLoss.Schema();

    /// <summary>Whether nothing was lost.</summary>
    public bool IsNone => Events == 0 && Buffers == 0;

    /// <summary>Marks a trace with them; does nothing where nothing was lost.</summary>
    public void WriteTo(EtlWriter writer, long ticks)
    {
        ArgumentNullException.ThrowIfNull(writer);
        if (IsNone)
        {
            return;
        }

        var losses = new RundownLossEvent { EventsLost = Events, BuffersLost = Buffers };
        writer.Write(0, Schema.Header(ticks, (uint)Environment.ProcessId, 0), ProviderPayload.Of(in losses), Schema.Items);
    }

    /// <summary>
    /// What the header of a rundown's file counts, which Windows writes when the session stops, and buffers that can't be read: damaged, or
    /// cut off.
    /// </summary>
    /// <param name="rundown">The rundown, read already; null where there is none.</param>
    public static RundownLosses Of(EtlReader? rundown)
    {
        if (rundown is null)
        {
            return default;
        }

        TraceHealth health = rundown.Health;
        long unread = health[HealthCounter.DamagedBuffers] + health[HealthCounter.MissingBuffers];
        unread = unread == 0 && health[HealthCounter.TruncatedBytes] > 0 ? 1 : unread;
        return new RundownLosses(rundown.Header.EventsLost, (uint)Math.Min(uint.MaxValue, rundown.Header.BuffersLost + unread));
    }
}
