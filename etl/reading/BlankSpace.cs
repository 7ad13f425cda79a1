namespace Tracer.Etl.Reading;

/// <summary>
/// Places of the file where a buffer could stand and nothing does but zeros, or ones. Mostly that is space that was set aside and never
/// used; but where a buffer was written and its bytes got lost, by a crash of the system or of what copied the file, it looks the same.
/// What tells is that a buffer is missing: by the count in the file's header, or by its number while others behind it are there.
/// </summary>
internal sealed class BlankSpace
{
    /// <summary>So many stretches of blank buffers are told apart.</summary>
    private const int MaximumStretches = 4096;

    private readonly List<Stretch> _stretches = [];
    private long _count;
    private long _countBeforeBuffers;

    /// <summary>Takes a blank place.</summary>
    /// <param name="offset">Where in the file, in bytes.</param>
    /// <param name="bytes">How far it is to the next place, as far as that is known.</param>
    public void Add(long offset, long bytes)
    {
        _count++;
        if (_stretches.Count > 0 && _stretches[^1] is var last && last.IsJoinedBy(offset, bytes))
        {
            _stretches[^1] = last with { Count = last.Count + 1 };
        }
        else if (_stretches.Count < MaximumStretches)
        {
            _stretches.Add(new Stretch(offset, bytes, 1));
        }
    }

    /// <summary>A buffer stands behind all blank places so far.</summary>
    public void PassBuffer() => _countBeforeBuffers = _count;

    /// <summary>Tells at the end what was lost and what was never used.</summary>
    /// <param name="missingByCount">
    /// How many more buffers the file's header counts than are there; null where it does not count them, or not for certain.
    /// </param>
    /// <param name="missingByNumber">How many numbers are missing that no damaged buffer can have had.</param>
    /// <param name="health">Is told.</param>
    public void Judge(long? missingByCount, long missingByNumber, TraceHealth health)
    {
        // A number that is missing was lost before others were written: what is blank at the end of the file did not have it.
        long lost = Math.Max(Math.Min(_count, missingByCount ?? 0), Math.Min(_countBeforeBuffers, missingByNumber));
        health.Add(HealthCounter.UnusedBuffers, _count - lost);
        foreach (Stretch stretch in _stretches)
        {
            for (long i = 0; i < stretch.Count && lost > 0; i++, lost--)
            {
                health.AddDamage(new DamagedBuffer(
                    stretch.Offset + (i * stretch.Bytes), "it is blank, and a buffer is missing: what it held is lost"));
            }
        }

        health.Add(HealthCounter.DamagedBuffers, lost);
    }

    /// <summary>Blank places one behind the other.</summary>
    private readonly record struct Stretch(long Offset, long Bytes, long Count)
    {
        public bool IsJoinedBy(long offset, long bytes) => bytes == Bytes && offset == Offset + (Count * Bytes);
    }
}
