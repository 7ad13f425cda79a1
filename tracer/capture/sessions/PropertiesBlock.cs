using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Tracer.Capture.Sessions.Native;

namespace Tracer.Capture.Sessions;

/// <summary>
/// The block of memory that StartTrace and ControlTrace take: EVENT_TRACE_PROPERTIES, then room for the session's name, then room for the
/// file's. Windows writes both names when it answers.
/// </summary>
internal sealed unsafe class PropertiesBlock
{
    /// <summary>Room for a name, terminator included, in UTF-16 units: the longest that Windows takes (evntrace.h; Learn).</summary>
    public const int NameChars = 1024;

    private const int NameBytes = NameChars * sizeof(char);

    private readonly byte[] _bytes;

    private PropertiesBlock()
    {
        _bytes = GC.AllocateArray<byte>(Size, pinned: true);
        ref EventTraceProperties properties = ref Properties;
        properties.Wnode.BufferSize = (uint)Size;
        properties.LoggerNameOffset = (uint)sizeof(EventTraceProperties);
        properties.LogFileNameOffset = properties.LoggerNameOffset + NameBytes;
    }

    /// <summary>Bytes of a block.</summary>
    public static int Size => sizeof(EventTraceProperties) + (2 * NameBytes);

    public ReadOnlySpan<byte> Bytes => _bytes;

    /// <summary>Its address; it does not move.</summary>
    public EventTraceProperties* Pointer => (EventTraceProperties*)Unsafe.AsPointer(ref MemoryMarshal.GetArrayDataReference(_bytes));

    public ref EventTraceProperties Properties => ref MemoryMarshal.AsRef<EventTraceProperties>(_bytes.AsSpan());

    /// <summary>The session's name, as Windows wrote it.</summary>
    public string LoggerName
    {
        get
        {
            uint offset = Math.Min(Properties.LoggerNameOffset, (uint)Size);
            ReadOnlySpan<char> room = MemoryMarshal.Cast<byte, char>(Bytes[(int)offset..]);
            int end = room.IndexOf('\0');
            return new string(end < 0 ? room : room[..end]);
        }
    }

    public static PropertiesBlock ForAnswer() => new();

    public static PropertiesBlock ForStart(SessionPlan plan)
    {
        PropertiesBlock block = new();
        ref EventTraceProperties properties = ref block.Properties;
        properties.Wnode.Flags = EtwConstants.WnodeTracedGuid;
        properties.Wnode.ClientContext = EtwConstants.ClockQpc;
        properties.BufferSize = (uint)plan.BufferKb;
        properties.MinimumBuffers = (uint)plan.Buffers;
        properties.LogFileMode =
            (plan.Role == SessionRole.Events ? 0 : EtwConstants.ModeSystemLogger) | EtwConstants.ModeIndependent;
        properties.EnableFlags = RecordedEvents.EnableFlagsOf(plan.Masks);
        switch (plan.Role)
        {
            case SessionRole.Recorder:
                properties.LogFileMode |= EtwConstants.ModeBuffering;
                properties.MaximumBuffers = properties.MinimumBuffers;
                break;
            case SessionRole.Trigger or SessionRole.Events:
                properties.LogFileMode |= EtwConstants.ModeRealTime;
                properties.MaximumBuffers = BurstFactor * properties.MinimumBuffers;
                properties.FlushTimer = ShortestFlushSeconds;
                break;
            default:
                properties.LogFileMode |= EtwConstants.ModeSequential;
                properties.MaximumBuffers = RundownBursts * properties.MinimumBuffers;
                break;
        }

        if (plan.Role != SessionRole.Events && !plan.WithConfiguration)
        {
            properties.EnableFlags |= EtwConstants.FlagNoSystemConfig;
        }

        block.SetFile(plan.FilePath);
        return block;
    }

    /// <summary>
    /// A block that has the ring of a recorder written to a file: all that it was started with, as TraceEvent controls its sessions.
    /// </summary>
    public static PropertiesBlock ForSnapshot(SessionPlan plan, string path) => WithFile(ForStart(plan), path);

    /// <summary>The same with nothing but the names of session and file.</summary>
    public static PropertiesBlock ForPlainSnapshot(string path) => WithFile(ForAnswer(), path);

    /// <summary>A second: nothing shorter is documented (evntrace.h: seconds).</summary>
    private const uint ShortestFlushSeconds = 1;

    /// <summary>What is written out may take so many times the buffers it begins with.</summary>
    private const uint BurstFactor = 4;

    /// <summary>A rundown tells all at its start and at its end; of a slow disk the first may still wait when the second comes.</summary>
    private const uint RundownBursts = 2;

    private static PropertiesBlock WithFile(PropertiesBlock block, string path)
    {
        block.SetFile(path);
        return block;
    }

    private void SetFile(string? path)
    {
        if (path is null)
        {
            Properties.LogFileNameOffset = 0;
            return;
        }

        string fullPath = Path.GetFullPath(path);
        if (fullPath.Length >= NameChars)
        {
            throw EtwFailures.Of("StartTrace", EtwError.InvalidName);
        }

        int offset = sizeof(EventTraceProperties) + NameBytes;
        Properties.LogFileNameOffset = (uint)offset;
        fullPath.CopyTo(MemoryMarshal.Cast<byte, char>(_bytes.AsSpan(offset)));
    }
}
