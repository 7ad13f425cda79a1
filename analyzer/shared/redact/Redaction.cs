using Tracer.Analysis;
using Tracer.Analysis.Request;
using Tracer.Etl.Kernel;

namespace Tracer.AnalyzerShared.Redact;

/// <summary>
/// Takes the names out of a slice. Only what is known to be free of names is copied: numbers by a table of the records that blame reads,
/// texts by what they are the name of. Of every other record it stays, inside of the part, that there was one, when, on which CPU and of
/// which thread, because a CPU that logs something was not stopped; outside of the part it is left out.
/// </summary>
internal sealed class Redaction : ISliceRedaction
{
    private const int GroupMasksBytes = 36;
    private const int PartitionBytes = 48;
    private const ushort Partition = 0x0050;
    private const ushort Processors = 0x0052;

    private readonly PayloadBuffer _payload = new();
    private readonly NamedRecords _named;
    private readonly ProviderRecords _providers;

    /// <summary>Learns who is named in a trace.</summary>
    /// <param name="reader">The trace; it can be read again.</param>
    /// <param name="whole">Blame of it: who is to blame keeps the name.</param>
    /// <exception cref="IOException">The storage failed.</exception>
    public Redaction(EtlReader reader, BlameReport whole)
    {
        var paths = new PathRedaction(Names);
        Survey = NameSurvey.Of(reader, whole, Names, paths);
        _named = new NamedRecords(Survey, Names, paths, Counts);
        _providers = new ProviderRecords(_named);
    }

    /// <summary>The names that were replaced.</summary>
    public NameBook Names { get; } = new();

    public NameSurvey Survey { get; }

    /// <summary>What was done to the records of the slice that was written last.</summary>
    public RedactionCounts Counts { get; } = new();

    public string NameOf(string culprit)
    {
        if (Survey.Drivers.Contains(culprit))
        {
            return _named.DriverName(culprit);
        }

        // Several kinds may have a name: what is to blame is rather a process than a library, and rather that than a file.
        foreach (NameKind kind in (ReadOnlySpan<NameKind>)[NameKind.Process, NameKind.Module, NameKind.File])
        {
            if (Names.Has(kind, culprit))
            {
                return Names.Replacement(kind, culprit);
            }
        }

        return culprit;
    }

    /// <summary>
    /// The question, in the names of the pack: whatever was asked about is a name to be replaced, also one that nobody has.
    /// </summary>
    public BlameRequest Asked(BlameRequest request)
    {
        ArgumentNullException.ThrowIfNull(request);
        return request.Process is { } process && !uint.TryParse(process, NumberStyles.None, CultureInfo.InvariantCulture, out _)
            ? request with { Process = NamedRecords.ProcessName(process, Survey, Names) }
            : request;
    }

    public EtlFileHeader Header(EtlFileHeader header)
    {
        ArgumentNullException.ThrowIfNull(header);
        Counts.Clear();
        EtlTimeZone zone = header.TimeZone;
        return header with
        {
            SessionName = "trace",
            FileName = "trace.etl",
            TimeZone = new EtlTimeZone(
                zone.BiasMinutes, "", zone.StandardDate, zone.StandardBiasMinutes, "", zone.DaylightDate, zone.DaylightBiasMinutes),
        };
    }

    public byte[]? HeaderRecord(ushort hookId, byte[] payload)
    {
        ArgumentNullException.ThrowIfNull(payload);
        if (hookId != Partition)
        {
            return hookId != Processors && payload.Length >= GroupMasksBytes ? payload[..GroupMasksBytes] : null;
        }

        // Which virtual machine it was is nobody's business; that it was one matters.
        const int IdAt = 16;
        byte[] partition = new byte[PartitionBytes];
        bool isInPartition = payload.Length >= PartitionBytes && payload.AsSpan(IdAt, IdAt).ContainsAnyExcept((byte)0);
        partition[IdAt] = isInPartition ? (byte)1 : (byte)0;
        return partition;
    }

    public bool Write(EtlWriter writer, int cpu, in EtlEvent traceEvent, bool isOfPart)
    {
        ArgumentNullException.ThrowIfNull(writer);
        _payload.Begin();
        if (traceEvent.Kind == EtlHeaderKind.Message)
        {
            Counts.LeftOut++;
            return false;
        }

        if (traceEvent.IsEventHeader)
        {
            bool stays = _providers.Write(in traceEvent, out EtlEventHeader header, _payload, out EtlExtendedItem[] items);
            return Put(writer, cpu, in header, in traceEvent, stays, isOfPart, items);
        }

        EtlEventHeader plain = Plain(in traceEvent);
        if (KernelHook.Of(in traceEvent) is not { } hook)
        {
            bool stays = _named.TryWriteDescription(in traceEvent, _payload);
            plain = stays ? plain : plain with { ProviderId = ProviderRecords.Emptied, Opcode = 0, Version = 0, Level = 0 };
            return Put(writer, cpu, in plain, in traceEvent, stays, isOfPart, []);
        }

        if (NumericRecords.Bytes(hook, in traceEvent) is { } bytes)
        {
            Counts.Cut += bytes < traceEvent.Payload.Length ? 1 : 0;
            writer.Write(cpu, plain, traceEvent.Payload[..bytes]);
            return true;
        }

        bool isKnown = NumericRecords.IsStack(hook);
        if (isKnown)
        {
            NumericRecords.WriteStack(hook, in traceEvent, _payload);
        }
        else
        {
            isKnown = _named.TryWrite(hook, in traceEvent, _payload);
        }

        return Put(writer, cpu, in plain, in traceEvent, isKnown, isOfPart, []);
    }

    /// <summary>The header without counters, instances and what else blame does not read.</summary>
    private static EtlEventHeader Plain(in EtlEvent traceEvent) => EtlEventHeader.Of(in traceEvent) with
    {
        HasPebsIndex = false,
        CounterCount = 0,
        InstanceId = 0,
        ParentInstanceId = 0,
        ParentClassId = Guid.Empty,
    };

    private bool Put(
        EtlWriter writer,
        int cpu,
        in EtlEventHeader header,
        in EtlEvent traceEvent,
        bool stays,
        bool isOfPart,
        EtlExtendedItem[] items)
    {
        if (!stays && !isOfPart)
        {
            Counts.LeftOut++;
            return false;
        }

        if (!stays)
        {
            _payload.Begin();
            Counts.Emptied += traceEvent.Payload.Length > 0 ? 1 : 0;
        }

        writer.Write(cpu, header, _payload.Bytes, items);
        return true;
    }
}
