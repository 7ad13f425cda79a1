using System.Buffers.Binary;

namespace Tracer.Etl;

/// <summary>
/// The time zone of a trace (TIME_ZONE_INFORMATION in the header event). It keeps the bytes of the structure, so that what
/// stands behind the end of a name survives reading and writing.
/// </summary>
public sealed class EtlTimeZone : IEquatable<EtlTimeZone>
{
    /// <summary>Size of the structure in bytes.</summary>
    public const int StructureBytes = 172;

    /// <summary>A name has at most so many UTF-16 code units; of 32 units in the structure the last is a NUL.</summary>
    public const int MaximumNameLength = 31;

    private const int Bias = 0;
    private const int StandardNameOffset = 4;
    private const int StandardDateOffset = 68;
    private const int StandardBias = 84;
    private const int DaylightNameOffset = 88;
    private const int DaylightDateOffset = 152;
    private const int DaylightBias = 168;
    private const int NameUnits = 32;

    private readonly byte[] _bytes;

    /// <summary>Makes a zone from its fields.</summary>
    /// <param name="biasMinutes">UTC is local time plus so many minutes.</param>
    /// <param name="standardName">Name in winter, or a reference to a resource such as <c>@tzres.dll,-212</c>.</param>
    /// <param name="standardDate">When winter time begins.</param>
    /// <param name="standardBiasMinutes">Added to the bias in winter, in minutes.</param>
    /// <param name="daylightName">Name in summer.</param>
    /// <param name="daylightDate">When summer time begins.</param>
    /// <param name="daylightBiasMinutes">Added to the bias in summer, in minutes.</param>
    /// <exception cref="ArgumentException">A name is longer than <see cref="MaximumNameLength"/>.</exception>
    public EtlTimeZone(
        int biasMinutes,
        string standardName = "",
        EtlSystemTime standardDate = default,
        int standardBiasMinutes = 0,
        string daylightName = "",
        EtlSystemTime daylightDate = default,
        int daylightBiasMinutes = 0)
    {
        _bytes = new byte[StructureBytes];
        BinaryPrimitives.WriteInt32LittleEndian(_bytes.AsSpan(Bias), biasMinutes);
        BinaryPrimitives.WriteInt32LittleEndian(_bytes.AsSpan(StandardBias), standardBiasMinutes);
        BinaryPrimitives.WriteInt32LittleEndian(_bytes.AsSpan(DaylightBias), daylightBiasMinutes);
        PutName(standardName, StandardNameOffset);
        PutName(daylightName, DaylightNameOffset);
        standardDate.Write(_bytes.AsSpan(StandardDateOffset));
        daylightDate.Write(_bytes.AsSpan(DaylightDateOffset));
    }

    /// <summary>Takes a zone from the bytes of a header event.</summary>
    /// <param name="structure">The structure, <see cref="StructureBytes"/> long.</param>
    /// <exception cref="ArgumentException">It is shorter or longer.</exception>
    public EtlTimeZone(ReadOnlySpan<byte> structure)
    {
        if (structure.Length != StructureBytes)
        {
            throw new ArgumentException($"A TIME_ZONE_INFORMATION has {StructureBytes} bytes, not {structure.Length}.", nameof(structure));
        }

        _bytes = structure.ToArray();
    }

    /// <summary>No difference to UTC, no names, no summer time: all bytes zero.</summary>
    public static EtlTimeZone Utc { get; } = new(0);

    /// <summary>UTC is local time plus so many minutes.</summary>
    public int BiasMinutes => BinaryPrimitives.ReadInt32LittleEndian(_bytes.AsSpan(Bias));

    /// <summary>Name in winter, often a reference to a resource.</summary>
    public string StandardName => Utf16Bytes.TextToNul(_bytes.AsSpan(StandardNameOffset, 2 * NameUnits), out _);

    /// <summary>When winter time begins.</summary>
    public EtlSystemTime StandardDate => EtlSystemTime.Read(_bytes.AsSpan(StandardDateOffset));

    /// <summary>Added to <see cref="BiasMinutes"/> in winter, in minutes.</summary>
    public int StandardBiasMinutes => BinaryPrimitives.ReadInt32LittleEndian(_bytes.AsSpan(StandardBias));

    /// <summary>Name in summer.</summary>
    public string DaylightName => Utf16Bytes.TextToNul(_bytes.AsSpan(DaylightNameOffset, 2 * NameUnits), out _);

    /// <summary>When summer time begins.</summary>
    public EtlSystemTime DaylightDate => EtlSystemTime.Read(_bytes.AsSpan(DaylightDateOffset));

    /// <summary>Added to <see cref="BiasMinutes"/> in summer, in minutes; -60 is usual.</summary>
    public int DaylightBiasMinutes => BinaryPrimitives.ReadInt32LittleEndian(_bytes.AsSpan(DaylightBias));

    /// <summary>The structure's bytes.</summary>
    public ReadOnlySpan<byte> Structure => _bytes;

    /// <summary>Whether all bytes are the same.</summary>
    /// <param name="other">The other zone.</param>
    public bool Equals(EtlTimeZone? other) => other is not null && _bytes.AsSpan().SequenceEqual(other._bytes);

    /// <summary>Whether it is a zone with the same bytes.</summary>
    /// <param name="obj">The other object.</param>
    public override bool Equals(object? obj) => Equals(obj as EtlTimeZone);

    /// <summary>A hash of the bytes.</summary>
    public override int GetHashCode()
    {
        var hash = default(HashCode);
        hash.AddBytes(_bytes);
        return hash.ToHashCode();
    }

    private void PutName(string name, int offset)
    {
        ArgumentNullException.ThrowIfNull(name);
        if (name.Length > MaximumNameLength)
        {
            throw new ArgumentException($"'{name}' is longer than {MaximumNameLength} characters.", nameof(name));
        }

        Utf16Bytes.Put(name, _bytes.AsSpan(offset));
    }
}
