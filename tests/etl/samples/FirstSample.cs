using System.Buffers.Binary;
using System.Text;

namespace Tracer.Etl.Tests.Samples;

/// <summary>
/// Makes samples/first.etl, which the README shows: two CPUs for two seconds, a network driver whose DPC runs for 3.2 ms every half
/// second, an audio thread that should run every 10 ms, and some work on the other CPU. Times have random but fixed jitter.
/// </summary>
internal sealed class FirstSample
{
    private const long TicksPerSecond = 10_000_000;
    private const long Microsecond = TicksPerSecond / 1_000_000;
    private const long Start = 5_000_000_000;
    private const long End = Start + (2 * TicksPerSecond);
    private const long StartFileTime = 134_000_000_000_000_000;
    private const ulong Kernel = 0xFFFFF800_10000000;
    private const ulong Ndis = 0xFFFFF800_20000000;
    private const ulong Nic = 0xFFFFF800_30000000;
    private const uint AudioProcess = 4200;
    private const uint AudioThread = 4204;
    private const uint OtherThread = 6120;

    private readonly SortedDictionary<(long Ticks, int Order), Action<EtlWriter>> _events = [];
    private readonly List<(long Start, long End)> _longDpcs = [];
    private readonly byte[] _payload = new byte[1024];
    private uint _random = 12345;

    public static void Write(Stream stream)
    {
        var sample = new FirstSample();
        sample.AddMachine();
        sample.AddInterrupts();
        sample.AddAudio();
        sample.AddSamples();
        var header = new EtlFileHeader
        {
            Clock = new TraceClock(TraceClockKind.Qpc, TicksPerSecond, Start, StartFileTime),
            ProcessorCount = 2,
            OsBuild = 26100,
            CpuMhz = 3600,
            BootFileTime = StartFileTime - 6_000_000_000,
            SessionName = "first",
            FileName = "first.etl",
        };
        using EtlWriter writer = EtlWriter.Create(stream, header, new EtlWriterOptions { Compress = true }, leaveOpen: true);
        foreach (Action<EtlWriter> write in sample._events.Values)
        {
            write(writer);
        }

        writer.Complete(StartFileTime + (2 * TicksPerSecond));
    }

    private void AddMachine()
    {
        byte[] audio = ProcessPayload(AudioProcess, "audiodg.exe");
        Add(Start + 1, 0, EtlEventHeader.System(0x0303, 4, Start + 1, 4, 8), audio);
        (ulong Base, string Name, string Pdb)[] images =
        [
            (Kernel, "ntoskrnl.exe", "ntkrnlmp.pdb"), (Ndis, @"drivers\ndis.sys", "ndis.pdb"), (Nic, @"drivers\nic.sys", "nic.pdb"),
        ];
        long at = Start + 10;
        foreach ((ulong imageBase, string name, string pdb) in images)
        {
            at += 10;
            var image = new KernelImage(imageBase, 0x100000, 0, 0x66000000, @"\SystemRoot\System32\" + name);
            int bytes = KernelPayloadWriter.WriteImage(_payload, image);
            Add(at, 0, EtlEventHeader.PerfInfo(KernelHook.ImageDCStart, 3, at), _payload[..bytes]);
            bytes = KernelPayloadWriter.WriteImageIdRsds(
                _payload, imageBase, 0, new Guid((uint)imageBase, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11), 1, pdb);
            var id = EtlEventHeader.Full(KernelRecordCatalog.ImageIdClass, KernelPayloadWriter.ImageIdRsdsOpcode, 2, at, 0, 8);
            Add(at, 0, id, _payload[..bytes]);
        }

        byte[] interval = new byte[12];
        BinaryPrimitives.WriteUInt32LittleEndian(interval.AsSpan(4), 10_000);
        BinaryPrimitives.WriteUInt32LittleEndian(interval.AsSpan(8), 10_000);
        Add(Start + 100, 0, EtlEventHeader.System(KernelHook.CollectionStart, 2, Start + 100, 4, 8), interval);
    }

    /// <summary>The adapter interrupts CPU 0 about every 2 ms; its DPC is short but for every 250th.</summary>
    private void AddInterrupts()
    {
        long at = Start + TicksPerSecond / 100;
        for (int i = 1; at < End - TicksPerSecond / 100; i++)
        {
            long isrEnd = at + (3 * Microsecond) + Random(20);
            byte[] isr = new byte[20];
            BinaryPrimitives.WriteInt64LittleEndian(isr, at);
            BinaryPrimitives.WriteUInt64LittleEndian(isr.AsSpan(8), Nic + 0x1230);
            isr[16] = 1;
            isr[17] = 0x61;
            Add(isrEnd, 0, EtlEventHeader.PerfInfo(KernelHook.Isr, 2, isrEnd), isr);
            long dpcStart = isrEnd + Microsecond;
            bool isLong = i % 250 == 0;
            long dpcEnd = dpcStart + (isLong ? 3_200 * Microsecond : (30 * Microsecond) + Random(400));
            byte[] dpc = new byte[16];
            BinaryPrimitives.WriteInt64LittleEndian(dpc, dpcStart);
            BinaryPrimitives.WriteUInt64LittleEndian(dpc.AsSpan(8), Nic + 0x4560);
            Add(dpcEnd, 0, EtlEventHeader.PerfInfo(KernelHook.Dpc, 2, dpcEnd), dpc);
            if (isLong)
            {
                _longDpcs.Add((dpcStart, dpcEnd));
            }

            at = dpcEnd + (1_900 * Microsecond) + Random(2_000);
        }
    }

    /// <summary>The audio thread becomes ready on CPU 0 every 10 ms and runs as soon as no DPC is in its way.</summary>
    private void AddAudio()
    {
        for (long ready = Start + (TicksPerSecond / 50); ready < End - (TicksPerSecond / 50); ready += TicksPerSecond / 100)
        {
            long wouldRun = ready + (8 * Microsecond) + Random(50);
            (long _, long dpcEnd) = _longDpcs.Find(dpc => dpc.Start < wouldRun && wouldRun < dpc.End);
            long runs = Math.Max(wouldRun, dpcEnd + (2 * Microsecond));
            byte[] readied = new byte[8];
            BinaryPrimitives.WriteUInt32LittleEndian(readied, AudioThread);
            Add(ready, 0, EtlEventHeader.PerfInfo(KernelHook.ReadyThread, 2, ready), readied);
            AddSwitch(runs, 0, AudioThread, 0, 22, 0);
            AddSwitch(runs + (150 * Microsecond), 0, 0, AudioThread, 0, 22);
            long other = ready + (4_000 * Microsecond) + Random(20_000);
            AddSwitch(other, 1, OtherThread, 0, 8, 0);
            AddSwitch(other + (900 * Microsecond) + Random(9_000), 1, 0, OtherThread, 0, 8);
        }
    }

    private void AddSwitch(long at, int cpu, uint toThread, uint fromThread, sbyte toPriority, sbyte fromPriority)
    {
        byte[] contextSwitch = new byte[24];
        BinaryPrimitives.WriteUInt32LittleEndian(contextSwitch, toThread);
        BinaryPrimitives.WriteUInt32LittleEndian(contextSwitch.AsSpan(4), fromThread);
        contextSwitch[8] = (byte)toPriority;
        contextSwitch[9] = (byte)fromPriority;
        contextSwitch[12] = 15;
        contextSwitch[14] = (byte)(fromThread == 0 ? 2 : 5);
        Add(at, cpu, EtlEventHeader.PerfInfo(KernelHook.ContextSwitch, 4, at), contextSwitch);
    }

    private void AddSamples()
    {
        for (long at = Start + (TicksPerSecond / 1000); at < End; at += TicksPerSecond / 1000)
        {
            for (int cpu = 0; cpu < 2; cpu++)
            {
                byte[] sample = new byte[16];
                BinaryPrimitives.WriteUInt64LittleEndian(sample, Kernel + 0x2000 + Random(64));
                sample[12] = 1;
                sample[14] = 0x80;
                Add(at + cpu, cpu, EtlEventHeader.PerfInfo(KernelHook.SampledProfile, 2, at + cpu), sample);
            }
        }
    }

    private void Add(long ticks, int cpu, EtlEventHeader header, byte[] payload)
    {
        byte[] kept = [.. payload];
        _events.Add((ticks, _events.Count), writer => writer.Write(cpu, header, kept));
    }

    private static byte[] ProcessPayload(uint processId, string name)
    {
        // Version 4 with 8-byte pointers: key, process, parent, session, exit status, page table, flags, no SID, name, three texts.
        byte[] payload = new byte[40 + name.Length + 1 + 6];
        BinaryPrimitives.WriteUInt64LittleEndian(payload, 0xFFFFA00012345080);
        BinaryPrimitives.WriteUInt32LittleEndian(payload.AsSpan(8), processId);
        BinaryPrimitives.WriteUInt32LittleEndian(payload.AsSpan(12), 700);
        BinaryPrimitives.WriteUInt32LittleEndian(payload.AsSpan(20), 0x103);
        Encoding.ASCII.GetBytes(name, payload.AsSpan(40));
        return payload;
    }

    private uint Random(uint below)
    {
        _random = (_random * 1_664_525) + 1_013_904_223;
        return (uint)(((ulong)_random * below) >> 32);
    }
}
