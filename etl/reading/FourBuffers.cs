using System.Runtime.CompilerServices;

namespace Tracer.Etl.Reading;

/// <summary>
/// Gives the events of four buffers alternately: where the next event starts is known only when the size of this one has been loaded, and
/// with four buffers at once the CPU waits for four such loads at a time instead of one.
/// </summary>
internal static class FourBuffers
{
    /// <returns>False when the sink wants no more.</returns>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public static bool GiveAll<TSink>(
        Buffer first, Buffer second, Buffer third, Buffer fourth, TraceHealth health, ref TSink sink)
        where TSink : IEtlEventSink, allows ref struct
    {
        ReadOnlySpan<byte> data0 = first.Data;
        ReadOnlySpan<byte> data1 = second.Data;
        ReadOnlySpan<byte> data2 = third.Data;
        ReadOnlySpan<byte> data3 = fourth.Data;
        int at0 = EtlBufferHeader.HeaderBytes;
        int at1 = at0;
        int at2 = at0;
        int at3 = at0;
        while (at0 < data0.Length && at1 < data1.Length && at2 < data2.Length && at3 < data3.Length)
        {
            if ((at0 = EventWalk.Give(data0, at0, first.Cpu, first.Offset, health, ref sink)) < 0
                || (at1 = EventWalk.Give(data1, at1, second.Cpu, second.Offset, health, ref sink)) < 0
                || (at2 = EventWalk.Give(data2, at2, third.Cpu, third.Offset, health, ref sink)) < 0
                || (at3 = EventWalk.Give(data3, at3, fourth.Cpu, fourth.Offset, health, ref sink)) < 0)
            {
                return false; // At once: a sink that wants no more is not called again.
            }
        }

        return EventWalk.GiveRest(data0, at0, first.Cpu, first.Offset, health, ref sink)
            && EventWalk.GiveRest(data1, at1, second.Cpu, second.Offset, health, ref sink)
            && EventWalk.GiveRest(data2, at2, third.Cpu, third.Offset, health, ref sink)
            && EventWalk.GiveRest(data3, at3, fourth.Cpu, fourth.Offset, health, ref sink);
    }

    /// <summary>A buffer to go through.</summary>
    internal readonly ref struct Buffer(ReadOnlySpan<byte> data, int cpu, long offset)
    {
        public ReadOnlySpan<byte> Data { get; } = data;

        public int Cpu { get; } = cpu;

        /// <summary>Its place in the file.</summary>
        public long Offset { get; } = offset;
    }
}
