namespace Tracer.Analysis.Machine;

/// <summary>
/// What the lanes handed over of one round, in the order of time: one thread puts it in order while another takes it. It waits for nothing
/// but that thread, which must have begun.
/// </summary>
internal sealed class PassRecords
{
    /// <summary>So many are shown at once, as each time moves memory from one processor's cache to another's; a power of two.</summary>
    private const int ShownAtOnce = 32;

    private PassRecord[] _records = [];
    private DpcStart[] _starts = [];
    private int _added;
    private int _addedStarts;
    private int _shown;
    private int _end;
    private int _seen;
    private int _next;

    /// <summary>A round begins; neither thread uses it meanwhile.</summary>
    /// <param name="most">Most records that it has.</param>
    public void Begin(int most)
    {
        if (_records.Length < most)
        {
            _records = GC.AllocateUninitializedArray<PassRecord>(2 * most);
        }

        (_added, _addedStarts, _shown, _seen, _next) = (0, 0, 0, 0, 0);
        _end = (int)Ending.None;
    }

    /// <summary>Adds the next record.</summary>
    /// <param name="number">Its number in what its lane handed over.</param>
    public void Add(int cpu, int number) => Add(new PassRecord(cpu, number, Start: -1));

    /// <summary>Adds the next record, which comes while a DPC runs.</summary>
    /// <param name="number">Its number in what its lane handed over.</param>
    public void Add(int cpu, int number, in DpcStart dpc)
    {
        if (_addedStarts == _starts.Length)
        {
            Array.Resize(ref _starts, Math.Max(ShownAtOnce, 2 * _addedStarts)); // Who reads what was shown goes on in the old block.
        }

        _starts[_addedStarts] = dpc;
        Add(new PassRecord(cpu, number, _addedStarts++));
    }

    /// <summary>Nothing more comes in this round.</summary>
    /// <param name="isWhole">False where an exception ends it.</param>
    public void End(bool isWhole)
    {
        Volatile.Write(ref _shown, _added);
        Volatile.Write(ref _end, (int)(isWhole ? Ending.Whole : Ending.Failed));
    }

    /// <summary>Takes the next record, on the other thread; waits for it.</summary>
    /// <returns>False where no more come.</returns>
    public bool TryNext(out PassRecord record)
    {
        if (_next == _seen && !WaitForMore())
        {
            record = default;
            return false;
        }

        record = _records[_next++];
        return true;
    }

    /// <summary>The DPC during which a record came that was taken; it must have one.</summary>
    public ref readonly DpcStart DpcOf(in PassRecord record) => ref Volatile.Read(ref _starts)[record.Start];

    /// <summary>Waits until all of the round is in order.</summary>
    /// <returns>False where an exception ended that.</returns>
    public bool IsWhole()
    {
        var spin = default(SpinWait);
        while (Volatile.Read(ref _end) == (int)Ending.None)
        {
            spin.SpinOnce(sleep1Threshold: -1);
        }

        return _end == (int)Ending.Whole;
    }

    private void Add(PassRecord record)
    {
        _records[_added++] = record;
        if ((_added & (ShownAtOnce - 1)) == 0)
        {
            Volatile.Write(ref _shown, _added);
        }
    }

    private bool WaitForMore()
    {
        var spin = default(SpinWait);
        while (true)
        {
            bool isEnd = Volatile.Read(ref _end) != (int)Ending.None;
            _seen = Volatile.Read(ref _shown);
            if (_seen > _next || isEnd)
            {
                return _seen > _next;
            }

            spin.SpinOnce(sleep1Threshold: -1);
        }
    }

    private enum Ending
    {
        None,
        Whole,
        Failed,
    }
}

/// <summary>A record that a lane handed over, in the order of time.</summary>
/// <param name="Number">Its number in what the lane handed over.</param>
/// <param name="Start">Where <see cref="PassRecords.DpcOf"/> has the DPC during which it came; -1 for none.</param>
internal readonly record struct PassRecord(int Cpu, int Number, int Start);
