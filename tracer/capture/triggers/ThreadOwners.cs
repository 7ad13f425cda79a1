using System.Text;
using Tracer.Etl.Kernel;

namespace Tracer.Capture.Triggers;

/// <summary>
/// Whose threads are whose, from the kernel's records of processes and threads: those that there are when a session begins, and those that
/// come and go. Bounded; allocates only for a process that is new.
/// </summary>
public sealed class ThreadOwners
{
    /// <summary>More threads are not remembered.</summary>
    public const int MostThreads = 1 << 17;

    /// <summary>More processes are not remembered.</summary>
    public const int MostProcesses = 1 << 14;

    private const ushort ProcessEnd = 0x0302;
    private const ushort ThreadEnd = 0x0502;

    private readonly Dictionary<uint, string> _processes = [];
    private readonly Dictionary<uint, uint> _threads = [];

    public void Learn(in EtlEvent traceEvent)
    {
        switch (traceEvent.HookId)
        {
            case 0x0301 or 0x0303 or ProcessEnd:
                if (ProcessRecord.TryRead(in traceEvent, out ProcessRecord process))
                {
                    Learn(in process, traceEvent.HookId == ProcessEnd);
                }

                break;
            case 0x0501 or 0x0503 or ThreadEnd:
                if (ThreadRecord.TryRead(in traceEvent, out ThreadRecord thread) && thread.ThreadId != 0)
                {
                    Learn(in thread, traceEvent.HookId == ThreadEnd);
                }

                break;
            default:
                break;
        }
    }

    /// <returns>Null where it is not known.</returns>
    public uint? ProcessOf(uint thread) => _threads.TryGetValue(thread, out uint process) ? process : null;

    /// <summary>The image of a process, without its folder.</summary>
    /// <returns>Null where it is not known.</returns>
    public string? NameOf(uint process) => _processes.GetValueOrDefault(process);

    private void Learn(in ProcessRecord process, bool isEnd)
    {
        if (isEnd)
        {
            _processes.Remove(process.ProcessId);
        }
        else if (_processes.Count < MostProcesses || _processes.ContainsKey(process.ProcessId))
        {
            _processes[process.ProcessId] = Encoding.Latin1.GetString(process.ImageFileName);
        }
    }

    private void Learn(in ThreadRecord thread, bool isEnd)
    {
        if (isEnd)
        {
            _threads.Remove(thread.ThreadId);
        }
        else if (_threads.Count < MostThreads || _threads.ContainsKey(thread.ThreadId))
        {
            _threads[thread.ThreadId] = thread.ProcessId;
        }
    }
}
