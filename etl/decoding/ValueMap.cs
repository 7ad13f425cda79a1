using System.Numerics;
using System.Text;

namespace Tracer.Etl.Decoding;

/// <summary>
/// Names of the values of an integer field, or of its bits. A map that the trace has not told yet is empty and names nothing.
/// </summary>
public sealed class ValueMap
{
    /// <summary>Combinations of flags whose text is kept, so that naming a value again allocates nothing.</summary>
    private const int MaximumKeptTexts = 256;

    /// <summary>
    /// Names that are looked for among the bits of a value: of all 64 bits, and of as many groups of bits as a reader can want; a name
    /// beyond that counts for exactly its value.
    /// </summary>
    private const int MaximumJoined = 256;

    /// <summary>A text of names joined ends behind the one that makes it longer; what is left of the value is a number.</summary>
    private const int MaximumTextCharacters = 1024;

    private readonly Dictionary<ulong, string> _names = [];
    private readonly Dictionary<ulong, string> _texts = [];
    private readonly List<(ulong Bits, string Name)> _bits = [];

    internal ValueMap(string name)
    {
        Name = name;
    }

    /// <summary>Makes a map; of two entries with the same value the first counts.</summary>
    /// <param name="name">The map's name.</param>
    /// <param name="isFlags">Whether the values are bits that combine.</param>
    /// <param name="entries">Values and their names.</param>
    public ValueMap(string name, bool isFlags, IEnumerable<KeyValuePair<ulong, string>> entries)
        : this(name)
    {
        Fill(isFlags, entries);
    }

    /// <summary>The map's name.</summary>
    public string Name { get; }

    /// <summary>Whether the values are bits that combine.</summary>
    public bool IsFlags { get; private set; }

    /// <summary>How many values have a name.</summary>
    public int Count => _names.Count;

    /// <summary>
    /// Names a value. Of flags, the names of all bits joined with "|", and bits without a name behind them in hexadecimal; a name of
    /// several bits counts where the bits have none of their own.
    /// </summary>
    /// <returns>Null when the map has no name for any of it.</returns>
    public string? NameOf(ulong value)
    {
        if (!IsFlags || value == 0)
        {
            return _names.GetValueOrDefault(value);
        }

        if (_texts.TryGetValue(value, out string? known))
        {
            return known;
        }

        string? text = JoinedNames(value);
        if (text is not null && _texts.Count < MaximumKeptTexts)
        {
            _texts.Add(value, text);
        }

        return text;
    }

    /// <summary>The same names for the bits of a combination.</summary>
    internal ValueMap AsFlags() => new(Name, isFlags: true, _names);

    /// <summary>Replaces what the map holds, when the trace tells it after the fields that use it.</summary>
    internal void Fill(bool isFlags, IEnumerable<KeyValuePair<ulong, string>> entries)
    {
        IsFlags = isFlags;
        _names.Clear();
        _texts.Clear();
        _bits.Clear();
        foreach ((ulong value, string name) in entries)
        {
            if (_names.TryAdd(value, name) && value != 0)
            {
                _bits.Add((value, name));
            }
        }

        _bits.Sort((left, right) => Order(left.Bits).CompareTo(Order(right.Bits)));
        if (_bits.Count > MaximumJoined)
        {
            _bits.RemoveRange(MaximumJoined, _bits.Count - MaximumJoined);
        }
    }

    /// <summary>Single bits first.</summary>
    private static (int Bits, ulong Value) Order(ulong bits) => (BitOperations.PopCount(bits), bits);

    private string? JoinedNames(ulong value)
    {
        var text = new StringBuilder();
        ulong rest = value;
        foreach ((ulong bits, string name) in _bits)
        {
            if (rest == 0 || text.Length > MaximumTextCharacters)
            {
                break;
            }

            if (bits == value)
            {
                return name; // Some of its bits have no name of their own.
            }

            if ((rest & bits) == bits)
            {
                text.Append(text.Length > 0 ? "|" : "").Append(name);
                rest &= ~bits;
            }
        }

        if (rest != 0 && _bits.Count == MaximumJoined && _names.TryGetValue(value, out string? whole))
        {
            return whole;
        }

        if (text.Length > 0 && rest != 0)
        {
            text.Append(CultureInfo.InvariantCulture, $"|0x{rest:x}");
        }

        return text.Length > 0 ? text.ToString() : null;
    }
}
