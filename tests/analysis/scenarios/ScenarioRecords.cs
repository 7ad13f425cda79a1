using System.Buffers.Binary;
using System.Text;
using Tracer.Analysis.Facts;

namespace Tracer.Analysis.Tests.Scenarios;

/// <summary>Makes the records of a scenario as the kernel lays them out; times in ns from the start of the trace.</summary>
internal static class ScenarioRecords
{
    private const ushort ProcessDCStart = 0x0303;
    private const uint ImageStamp = 0x6600_0000;
    private const ushort PnpDevice = 0x0B16;
    private const byte FileVersion = 64;

    public const ushort ThreadStart = 0x0501;
    public const ushort ThreadEnd = 0x0502;
    public const ushort ThreadDCStart = 0x0503;

    /// <summary>An ISR, DPC or the like, logged when it returns.</summary>
    public static ScenarioRecord Routine(ushort hook, int cpu, long from, long to, ulong routine, ushort vector = 0,
        bool isClaimed = true) =>
        PerfInfo(hook, 2, cpu, to, shape =>
        {
            var payload = new PayloadBytes(shape.PointerBytes).Int64(shape.Ticks(from)).Pointer(routine);
            return hook is KernelHook.Isr or KernelHook.PassiveIsr
                ? payload.Byte(isClaimed ? (byte)1 : (byte)0).Int16(vector).Byte(0)
                : payload;
        });

    public static ScenarioRecord Switch(int cpu, long at, ThreadPlace old, ThreadPlace next, byte state, byte reason, byte idealCpu,
        byte idleState = 0) =>
        PerfInfo(KernelHook.ContextSwitch, 4, cpu, at, shape => new PayloadBytes(shape.PointerBytes)
            .Int32(next.Thread).Int32(old.Thread).Byte((byte)next.Priority).Byte((byte)old.Priority)
            .Byte(idleState).Byte(0).Byte(reason).Byte(0).Byte(state).Byte(idealCpu).Int32(0).Int32(0));

    public static ScenarioRecord Ready(int cpu, long at, uint thread, bool isFromDpc) =>
        PerfInfo(KernelHook.ReadyThread, 2, cpu, at, shape => new PayloadBytes(shape.PointerBytes)
            .Int32(thread).Byte(0).Byte(0).Byte((byte)(isFromDpc ? 1 : 0)).Byte(0));

    /// <summary>A profile sample; flags are 1 in a DPC, 2 in an ISR, the thread's priority from bit 3 on.</summary>
    public static ScenarioRecord Sample(int cpu, long at, ulong instruction, uint thread, byte flags) =>
        PerfInfo(KernelHook.SampledProfile, 2, cpu, at, shape => new PayloadBytes(shape.PointerBytes)
            .Pointer(instruction).Int32(thread).Int16(1).Byte(flags).Byte(0));

    /// <summary>The stack of a record, logged one tick behind it.</summary>
    public static ScenarioRecord Stack(int cpu, long eventAt, uint process, uint thread, ulong[] frames) =>
        PerfInfo(KernelHook.Stack, 2, cpu, eventAt + 100, shape =>
        {
            byte[] bytes = new byte[16 + (frames.Length * shape.PointerBytes)];
            KernelPayloadWriter.WriteStack(bytes, shape.Ticks(eventAt), process, thread, frames, shape.PointerBytes);
            return new PayloadBytes(shape.PointerBytes).Bytes(bytes);
        });

    /// <summary>The key of a record's stack, logged one tick behind it.</summary>
    public static ScenarioRecord StackKey(int cpu, long eventAt, uint process, uint thread, ulong key) =>
        PerfInfo(KernelHook.StackKernelKey, 2, cpu, eventAt + 100, shape => new PayloadBytes(shape.PointerBytes)
            .Int64(shape.Ticks(eventAt)).Int32(process).Int32(thread).Pointer(key));

    /// <summary>A key is given up, and with it the stack that it stood for is told.</summary>
    public static ScenarioRecord StackKeyDeleted(int cpu, long at, ulong key, ulong[] frames) =>
        PerfInfo(KernelHook.StackKeyDelete, 2, cpu, at, shape => frames.Aggregate(
            new PayloadBytes(shape.PointerBytes).Pointer(key), (payload, frame) => payload.Pointer(frame)));

    /// <summary>The framework is about to call its client.</summary>
    public static ScenarioRecord Callback(ushort hook, int cpu, long at, ulong routine) =>
        PerfInfo(hook, 2, cpu, at, shape => new PayloadBytes(shape.PointerBytes).Pointer(routine));

    public static ScenarioRecord Enqueue(int cpu, long at, ulong key, uint targetCpu, byte importance, uint depth) =>
        PerfInfo(KernelHook.DpcEnqueue, 2, cpu, at, shape => new PayloadBytes(shape.PointerBytes)
            .Pointer(key).Int32(depth).Int32(1).Int32(targetCpu).Byte(importance).Byte(0).Byte(0).Byte(0));

    public static ScenarioRecord Execute(int cpu, long at, ulong routine, ulong key) =>
        PerfInfo(KernelHook.DpcExecution, 2, cpu, at, shape => new PayloadBytes(shape.PointerBytes).Pointer(routine).Pointer(key));

    /// <summary>A page is there that a thread had touched.</summary>
    public static ScenarioRecord Fault(int cpu, long from, long at, uint thread, uint bytes) =>
        PerfInfo(KernelHook.HardFault, 2, cpu, at, shape => new PayloadBytes(shape.PointerBytes)
            .Int64(shape.Ticks(from)).Int64(0).Pointer(0x7FF0_0000).Pointer(0x8100_0000).Int32(thread).Int32(bytes));

    /// <summary>A request to a disk was completed, DiskIo_TypeGroup1.</summary>
    public static ScenarioRecord DiskRead(int cpu, long at) =>
        Logged(KernelHook.DiskRead, 3, cpu, at, shape => new PayloadBytes(shape.PointerBytes)
            .Int32(0).Int32(0).Int32(4096).Int32(0).Int64(0).Pointer(0).Pointer(0).Int64(0).Int32(0));

    /// <summary>The clock interrupts a processor.</summary>
    public static ScenarioRecord Clock(int cpu, long at) =>
        PerfInfo(KernelHook.ClockInterrupt, 2, cpu, at, shape => new PayloadBytes(shape.PointerBytes).Int64(at / 100).Int16(1));

    /// <summary>The timer's sample interval is this from now on.</summary>
    public static ScenarioRecord Interval(int cpu, long at, long interval) =>
        Logged(KernelHook.CollectionStart, 2, cpu, at, shape => new PayloadBytes(shape.PointerBytes)
            .Int32(0).Int32((uint)(interval / 100)).Int32((uint)(interval / 100)));

    /// <summary>A method of the firmware began or ended: Microsoft-Windows-Kernel-Acpi, event 7.</summary>
    public static ScenarioRecord AcpiMethod(int cpu, long at, string method, bool isEnd, long elapsed) =>
        new(at, cpu, (writer, shape) => writer.Write(
            cpu,
            EtlEventHeader.Event(AcpiMethods.Provider, 7, 0, shape.Ticks(at), 4, 8, shape.PointerBytes),
            new PayloadBytes(shape.PointerBytes).Int16((ushort)method.Length).Bytes(Encoding.Unicode.GetBytes(method))
                .Int16((ushort)(isEnd ? 1 : 0)).Int64(elapsed / 100).Done));

    public static ScenarioRecord Image(ushort hook, int cpu, long at, ulong imageBase, ulong size, uint process, string path) =>
        PerfInfo(hook, 3, cpu, at, shape =>
        {
            byte[] bytes = new byte[1024];
            int slash = path.LastIndexOf('\\') + 1;
            var image = new KernelImage(imageBase, size, process, ImageStamp, path[..slash] + shape.Rename(path[slash..]));
            int length = KernelPayloadWriter.WriteImage(bytes, image, shape.PointerBytes);
            return new PayloadBytes(shape.PointerBytes).Bytes(bytes[..length]);
        });

    public static ScenarioRecord Process(int cpu, long at, uint process, string name) =>
        PerfInfo(ProcessDCStart, 4, cpu, at, shape => new PayloadBytes(shape.PointerBytes)
            .Pointer(0x8000_0000u + process).Int32(process).Int32(0).Int32(0).Int32(0x103).Pointer(0).Int32(0)
            .Int32(0).Bytes(Encoding.Latin1.GetBytes(name)).Byte(0).Int16(0).Int16(0).Int16(0));

    /// <summary>The vendor of an image, joined to it by its size and stamp.</summary>
    public static ScenarioRecord Company(int cpu, long at, ulong size, string company) => new(at, cpu, (writer, shape) => writer.Write(
        cpu,
        EtlEventHeader.Full(KernelRecordCatalog.ImageIdClass, FileVersion, 0, shape.Ticks(at), 4, 8, shape.PointerBytes),
        new PayloadBytes(shape.PointerBytes).Int32((uint)size).Int32(ImageStamp)
            .Text("").Text("").Text("1.0").Text("1.0.0.0").Text("").Text("").Text(company).Text("").Text("").Text("").Done));

    /// <summary>A thread began, ended, or is there.</summary>
    public static ScenarioRecord Thread(
        int cpu, long at, uint thread, uint process, byte priority, ulong affinity, ulong start = 0, ushort hook = ThreadDCStart) =>
        Logged(hook, 3, cpu, at, shape => new PayloadBytes(shape.PointerBytes)
            .Int32(process).Int32(thread).Pointer(0).Pointer(0).Pointer(0).Pointer(0).Pointer(affinity).Pointer(start).Pointer(0)
            .Int32(0).Byte(priority).Byte(0).Byte(0).Byte(0).Int16(0));

    /// <summary>A device in the configuration that a session logs when it stops.</summary>
    public static ScenarioRecord Device(int cpu, long at, string service, Guid setupClass, string description) =>
        Logged(PnpDevice, 5, cpu, at, shape => new PayloadBytes(shape.PointerBytes)
            .Bytes(setupClass.ToByteArray()).Int32(0).Int32(0).Int32(0).Int32(0)
            .Text(@"PCI\VEN_8086").Text(description).Text("").Text("")
            .Text(Path.GetFileNameWithoutExtension(shape.Rename(service + ".sys"))));

    public static ScenarioRecord PerfInfo(ushort hook, byte version, int cpu, long at, Func<ScenarioShape, PayloadBytes> payload) =>
        new(at, cpu, (writer, shape) =>
            writer.Write(cpu, EtlEventHeader.PerfInfo(hook, version, shape.Ticks(at), shape.PointerBytes), payload(shape).Done));

    /// <summary>With the header that names a thread, here one of the system.</summary>
    private static ScenarioRecord Logged(ushort hook, byte version, int cpu, long at, Func<ScenarioShape, PayloadBytes> payload) =>
        new(at, cpu, (writer, shape) =>
            writer.Write(cpu, EtlEventHeader.System(hook, version, shape.Ticks(at), 4, 8, shape.PointerBytes), payload(shape).Done));

    /// <summary>Bytes of a payload, field by field.</summary>
    internal sealed class PayloadBytes(int pointerBytes)
    {
        private readonly List<byte> _bytes = [];

        public byte[] Done => [.. _bytes];

        public PayloadBytes Byte(byte value) => Bytes([value]);

        public PayloadBytes Int16(ushort value) => Bytes(BitConverter.GetBytes(value));

        public PayloadBytes Int32(uint value) => Bytes(BitConverter.GetBytes(value));

        public PayloadBytes Int64(long value) => Bytes(BitConverter.GetBytes(value));

        public PayloadBytes Pointer(ulong value)
        {
            byte[] wide = new byte[8];
            BinaryPrimitives.WriteUInt64LittleEndian(wide, value);
            return Bytes(wide[..pointerBytes]);
        }

        public PayloadBytes Text(string text) => Bytes(Encoding.Unicode.GetBytes(text + "\0"));

        public PayloadBytes Bytes(byte[] bytes)
        {
            _bytes.AddRange(bytes);
            return this;
        }
    }
}

internal readonly record struct ThreadPlace(uint Thread, sbyte Priority);
