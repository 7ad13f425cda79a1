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

    /// <summary>Adds a name of the second reading.</summary>
    /// <param name="hookId">The event's hook id; see <see cref="IsName"/>.</param>
    public void AddName(ushort hookId, in EtlEvent traceEvent)
    {
        if (_files.Count == 0)
        {
            return;
        }

        var payload = new RecordPayload(in traceEvent);
        if (payload.Length < payload.PointerBytes || !_files.TryGetValue(payload.Pointer(0), out FileLife? life))
        {
            return;
        }

        ulong key = payload.Pointer(0);
        string name = _names.OfUtf16(payload.Utf16(payload.PointerBytes, out _));
        if (hookId is Created or Name && (hookId == Created || life.Name is not null) && life.Name != name)
        {
            _files[key] = new FileLife { Name = name };
            return;
        }

        life.Name ??= name.Length > 0 ? name : null;
        if (hookId == Deleted)
        {
            _files[key] = new FileLife();
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
