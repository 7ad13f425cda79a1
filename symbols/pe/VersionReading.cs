using System.Buffers.Binary;
using System.Runtime.InteropServices;

namespace Tracer.Symbols;

/// <remarks>
/// Blocks inside blocks, each at a multiple of 4 (VS_VERSIONINFO, StringFileInfo, StringTable, String in the Windows documentation):
/// <code>
/// 0 u16 length of the block  2 u16 length of its value (bytes if binary, letters if text)  4 u16 1 if text
/// 6 key, UTF-16, ends with a zero; padding to 4; the value; padding to 4; blocks inside
///
/// VS_VERSION_INFO              value: VS_FIXEDFILEINFO (0 u32 0xFEEF04BD, 8 u32 x 2 file version, 16 u32 x 2 product version)
///   StringFileInfo
///     040904b0                 key: four hexadecimal digits of language, four of code page
///       CompanyName            value: text
/// </code>
/// VarFileInfo names the languages a second time and is not needed.
/// </remarks>
internal static class VersionReading
{
    /// <summary>The length of the outermost block has 16 bits.</summary>
    public const int MaximumSize = 0xFFFF;

    public const uint ResourceType = 16;

    private const int HeaderSize = 6;
    private const uint FixedSignature = 0xFEEF04BD;
    private const int FixedSize = 52;

    public static PeVersion? Read(ReadOnlySpan<byte> resource, long place, PeOddityList oddities)
    {
        if (resource.IsEmpty)
        {
            return null;
        }

        ReadOnlySpan<byte> rest = resource;
        Block root = Block.Take(ref rest);
        if (!root.Key.SequenceEqual("VS_VERSION_INFO"))
        {
            oddities.Add(place, "the version resource does not begin with VS_VERSION_INFO");
            return null;
        }

        bool hasFixed = root.Value.Length >= FixedSize && BinaryPrimitives.ReadUInt32LittleEndian(root.Value) == FixedSignature;
        List<PeVersionTexts> texts = [];
        ReadOnlySpan<byte> infos = root.Inside;
        while (!infos.IsEmpty)
        {
            Block info = Block.Take(ref infos);
            if (info.IsDamaged)
            {
                oddities.Add(place, "a block of the version resource is longer than the one around it");
                break;
            }

            if (info.Key.SequenceEqual("StringFileInfo"))
            {
                ReadTables(info, texts, place, oddities);
            }
        }

        return new PeVersion(hasFixed ? VersionAt(root.Value[8..]) : null, hasFixed ? VersionAt(root.Value[16..]) : null, texts);
    }

    private static Version VersionAt(ReadOnlySpan<byte> numbers)
    {
        uint high = BinaryPrimitives.ReadUInt32LittleEndian(numbers);
        uint low = BinaryPrimitives.ReadUInt32LittleEndian(numbers[4..]);
        return new Version((int)(high >> 16), (int)(high & 0xFFFF), (int)(low >> 16), (int)(low & 0xFFFF));
    }

    private static void ReadTables(Block info, List<PeVersionTexts> texts, long place, PeOddityList oddities)
    {
        ReadOnlySpan<byte> tables = info.Inside;
        while (!tables.IsEmpty)
        {
            Block table = Block.Take(ref tables);
            if (table.IsDamaged || !uint.TryParse(table.Key, NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out uint key))
            {
                oddities.Add(place, "the texts of the version resource are damaged");
                return;
            }

            texts.Add(new PeVersionTexts((ushort)(key >> 16), (ushort)key, ReadTexts(table, place, oddities)));
        }
    }

    private static Dictionary<string, string> ReadTexts(Block table, long place, PeOddityList oddities)
    {
        Dictionary<string, string> values = new(StringComparer.OrdinalIgnoreCase);
        ReadOnlySpan<byte> rest = table.Inside;
        while (!rest.IsEmpty)
        {
            Block text = Block.Take(ref rest);
            if (text.IsDamaged)
            {
                oddities.Add(place, "a text of the version resource is longer than its table");
                break;
            }

            values.TryAdd(text.Key.ToString(), text.Text());
        }

        return values;
    }

    private readonly ref struct Block
    {
        public ReadOnlySpan<char> Key { get; private init; }

        public ReadOnlySpan<byte> Value { get; private init; }

        public ReadOnlySpan<byte> Inside { get; private init; }

        public bool IsDamaged { get; private init; }

        /// <summary>Everything behind the key: makers disagree whether a text's length counts letters or bytes.</summary>
        private ReadOnlySpan<byte> BehindKey { get; init; }

        /// <summary>
        /// Takes the first block off the bytes, with the padding behind it. All blocks begin at a multiple of 4, so offsets from a block's
        /// own beginning tell the padding inside it.
        /// </summary>
        public static Block Take(ref ReadOnlySpan<byte> bytes)
        {
            int length = bytes.Length < HeaderSize ? 0 : BinaryPrimitives.ReadUInt16LittleEndian(bytes);
            if (length < HeaderSize || length > bytes.Length)
            {
                bytes = default;
                return new Block { IsDamaged = true };
            }

            ReadOnlySpan<byte> block = bytes[..length];
            bytes = bytes[Math.Min(Padded(length), bytes.Length)..];
            bool isText = BinaryPrimitives.ReadUInt16LittleEndian(block[4..]) == 1;
            int valueLength = BinaryPrimitives.ReadUInt16LittleEndian(block[2..]) * (isText ? 2 : 1);
            ReadOnlySpan<char> letters = MemoryMarshal.Cast<byte, char>(block[HeaderSize..]);
            int keyLength = letters.IndexOf('\0');
            if (keyLength < 0)
            {
                return new Block { Key = letters };
            }

            int valueAt = Math.Min(Padded(HeaderSize + ((keyLength + 1) * 2)), length);
            int valueEnd = Math.Min(valueAt + valueLength, length);
            return new Block
            {
                Key = letters[..keyLength],
                Value = block[valueAt..valueEnd],
                BehindKey = block[valueAt..],
                Inside = block[Math.Min(Padded(valueEnd), length)..],
            };
        }

        /// <summary>The value as text, up to its zero.</summary>
        public string Text()
        {
            ReadOnlySpan<char> letters = MemoryMarshal.Cast<byte, char>(BehindKey);
            int end = letters.IndexOf('\0');
            return (end < 0 ? letters : letters[..end]).ToString();
        }

        private static int Padded(int length) => (length + 3) & ~3;
    }
}
