using System.Buffers.Binary;
using System.Text;
using FsCheck;
using FsCheck.Fluent;

namespace Tracer.Symbols.Tests.Pe;

/// <summary>Damaged images: whatever the bytes are, reading them ends soon, takes little memory and throws nothing.</summary>
public class FuzzImageTests
{
    private static readonly uint[] Extremes =
    [
        0, 1, 2, 3, 4, 7, 8, 0x10, 0x40, 0xFF, 0x200, 0x400, 0x7FF, 0x1000, 0x1001, 0x1FFF, 0x2000, 0x7FFF, 0x8000, 0xFFFF, 0x1_0000,
        0x7FFF_FFFF, 0x8000_0000, 0x8000_0010, 0xFFFF_FF00, 0xFFFF_FFFC, 0xFFFF_FFFF,
    ];

    private static readonly Lazy<byte[][]> Sound = new(Bases);

    [Fact]
    public void No_bytes_make_it_throw() =>
        Prop.ForAll(ArbMap.Default.ArbFor<byte[]>(), bytes => ReadAll(bytes, PeLayout.File)).QuickCheckThrowOnFailure();

    [Fact]
    public void No_bytes_in_place_of_a_table_make_it_throw() =>
        Prop.ForAll(
            Arb.From(Gen.Choose(0, 15)), ArbMap.Default.ArbFor<byte[]>(), ArbMap.Default.ArbFor<uint>(),
            (directory, bytes, size) =>
            {
                HandMadePe pe = new HandMadePe().Directory(directory, 0x1000, size)
                    .Put(0x1000, bytes.AsSpan(0, Math.Min(bytes.Length, 0x2000)));
                return ReadAll(pe.Bytes, PeLayout.File);
            }).QuickCheckThrowOnFailure();

    [Fact]
    public void Damaged_images_are_read_or_refused() => FuzzRun.Run("images", 4_000, random =>
    {
        byte[] bytes = (byte[])Sound.Value[random.Next(Sound.Value.Length)].Clone();
        int mutations = random.Next(3) switch { 0 => 1, 1 => random.Next(1, 8), _ => random.Next(1, 40) };
        for (int i = 0; i < mutations && bytes.Length > 8; i++)
        {
            // Half of the damage goes to the headers, where it does most.
            int at = random.Next(2) == 0 ? random.Next(Math.Min(0x400, bytes.Length - 4)) : random.Next(bytes.Length - 4);
            switch (random.Next(6))
            {
                case 0:
                    bytes[at] ^= (byte)(1 << random.Next(8));
                    break;
                case 1:
                    BinaryPrimitives.WriteUInt32LittleEndian(bytes.AsSpan(at & ~3), Extremes[random.Next(Extremes.Length)]);
                    break;
                case 2:
                    BinaryPrimitives.WriteUInt16LittleEndian(bytes.AsSpan(at & ~1), (ushort)Extremes[random.Next(Extremes.Length)]);
                    break;
                case 3:
                    bytes.AsSpan(at, Math.Min(random.Next(64), bytes.Length - at)).Fill((byte)(random.Next(2) * 0xFF));
                    break;
                case 4:
                    // A field points to another table.
                    bytes.AsSpan(random.Next(bytes.Length - 4), 4).CopyTo(bytes.AsSpan(at & ~3));
                    break;
                default:
                    Array.Resize(ref bytes, random.Next(8) == 0 ? random.Next(bytes.Length) : bytes.Length);
                    break;
            }
        }

        Assert.True(ReadAll(bytes, random.Next(4) == 0 ? PeLayout.Mapped : PeLayout.File));
    });

    /// <summary>Asks an image for everything.</summary>
    private static bool ReadAll(byte[] bytes, PeLayout layout)
    {
        if (!PeImage.TryRead(SymbolBytes.Of(bytes), layout, out PeImage? image, out string? problem))
        {
            return problem is { Length: > 0 };
        }

        long letters = 0;
        foreach (PeExport export in image.Exports.Take(2000))
        {
            letters += export.ToString().Length + (export.Forwarder?.Length ?? 0);
        }

        for (int i = 0; i < Math.Min(image.UnwindEntries, 2000); i++)
        {
            if (image.TryGetFunction(i, out FunctionBounds bounds))
            {
                _ = image.TryFindExportedFunction(bounds.PieceBegin, out _, out _);
                letters += image.TryGetOffset(bounds.Begin, out long offset) && image.TryGetRva(offset, out _) ? 1 : 0;
            }
        }

        letters += image.Pdbs.Sum(pdb => pdb.Path.Length + pdb.FileName.Length + pdb.StoreKey.Length);
        letters += (image.Version?.Company?.Length ?? 0) + (image.Version?.FileVersion?.Length ?? 0);
        return letters >= 0 && image.Oddities.Count <= 64 && image.Oddities.All(oddity => oddity.Offset >= 0);
    }

    /// <summary>Hand-made ones, and those of clang and lld where these are here.</summary>
    private static byte[][] Bases()
    {
        byte[] version = Encoding.Unicode.GetBytes("VS_VERSION_INFO");
        List<byte[]> bases =
        [
            new HandMadePe().Directory(0, 0x1000, 0x80).Directory(3, 0x1800, 48).Directory(6, 0x1900, 28).Directory(2, 0x1A00, 0x100)
                .Put(0x1000, 0, 0, 0, 0x1200, 5, 4, 4, 0x1100, 0x1120, 0x1140)
                .Put(0x1100, 0x2000, 0x1060, 0, 0x2100).Put(0x1120, 0x1210, 0x1220, 0x1230, 0x1240).Put(0x1140, 0x0000_0000, 0x0002_0001)
                .Put(0x1060, "A.B\0"u8).Put(0x1200, "me.sys\0"u8).Put(0x1210, "one\0"u8).Put(0x1220, "two\0"u8).Put(0x1230, "gone\0"u8)
                .Put(0x1800, 0x1300, 0x1310, 0x2800, 0x1310, 0x1340, 0x2810, 0x1400, 0x1480, 0x2830, 0x1500, 0x1510, 0x180D)
                .Put(0x2810, 0x0001_0021, 0, 0x1300, 0x1310, 0x2800).Put(0x2830, 0x0000_0021, 0x1310, 0x1340, 0x2810)
                .Put(0x1900, 0, 0, 0, 2, 30, 0x1940, 0xD40).Put(0x1940, [.. "RSDS"u8, .. new byte[20], .. "a.pdb"u8, 0])
                .Put(0x1A00, 0, 0, 0, 0x0001_0000, 16, 0x8000_0018).Put(0x1A18, 0, 0, 0, 0x0001_0000, 1, 0x8000_0030)
                .Put(0x1A30, 0, 0, 0, 0x0001_0000, 0x409, 0x48).Put(0x1A48, 0x1B00, 0x100, 0, 0)
                .Put(0x1B00, [0x5C, 0, 0x34, 0, 0, 0, .. version]).Put(0x1B28, 0xFEEF04BD)
                .Bytes,
            new HandMadePe(PeMachine.Arm64).Directory(3, 0x1000, 24)
                .Put(0x1000, 0x1100, (8 << 2) | 1, 0x1200, (4 << 2) | 2, 0x1300, 0x2000).Put(0x2000, 0x0810_0010).Bytes,
            new HandMadePe(PeMachine.X86, is64Bit: false).Bytes,
        ];
        if (ClangTools.AreHere)
        {
            bases.AddRange(((string[])["x86", "x64", "arm64"]).Select(machine => File.ReadAllBytes(PeFixtures.PathOf(machine))));
        }

        return [.. bases];
    }
}
