using System.Runtime.InteropServices;

namespace Tracer.Analysis.Facts;

/// <summary>
/// Names of the files in which pages were faulted in. The first reading tells which files these are (<see cref="AddFault"/>); the second
/// hears of their names in order of time. A file that was open before the trace gets its name from the rundown at the end; memory is
/// bounded.
/// </summary>
/// <remarks>FileIo_Name (MOF): opcodes 0 and 32 give a name from then on, 35 and 36 (rundown) one that held until then.</remarks>
public sealed class FaultedFiles
{
    private const ushort Name = 0x0400;
    private const ushort Created = 0x0420;
    private const ushort Deleted = 0x0423;
    private const ushort Rundown = 0x0424;

    /// <summary>Most files that are told apart.</summary>
    private const int MostFiles = 1 << 17;

    private readonly Dictionary<ulong, FileLife> _files = [];
    private readonly NamePool _names = new();

    /// <summary>Whether a hard fault was recorded.</summary>
    public bool HasAny => _files.Count > 0;

    /// <summary>Whether an event may name a file.</summary>
    public static bool IsName(ushort hookId) => hookId is Name or Created or Deleted or Rundown;

    /// <summary>Adds a hard fault of the first reading.</summary>
    public void AddFault(in EtlEvent traceEvent)
    {
        if (_files.Count < MostFiles && HardFaultRecord.TryRead(in traceEvent, out HardFaultRecord fault))
        {
            _files.TryAdd(fault.FileObject, new FileLife());
        }
    }

    /// <summary>
    /// Reads an event of the second reading that names a file in which pages were faulted in; see <see cref="IsName"/>. Changes nothing.
    /// </summary>
    internal bool TryRead(ushort hookId, in EtlEvent traceEvent, out FileName name)
    {
        name = default;
        if (_files.Count == 0)
        {
            return false;
        }

        var payload = new RecordPayload(in traceEvent);
        if (payload.Length < payload.PointerBytes || !_files.ContainsKey(payload.Pointer(0)))
        {
            return false;
        }

        ReadOnlySpan<byte> path = payload.Utf16(payload.PointerBytes, out _);
        name = new FileName(hookId, payload.Pointer(0), MemoryMarshal.Cast<byte, char>(path).ToString());
        return true;
    }

    /// <summary>Adds a name of the second reading, in order of time.</summary>
    internal void AddName(in FileName named)
    {
        if (!_files.TryGetValue(named.File, out FileLife? life))
        {
            return;
        }

        string path = _names.OfUtf16(MemoryMarshal.AsBytes(named.Path.AsSpan()));
        if (named.HookId is Created or Name && (named.HookId == Created || life.Name is not null) && life.Name != path)
        {
            _files[named.File] = new FileLife { Name = path };
            return;
        }

        life.Name ??= path.Length > 0 ? path : null;
        if (named.HookId == Deleted)
        {
            _files[named.File] = new FileLife();
        }
    }

    /// <summary>The file that an address stands for now; null where too many are faulted.</summary>
    internal FileLife? Of(ulong file) => _files.GetValueOrDefault(file);
}

/// <summary>A file while one address stands for it.</summary>
internal sealed class FileLife
{
    /// <summary>Its path; null where it is not named, or not yet.</summary>
    public string? Name { get; set; }
}

/// <summary>An event that names a file.</summary>
/// <param name="File">Address of the file object.</param>
/// <param name="Path">The file's path as recorded; may be empty.</param>
internal readonly record struct FileName(ushort HookId, ulong File, string Path);
