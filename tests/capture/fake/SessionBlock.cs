using System.Buffers.Binary;
using System.Text;

namespace Tracer.Capture.Tests;

/// <summary>
/// The block of a session that goes to StartTrace and ControlTrace, byte by byte at the offsets of the SDK for 64 bits (wmistr.h,
/// evntrace.h), on purpose not through the product's structures:
/// <code>
///   0 BufferSize    8 HistoricalContext   24 Guid   40 ClientContext   44 Flags                            WNODE_HEADER
///  48 BufferSize   52 MinimumBuffers      56 MaximumBuffers   60 MaximumFileSize   64 LogFileMode          EVENT_TRACE_PROPERTIES
///  68 FlushTimer   72 EnableFlags         76 AgeLimit         80 NumberOfBuffers   84 FreeBuffers
///  88 EventsLost   92 BuffersWritten      96 LogBuffersLost  100 RealTimeBuffersLost
/// 104 LoggerThreadId  112 LogFileNameOffset  116 LoggerNameOffset  120 end; the names follow
/// </code>
/// </summary>
internal readonly unsafe struct SessionBlock(byte* start)
{
    public const int LeastBytes = 120;

    private const int HistoricalContext = 8;
    private const int SessionGuid = 24;

    private readonly byte* _start = start;

    public uint Bytes => Get(0);

    public uint ClientContext => Get(40);

    public uint Flags => Get(44);

    public uint BufferKb => Get(48);

    public uint MinimumBuffers => Get(52);

    public uint MaximumBuffers => Get(56);

    public uint Mode => Get(64);

    public uint FlushSeconds => Get(68);

    public uint EnableFlags => Get(72);

    public uint FileNameOffset => Get(112);

    public uint NameOffset => Get(116);

    public Guid Guid => new(new ReadOnlySpan<byte>(_start + SessionGuid, 16));

    /// <summary>The file's name; empty where the offset is 0.</summary>
    public string FileName => TextAt(FileNameOffset);

    /// <summary>Whether a name of so many characters has room at an offset, its end included.</summary>
    public bool HasRoom(uint offset, int characters) => offset >= LeastBytes && offset + (2L * (characters + 1)) <= Bytes;

    /// <summary>Tells how a session is doing, and its names where the block has room for them.</summary>
    public void Tell(FakeSession session)
    {
        BinaryPrimitives.WriteUInt64LittleEndian(new Span<byte>(_start + HistoricalContext, 8), session.Handle);
        Put(40, session.ClientContext);
        Put(48, (uint)session.BufferBytes / 1024);
        Put(52, (uint)session.MinimumBuffers);
        Put(56, (uint)session.MaximumBuffers);
        Put(64, session.Mode);
        Put(68, session.FlushSeconds);
        Put(72, session.Masks[0]);
        Put(80, (uint)session.Allocated);
        Put(84, (uint)(session.Allocated - session.InUse));
        Put(88, session.EventsLost);
        Put(92, session.BuffersWritten);
        Put(100, session.RealTimeBuffersLost);
        PutText(NameOffset, session.Name);
        PutText(FileNameOffset, session.FilePath ?? "");
    }

    private uint Get(int offset) => BinaryPrimitives.ReadUInt32LittleEndian(new ReadOnlySpan<byte>(_start + offset, 4));

    private void Put(int offset, uint value) => BinaryPrimitives.WriteUInt32LittleEndian(new Span<byte>(_start + offset, 4), value);

    private string TextAt(uint offset)
    {
        if (offset < LeastBytes || offset + 2 > Bytes)
        {
            return "";
        }

        var room = new ReadOnlySpan<char>(_start + offset, (int)(Bytes - offset) / 2);
        int end = room.IndexOf('\0');
        return end < 0 ? "" : room[..end].ToString();
    }

    private void PutText(uint offset, string text)
    {
        if (HasRoom(offset, text.Length))
        {
            Encoding.Unicode.GetBytes(text + '\0', new Span<byte>(_start + offset, 2 * (text.Length + 1)));
        }
    }
}
