using System.Buffers.Binary;

namespace Tracer.Adversary;

/// <summary>A clock that stands still, so that every stack may belong to every event.</summary>
internal static class FrozenClock
{
    /// <summary>Samples, then as many stacks, of one time and one thread.</summary>
    public static byte[] Of(int bytes) => AdversaryTrace.Written(1, compress: false, 64 * 1024, writer =>
    {
        byte[] sample = new byte[16];
        BinaryPrimitives.WriteUInt32LittleEndian(sample.AsSpan(8), 4);
        byte[] stack = new byte[24];
        BinaryPrimitives.WriteInt64LittleEndian(stack, AdversaryTrace.FirstTicks);
        BinaryPrimitives.WriteUInt32LittleEndian(stack.AsSpan(8), 8);
        BinaryPrimitives.WriteUInt32LittleEndian(stack.AsSpan(12), 4);
        BinaryPrimitives.WriteUInt64LittleEndian(stack.AsSpan(16), 0xFFFF_F800_0000_1000);
        int pairs = bytes / 72;
        for (int number = 0; number < 2 * pairs; number++)
        {
            bool isSample = number < pairs;
            ushort hook = isSample ? (ushort)0x0F2E : (ushort)0x1820;
            writer.Write(0, EtlEventHeader.PerfInfo(hook, 2, AdversaryTrace.FirstTicks), isSample ? sample : stack);
        }
    });
}
