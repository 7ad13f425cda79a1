using Tracer.Etl;
using Tracer.Etl.Kernel;

using EtlReader reader = EtlReader.Open(args[0]);
LongestDpc longest = default;
reader.Read(EtlOrder.Cpu, ref longest);
Console.WriteLine($"{reader.Header.Clock.NanosecondsOf(longest.Ticks) / 1000} us in the DPC at 0x{longest.Routine:x}");

internal record struct LongestDpc(long Ticks, ulong Routine) : IEtlEventSink
{
    public bool OnEvent(scoped in EtlEvent one)
    {
        long ticks = DpcRecord.TryRead(in one, out var dpc) && one.HookId == KernelHook.Dpc ? one.TimestampTicks - dpc.InitialTime : 0;
        (Ticks, Routine) = ticks > Ticks ? (ticks, dpc.Routine) : (Ticks, Routine);
        return true;
    }
}
