using System.Buffers.Binary;

namespace Tracer.Bench.Traces;

/// <summary>
/// The events of a load that interrupts drive, the same with every run. Each CPU goes through a pattern of its own again and again, of
/// bursts: an ISR, its DPC, which makes a thread ready in most, the switch to that thread and back to idle; and there is a profile sample
/// every millisecond. Times jitter, CPUs differ in how often they are interrupted, and the next burst is always of the CPU whose time is
/// earliest, so that full buffers get into the file in the order in which a session would have flushed them.
/// </summary>
/// <remarks>
/// Every record has 65 bytes: 16 of header, the fields that are known, and padding, as records of coming versions are longer than what
/// is known of them. Half of the padding is zero and half differs from record to record, so that compressed buffers shrink about as
/// those of real traces do.
/// </remarks>
internal sealed class InterruptLoad
{
    /// <summary>Size of every record.</summary>
    public const int RecordBytes = 65;

    /// <summary>What a record takes in a buffer, where records start at multiples of 8.</summary>
    public const int StoredRecordBytes = 72;

    /// <summary>When the trace starts.</summary>
    public const long FirstTicks = 1_000_000_000;

    private const int PayloadBytes = RecordBytes - 16;

    /// <summary>After so many bursts, the devices and threads of a CPU come again as before; times never do.</summary>
    private const int PatternSteps = 12;

    private const int SampleTicks = 10_000;
    private const ulong Drivers = 0xFFFFF806_10000000;

    private readonly EtlWriter _writer;
    private readonly long[] _next;
    private readonly long[] _nextSample;
    private readonly long[] _last;
    private readonly Step[][] _patterns;
    private readonly int[] _steps;
    private readonly byte[] _payload = new byte[PayloadBytes];
    private ulong _random = 0x9E3779B97F4A7C15;

    /// <param name="writer">Takes the events.</param>
    /// <param name="cpus">How many CPUs it runs on.</param>
    public InterruptLoad(EtlWriter writer, int cpus)
    {
        _writer = writer;
        _next = new long[cpus];
        _nextSample = new long[cpus];
        _last = new long[cpus];
        _steps = new int[cpus];
        _patterns = new Step[cpus][];
        for (int cpu = 0; cpu < cpus; cpu++)
        {
            _patterns[cpu] = new Step[PatternSteps];
            foreach (ref Step step in _patterns[cpu].AsSpan())
            {
                step = new Step(Random(6), 4 + (4u * (uint)Random(300)), IsShared: Random(8) == 0, Wakes: Random(4) != 0);
            }

            _next[cpu] = FirstTicks + 100 + Random(500);
            _nextSample[cpu] = FirstTicks + SampleTicks + (100 * cpu);
        }
    }

    /// <summary>How many events were written.</summary>
    public long Events { get; private set; }

    /// <summary>Time of the last event.</summary>
    public long LastTicks { get; private set; }

    /// <summary>Writes what one interrupt causes on the CPU whose turn it is.</summary>
    public void WriteBurst()
    {
        int cpu = 0;
        for (int other = 1; other < _next.Length; other++)
        {
            cpu = _next[other] < _next[cpu] ? other : cpu;
        }

        Step step = _patterns[cpu][_steps[cpu]++ % PatternSteps];
        long time = _next[cpu];
        int device = step.Device;
        uint thread = step.Thread;
        bool isMessageSignalled = device >= 2;
        long isrEntry = time;
        long isrExit = isrEntry + 10 + Random(60);
        Isr(cpu, isrEntry, isrExit, device, isMessageSignalled);
        if (step.IsShared)
        {
            // A line that two devices share: the second routine is called too.
            isrEntry = isrExit + 3;
            isrExit = isrEntry + 8 + Random(20);
            Isr(cpu, isrEntry, isrExit, device + 1, isMessageSignalled);
        }

        long dpcEntry = isrExit + 5 + Random(10);
        time = dpcEntry + 10 + Random(40);
        if (step.Wakes)
        {
            Ready(cpu, time, thread);
            time += 5 + Random(100);
        }

        Dpc(cpu, dpcEntry, time, device);
        if (step.Wakes)
        {
            time += 10 + Random(20);
            Switch(cpu, time, thread, 0);
            time += 50 + Random(700);
            SampleUntil(cpu, time, thread);
            Switch(cpu, time, 0, thread);
        }

        time += 100 + Random(400 + (200 * cpu));
        SampleUntil(cpu, time, 0);
        _next[cpu] = time;
    }

    private void Isr(int cpu, long entry, long exit, int device, bool isMessageSignalled)
    {
        ulong routine = Drivers + ((ulong)device << 20) + 0x1230;
        BinaryPrimitives.WriteInt64LittleEndian(_payload, entry);
        BinaryPrimitives.WriteUInt64LittleEndian(_payload.AsSpan(8), routine);
        _payload[16] = 1;
        BinaryPrimitives.WriteUInt16LittleEndian(_payload.AsSpan(17), (ushort)(0x50 + (16 * device)));
        _payload[19] = 0;
        BinaryPrimitives.WriteUInt32LittleEndian(_payload.AsSpan(20), (uint)device);
        Write(cpu, isMessageSignalled ? KernelHook.IsrMessageSignalled : KernelHook.Isr, 2, exit, isMessageSignalled ? 24 : 20);
    }

    private void Dpc(int cpu, long entry, long exit, int device)
    {
        BinaryPrimitives.WriteInt64LittleEndian(_payload, entry);
        BinaryPrimitives.WriteUInt64LittleEndian(_payload.AsSpan(8), Drivers + ((ulong)device << 20) + 0x4560);
        Write(cpu, device == 5 ? KernelHook.TimerDpc : KernelHook.Dpc, 2, exit, 16);
    }

    private void Ready(int cpu, long time, uint thread)
    {
        BinaryPrimitives.WriteUInt32LittleEndian(_payload, thread);
        _payload[4] = 1;
        _payload[5] = 2;
        _payload[6] = 1;
        _payload[7] = 0;
        Write(cpu, KernelHook.ReadyThread, 2, time, 8);
    }

    private void Switch(int cpu, long time, uint to, uint from)
    {
        BinaryPrimitives.WriteUInt32LittleEndian(_payload, to);
        BinaryPrimitives.WriteUInt32LittleEndian(_payload.AsSpan(4), from);
        _payload[8] = to == 0 ? (byte)0 : (byte)9;
        _payload[9] = from == 0 ? (byte)0 : (byte)9;
        _payload[10] = 1;
        _payload[11] = 0;
        _payload[12] = 15;
        _payload[13] = 1;
        _payload[14] = from == 0 ? (byte)2 : (byte)5;
        _payload[15] = (byte)cpu;
        BinaryPrimitives.WriteUInt32LittleEndian(_payload.AsSpan(16), to == 0 ? 0 : 1u);
        BinaryPrimitives.WriteInt32LittleEndian(_payload.AsSpan(20), 0x4000 + Random(0x4000));
        Write(cpu, KernelHook.ContextSwitch, 4, time, 24);
    }

    /// <summary>Writes the samples due before a time; one that was due in an ISR or DPC is left out, as it is masked there.</summary>
    private void SampleUntil(int cpu, long end, uint thread)
    {
        for (; _nextSample[cpu] < end; _nextSample[cpu] += SampleTicks)
        {
            if (_nextSample[cpu] > _last[cpu])
            {
                BinaryPrimitives.WriteUInt64LittleEndian(_payload, Drivers + 0xF000_0000 + (16ul * (ulong)Random(5000)));
                BinaryPrimitives.WriteUInt32LittleEndian(_payload.AsSpan(8), thread);
                BinaryPrimitives.WriteUInt16LittleEndian(_payload.AsSpan(12), 1);
                _payload[14] = 16 << 3;
                _payload[15] = 0;
                Write(cpu, KernelHook.SampledProfile, 2, _nextSample[cpu], 16);
            }
        }
    }

    private void Write(int cpu, ushort hookId, byte version, long time, int fieldBytes)
    {
        Span<byte> padding = _payload.AsSpan(fieldBytes);
        padding.Clear();
        ulong noise = NextRandom();
        for (int i = 0; i < padding.Length / 2; i++)
        {
            padding[i] = (byte)(noise >> (8 * (i & 7)));
        }

        _writer.Write(cpu, EtlEventHeader.PerfInfo(hookId, version, time), _payload);
        Events++;
        _last[cpu] = time;
        LastTicks = Math.Max(LastTicks, time);
    }

    private int Random(int below) => (int)((NextRandom() >> 33) % (ulong)below);

    private ulong NextRandom()
    {
        _random ^= _random << 13;
        _random ^= _random >> 7;
        _random ^= _random << 17;
        return _random;
    }

    private readonly record struct Step(int Device, uint Thread, bool IsShared, bool Wakes);
}
