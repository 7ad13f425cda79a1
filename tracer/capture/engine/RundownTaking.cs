using Tracer.Capture.Sessions;

namespace Tracer.Capture.Engine;

/// <summary>Has images, processes and threads listed: starts and stops a rundown session, whose records come with that.</summary>
public static class RundownTaking
{
    /// <summary>With fewer buffers the next rundown of a usual machine would be full of holes.</summary>
    private const int LeastBuffers = 16;

    /// <summary>What the buffers are divided by where Windows has no memory for them.</summary>
    private const int Step = 4;

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
