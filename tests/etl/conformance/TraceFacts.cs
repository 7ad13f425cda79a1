using System.Text;
using Tracer.Etl.Decoding;

namespace Tracer.Etl.Tests.Conformance;

/// <summary>
/// What TraceEvent knows of a trace beyond the event at hand: processes, threads, volumes, files, types. Read from the same trace with our
/// own records, so that what TraceEvent derives can be compared too.
/// </summary>
internal sealed class TraceFacts
{
    private const ushort BulkType = 15;

    private readonly Dictionary<uint, string> _processes = new() { [0] = "Idle" };
    private readonly Dictionary<uint, List<(long Ticks, uint Process)>> _threads = [];
    private readonly List<(string Nt, string Dos)> _volumes = [];
    private readonly Dictionary<ulong, string> _files = [];
    private readonly Dictionary<(uint Process, ulong Type), string> _types = [];

    public TraceFacts(TraceClock clock) => Clock = clock;

    public TraceClock Clock { get; }

    /// <summary>Takes from an event what others are explained by.</summary>
    public void Learn(scoped in EtlEvent traceEvent, EventDecoder decoder)
    {
        if (traceEvent.ProviderId == ClrEvents.ProviderId && traceEvent.Id == BulkType)
        {
            LearnTypes(DecodedEvent.From(in traceEvent, nameof(BulkType), 0, decoder));
            return;
        }

        KernelRecordCatalog.Find(in traceEvent, out string group, out string name);
        switch (group)
        {
            case "Process" when name is "Start" or "DCStart" or "DCEnd"
                && ProcessRecord.TryRead(in traceEvent, out ProcessRecord process):
                _processes[process.ProcessId] = Path.GetFileNameWithoutExtension(Encoding.Latin1.GetString(process.ImageFileName));
                break;
            case "Thread" when name is "Start" or "DCStart" or "End" or "DCEnd"
                && ThreadRecord.TryRead(in traceEvent, out ThreadRecord thread):
                LearnThread(thread.ThreadId, traceEvent.TimestampTicks, thread.ProcessId);
                break;
            case "File" when name is "Name" or "NameCreate" or "NameDelete" or "NameRundown":
                DecodedEvent file = DecodedEvent.From(in traceEvent, name, 0, decoder);
                _files[file.Bits("FileObject")] = file.Find("FileName")!.Text;
                break;
            case "SystemConfigEx" when name == "VolumeMapping"
                && VolumeMappingRecord.TryRead(in traceEvent, out VolumeMappingRecord volume):
                _volumes.Add((Encoding.Unicode.GetString(volume.NtPath), Encoding.Unicode.GetString(volume.DosPath)));
                break;
            default:
                break;
        }
    }

    /// <summary>A process's name as TraceEvent shows it: without folder and extension.</summary>
    public string ProcessName(int processId) => processId < 0 ? "" : _processes.GetValueOrDefault((uint)processId, $"Process({processId})");

    /// <summary>The process of a thread, as the thread's own events tell it; -1 where none does.</summary>
    public int ProcessOf(uint threadId, long ticks)
    {
        if (threadId == 0 || !_threads.TryGetValue(threadId, out List<(long Ticks, uint Process)>? known))
        {
            return threadId == 0 ? 0 : -1;
        }

        // The last that was told before, or else the first that was told later.
        (long Ticks, uint Process)[] before = [.. known.Where(fact => fact.Ticks <= ticks).OrderBy(fact => fact.Ticks)];
        return (int)(before.Length > 0 ? before[^1] : known.MinBy(fact => fact.Ticks)).Process;
    }

    /// <summary>A file's name by its key, or nothing.</summary>
    public string FileName(ulong key) => _files.TryGetValue(key, out string? name) ? DosPath(name) : "";

    /// <summary>The name of a managed type, or nothing.</summary>
    public string TypeName(uint process, ulong type) => _types.GetValueOrDefault((process, type), "");

    /// <summary>An NT path with drive letters, by the trace's own mapping; the longest prefix counts.</summary>
    public string DosPath(string path)
    {
        const string Network = @"\Device\Mup\";
        if (path.StartsWith(Network, StringComparison.OrdinalIgnoreCase))
        {
            return @"\\" + path[Network.Length..];
        }

        foreach ((string nt, string dos) in _volumes.OrderByDescending(volume => volume.Nt.Length))
        {
            if (path.StartsWith(nt, StringComparison.OrdinalIgnoreCase))
            {
                return dos + path[nt.Length..];
            }
        }

        // A path without a volume is one of the system's.
        string windows = _volumes.FirstOrDefault(volume => volume.Nt == @"\SystemRoot\").Dos ?? "";
        return path.StartsWith(@"\Windows\", StringComparison.OrdinalIgnoreCase) && windows.Length > 2 ? windows[..2] + path : path;
    }

    private void LearnThread(uint threadId, long ticks, uint processId)
    {
        if (!_threads.TryGetValue(threadId, out List<(long Ticks, uint Process)>? known))
        {
            _threads[threadId] = known = [];
        }

        known.Add((ticks, processId));
    }

    private void LearnTypes(DecodedEvent types)
    {
        for (int i = 0; types.Find($"Values[{i}].TypeID") is DecodedField type; i++)
        {
            _types.TryAdd((types.ProcessId, type.Bits), types.Find($"Values[{i}].Name")?.Text ?? "");
        }
    }
}
