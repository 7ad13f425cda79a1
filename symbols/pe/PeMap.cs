using System.Text;

namespace Tracer.Symbols;

/// <summary>Finds the bytes of an RVA, whatever the layout. Nothing is copied.</summary>
internal sealed class PeMap
{
    /// <summary>The loader reads sections in whole disk sectors, whatever their header says.</summary>
    private const uint SectorMask = 0x1FF;

    private const uint PageSize = 0x1000;

    private readonly SymbolBytes _bytes;
    private readonly PeLayout _layout;
    private readonly uint _headersSize;

    /// <summary>Stretches of the image that stand in the file, ordered by RVA.</summary>
    private readonly Stretch[] _stretches;

    public PeMap(SymbolBytes bytes, PeLayout layout, PeHeaders headers, PeOddityList oddities)
    {
        _bytes = bytes;
        _layout = layout;
        _headersSize = headers.SizeOfHeaders;
        bool rounds = headers.SectionAlignment >= PageSize;
        List<Stretch> stretches = [];
        foreach (PeSection section in headers.Sections)
        {
            uint offset = rounds ? section.RawOffset & ~SectorMask : section.RawOffset;
            uint inFile = Math.Min(section.MappedSize, section.RawSize + (section.RawOffset - offset));
            if (layout == PeLayout.File && section.RawSize != 0 && section.RawOffset + (long)section.RawSize > bytes.Length)
            {
                oddities.Add(section.RawOffset, $"section {section.Name} ends at 0x{section.RawOffset + (long)section.RawSize:x}, "
                    + $"the file at 0x{bytes.Length:x}");
            }

            stretches.Add(new Stretch(section.Rva, layout == PeLayout.Mapped ? section.MappedSize : inFile, offset));
        }

        stretches.Sort((left, right) => left.Rva.CompareTo(right.Rva));
        _stretches = [.. stretches];
        for (int i = 1; i < _stretches.Length; i++)
        {
            if (_stretches[i - 1].Rva + (long)_stretches[i - 1].Size > _stretches[i].Rva)
            {
                oddities.Add(_stretches[i].Offset, $"the section at RVA 0x{_stretches[i].Rva:x} begins inside another");
            }
        }
    }

    /// <summary>Where the byte of an RVA stands, and how many bytes from there on belong together.</summary>
    public bool TryFind(uint rva, out long offset, out uint length)
    {
        Stretch stretch = default;
        bool isInSection = TryFindStretch(rva, ref stretch) && rva - stretch.Rva < stretch.Size;
        if (!isInSection)
        {
            stretch = new Stretch(0, _headersSize, 0);
            if (rva >= stretch.Size)
            {
                (offset, length) = (0, 0);
                return false;
            }
        }

        uint inside = rva - stretch.Rva;
        offset = _layout == PeLayout.Mapped ? rva : stretch.Offset + (long)inside;
        length = (uint)Math.Min(stretch.Size - inside, Math.Max(0, _bytes.Length - offset));
        return length > 0;
    }

    public bool TryFindRva(long offset, out uint rva)
    {
        rva = 0;
        if (_layout == PeLayout.Mapped || (offset >= 0 && offset < _headersSize))
        {
            rva = (uint)Math.Clamp(offset, 0, uint.MaxValue);
            return rva == offset && offset < _bytes.Length;
        }

        foreach (Stretch stretch in _stretches)
        {
            if (offset >= stretch.Offset && offset - stretch.Offset < stretch.Size)
            {
                rva = unchecked(stretch.Rva + (uint)(offset - stretch.Offset));
                return offset < _bytes.Length;
            }
        }

        return false;
    }

    /// <summary>The bytes of an RVA, as many as are wanted or, if fewer, as its section has.</summary>
    public ReadOnlySpan<byte> At(uint rva, int length) =>
        length > 0 && TryFind(rva, out long offset, out uint available)
            ? _bytes.At(offset, (int)Math.Min((uint)length, available))
            : default;

    /// <summary>Where the byte of an RVA stands; where it has none, the RVA itself, so that an oddity has a place.</summary>
    public long PlaceOf(uint rva) => TryFind(rva, out long offset, out _) ? offset : rva;

    /// <summary>Bytes of the file, whatever they are mapped to.</summary>
    public ReadOnlySpan<byte> InFile(long offset, int length) => _bytes.At(offset, length);

    /// <summary>A text that ends with a zero byte; null where there is none within the limit.</summary>
    public string? TextAt(uint rva, int limit)
    {
        ReadOnlySpan<byte> bytes = At(rva, limit);
        int end = bytes.IndexOf((byte)0);
        return end < 0 ? null : Encoding.UTF8.GetString(bytes[..end]);
    }

    private bool TryFindStretch(uint rva, ref Stretch found)
    {
        int above = SortedSearch.FirstNot(0, _stretches.Length, (_stretches, rva), static (at, i) => at._stretches[i].Rva <= at.rva);
        found = above > 0 ? _stretches[above - 1] : found;
        return above > 0;
    }

    private readonly record struct Stretch(uint Rva, uint Size, uint Offset);
}
