using Tracer.Analysis.Slicing;
using Tracer.Etl.Kernel;

namespace Tracer.Capture.Merge;

/// <summary>
/// The first look at a snapshot: how many events it has, how far back each CPU goes, whether the sampling interval is told. One reading, in
/// no order.
/// </summary>
public sealed class SnapshotSurvey
{
    /// <summary>A ring that is filled to less than this part has not overwritten anything yet.</summary>
    private const double FullPart = 0.95;

    private readonly long[] _oldest;

    private SnapshotSurvey(int processors) => _oldest = new long[processors];

    /// <summary>What stands beside the header event: group masks, partition.</summary>
    public HeaderRecords HeaderRecords { get; } = new();

    /// <summary>Bases of the kernel's images that were unloaded in the window or behind it.</summary>
    public HashSet<ulong> Unloaded { get; } = [];

    /// <summary>Events, those in the header buffer left out.</summary>
    public long Events { get; private set; }

    /// <summary>Whether the ring is full: what CPUs logged before their first records was overwritten.</summary>
    public bool HasOverwritten { get; private set; }

    public bool TellsSampleInterval { get; private set; }

    /// <summary>Buffers that can't be read, or not whole: damaged, or cut off where the disk was full.</summary>
    public long Unread { get; private set; }

    /// <summary>From here on all CPUs are covered, in ticks; <see cref="long.MaxValue"/> where there is no event.</summary>
    public long CoveredFrom { get; private set; } = long.MaxValue;

    /// <summary>The last event, in ticks.</summary>
    public long LastTicks { get; private set; } = long.MinValue;

    /// <param name="ringBytes">Size of the ring: one that is not full covers all since its session started.</param>
    public static SnapshotSurvey Of(EtlReader reader, long fileBytes, long ringBytes, TraceWindow window)
    {
        ArgumentNullException.ThrowIfNull(reader);
        var survey = new SnapshotSurvey(EtlBufferHeader.MaximumProcessors);
        Array.Fill(survey._oldest, long.MaxValue);
        var sink = new Sink(survey, window);
        reader.Read(EtlOrder.Any, ref sink);
        survey.Unread = reader.Health[HealthCounter.DamagedBuffers] + (reader.Health[HealthCounter.TruncatedBytes] > 0 ? 1 : 0);
        if (survey.Events > 0)
        {
            survey.HasOverwritten = fileBytes >= ringBytes * FullPart;
            survey.CoveredFrom = !survey.HasOverwritten
                ? Math.Min(reader.Header.Clock.HeaderTicks, survey._oldest.Min())
                : survey._oldest.Where(static oldest => oldest != long.MaxValue).Max();
        }

        return survey;
    }

    private readonly struct Sink(SnapshotSurvey survey, TraceWindow window) : IEtlEventSink
    {
        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            long ticks = traceEvent.TimestampTicks;
            if (traceEvent.Group == KernelGroup.Header || ticks == 0)
            {
                survey.HeaderRecords.Add(in traceEvent); // Of the session, not of a moment. Messages without a time stamp end here, too.
                return true;
            }

            survey.Events++;
            survey.LastTicks = Math.Max(survey.LastTicks, ticks);
            ref long oldest = ref survey._oldest[traceEvent.Cpu];
            oldest = Math.Min(oldest, ticks);
            survey.TellsSampleInterval |= traceEvent.HookId is KernelHook.CollectionStart or KernelHook.SetInterval;
            if (traceEvent.HookId == KernelHook.ImageUnload && ticks >= window.Begin && survey.Unloaded.Count < KernelImageLog.MostImages
                && ImageRecord.TryRead(in traceEvent, out ImageRecord image) && image.ProcessId == 0)
            {
                survey.Unloaded.Add(image.ImageBase);
            }

            return true;
        }
    }
}
