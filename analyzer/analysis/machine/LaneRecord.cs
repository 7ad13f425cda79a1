using Tracer.Analysis.Facts;

namespace Tracer.Analysis.Machine;

/// <summary>What a record that a lane hands over to the early and the thread pass is about.</summary>
internal enum LaneRecordKind : byte
{
    /// <summary>The CPU went from one thread to another.</summary>
    Switch,

    /// <summary>The CPU made a thread ready.</summary>
    Ready,

    /// <summary>A DPC was put into a queue.</summary>
    DpcQueued,

    /// <summary>A DPC was taken from its queue.</summary>
    DpcTaken,

    /// <summary>A DPC of a framework returned: the early pass knows who had queued it.</summary>
    FrameworkDpc,

    /// <summary>A hard page fault was served; see <see cref="LaneRecords.Faults"/>.</summary>
    Fault,

    /// <summary>A file got a name; see <see cref="LaneRecords.Names"/>.</summary>
    FileName,

    /// <summary>A spin lock was released; see <see cref="LaneRecords.Holds"/>.</summary>
    Lock,

    /// <summary>The speed of CPUs changed; see <see cref="LaneRecords.Speeds"/>.</summary>
    Speed,

    /// <summary>A routine ran at a speed of its CPU; only where the trace has speeds.</summary>
    RanAtSpeed,

    /// <summary>A routine's run is among its longest so far.</summary>
    LongRun,
}

/// <summary>
/// What other CPUs, or the threads, must know of an event of one CPU. 48 bytes; what a field means depends on the kind. Times in ticks.
/// </summary>
internal struct LaneRecord
{
    /// <summary>Time stamp of the event.</summary>
    public long Ticks;

    /// <summary>
    /// Switch: since when the CPU had idled without serving anything, the largest time where it had not. Ready: when its last DPC
    /// returned. RanAtSpeed, LongRun: when the run began. DpcQueued, DpcTaken: the key, which is the address of the DPC object.
    /// FrameworkDpc: its number.
    /// </summary>
    public long A;

    /// <summary>
    /// DpcTaken, RanAtSpeed: address of the routine. LongRun: net time of the run. DpcQueued: depth of the queue. Switch: how long ISRs and
    /// DPCs took since the switch before.
    /// </summary>
    public long B;

    /// <summary>RanAtSpeed: net time of the run. Switch: the longest stretch at their level.</summary>
    public long C;

    /// <summary>Switch: the new thread. Ready: the thread. LongRun: number of the routine's list. Others: index of their details.</summary>
    public uint Thread;

    /// <summary>Switch: the old thread. DpcQueued: the CPU in whose queue it is.</summary>
    public uint Other;

    public LaneRecordKind Kind;

    /// <summary>Switch: priority of the new thread.</summary>
    public sbyte Priority;

    /// <summary>Switch: ideal CPU of the old thread, the low eight bits of its index. DpcQueued: importance.</summary>
    public byte Detail;

    /// <summary>Switch: state of the old thread.</summary>
    public KernelThreadState State;

    /// <summary>Switch: what the old thread waits for.</summary>
    public WaitReason Reason;

    /// <summary>Switch: the idle state that the CPU left; 0 where it was not idle.</summary>
    public byte IdleState;

    /// <summary>Ready: whether a DPC made the thread ready. RanAtSpeed: whether it was an ISR.</summary>
    public bool IsSo;
}

/// <summary>What a lane hands over of one round, in order of time. Its blocks are used again for later rounds.</summary>
internal sealed class LaneRecords
{
    private LaneRecord[] _records = new LaneRecord[64];

    public int Count { get; private set; }

    /// <summary>Details of <see cref="LaneRecordKind.Fault"/>.</summary>
    public List<HardFault> Faults { get; private set; } = [];

    /// <summary>Details of <see cref="LaneRecordKind.FileName"/>.</summary>
    public List<FileName> Names { get; private set; } = [];

    /// <summary>Details of <see cref="LaneRecordKind.Lock"/>.</summary>
    public List<LockHold> Holds { get; private set; } = [];

    /// <summary>Details of <see cref="LaneRecordKind.Speed"/>.</summary>
    public List<SpeedChange> Speeds { get; private set; } = [];

    public ref readonly LaneRecord this[int index] => ref _records[index];

    /// <summary>Adds a record, to be filled in by the caller.</summary>
    public ref LaneRecord Add(LaneRecordKind kind, long ticks)
    {
        if (Count == _records.Length)
        {
            Array.Resize(ref _records, 2 * Count);
        }

        ref LaneRecord record = ref _records[Count++];
        record = new LaneRecord { Ticks = ticks, Kind = kind };
        return ref record;
    }

    public void Add<T>(LaneRecordKind kind, long ticks, List<T> details, T detail)
    {
        Add(kind, ticks).Thread = (uint)details.Count;
        details.Add(detail);
    }

    /// <summary>Gives everything to another one, which has been used up.</summary>
    public void HandOver(LaneRecords to)
    {
        to.Clear();
        (_records, to._records) = (to._records, _records);
        (Count, to.Count) = (to.Count, Count);
        (Faults, to.Faults) = (to.Faults, Faults);
        (Names, to.Names) = (to.Names, Names);
        (Holds, to.Holds) = (to.Holds, Holds);
        (Speeds, to.Speeds) = (to.Speeds, Speeds);
    }

    private void Clear()
    {
        Count = 0;
        Faults.Clear();
        Names.Clear();
        Holds.Clear();
        Speeds.Clear();
    }
}
