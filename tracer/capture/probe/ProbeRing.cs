using System.Runtime.InteropServices;

namespace Tracer.Capture.Probe;

/// <summary>One measured wake-up on its way to the parent, in ticks of the performance counter.</summary>
/// <param name="Sequence">Number of the wake-up on its CPU.</param>
/// <param name="Tick">When it should have been served: latency counts from here.</param>
[StructLayout(LayoutKind.Sequential)]
internal readonly record struct ProbeRecord(long Sequence, long Due, long Tick, long Served);

/// <summary>
/// A ring of wake-ups in shared memory: one thread of the probe writes, one of the parent reads. What finds it full is counted and left
/// out; nothing is overwritten. The reader trusts no number that the other side wrote. Allocates nothing.
/// </summary>
internal readonly unsafe struct ProbeRing
{
    /// <summary>Bytes in front of the records. What each side writes has a cache line of its own.</summary>
    public const int HeaderBytes = 192;

    /// <summary>A second of wake-ups at 1 kHz and more: the parent drains each 20 ms, but for when it writes an episode.</summary>
    public const int Capacity = 4096;

    /// <summary>Bytes of a ring.</summary>
    public static readonly int Bytes = HeaderBytes + (Capacity * sizeof(ProbeRecord));

    private readonly Header* _header;

    /// <summary>Finds a ring in memory; zeros are an empty one.</summary>
    /// <param name="address">Its first byte, a multiple of 8.</param>
    public ProbeRing(byte* address) => _header = (Header*)address;

    private ProbeRecord* Records => (ProbeRecord*)((byte*)_header + HeaderBytes);

    /// <summary>Wake-ups that found it full.</summary>
    public long Lost => Volatile.Read(ref _header->Lost);

    public int Cpu
    {
        get => _header->Cpu;
        set => _header->Cpu = value;
    }

    /// <summary>Latency of the idle CPU, ns.</summary>
    public long FloorNs
    {
        get => Volatile.Read(ref _header->FloorNs);
        set => Volatile.Write(ref _header->FloorNs, value);
    }

    /// <summary>How often the machine slept while this CPU's timer was set: those wake-ups are no latencies.</summary>
    public long Resumes
    {
        get => Volatile.Read(ref _header->Resumes);
        set => Volatile.Write(ref _header->Resumes, value);
    }

    /// <summary>Writes a wake-up, or counts it as lost.</summary>
    public void Write(in ProbeRecord record)
    {
        long written = _header->Written;
        if (written - Volatile.Read(ref _header->Read) >= Capacity)
        {
            Volatile.Write(ref _header->Lost, _header->Lost + 1);
            return;
        }

        Records[written & (Capacity - 1)] = record;
        Volatile.Write(ref _header->Written, written + 1);
    }

    /// <summary>Takes the oldest wake-up.</summary>
    public bool TryRead(out ProbeRecord record)
    {
        long read = _header->Read;
        long written = Volatile.Read(ref _header->Written);
        // A count that cannot be is another program's work: what it says is passed over.
        if (written <= read || written - read > Capacity)
        {
            Volatile.Write(ref _header->Read, written);
            record = default;
            return false;
        }

        record = Records[read & (Capacity - 1)];
        Volatile.Write(ref _header->Read, read + 1);
        return true;
    }

    [StructLayout(LayoutKind.Explicit, Size = HeaderBytes)]
    private struct Header
    {
        [FieldOffset(0)]
        public long Written;

        [FieldOffset(8)]
        public long Lost;

        [FieldOffset(16)]
        public int Cpu;

        [FieldOffset(24)]
        public long FloorNs;

        [FieldOffset(32)]
        public long Resumes;

        [FieldOffset(64)]
        public long Read;
    }
}
