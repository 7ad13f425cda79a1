using System.Buffers.Binary;
using System.Runtime.InteropServices;

namespace Tracer.Capture.Tests;

/// <summary>
/// One OpenTrace: turns the records of a real-time session's buffers, or of a file, into EVENT_RECORDs, by time, in memory that is
/// overwritten when the callback returns. Offsets are those of evntcons.h and evntrace.h for 64 bits.
/// </summary>
internal sealed unsafe class RealTimeReader : IDisposable
{
    private const int LogfileBytes = 448;
    private const int ProcessTraceMode = 28;
    private const int LogfileHeader = 120;
    private const int LogfileHeaderBytes = 280;
    private const int BufferCallback = 400;
    private const int EventRecordCallback = 424;
    private const int Context = 440;
    private const uint RawTimestamps = 0x1000;
    private const uint EventRecords = 0x1000_0000;

    private const int RecordBytes = 112;
    private const int HeaderBytes = 80;
    private const ushort NoCpuTime = 0x10;
    private const ushort Header64 = 0x40;
    private const ushort Classic = 0x100;
    private const byte Poison = 0xDD;
    private const int MostPayload = 0x1_0000;
    private const int ExtendedItemBytes = 16;
    private const int MostExtendedItems = 16;

    private static readonly Guid TraceHeaderClass = new("68fdd900-4a3e-11d1-84f4-0000f80464e3");
    private static readonly Guid LostClass = new("6a399ae0-4bc6-4de9-870b-3657f8947e7e");

    private readonly byte* _logfile;
    private readonly byte* _record;
    private readonly byte* _payload;
    private readonly byte* _items;
    private readonly byte* _itemData;
    private readonly EtlFileHeader _machine;
    private readonly long _startTicks;
    private readonly List<(long Ticks, SessionBuffer Buffer, int Offset)> _batch = [];
    private bool _toldHeader;
    private int _toldLost;

    /// <summary>Opens it, and fills in the header that OpenTrace gives.</summary>
    /// <param name="logfile">EVENT_TRACE_LOGFILEW of the caller.</param>
    public RealTimeReader(byte* logfile, FakeSession session, EtlFileHeader machine)
        : this(logfile, machine, session.BufferBytes, session.Mode, session.ClientContext, session.StartTicks) => Session = session;

    /// <param name="logfile">EVENT_TRACE_LOGFILEW of the caller.</param>
    public RealTimeReader(byte* logfile, string path, EtlFileHeader header)
        : this(logfile, header, header.BufferBytes, (uint)header.Mode, 1, header.Clock.HeaderTicks) => Path = path;

    private RealTimeReader(byte* logfile, EtlFileHeader machine, int bufferBytes, uint mode, uint clientContext, long startTicks)
    {
        _machine = machine;
        _startTicks = startTicks;
        var caller = new Span<byte>(logfile, LogfileBytes);
        Span<byte> header = caller.Slice(LogfileHeader, LogfileHeaderBytes);
        header.Clear();
        Put(header, 0x00, (uint)bufferBytes);
        header[4] = machine.OsMajor;
        header[5] = machine.OsMinor;
        Put(header, 0x08, (uint)machine.OsBuild);
        Put(header, 0x0C, (uint)machine.ProcessorCount);
        Put(header, 0x18, machine.TimerResolution100ns);
        Put(header, 0x20, mode);
        Put(header, 0x2C, sizeof(ulong));
        Put(header, 0x34, machine.CpuMhz);
        BinaryPrimitives.WriteInt64LittleEndian(header[0xF8..], machine.BootFileTime);
        BinaryPrimitives.WriteInt64LittleEndian(header[0x100..], machine.Clock.TicksPerSecond);
        BinaryPrimitives.WriteInt64LittleEndian(header[0x108..], machine.Clock.FileTimeAt(startTicks) ?? 0);
        Put(header, 0x110, clientContext);
        _logfile = (byte*)NativeMemory.Alloc(LogfileBytes);
        caller.CopyTo(new Span<byte>(_logfile, LogfileBytes));
        _record = (byte*)NativeMemory.Alloc(RecordBytes);
        _payload = (byte*)NativeMemory.Alloc(MostPayload);
        _items = (byte*)NativeMemory.Alloc(MostExtendedItems * ExtendedItemBytes);
        _itemData = (byte*)NativeMemory.Alloc(MostPayload);
    }

    /// <summary>The session that is read; null for a file.</summary>
    public FakeSession? Session { get; }

    /// <summary>The file that is read; null for a session.</summary>
    public string? Path { get; }

    /// <summary>CloseTrace was called.</summary>
    public bool IsClosed { get; set; }

    /// <summary>ProcessTrace is running.</summary>
    public bool IsProcessing { get; set; }

    /// <summary>Whether it takes what has come.</summary>
    public bool IsDelivering { get; set; }

    private uint Mode => BinaryPrimitives.ReadUInt32LittleEndian(new ReadOnlySpan<byte>(_logfile + ProcessTraceMode, 4));

    private bool HasRawTimestamps => (Mode & RawTimestamps) != 0;

    /// <summary>Whether the caller asked for what the fake can give: EVENT_RECORDs.</summary>
    public bool WantsRecords => (Mode & EventRecords) != 0;

    /// <summary>Hands over buffers.</summary>
    /// <param name="lostBuffers">Of how many lost buffers the session is to tell.</param>
    /// <returns>False when the caller's buffer callback wants no more.</returns>
    public bool Deliver(SessionBuffer[] buffers, uint lostBuffers)
    {
        TellHeader();
        _batch.Clear();
        foreach (SessionBuffer buffer in buffers)
        {
            for (int at = 0; at < buffer.Records.Length;)
            {
                Assert.True(EtlEvent.TryRead(buffer.Records[at..], buffer.Cpu, 0, out EtlEvent one));
                _batch.Add((one.TimestampTicks, buffer, at));
                at += (one.Record.Length + 7) & -8;
            }
        }

        _batch.Sort(static (left, right) => (left.Ticks, left.Buffer.Cpu, left.Buffer.Sequence, left.Offset)
            .CompareTo((right.Ticks, right.Buffer.Cpu, right.Buffer.Sequence, right.Offset)));
        foreach ((_, SessionBuffer buffer, int offset) in _batch)
        {
            EtlEvent.TryRead(buffer.Records[offset..], buffer.Cpu, 0, out EtlEvent one);
            Make(one);
            Call(buffer.Cpu);
        }

        for (; _toldLost < lostBuffers; _toldLost++)
        {
            Make(LostClass, 33, 2, _startTicks, 0, 0, Classic | Header64, default);
            Call(0);
        }

        void* callback = *(void**)(_logfile + BufferCallback);
        return callback is null || ((delegate* unmanaged<byte*, uint>)callback)(_logfile) != 0;
    }

    /// <summary>Hands over all events of the file.</summary>
    public void DeliverFile()
    {
        TellHeader();
        using EtlReader reader = EtlReader.Open(Path!);
        var sink = new FileSink(this);
        reader.Read(EtlOrder.Time, ref sink);
    }

    public void Dispose()
    {
        NativeMemory.Free(_items);
        NativeMemory.Free(_itemData);
        NativeMemory.Free(_logfile);
        NativeMemory.Free(_record);
        NativeMemory.Free(_payload);
    }

    private static void Put(Span<byte> bytes, int offset, uint value) =>
        BinaryPrimitives.WriteUInt32LittleEndian(bytes[offset..], value);

    private void TellHeader()
    {
        if (!_toldHeader)
        {
            _toldHeader = true;
            var header = new ReadOnlySpan<byte>(_logfile + LogfileHeader, LogfileHeaderBytes);
            Make(TraceHeaderClass, 0, 2, _startTicks, 0, 0, Classic | Header64, header);
            Call(0);
        }
    }

    /// <summary>EVENT_HEADER_EXTENDED_DATA_ITEM: u16 reserved, u16 kind, u16 linkage, u16 data size, u64 address of the data.</summary>
    private void MakeItems(in EtlEvent one)
    {
        int count = 0;
        int used = 0;
        foreach (EtlExtendedItemEnumerator item in one.ExtendedItems)
        {
            var entry = new Span<byte>(_items + (count++ * ExtendedItemBytes), ExtendedItemBytes);
            entry.Clear();
            BinaryPrimitives.WriteUInt16LittleEndian(entry[2..], (ushort)item.Kind);
            BinaryPrimitives.WriteUInt16LittleEndian(entry[6..], (ushort)item.Data.Length);
            BinaryPrimitives.WriteUInt64LittleEndian(entry[8..], (ulong)(_itemData + used));
            item.Data.CopyTo(new Span<byte>(_itemData + used, MostPayload - used));
            used += item.Data.Length;
        }

        *(ushort*)(_record + 84) = (ushort)count;
        *(byte**)(_record + 88) = count == 0 ? null : _items;
    }

    private void Make(in EtlEvent one)
    {
        if (one.IsEventHeader)
        {
            Make(one.ProviderId, 0, 0, one.TimestampTicks, one.ThreadId, one.ProcessId, Header64, one.Payload);
            one.Record.Slice(40, 40).CopyTo(new Span<byte>(_record + 40, 40)); // Descriptor, times and activity stand as in the file.
            MakeItems(one);
            return;
        }

        int flags = Classic | Header64 | (one.ThreadId == EtlEvent.NotInHeader ? NoCpuTime : 0);
        Make(one.ProviderId, one.Opcode, (byte)one.Version, one.TimestampTicks, one.ThreadId, one.ProcessId, flags, one.Payload);
    }

    private void Make(
        Guid provider, byte opcode, byte version, long ticks, uint thread, uint process, int flags, ReadOnlySpan<byte> payload)
    {
        var record = new Span<byte>(_record, RecordBytes);
        record.Clear();
        BinaryPrimitives.WriteUInt16LittleEndian(record, (ushort)(HeaderBytes + payload.Length));
        BinaryPrimitives.WriteUInt16LittleEndian(record[4..], (ushort)flags);
        Put(record, 8, thread);
        Put(record, 12, process);
        BinaryPrimitives.WriteInt64LittleEndian(record[16..], HasRawTimestamps ? ticks : _machine.Clock.FileTimeAt(ticks) ?? 0);
        provider.TryWriteBytes(record[24..]);
        record[42] = version;
        record[45] = opcode;
        payload.CopyTo(new Span<byte>(_payload, MostPayload));
        BinaryPrimitives.WriteUInt16LittleEndian(record[86..], (ushort)payload.Length);
        *(byte**)(_record + 96) = _payload;
        *(void**)(_record + 104) = *(void**)(_logfile + Context);
    }

    private void Call(int cpu)
    {
        _record[80] = (byte)cpu;
        _record[81] = (byte)(cpu >> 8);
        int bytes = *(ushort*)(_record + 86);
        ((delegate* unmanaged<byte*, void>)*(void**)(_logfile + EventRecordCallback))(_record);
        new Span<byte>(_payload, bytes).Fill(Poison);
        new Span<byte>(_record, RecordBytes).Fill(Poison);
    }

    private readonly struct FileSink(RealTimeReader reader) : IEtlEventSink
    {
        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            reader.Make(in traceEvent);
            reader.Call(traceEvent.Cpu);
            return true;
        }
    }
}
