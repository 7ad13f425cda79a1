using System.Text;
using FsCheck;
using FsCheck.Fluent;

namespace Tracer.Symbols.Tests.Pdb;

/// <summary>Files that are no PDBs, and PDBs that contradict themselves: a word, a place, and whatever else can still be read.</summary>
public class DamageTests
{
    private const uint Text = HandMadePdb.TextRva;
    private const int PageSize = 512;

    [Theory]
    [InlineData("", PdbFaultKind.NotPdb)]
    [InlineData("MZ", PdbFaultKind.NotPdb)]
    [InlineData("BSJB\u0001\0\u0001\0", PdbFaultKind.Portable)]
    [InlineData("Microsoft C/C++ program database 2.00\r\n\u001aJG\0\0", PdbFaultKind.OldContainer)]
    [InlineData("Microsoft C/C++ MSF 7.00\r\n", PdbFaultKind.NotPdb)]
    [InlineData("Microsoft C/C++ MSF 7.00\r\n\u001aDS\0\0\0", PdbFaultKind.DamagedContainer)]
    public void What_is_no_pdb_is_told_apart(string beginning, PdbFaultKind expected)
    {
        Assert.Null(PdbFile.Open(SymbolBytes.Of(Encoding.ASCII.GetBytes(beginning)), out PdbFault? fault));
        Assert.Equal(expected, fault!.Kind);
        Assert.DoesNotContain('\n', fault.Message);
    }

    [Theory]
    [InlineData(32, 0, 32)]
    [InlineData(32, 1000, 32)]
    [InlineData(32, 0x8000_0000, 32)]
    [InlineData(44, 0, 44)]
    [InlineData(44, 0xFFFF_FFFF, 44)]
    [InlineData(52, 0xFFFF_FFFF, 52)]
    public void A_damaged_superblock_is_told_with_its_place(int at, uint value, long place)
    {
        byte[] file = HandMadeTests.Small().ToArray(PageSize);
        BitConverter.GetBytes(value).CopyTo(file, at);
        Assert.Null(PdbFile.Open(SymbolBytes.Of(file), out PdbFault? fault));
        Assert.Equal((PdbFaultKind.DamagedContainer, place), (fault!.Kind, fault.FileOffset));
    }

    [Fact]
    public void More_streams_than_the_directory_has_room_for_are_damage()
    {
        byte[] file = HandMadeTests.Small().ToArray(PageSize);
        BitConverter.GetBytes(60_000).CopyTo(file, Directory(file));
        Assert.Null(PdbFile.Open(SymbolBytes.Of(file), out PdbFault? fault));
        Assert.Contains("60000 streams", fault!.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_container_without_an_identity_is_no_pdb()
    {
        Assert.Null(PdbFile.Open(SymbolBytes.Of(MsfWriter.Write([[], null, [1]])), out PdbFault? fault));
        Assert.Equal(PdbFaultKind.NoIdentity, fault!.Kind);
    }

    /// <summary>The last stream is the module's, so the pages of the one before it are taken already.</summary>
    [Fact]
    public void A_stream_that_takes_pages_of_another_is_left_out_and_told()
    {
        byte[] file = HandMadeTests.Small().ToArray(PageSize);
        int directory = Directory(file);
        int streams = BitConverter.ToInt32(file, directory);
        int pages = BitConverter.ToInt32(file, 44) - (4 * (1 + streams));
        int last = directory + (4 * (1 + streams)) + pages - 4;
        file.AsSpan(last - 4, 4).CopyTo(file.AsSpan(last));
        PdbFile pdb = PdbFixture.Opened(file);
        Assert.Contains("used twice", Assert.Single(pdb.Damage).Message, StringComparison.Ordinal);
        Assert.True(pdb.TryFind(Text + 1, out PdbSymbol symbol));
        Assert.Equal(SymbolProof.Public, symbol.Proof);
    }

    [Fact]
    public void A_page_behind_the_end_of_the_file_leaves_only_its_stream_out()
    {
        byte[] file = HandMadeTests.Small().ToArray(PageSize);
        int directory = Directory(file);
        int streams = BitConverter.ToInt32(file, directory);
        int pages = BitConverter.ToInt32(file, 44) - (4 * (1 + streams));
        BitConverter.GetBytes(1_000_000).CopyTo(file, directory + (4 * (1 + streams)) + pages - 4);
        PdbFile pdb = PdbFixture.Opened(file);
        Assert.Contains("page 1000000", Assert.Single(pdb.Damage).Message, StringComparison.Ordinal);
        Assert.True(pdb.TryFind(Text + 1, out _));
    }

    [Fact]
    public void A_symbol_of_no_length_ends_the_symbols_of_its_module_only()
    {
        var made = new HandMadePdb();
        made.AddModule(
            "a.obj",
            [.. HandMadePdb.Procedure("kept", 0, 8), .. HandMadePdb.End(), 0, 0, 0, 0, .. HandMadePdb.Procedure("lost", 8, 8)]);
        made.AddModule("b.obj", [.. HandMadePdb.Procedure("other", 16, 8), .. HandMadePdb.End()]);
        made.AddPiece(0, 16, 0);
        made.AddPiece(16, 8, 1);
        PdbFile pdb = made.Open();
        Assert.True(pdb.TryFind(Text, out _));
        Assert.False(pdb.TryFind(Text + 8, out _));
        Assert.True(pdb.TryFind(Text + 16, out _));
        Assert.Contains("module 0", Assert.Single(pdb.Damage).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Calls_inside_calls_without_end_are_bounded()
    {
        var made = new HandMadePdb();
        byte[] site = HandMadePdb.InlineSite(0x1000, 12, 8, 0);
        made.AddModule("a.obj", [.. HandMadePdb.Procedure("deep", 0, 8), .. Enumerable.Repeat(site, 50_000).SelectMany(bytes => bytes)]);
        made.AddPiece(0, 8, 0);
        Assert.True(made.Open().TryFind(Text + 1, out PdbSymbol symbol));
        Assert.InRange(symbol.Inlines.Count, 1, 256);
    }

    [Fact]
    public void A_pdb_that_is_cut_anywhere_is_refused_or_read_as_far_as_it_goes()
    {
        byte[] file = HandMadeTests.Small().ToArray(PageSize, new System.Random(5));
        for (int length = 0; length < file.Length; length += 3)
        {
            PdbFuzzReading.Read(file[..length]);
        }
    }

    [Fact]
    public void Random_bytes_behind_a_sound_beginning_never_throw() => Check.One(
        Config.QuickThrowOnFailure.WithMaxTest(300).WithReplay(20_261_121, 7),
        Prop.ForAll(ArbMap.Default.ArbFor<byte[]>().Filter(bytes => bytes is not null), ArbMap.Default.ArbFor<uint>(), (bytes, place) =>
        {
            byte[] file = HandMadeTests.Small().ToArray(PageSize);
            bytes.AsSpan(0, Math.Min(bytes.Length, file.Length / 2)).CopyTo(file.AsSpan((int)(place % (file.Length / 2))));
            PdbFuzzReading.Read(file);
        }));

    /// <summary>Where the directory is: its pages follow each other unless they were scattered.</summary>
    private static int Directory(byte[] file) => BitConverter.ToInt32(file, BitConverter.ToInt32(file, 52) * PageSize) * PageSize;
}
