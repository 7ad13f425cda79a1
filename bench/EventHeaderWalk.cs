using BenchmarkDotNet.Attributes;

namespace Tracer.Bench;

/// <summary>Walks the event headers of one buffer: the inner loop of every reading.</summary>
[MemoryDiagnoser]
public class EventHeaderWalk
{
    private const int BufferBytes = 64 * 1024;

    private readonly byte[] _buffer = new byte[BufferBytes];

    /// <summary>Fills the buffer with what a kernel trace mostly holds: samples (32 bytes), context switches (40), ISRs (36).</summary>
    [GlobalSetup]
    public void Fill()
    {
        byte[][] records =
        [
            [0x02, 0, 0x11, 0xC0, 32, 0, 0x2E, 0x0F, .. new byte[24]],
            [0x04, 0, 0x11, 0xC0, 40, 0, 0x24, 0x05, .. new byte[32]],
            [0x02, 0, 0x11, 0xC0, 36, 0, 0x43, 0x0F, .. new byte[32]],
        ];
        int at = 0;
        for (int i = 0; at + 40 <= BufferBytes; i++)
        {
            byte[] record = records[i % records.Length];
            record.CopyTo(_buffer, at);
            at += Aligned(record.Length);
        }
    }

    /// <summary>Recognises and measures each event and takes its time stamp and hook id.</summary>
    [Benchmark(OperationsPerInvoke = BufferBytes)]
    public long Walk()
    {
        long sum = 0;
        ReadOnlySpan<byte> rest = _buffer;
        while (EtlEvent.TryRead(rest, cpu: 0, bufferOffset: 0, out EtlEvent read))
        {
            sum += read.TimestampTicks + read.HookId;
            rest = rest[Aligned(read.Record.Length)..];
        }

        return sum;
    }

    private static int Aligned(int bytes) => (bytes + 7) & ~7;
}
