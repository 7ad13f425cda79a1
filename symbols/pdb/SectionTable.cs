namespace Tracer.Symbols.Pdb;

/// <summary>
/// The section headers of the image, from a stream of its own: 40 bytes each, as in a PE file. Symbols give addresses as section (from 1)
/// and offset in it.
/// <code>
///  0  8  name        8  4  bytes in memory      12  4  RVA       36  4  characteristics
/// </code>
/// </summary>
internal sealed class SectionTable
{
    private const int HeaderBytes = 40;
    private const int SizeAt = 8;
    private const int RvaAt = 12;
    private const int CharacteristicsAt = 36;
    private const uint HoldsCode = 0x0000_0020;
    private const uint IsExecutable = 0x2000_0000;

    private readonly Section[] _sections;
    private readonly int[] _byRva;

    private SectionTable(Section[] sections)
    {
        _sections = sections;
        _byRva = [.. Enumerable.Range(0, sections.Length).OrderBy(i => sections[i].Rva).ThenBy(i => i)];
    }

    public static SectionTable Empty { get; } = new([]);

    public static SectionTable Read(MsfStream stream)
    {
        var sections = new Section[Math.Min(stream.Length / HeaderBytes, ushort.MaxValue)];
        Span<byte> header = stackalloc byte[HeaderBytes];
        for (int i = 0; i < sections.Length && stream.TryRead((long)i * HeaderBytes, header); i++)
        {
            bool isCode = (LittleEndian.UInt32(header, CharacteristicsAt) & (HoldsCode | IsExecutable)) != 0;
            sections[i] = new Section(LittleEndian.UInt32(header, RvaAt), LittleEndian.UInt32(header, SizeAt), isCode);
        }

        return new SectionTable(sections);
    }

    /// <summary>The RVA of a place in a section, counted from 1.</summary>
    public bool TryRva(ushort section, uint offset, out uint rva)
    {
        rva = 0;
        if (section == 0 || section > _sections.Length)
        {
            return false;
        }

        rva = unchecked(_sections[section - 1].Rva + offset);
        return rva >= offset;
    }

    public bool IsCode(ushort section) => section > 0 && section <= _sections.Length && _sections[section - 1].IsCode;

    /// <summary>The section, counted from 1, that holds an RVA, and the place in it.</summary>
    public bool TryPlace(uint rva, out ushort section, out uint offset)
    {
        int low = SortedSearch.FirstNot(
            0, _byRva.Length, (_sections, _byRva, rva), static (at, i) => at._sections[at._byRva[i]].Rva <= at.rva);

        section = 0;
        offset = 0;
        if (low == 0)
        {
            return false;
        }

        int found = _byRva[low - 1];
        section = (ushort)(found + 1);
        offset = rva - _sections[found].Rva;
        return offset < _sections[found].Size;
    }

    private readonly record struct Section(uint Rva, uint Size, bool IsCode);
}
