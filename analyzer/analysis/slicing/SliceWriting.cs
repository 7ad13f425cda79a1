namespace Tracer.Analysis.Slicing;

/// <summary>Writes a part of a trace as a trace of its own, which says of itself which part it is.</summary>
public static class SliceWriting
{
    private const int LeastBufferBytes = 64 * 1024;

    /// <summary>Each CPU has a buffer while a slice is written, and a damaged header may name any size.</summary>
    private const int MostBufferBytes = 256 * 1024;
    private const int BufferStep = 1024;

    private static readonly TraceLoggingEventSchema Schema = TracerProvider.Slice.Schema();

    /// <param name="source">The trace; it can be read again.</param>
    /// <param name="judged">What is judged: latencies that begin in it.</param>
    /// <param name="kept">What is kept whole; it holds the judged part and what led to it.</param>
    /// <param name="output">Takes the slice from its position on; it must be able to seek.</param>
    /// <param name="rewriting">Writes the records otherwise; null where they stay as they are.</param>
    /// <returns>Records written, and how many of them lie in the judged part.</returns>
    /// <exception cref="IOException">The storage failed.</exception>
    public static (long Events, long Judged) Write(
        EtlReader source, TraceWindow judged, TraceWindow kept, Stream output, IRecordRewriting? rewriting = null)
    {
        ArgumentNullException.ThrowIfNull(source);
        SliceSurvey survey = SliceSurvey.Of(source, kept);
        IReadOnlyList<TraceLoss> losses = source.Losses;
        EtlFileHeader header = HeaderOf(source.Header, survey);
        header = rewriting?.Header(header) ?? header;
        bool isRing = (source.Header.Mode & (EtlLogFileMode.Circular | EtlLogFileMode.Buffering)) != 0;
        using var writer = EtlWriter.Create(output, header, new EtlWriterOptions { Compress = true }, leaveOpen: true);
        survey.HeaderRecords.WriteTo(writer, rewriting);
        var transfer = new LossTransfer(losses, kept, writer, isRing);
        if (isRing)
        {
            transfer.AddOverwritten(survey);
        }

        WriteEvent(writer, judged, kept, survey.Left);
        var count = new JudgedCount(judged);
        var copy = new RecordCopy(writer, count, rewriting);
        copy.CopyPart(source, survey, transfer);
        long end = writer.Header.Clock.FileTimeAt(copy.LastTicks) ?? header.EndFileTime;
        writer.Complete(Math.Max(end, header.Clock.StartFileTime));
        return (copy.Events, count.Events);
    }

    /// <summary>The source's header as a file may have it: a damaged one may claim anything.</summary>
    private static EtlFileHeader HeaderOf(EtlFileHeader source, SliceSurvey survey)
    {
        EtlLogFileMode oneStream = source.Mode & EtlLogFileMode.NoPerProcessorBuffering;
        return source with
        {
            ProcessorCount = oneStream != 0
                ? 1
                : Math.Clamp(Math.Max(source.ProcessorCount, survey.HighestCpu + 1), 1, EtlBufferHeader.MaximumProcessors),
            BufferBytes = Math.Clamp(source.BufferBytes, LeastBufferBytes, MostBufferBytes) & ~(BufferStep - 1),
            PointerBytes = source.PointerBytes == sizeof(uint) ? sizeof(uint) : sizeof(ulong),
            CpuMhz = Math.Max(1, source.CpuMhz),
            PerformanceFrequency = source.PerformanceFrequency is > 0 and var known ? known : null,
            Mode = EtlLogFileMode.Sequential | EtlLogFileMode.Relog | oneStream,
            MaximumFileSize = 0,

            // Only what is missing in the slice: each loss is told at its place.
            EventsLost = 0,
            BuffersLost = 0,
        };
    }

    private static void WriteEvent(EtlWriter writer, TraceWindow judged, TraceWindow kept, LeftBehind left)
    {
        var slice = new SliceEvent
        {
            From = Math.Max(0, judged.Begin),
            To = Math.Max(0, judged.End),
            KeptFrom = Math.Max(0, kept.Begin),
            KeptTo = Math.Max(0, kept.End),
            Samples = (ulong)left.Samples,
            Routines = (ulong)left.Routines,
            Switches = (ulong)left.Switches,
            Stacks = (ulong)left.Stacks,
        };
        writer.Write(0, Schema.Header(writer.Header.Clock.HeaderTicks, 0, 0), ProviderPayload.Of(in slice), Schema.Items);
    }

    private sealed class JudgedCount(TraceWindow judged) : ICopyFollower
    {
        public long Events { get; private set; }

        public void Copied(EtlWriter writer, in EtlEvent traceEvent, int cpu) =>
            Events += judged.Contains(traceEvent.TimestampTicks) ? 1 : 0;
    }
}
