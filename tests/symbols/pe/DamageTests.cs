using System.Text;

namespace Tracer.Symbols.Tests.Pe;

/// <summary>Images that no linker writes: each is read as far as it goes, and says what is wrong.</summary>
public class DamageTests
{
    private static byte[] Rsds(uint age, string path) =>
    [
        .. "RSDS"u8, .. Enumerable.Range(1, 16).Select(number => (byte)number), .. BitConverter.GetBytes(age),
        .. Encoding.UTF8.GetBytes(path), 0,
    ];

    [Theory]
    [InlineData("", "MZ")]
    [InlineData("ELF, a file of another system, which is long enough to hold a header of DOS", "MZ")]
    public void What_is_no_image_says_so(string text, string word)
    {
        Assert.False(PeImage.TryRead(SymbolBytes.Of(Encoding.ASCII.GetBytes(text)), out PeImage? image, out string? problem));
        Assert.Null(image);
        Assert.Contains(word, problem, StringComparison.Ordinal);
    }

    [Fact]
    public void A_header_that_lies_outside_is_no_image()
    {
        HandMadePe pe = new();
        pe.U32(60, 0xFFFF_FFF0);
        Assert.False(PeImage.TryRead(SymbolBytes.Of(pe.Bytes), out _, out string? problem));
        Assert.Contains("0xfffffff0", problem, StringComparison.Ordinal);
    }

    [Fact]
    public void Every_beginning_of_an_image_is_read_or_refused()
    {
        byte[] all = new HandMadePe().Directory(6, 0x1000, 28)
            .Put(0x1000, 0, 0, 0, 2, 40, 0x1100, 0x500)
            .Put(0x1100, Rsds(1, "x.pdb"))
            .Bytes;
        int firstRead = -1;
        for (int length = 0; length <= 0x600; length++)
        {
            bool isImage = PeImage.TryRead(SymbolBytes.Of(all.AsMemory(0, length)), out PeImage? image, out string? problem);
            Assert.NotEqual(isImage, problem is not null);
            firstRead = isImage && firstRead < 0 ? length : firstRead;
            Assert.True(!isImage || image!.Id == new ImageId(0x5EED5EED, 0x3000));
            Assert.True(!isImage || image!.Oddities.Count > 0);
        }

        Assert.Equal(HandMadePe.OptionalAt + 68, firstRead);
    }

    [Fact]
    public void Several_debug_entries_give_all_pdbs_and_others_are_passed_over()
    {
        HandMadePe pe = new HandMadePe().Directory(6, 0x1000, 28 * 6)
            .Put(0x1000, 0, 0, 0, 12, 20, 0x1200, 0x600)           // vc_feature
            .Put(0x101C, 0, 0, 0, 2, 33, 0x1300, 0x700)            // CodeView, RSDS
            .Put(0x1038, 0, 0, 0, 13, 4, 0x1200, 0x600)            // pogo
            .Put(0x1054, 0, 0, 0, 2, 24, 0, 0x800)                 // CodeView, NB10, not mapped
            .Put(0x1070, 0, 0, 0x504D_0100, 2, 33, 0x1500, 0x900)  // CodeView of a portable PDB
            .Put(0x108C, 0, 0, 0, 16, 0, 0, 0)                     // repro
            .Put(0x1300, Rsds(3, @"C:\a.pdb"))
            .Put(0x1400, [.. "NB10"u8, 0, 0, 0, 0, 0x78, 0x56, 0x34, 0x12, 10, 0, 0, 0, .. "old.pdb"u8, 0])
            .Put(0x1500, Rsds(1, "p/p.pdb"));
        PeImage image = pe.Read();
        Assert.Empty(image.Oddities);
        Assert.Equal([@"a.pdb", "old.pdb", "p.pdb"], image.Pdbs.Select(pdb => pdb.FileName));
        Assert.Equal(
            ["0403020106050807090A0B0C0D0E0F103", "12345678A", "0403020106050807090A0B0C0D0E0F10FFFFFFFF"],
            image.Pdbs.Select(pdb => pdb.StoreKey));
        Assert.Equal(image.Pdbs[0].Id, image.PdbId);
        Assert.Null(image.Pdbs[1].Id);
        Assert.True(image.IsReproducible);
    }

    [Fact]
    public void A_codeview_record_of_another_kind_or_outside_is_an_oddity()
    {
        PeImage image = new HandMadePe().Directory(6, 0x1000, 28 * 3)
            .Put(0x1000, 0, 0, 0, 2, 40, 0x1200, 0x600)
            .Put(0x101C, 0, 0, 0, 2, 0xFFFF_FFFF, 0xFFFF_0000, 0x7FFF_0000)
            .Put(0x1038, 0, 0, 0, 2, 10, 0, 0)
            .Read();
        Assert.Empty(image.Pdbs);
        Assert.Contains(image.Oddities, oddity => oddity.Offset == 0x600);
        Assert.Contains(image.Oddities, oddity => oddity.Offset == 0x7FFF_0000);
    }

    [Fact]
    public void Counts_beyond_the_file_are_cut_and_told()
    {
        PeImage image = new HandMadePe().Directory(0, 0x1000, 0x200).Directory(3, 0x2000, 0xFFFF_FFF0).Directory(6, 0x2F00, 0x7FFF_FFFF)
            .Put(0x1000, 0, 0, 0, 0x1100, 1, 0xFFFF_FFFF, 0xFFFF_FFFF, 0x1040, 0x2F00, 0x2FF0)
            .Read();
        Assert.True(image.Exports.Count <= 0x1_0000);
        Assert.True(image.UnwindEntries <= 0x2000);
        Assert.True(image.Oddities.Count >= 5, string.Join('\n', image.Oddities));
        Every.Item(image.Exports, export => Assert.NotNull(export.ToString()));
    }

    [Fact]
    public void Unsorted_unwind_tables_still_find_functions()
    {
        PeImage image = new HandMadePe().Directory(3, 0x1000, 36)
            .Put(0x1000, 0x1300, 0x1320, 0x2000, 0x1100, 0x1110, 0x2000, 0x1200, 0x1280, 0x2000)
            .Read();
        Assert.True(image.TryFindFunction(0x1105, out FunctionBounds bounds));
        Assert.Equal(new FunctionBounds(0x1100, 0x1110, 0x1100, 0x1110), bounds);
        Assert.True(image.TryFindFunction(0x127F, out _));
        Assert.True(image.TryFindFunction(0x1300, out _));
        Assert.False(image.TryFindFunction(0x1110, out _));
        Assert.False(image.TryFindFunction(0x10FF, out _));
        Assert.Single(image.Oddities);
    }

    [Fact]
    public void Chains_lead_to_the_first_piece_over_several_links_and_by_indirect_entries()
    {
        PeImage image = new HandMadePe().Directory(3, 0x1000, 48)
            .Put(0x1000, 0x1100, 0x1110, 0x2000, 0x1110, 0x1140, 0x2010, 0x1400, 0x1480, 0x2030, 0x1500, 0x1510, 0x100D)
            .Put(0x2000, 0x0000_0001)                                  // version 1, no codes
            .Put(0x2010, 0x0001_0021, 0, 0x1100, 0x1110, 0x2000)       // chained; one code, which takes the room of two
            .Put(0x2030, 0x0000_0021, 0x1110, 0x1140, 0x2010)          // chained to the chained one
            .Read();
        Assert.True(image.TryFindFunction(0x1410, out FunctionBounds bounds));
        Assert.Equal(new FunctionBounds(0x1100, 0x1110, 0x1400, 0x1480), bounds);
        Assert.True(image.TryFindFunction(0x1111, out bounds));
        Assert.Equal(new FunctionBounds(0x1100, 0x1110, 0x1110, 0x1140), bounds);
        Assert.True(image.TryFindFunction(0x1508, out bounds));
        Assert.Equal(new FunctionBounds(0x1100, 0x1110, 0x1500, 0x1510), bounds);
        Assert.Empty(image.Oddities);
    }

    [Fact]
    public void A_chain_without_end_gives_the_piece()
    {
        PeImage image = new HandMadePe().Directory(3, 0x1000, 12)
            .Put(0x1000, 0x1100, 0x1110, 0x2000)
            .Put(0x2000, 0x0000_0021, 0x1100, 0x1110, 0x2000)
            .Read();
        Assert.True(image.TryFindFunction(0x1100, out FunctionBounds bounds));
        Assert.Equal(new FunctionBounds(0x1100, 0x1110, 0x1100, 0x1110), bounds);
    }

    [Fact]
    public void Arm64_entries_of_all_kinds_are_read()
    {
        PeImage image = new HandMadePe(PeMachine.Arm64).Directory(3, 0x1000, 32)
            .Put(0x1000, 0x1100, (8 << 2) | 1, 0x1200, (4 << 2) | 2, 0x1300, 0x2000, 0x1400, 3)
            .Put(0x2000, 0x0810_0010)
            .Read();
        Assert.True(image.TryFindFunction(0x111F, out FunctionBounds bounds));
        Assert.Equal((0x1100u, 0x1120u), (bounds.Begin, bounds.End));
        Assert.False(image.TryFindFunction(0x1120, out _));
        Assert.True(image.TryFindFunction(0x120F, out _));
        Assert.True(image.TryFindFunction(0x133F, out _));
        Assert.False(image.TryFindFunction(0x1340, out _));
        Assert.False(image.TryFindFunction(0x1400, out _));
    }

    [Fact]
    public void The_unwind_table_of_another_machine_is_left_out_with_a_word()
    {
        PeImage image = new HandMadePe(PeMachine.Arm32, is64Bit: false).Directory(3, 0x1000, 16).Put(0x1000, 0x1100, 1, 0x1200, 1).Read();
        Assert.Equal(0, image.UnwindEntries);
        Assert.Contains("0x1c4", Assert.Single(image.Oddities).Problem, StringComparison.Ordinal);
    }

    [Fact]
    public void Exports_of_one_address_come_in_the_order_of_their_names_and_forwarders_are_never_found_by_address()
    {
        PeImage image = new HandMadePe().Directory(0, 0x1000, 0x80)
            .Put(0x1000, 0, 0, 0, 0x1200, 5, 4, 4, 0x1100, 0x1120, 0x1140)
            .Put(0x1100, 0x2000, 0x1060, 0, 0x2100)
            .Put(0x1120, 0x1210, 0x1220, 0x1230, 0x1240)
            .Put(0x1140, 0x0000_0000, 0x0009_0001)
            .Put(0x1060, "A.B\0"u8).Put(0x1200, "me.sys\0"u8)
            .Put(0x1210, "one\0"u8).Put(0x1220, "two\0"u8).Put(0x1230, "gone\0"u8).Put(0x1240, "stray\0"u8)
            .Read();
        Assert.Equal("me.sys", image.Exports.ModuleName);
        Assert.Equal(
            ["6 gone 0 A.B", "5 one 2000 ", "5 two 2000 ", "8 #8 2100 "],
            image.Exports.Select(export => $"{export.Ordinal} {export} {export.Rva:x} {export.Forwarder}"));
        Assert.True(image.Exports.TryFind(0x2000, out PeExport found));
        Assert.Equal("one", found.Name);
        Assert.False(image.Exports.TryFind(0, out _));
        Assert.False(image.Exports.TryFindWithin(0, 0x1FFF, out _));
        Assert.False(image.Exports.TryFindWithin(0x2001, 0x20FF, out _));
        Assert.True(image.Exports.TryFindWithin(0x2000, 0x20FF, out _));
        Assert.Contains("1 exported names", Assert.Single(image.Oddities).Problem, StringComparison.Ordinal);
    }

    [Fact]
    public void A_ready_to_run_image_for_linux_has_its_processor()
    {
        PeImage image = new HandMadePe((PeMachine)(0x8664 ^ 0x7B79)).Directory(3, 0x1000, 12).Put(0x1000, 0x1100, 0x1110, 0x2000).Read();
        Assert.Equal(PeMachine.X64, image.Machine);
        Assert.True(image.TryFindFunction(0x1100, out _));
    }

    [Fact]
    public void A_resource_tree_that_leads_to_itself_ends()
    {
        PeImage image = new HandMadePe().Directory(2, 0x1000, 0x100)
            .Put(0x1000, 0, 0, 0, 0x0001_0000, 16, 0x8000_0000)
            .Read();
        Assert.Null(image.Version);
        Assert.NotEmpty(image.Oddities);
    }

    [Fact]
    public void Sections_that_overlap_or_end_outside_are_told()
    {
        HandMadePe pe = new();
        pe.U16(HandMadePe.OptionalAt - 18, 2);
        pe.U32(pe.SectionAt + 40 + 8, 0x100);
        pe.U32(pe.SectionAt + 40 + 12, 0x1800);
        pe.U32(pe.SectionAt + 40 + 16, 0x100);
        pe.U32(pe.SectionAt + 40 + 20, 0x7000_0000);
        PeImage image = pe.Read();
        Assert.Equal(2, image.Oddities.Count);
        Assert.False(image.TryGetOffset(0x1800, out _));
        Assert.True(image.TryGetOffset(0x1000, out _));
    }
}
