using System.Buffers.Binary;
using Tracer.Etl.Decoding;

namespace Tracer.Analysis.Facts;

/// <summary>
/// When the .NET runtime of a process had suspended its threads for a garbage collection: from the begin of the suspension (event 9) to the
/// end of the restart (event 3). Add events in any order, call <see cref="Complete"/> once, then query. Memory is bounded.
/// </summary>
/// <remarks>
/// Payload of event 9: in version 0 u16 reason; later u32 reason, u32 count, u16 runtime. Payload of event 3: from version 1 on u16
/// runtime.
/// </remarks>
public sealed class RuntimePauses
{
    public const int MaximumEvents = 500_000;

    private const ushort RestartEnd = 3;
    private const ushort RestartBegin = 7;
    private const ushort SuspendBegin = 9;

    /// <summary>
    /// The reasons SuspendForGC and SuspendForGCPrep; with other reasons threads are suspended for a debugger or at the end of the process.
    /// </summary>
    private const uint ForCollection = 1;
    private const uint ForPreparation = 6;

    private readonly List<(uint Process, ushort Runtime, long Ticks, ushort Id)> _taken = [];
    private readonly Dictionary<uint, List<TickSpan>> _pauses = [];

    /// <summary>When the runtime began to restart the threads of each pause; the restart takes until the end of the pause.</summary>
    private readonly Dictionary<(uint Process, long EndTicks), long> _restarts = [];

    public int Count { get; private set; }

    /// <summary>Events that were ignored because they were too short or beyond the limit.</summary>
    public long Dropped { get; private set; }

    /// <summary>Adds an event without a hook id; events of other providers are ignored.</summary>
    public void Add(in EtlEvent traceEvent)
    {
        if (!traceEvent.IsEventHeader || traceEvent.Id is not (RestartEnd or RestartBegin or SuspendBegin)
            || traceEvent.ProviderId != ClrEvents.ProviderId)
        {
            return;
        }

        ReadOnlySpan<byte> payload = traceEvent.Payload;
        bool isBegin = traceEvent.Id == SuspendBegin;
        int runtimeAt = traceEvent.Version == 0 ? -1 : isBegin ? 8 : 0;
        int needed = runtimeAt >= 0 ? runtimeAt + sizeof(ushort) : isBegin ? sizeof(ushort) : 0;
        if (payload.Length < needed || _taken.Count >= MaximumEvents)
        {
            Dropped++;
            return;
        }

        if (isBegin)
        {
            uint reason = traceEvent.Version == 0
                ? BinaryPrimitives.ReadUInt16LittleEndian(payload)
                : BinaryPrimitives.ReadUInt32LittleEndian(payload);
            if (reason is not (ForCollection or ForPreparation))
            {
                return;
            }
        }

        ushort runtime = runtimeAt >= 0 ? BinaryPrimitives.ReadUInt16LittleEndian(payload[runtimeAt..]) : (ushort)0;
        _taken.Add((traceEvent.ProcessId, runtime, traceEvent.TimestampTicks, traceEvent.Id));
    }

    public void Complete()
    {
        _taken.Sort((one, other) => one.Ticks != other.Ticks
            ? one.Ticks.CompareTo(other.Ticks)
            : (one.Process, one.Runtime, one.Id).CompareTo((other.Process, other.Runtime, other.Id)));
        Dictionary<(uint Process, ushort Runtime), (long Since, long? Restart)> open = [];
        foreach ((uint process, ushort runtime, long ticks, ushort id) in _taken)
        {
            if (id == SuspendBegin)
            {
                // A second begin without an end between: the end of the first pause is missing, and its time is unknown.
                open[(process, runtime)] = (ticks, null);
            }
            else if (id == RestartBegin)
            {
                if (open.TryGetValue((process, runtime), out (long Since, long? Restart) known))
                {
                    open[(process, runtime)] = (known.Since, ticks);
                }
            }
            else if (open.Remove((process, runtime), out (long Since, long? Restart) begun))
            {
                long since = begun.Since;
                _restarts[(process, ticks)] = begun.Restart ?? ticks;
                if (!_pauses.TryGetValue(process, out List<TickSpan>? pauses))
                {
                    _pauses.Add(process, pauses = []);
                }

                pauses.Add(new TickSpan(since, ticks));
                Count++;
            }
        }

        _taken.Clear();
    }

    public IReadOnlyList<TickSpan> Of(uint process) => _pauses.TryGetValue(process, out List<TickSpan>? pauses) ? pauses : [];

    /// <summary>
    /// The pause that a thread waited for: the thread left its CPU during the pause and became ready when the threads were restarted.
    /// </summary>
    /// <param name="readyTicks">When the thread became ready again.</param>
    public TickSpan? Held(uint process, long leftTicks, long readyTicks, long slackTicks)
    {
        IReadOnlyList<TickSpan> pauses = Of(process);
        for (int i = FirstEndingFrom(pauses, readyTicks - slackTicks); i < pauses.Count; i++)
        {
            TickSpan pause = pauses[i];
            if (pause.StartTicks > leftTicks)
            {
                break;
            }

            bool wasLetGo = readyTicks >= _restarts[(process, pause.EndTicks)] - slackTicks && readyTicks <= pause.EndTicks + slackTicks;
            if (pause.Contains(leftTicks) && wasLetGo)
            {
                return pause;
            }
        }

        return null;
    }

    /// <summary>The parts of a stretch of time in which a process was paused, in order and without overlaps.</summary>
    public IEnumerable<TickSpan> Within(uint process, long fromTicks, long toTicks)
    {
        IReadOnlyList<TickSpan> pauses = Of(process);
        long at = fromTicks;
        for (int i = FirstEndingFrom(pauses, fromTicks); i < pauses.Count && at < toTicks; i++)
        {
            long from = Math.Max(at, pauses[i].StartTicks);
            long to = Math.Min(toTicks, pauses[i].EndTicks);
            if (from < to)
            {
                yield return new TickSpan(from, to);
                at = to;
            }
        }
    }

    private static int FirstEndingFrom(IReadOnlyList<TickSpan> pauses, long ticks)
    {
        int low = SortedSearch.FirstNot(0, pauses.Count, (pauses, ticks), static (at, i) => at.pauses[i].EndTicks < at.ticks);

        return low;
    }
}
