using Tracer.Analysis.Beats;

namespace Tracer.Analysis.Facts;

/// <summary>
/// The threads that are made ready by a beat, whatever their priority: what has a deadline where no thread has a real-time priority, such
/// as an audio thread that was never registered. A late one is made ready on a later beat, so that a beat that is missed half of the time
/// is one as well.
/// </summary>
internal static class PeriodicThreads
{
    /// <summary>Fewer wake-ups of a thread show no beat.</summary>
    private const int FewestWakeups = 20;

    /// <summary>Most threads that are asked for a beat, those with most wake-ups: each takes milliseconds.</summary>
    private const int MostAsked = 64;

    /// <summary>Most wake-ups that are kept of one thread: <see cref="BeatTest"/> examines fewer.</summary>
    private const int MostWakeups = 1024;

    /// <summary>Most threads whose wake-ups are kept, to bound memory.</summary>
    private const int MostThreads = 4096;

    /// <summary>A thread is periodic if at least this part of its wake-ups are on the beat.</summary>
    private const double LeastOnBeat = 0.75;

    /// <exception cref="IOException">The storage failed.</exception>
    public static IReadOnlySet<uint> Read(IEtlReader reader)
    {
        var sink = new Sink([]);
        reader.Read(EtlOrder.Any, ref sink);
        return sink.Ready.Where(thread => thread.Value.Count >= FewestWakeups)
            .OrderByDescending(thread => thread.Value.Count).ThenBy(thread => thread.Key).Take(MostAsked)
            .Where(thread => IsPeriodic(thread.Value)).Select(thread => thread.Key).ToHashSet();
    }

    private static bool IsPeriodic(List<long> ticks) =>
        BeatTest.Find([.. ticks.Select(at => (double)(at - ticks[0]))]) is { } beat && beat.EventsOnBeat >= LeastOnBeat * beat.Events;

    /// <summary>Collects when each thread was made ready.</summary>
    private readonly struct Sink(Dictionary<uint, List<long>> ready) : IEtlEventSink
    {
        public Dictionary<uint, List<long>> Ready => ready;

        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            if (traceEvent.IsKernelHook && traceEvent.HookId == KernelHook.ReadyThread
                && ReadyThreadRecord.TryRead(in traceEvent, out ReadyThreadRecord record) && record.ThreadId != 0)
            {
                if (!ready.TryGetValue(record.ThreadId, out List<long>? ticks) && ready.Count < MostThreads)
                {
                    ready.Add(record.ThreadId, ticks = []);
                }

                if (ticks?.Count < MostWakeups)
                {
                    ticks.Add(traceEvent.TimestampTicks);
                }
            }

            return true;
        }
    }
}
