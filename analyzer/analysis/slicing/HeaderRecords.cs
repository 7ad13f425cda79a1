using System.Buffers.Binary;

namespace Tracer.Analysis.Slicing;

/// <summary>
/// The records beside the header event of a file: which groups were on (0x0005, 0x0020), the partition (0x0050, 0x0052). A merged file has
/// those of all its sources in its own header buffer, as real merged files show.
/// </summary>
public sealed class HeaderRecords
{
    private const ushort Extension = 0x0005;
    private const ushort EndExtension = 0x0020;
    private const ushort Partition = 0x0050;
    private const ushort Processors = 0x0052;
    private const byte ExtensionVersion = 2;

    /// <summary>A file has three or four, the longest of 168 bytes.</summary>
    private const int MostRecords = 16;
    private const int LongestPayload = 512;

    private readonly List<(EtlEventHeader Header, byte[] Payload)> _records = [];

    /// <summary>Whether one tells which groups were on.</summary>
    public bool HasMasks { get; private set; }

    /// <summary>Takes a record of the header group; passes over the others.</summary>
    public void Add(in EtlEvent traceEvent)
    {
        if (traceEvent.HookId is not (Extension or EndExtension or Partition or Processors)
            || _records.Count == MostRecords || traceEvent.Payload.Length > LongestPayload || !traceEvent.Counters.IsEmpty)
        {
            return;
        }

        HasMasks |= traceEvent.HookId is Extension or EndExtension;
        _records.Add((EtlEventHeader.Of(in traceEvent), traceEvent.Payload.ToArray()));
    }

    /// <summary>Adds what Windows said is on, for a file that does not tell.</summary>
    public void AddMasks(ReadOnlySpan<uint> granted, int pointerBytes)
    {
        // The last word is the version of the kernel's events: not known.
        byte[] payload = new byte[(granted.Length + 1) * sizeof(uint)];
        for (int word = 0; word < granted.Length; word++)
        {
            BinaryPrimitives.WriteUInt32LittleEndian(payload.AsSpan(word * sizeof(uint)), granted[word]);
        }

        HasMasks = true;
        _records.Add((EtlEventHeader.System(Extension, ExtensionVersion, 0, 0, 0, pointerBytes), payload));
    }

    /// <param name="writer">Whose data has not begun yet.</param>
    /// <param name="rewriting">Writes them otherwise; null where they stay as they are.</param>
    public void WriteTo(EtlWriter writer, IRecordRewriting? rewriting = null)
    {
        ArgumentNullException.ThrowIfNull(writer);
        foreach ((EtlEventHeader header, byte[] payload) in _records)
        {
            if ((rewriting is null ? payload : rewriting.HeaderRecord(header.HookId, payload)) is { } written)
            {
                writer.WriteToHeaderBuffer(header with { TimestampTicks = writer.Header.Clock.HeaderTicks }, written);
            }
        }
    }
}
