namespace Tracer.Capture.Merge;

/// <summary>
/// The records that describe the machine (0x0Bxx: processors, disks, network, devices). Windows makes them when a session stops, by asking
/// each device: that took from 0.08 s to 5 s on real machines, so a capture has them once and each of its traces a copy.
/// </summary>
public sealed class MachineConfiguration
{
    /// <summary>The largest trace examined has 1,200 of them.</summary>
    private const int MostRecords = 16_384;
    private const int MostBytes = 8 << 20;

    private readonly List<(ushort Hook, byte Version, int PointerBytes, byte[] Payload)> _records = [];
    private int _bytes;

    /// <summary>How many there are.</summary>
    public int Count => _records.Count;

    /// <summary>Takes an event if it is one of them.</summary>
    public void Add(in EtlEvent traceEvent)
    {
        if (traceEvent.IsKernelHook && traceEvent.Group == KernelGroup.SystemConfig
            && _records.Count < MostRecords && _bytes + traceEvent.Payload.Length <= MostBytes)
        {
            _bytes += traceEvent.Payload.Length;
            _records.Add((traceEvent.HookId, (byte)traceEvent.Version, traceEvent.PointerBytes, traceEvent.Payload.ToArray()));
        }
    }

    /// <summary>Writes them all into a trace.</summary>
    /// <param name="ticks">The time that they get.</param>
    public void WriteTo(EtlWriter writer, long ticks)
    {
        ArgumentNullException.ThrowIfNull(writer);
        foreach ((ushort hook, byte version, int pointerBytes, byte[] payload) in _records)
        {
            writer.Write(0, EtlEventHeader.System(hook, version, ticks, 0, 0, pointerBytes), payload);
        }
    }
}
