using Tracer.Contract;
using Tracer.Etl;

namespace Tracer.Capture;

/// <summary>Has images, processes and threads listed: starts and stops a rundown session, whose records come with that.</summary>
public static class RundownTaking
{
    /// <summary>With fewer buffers the next rundown of a usual machine would be full of holes.</summary>
    private const int LeastBuffers = 16;

    /// <summary>What the buffers are divided by where Windows has no memory for them.</summary>
    private const int Step = 4;

    /// <summary>Takes one.</summary>
    /// <param name="sessions">The machine's sessions.</param>
    /// <param name="plan">The session, with its file.</param>
    /// <exception cref="EtwException">Windows refuses it.</exception>
    public static void Take(ITraceSessions sessions, SessionPlan plan)
    {
        ArgumentNullException.ThrowIfNull(sessions);
        ArgumentNullException.ThrowIfNull(plan);
        while (true)
        {
            try
            {
                using ITraceSession session = sessions.Start(plan);
                session.Stop();
                return;
            }
            catch (EtwException fault) when (fault.IsMemoryShort && plan.Buffers > LeastBuffers)
            {
                plan = plan with { Buffers = Math.Max(LeastBuffers, plan.Buffers / Step) };
            }
        }
    }
}

/// <summary>What a rundown lost: images, processes or threads that stand in it nowhere.</summary>
/// <param name="Events">Events that found no buffer.</param>
/// <param name="Buffers">Buffers that could not be written.</param>
public readonly record struct RundownLosses(uint Events, uint Buffers)
{
    private static readonly TraceLoggingEventSchema Schema = TracerProvider.RundownLoss.Schema();

    /// <summary>Whether nothing was lost.</summary>
    public bool IsNone => Events == 0 && Buffers == 0;

    /// <summary>Marks a trace with them; does nothing where nothing was lost.</summary>
    /// <param name="writer">The trace.</param>
    /// <param name="ticks">Its first moment.</param>
    public void WriteTo(EtlWriter writer, long ticks)
    {
        ArgumentNullException.ThrowIfNull(writer);
        if (IsNone)
        {
            return;
        }

        Span<byte> memory = stackalloc byte[2 * sizeof(uint)];
        var payload = new TraceLoggingPayload(memory);
        payload.UInt32(Events);
        payload.UInt32(Buffers);
        writer.Write(0, Schema.Header(ticks, (uint)Environment.ProcessId, 0), payload.Bytes, Schema.Items);
    }

    /// <summary>What the header of a rundown's file counts, which Windows writes when the session stops.</summary>
    /// <param name="rundown">The rundown; null where there is none.</param>
    /// <returns>Its losses.</returns>
    public static RundownLosses Of(EtlReader? rundown) =>
        rundown is null ? default : new RundownLosses(rundown.Header.EventsLost, rundown.Header.BuffersLost);
}
