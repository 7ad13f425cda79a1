namespace Tracer.Symbols.Pdb;

/// <summary>
/// What was found damaged so far: the first of it, because a file can hold more damage than memory. Safe for several threads.
/// </summary>
internal sealed class DamageLog
{
    public const int MaximumEntries = 100;

    private readonly List<PdbDamage> _entries = [];

    public void Add(long fileOffset, string message)
    {
        var entry = new PdbDamage(fileOffset, message);
        lock (_entries)
        {
            if (_entries.Count < MaximumEntries && !_entries.Contains(entry))
            {
                _entries.Add(entry);
            }
        }
    }

    public PdbDamage[] Entries()
    {
        lock (_entries)
        {
            return [.. _entries];
        }
    }
}
