using Tracer.Simulator.Inventory;

namespace Tracer.Simulator.Writing;

/// <summary>Begins the file of a session: header event, and behind it the group masks.</summary>
internal static class SessionFile
{
    private const ushort Extension = 0x0005;
    private const ushort PartitionInfo = 0x0050;
    private const int PartitionInfoBytes = 48;
    private const ushort KernelLoggerSlot = 2;
    private const ushort Windows7Slot = 0x8001;

    public static EtlWriter Begin(
        Stream stream,
        MachineInventory machine,
        KernelLogOptions options,
        RecordKinds kinds,
        SessionClock clock,
        SessionController controller,
        bool leaveOpen)
    {
        var header = new EtlFileHeader
        {
            Clock = clock.Clock,
            ProcessorCount = machine.CpuCount,
            BufferBytes = options.BufferBytes,
            OsMajor = machine.Build.Major,
            OsMinor = machine.Build.Minor,
            OsBuild = machine.Build.Number,
            PointerBytes = machine.Build.PointerBytes,
            CpuMhz = machine.Hardware.Mhz,
            BootFileTime = clock.BootFileTime,
            Mode = EtlLogFileMode.Sequential | (options.IsMerged ? EtlLogFileMode.Relog : EtlLogFileMode.None),
            SessionName = options.IsMerged ? "Relogger" : "NT Kernel Logger",
            FileName = options.IsMerged ? "[multiple files]" : @"C:\kernel.etl",
            InterruptTimerSource = options.IsMerged ? 0u : machine.Build.IsModern ? 9u : 5u,
            CounterTimerSource = options.IsMerged ? 0u : machine.Build.IsModern ? 7u : 6u,
            TimeZone = new EtlTimeZone(-60, "@tzres.dll,-322", daylightName: "@tzres.dll,-321", daylightBiasMinutes: -60),
        };
        var writerOptions = new EtlWriterOptions
        {
            Compress = options.Compress,
            RingBuffers = options.RingBuffers,
            IsWindows7 = options is { IsMerged: true, IsWindows7Merge: true, Compress: false },
            LoggerId = !options.IsMerged ? KernelLoggerSlot : options.IsWindows7Merge ? Windows7Slot : (ushort)0,
            ProcessId = controller.ProcessId,
            ThreadId = controller.ThreadId,
        };
        EtlWriter writer = EtlWriter.Create(stream, header, writerOptions, leaveOpen);
        if (options.IsMerged)
        {
            // The user's session, whose file was merged first, has nothing of the kernel on.
            Write(writer, controller.System(Extension, 2, (ref p) => SessionMasks.LayNone(ref p, machine.Build)));
        }

        Write(writer, controller.System(Extension, 2, (ref p) => SessionMasks.Lay(ref p, machine.Build, kinds, options.Rundown)));
        if (machine.Build.IsModern)
        {
            Write(writer, controller.System(PartitionInfo, 2, (ref p) => p.Zeros(PartitionInfoBytes)));
        }

        return writer;
    }

    private static void Write(EtlWriter writer, in MachineRecord record) =>
        writer.WriteToHeaderBuffer(record.Header with { TimestampTicks = writer.Header.Clock.HeaderTicks }, record.Payload);
}
