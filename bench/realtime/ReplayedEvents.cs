using System.Buffers.Binary;
using System.Diagnostics;
using System.Runtime.InteropServices;
using Microsoft.Diagnostics.Tracing;
using Tracer.Bench.Traces;

namespace Tracer.Bench.RealTime;

/// <summary>
/// DPCs and ISRs of <see cref="InterruptLoad"/>, twice: as a trace, and as the EVENT_RECORDs that Windows would make of it for a
/// real-time reader.
/// </summary>
internal sealed unsafe class ReplayedEvents : IDisposable
{
    private const int RecordBytes = 112;
    private const int MostPayloadBytes = 24;
    private const ushort ClassicHeader64 = 0x0100 | 0x0040; // EVENT_HEADER_FLAG_CLASSIC_HEADER, _64_BIT_HEADER
    private const int Cpus = 8;
    private const long TicksPerSecond = 10_000_000;
    private const long Start = 133_000_000_000_000_000;

    private readonly byte* _records;
    private readonly byte* _payloads;
    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-realtime-").FullName;

    /// <param name="count">How many events.</param>
    public ReplayedEvents(int count)
    {
        Count = count;
        _records = (byte*)NativeMemory.AllocZeroed((nuint)count, RecordBytes);
        _payloads = (byte*)NativeMemory.AllocZeroed((nuint)count, MostPayloadBytes);
        string load = Path.Combine(_folder, "load.etl");
        Write(load, static (writer, count) => Fill(writer, count), count);
        Write(TracePath, (writer, _) => CopyInterrupts(load, writer), count);
    }

    /// <summary>How many there are.</summary>
    public int Count { get; }

    public string TracePath => Path.Combine(_folder, "interrupts.etl");

    /// <summary>Puts <c>realtime_source.c</c> in the place of advapi32 below TraceEvent.</summary>
    public void Install()
    {
        string library = Path.Combine(_folder, "librealtime.so");
        string source = Path.Combine(AppContext.BaseDirectory, "realtime_source.c");
        using (Process compiler = Process.Start("gcc", ["-std=c11", "-O2", "-Wall", "-Wextra", "-shared", "-fPIC", "-o", library, source]))
        {
            compiler.WaitForExit();
            Expect(compiler.ExitCode == 0);
        }

        nint handle = NativeLibrary.Load(library);
        ((delegate* unmanaged<byte*, nuint, void>)NativeLibrary.GetExport(handle, "realtime_source_set"))(_records, (nuint)Count);
        NativeLibrary.SetDllImportResolver(typeof(TraceEvent).Assembly, (_, _, _) => handle);
    }

    public void Dispose()
    {
        NativeMemory.Free(_records);
        NativeMemory.Free(_payloads);
        Directory.Delete(_folder, recursive: true);
    }

    private static void Write(string path, Action<EtlWriter, int> fill, int count)
    {
        EtlFileHeader header = new()
        {
            Clock = new TraceClock(TraceClockKind.Qpc, TicksPerSecond, InterruptLoad.FirstTicks, Start),
            ProcessorCount = Cpus,
            BufferBytes = 64 * 1024,
            OsBuild = 26100,
            CpuMhz = 3000,
            SessionName = "NT Kernel Logger",
            FileName = "realtime.etl",
        };
        using EtlWriter writer = EtlWriter.Create(path, header, new EtlWriterOptions());
        fill(writer, count);
        writer.Complete(Start + TicksPerSecond);
    }

    /// <summary>Bursts have two interrupt events at least.</summary>
    private static void Fill(EtlWriter writer, int count)
    {
        InterruptLoad load = new(writer, Cpus);
        for (int i = 0; i < count / 2; i++)
        {
            load.WriteBurst();
        }
    }

    private void CopyInterrupts(string path, EtlWriter writer)
    {
        using EtlReader reader = EtlReader.Open(path);
        Copying copying = new(this, writer);
        reader.Read(EtlOrder.Time, ref copying);
        Expect(copying.Copied == Count);
    }

    private void PutRecord(int index, scoped in EtlEvent traceEvent, ReadOnlySpan<byte> payload)
    {
        byte* storedPayload = _payloads + (index * (long)MostPayloadBytes);
        payload.CopyTo(new Span<byte>(storedPayload, MostPayloadBytes));
        Span<byte> record = new(_records + (index * (long)RecordBytes), RecordBytes);
        BinaryPrimitives.WriteUInt16LittleEndian(record[4..], ClassicHeader64);
        record[8..16].Fill(0xFF); // No thread, no process.
        BinaryPrimitives.WriteInt64LittleEndian(record[16..], traceEvent.TimestampTicks);
        KernelGroup.PerfInfo.ClassId().TryWriteBytes(record[24..]);
        record[42] = 2; // Version.
        record[45] = (byte)traceEvent.HookId; // Opcode.
        BinaryPrimitives.WriteUInt16LittleEndian(record[80..], (ushort)traceEvent.Cpu);
        BinaryPrimitives.WriteUInt16LittleEndian(record[86..], (ushort)payload.Length);
        BinaryPrimitives.WriteUInt64LittleEndian(record[96..], (ulong)storedPayload);
    }

    private static void Expect(bool isTrue)
    {
        if (!isTrue)
        {
            throw new InvalidOperationException("The events could not be made.");
        }
    }

    /// <summary>Takes the DPCs and ISRs of the load without their padding.</summary>
    private struct Copying(ReplayedEvents target, EtlWriter writer) : IEtlEventSink
    {
        public int Copied { get; private set; }

        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            int payloadBytes = traceEvent.HookId switch
            {
                KernelHook.Dpc or KernelHook.TimerDpc => 16,
                KernelHook.Isr => 20,
                KernelHook.IsrMessageSignalled => 24,
                _ => 0,
            };
            if (payloadBytes > 0)
            {
                ReadOnlySpan<byte> payload = traceEvent.Payload[..payloadBytes];
                writer.Write(traceEvent.Cpu, EtlEventHeader.PerfInfo(traceEvent.HookId, 2, traceEvent.TimestampTicks), payload);
                target.PutRecord(Copied++, in traceEvent, payload);
            }

            return Copied < target.Count;
        }
    }
}
