using System.Text;
using Tracer.Analysis.Slicing;
using Tracer.Capture.Sessions;
using Tracer.Etl.Kernel;

namespace Tracer.Capture.Merge;

/// <summary>What a merge makes a trace of.</summary>
public sealed record MergeRequest
{
    /// <summary>The snapshot, surveyed already.</summary>
    public required EtlReader Snapshot { get; init; }

    public required SnapshotSurvey Survey { get; init; }

    /// <summary>The rundown; null where there is none.</summary>
    public required EtlReader? Rundown { get; init; }

    /// <summary>What the trace is of: latencies in it are judged.</summary>
    public required TraceWindow Window { get; init; }

    /// <summary>What is kept of the snapshot: the window, and what led to its first latencies.</summary>
    public required TraceWindow Kept { get; init; }

    /// <summary>
    /// The date of the first moment that is kept: the recorder's own start may be days ago, and clocks are set.
    /// </summary>
    public required DateTime KeptFromUtc { get; init; }

    /// <summary>Events that the recorder had lost before the window.</summary>
    public uint EventsLostBefore { get; init; }

    /// <summary>The sampling interval in units of 100 ns, for a snapshot that does not tell it any more; 0 where it is not known.</summary>
    public uint SampleInterval100ns { get; init; }

    public required EpisodeEvents Events { get; init; }

    public required IImageFiles Images { get; init; }

    /// <summary>Identities that were read already.</summary>
    public required ImageIdentityCache Identities { get; init; }

    /// <summary>What describes the machine, for a rundown that does not; null where nothing is known.</summary>
    public MachineConfiguration? Configuration { get; init; }

    /// <summary>The kernel's images of the rundown before.</summary>
    public required KernelImageLog EarlierImages { get; init; }
}

/// <param name="Unidentified">Image records without an identity.</param>
/// <param name="Configuration">What the rundown told of the machine; null where it did not.</param>
public readonly record struct MergeOutcome(
    long Events, KernelImageLog KernelImages, UnidentifiedImages Unidentified, MachineConfiguration? Configuration = null);

/// <summary>
/// Makes one trace of a snapshot and the rundown behind it: trims to the window, keeps records byte for byte, and adds what Windows' own
/// merge adds (ImageID, volume names) and our events. Streams: memory is a buffer for each CPU.
/// </summary>
public static class SnapshotMerge
{
    private const int LongestPayload = 4096;
    private const int LeastBufferBytes = 64 * 1024;
    private const byte ImageVersion = 3;
    private const byte CollectionStartVersion = 3;
    private const byte VolumeMappingOpcode = 35;
    private const string TimerSource = "Timer";

    private static readonly Guid SystemConfigExClass = new("9b79ee91-b5fd-41c0-a243-4248e266e9d0");

    /// <summary>Makes one trace of the snapshot and the rundown.</summary>
    /// <param name="output">Takes the trace; it must be able to seek.</param>
    /// <exception cref="IOException">The storage failed.</exception>
    public static MergeOutcome Write(MergeRequest request, Stream output)
    {
        ArgumentNullException.ThrowIfNull(request);
        HeaderRecords header = request.Survey.HeaderRecords;
        RundownSurvey? rundown = request.Rundown is { } reader ? RundownSurvey.Of(reader, header) : null;
        if (!header.HasMasks)
        {
            KernelMasks granted = request.Events.Granted;
            header.AddMasks(granted, request.Snapshot.Header.PointerBytes);
        }

        SliceSurvey part = SliceSurvey.Of(request.Snapshot, request.Kept);
        IReadOnlyList<TraceLoss> losses = request.Snapshot.Losses;
        using var writer = EtlWriter.Create(output, HeaderOf(request, losses), new EtlWriterOptions { Compress = true }, leaveOpen: true);
        header.WriteTo(writer);
        request.Events.WriteTo(writer, request.Window, request.Kept.Begin);
        RundownLosses.Of(request.Rundown).WriteTo(writer, request.Kept.Begin);
        WriteVolumes(writer, request);
        WriteSampleInterval(writer, request);
        KernelImageLog images = rundown?.Images ?? new KernelImageLog();
        WriteVanished(writer, request, request.EarlierImages.MissingFrom(images, request.Survey.Unloaded));

        var identities = new ImageIdWriting(request.Images, request.Identities);
        var copy = new RecordCopy(writer, identities);
        var transfer = new LossTransfer(losses, request.Kept, writer, ofRing: true);
        if (request.Survey.HasOverwritten)
        {
            transfer.AddOverwritten(part);
        }

        copy.CopyPart(request.Snapshot, part, transfer);
        if (request.Rundown is not null)
        {
            RundownCopy.Copy(request.Rundown, copy, rundown!.HasEnd);
        }

        MachineConfiguration? told = rundown?.Configuration is { Count: > 0 } own ? own : null;
        if (told is null)
        {
            request.Configuration?.WriteTo(writer, Math.Max(copy.LastTicks, request.Kept.Begin));
        }

        long end = writer.Header.Clock.FileTimeAt(Math.Max(copy.LastTicks, request.Kept.Begin)) ?? writer.Header.Clock.StartFileTime;
        writer.Complete(Math.Max(end, writer.Header.Clock.StartFileTime));
        return new MergeOutcome(copy.Events, images, identities.Unidentified, told);
    }

    private static uint Left(uint count, uint without) => count > without ? count - without : 0;

    private static EtlFileHeader HeaderOf(MergeRequest request, IReadOnlyList<TraceLoss> losses)
    {
        EtlFileHeader source = request.Snapshot.Header;
        EtlFileHeader? rundown = request.Rundown?.Header;
        return source with
        {
            Clock = new TraceClock(
                source.Clock.Kind, source.Clock.TicksPerSecond, request.Kept.Begin, request.KeptFromUtc.ToFileTimeUtc()),
            ProcessorCount = Math.Clamp(
                Math.Max(source.ProcessorCount, rundown?.ProcessorCount ?? 1), 1, EtlBufferHeader.MaximumProcessors),
            BufferBytes = Math.Max(LeastBufferBytes, Math.Max(source.BufferBytes, rundown?.BufferBytes ?? 0)),
            CpuMhz = Math.Max(1, source.CpuMhz),
            Mode = EtlLogFileMode.Sequential | EtlLogFileMode.Relog,
            MaximumFileSize = 0,
            EventsLost = Left(Left(source.EventsLost, request.EventsLostBefore), LossTransfer.EventsToldOf(losses, request.Kept)),
            SessionName = "Relogger",
            FileName = "[multiple files]",
            InterruptTimerSource = 0,
            CounterTimerSource = 0,
        };
    }

    /// <summary>What turns NT paths into paths with a drive letter (SystemConfigEx opcode 35).</summary>
    private static void WriteVolumes(EtlWriter writer, MergeRequest request)
    {
        Span<byte> memory = stackalloc byte[LongestPayload];
        foreach (VolumeName volume in request.Images.Volumes)
        {
            if ((volume.NtPath.Length + volume.DosPath.Length + 2) * sizeof(char) > LongestPayload)
            {
                continue;
            }

            var payload = new TraceLoggingPayload(memory);
            payload.UnicodeString(volume.NtPath);
            payload.UnicodeString(volume.DosPath);
            var header = EtlEventHeader.Full(
                SystemConfigExClass, VolumeMappingOpcode, 0, request.Kept.Begin, 0, 0, writer.Header.PointerBytes);
            writer.Write(0, header, payload.Bytes);
        }
    }

    /// <summary>The record that told it stood at the beginning of the ring once (0x0F49 version 3).</summary>
    private static void WriteSampleInterval(EtlWriter writer, MergeRequest request)
    {
        if (request.Survey.TellsSampleInterval || request.SampleInterval100ns == 0)
        {
            return;
        }

        var payload = new TraceLoggingPayload(stackalloc byte[LongestPayload]);
        payload.UInt32(0); // Source: the timer.
        payload.UInt32(request.SampleInterval100ns);
        payload.UInt32(request.SampleInterval100ns);
        payload.UnicodeString(TimerSource);
        var header = EtlEventHeader.System(
            KernelHook.CollectionStart, CollectionStartVersion, request.Kept.Begin, 0, 0, writer.Header.PointerBytes);
        writer.Write(0, header, payload.Bytes);
    }

    private static void WriteVanished(EtlWriter writer, MergeRequest request, IReadOnlyList<KernelImage> vanished)
    {
        Span<byte> memory = stackalloc byte[LongestPayload];
        int pointerBytes = writer.Header.PointerBytes;
        foreach (KernelImage image in vanished)
        {
            if (Encoding.Unicode.GetByteCount(image.FileName) > LongestPayload / 2)
            {
                continue;
            }

            int bytes = KernelPayloadWriter.WriteImage(memory, image, pointerBytes);
            var header = EtlEventHeader.System(
                KernelHook.ImageDCStart, ImageVersion, request.Kept.Begin, 0, 0, pointerBytes);
            writer.Write(0, header, memory[..bytes]);
        }
    }
}
