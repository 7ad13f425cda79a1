using Tracer.Capture.Ground;
using Tracer.Capture.Sessions;

namespace Tracer.Capture.Engine;

/// <summary>Starts the recorder; with a smaller ring where Windows has no memory for the one planned, which is never paged out.</summary>
public static class RingStart
{
    private const int MostHalvings = 3;

    /// <exception cref="CaptureException">Windows refuses it.</exception>
    public static ITraceSession Start(ITraceSessions sessions, SessionPlan plan, ICaptureObserver observer)
    {
        ArgumentNullException.ThrowIfNull(sessions);
        ArgumentNullException.ThrowIfNull(plan);
        ArgumentNullException.ThrowIfNull(observer);
        for (int halvings = 0; ; halvings++)
        {
            try
            {
                ITraceSession session = sessions.Start(plan);
                if (halvings > 0)
                {
                    string mib = ((long)plan.BufferKb * plan.Buffers / 1024).ToString(CultureInfo.InvariantCulture);
                    observer.OnNote(CaptureNoteLevel.Warning, $"Windows has memory for a ring of {mib} MiB only: it reaches less far back");
                }

                return session;
            }
            catch (EtwException fault) when (fault.IsMemoryShort && halvings < MostHalvings)
            {
                plan = plan with { Buffers = Math.Max(1, plan.Buffers / 2) };
            }
            catch (EtwException fault)
            {
                throw new CaptureException($"the recording could not be started: {fault.Message}", fault);
            }
        }
    }
}
