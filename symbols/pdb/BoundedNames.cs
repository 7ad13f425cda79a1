using System.Collections.Concurrent;

namespace Tracer.Symbols.Pdb;

/// <summary>
/// Names that were made, by the place they were made from, so that each is made once. Begins anew when it holds too much: a file can name
/// more than memory holds. Safe for several threads.
/// </summary>
internal sealed class BoundedNames
{
    private const long MaximumCharacters = 8 * 1024 * 1024;

    /// <summary>What an entry takes beside its characters, counted in characters.</summary>
    private const int EntryCharacters = 40;

    private readonly ConcurrentDictionary<ulong, string> _names = [];
    private long _characters;

    public bool TryGet(ulong place, out string name) => _names.TryGetValue(place, out name!);

    public string Add(ulong place, string name)
    {
        if (Interlocked.Add(ref _characters, name.Length + EntryCharacters) > MaximumCharacters)
        {
            _names.Clear();
            Interlocked.Exchange(ref _characters, name.Length + EntryCharacters);
        }

        return _names.GetOrAdd(place, name);
    }
}
