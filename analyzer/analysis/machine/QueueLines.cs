namespace Tracer.Analysis.Machine;

/// <summary>
/// The interrupts that queued the DPCs of a CPU, by number. One thread adds; others may look up numbers that they know.
/// </summary>
/// <param name="first">The number of none.</param>
internal sealed class QueueLines(ushort first)
{
    /// <summary>The first number of those that the records of other CPUs tell.</summary>
    public const ushort Told = 0x8000;

    /// <summary>Most that are kept: a machine has a few dozen, a damaged trace any number.</summary>
    private const int Most = 4096;

    private readonly Dictionary<QueueLine, ushort> _numbers = [];
    private QueueLine[] _lines = new QueueLine[16];

    /// <summary>The interrupt with a number; one that is not known for any other number.</summary>
    public QueueLine this[ushort number] => number - first is >= 0 and var at && at < _lines.Length ? _lines[at] : default;

    /// <summary>The number of an interrupt, new where it has none; that of none where it is not known, or too many have one.</summary>
    public ushort NumberOf(QueueLine line)
    {
        if (_numbers.TryGetValue(line, out ushort known))
        {
            return known;
        }

        int next = _numbers.Count + 1;
        if (!line.IsKnown || next >= Most)
        {
            return first;
        }

        if (next == _lines.Length)
        {
            Array.Resize(ref _lines, 2 * next);
        }

        _lines[next] = line;
        return _numbers[line] = (ushort)(first + next);
    }
}
