namespace Tracer.Symbols.Tests.Pdb;

/// <summary>What no tool at hand writes: unconfirmed by real files, so these tests hold what the doc comments say.</summary>
public class HandMadeTests
{
    private const uint Text = HandMadePdb.TextRva;

    public static TheoryData<int> PageSizes => [512, 1024, 2048, 4096, 8192, 16384, 32768, 65536];

    [Theory]
    [MemberData(nameof(PageSizes))]
    public void Every_page_size_and_every_order_of_pages_gives_the_same(int pageSize)
    {
        HandMadePdb made = Large();
        foreach (Random? order in (Random?[])[null, new Random(1), new Random(2)])
        {
            PdbFile pdb = made.Open(pageSize, order);
            Assert.Equal(3000, pdb.Procedures().Count());
            Assert.Equal(3000, pdb.Publics().Count());
            for (uint i = 0; i < 3000; i += 7)
            {
                Assert.True(pdb.TryFind(Text + (i * 8) + 3, out PdbSymbol symbol));
                Assert.Equal(($"function_{i}", $"?function_{i}@@YAXXZ", 3u), (symbol.Function, symbol.Decorated, symbol.Offset));
                Assert.Equal(new PdbSource("source.c", (int)i + 1), symbol.Source);
            }

            Assert.Empty(pdb.Damage);
        }
    }

    [Fact]
    public void The_directory_may_take_more_pages_than_one_page_lists()
    {
        // 512-byte pages: 128 numbers a page, so 40,000 pages of data need 313 pages of directory and 3 pages of numbers.
        List<byte[]?> streams = Small().Streams();
        streams.Add(new byte[40_000 * 512]);
        PdbFile pdb = PdbFixture.Opened(MsfWriter.Write(streams, 512, new Random(3)));
        Assert.True(pdb.TryFind(Text + 1, out PdbSymbol symbol));
        Assert.Equal("first", symbol.Function);
    }

    [Fact]
    public void Identity_is_guid_and_the_age_of_the_debug_information()
    {
        PdbFile pdb = Small().Open();
        Assert.Equal((new PdbId(HandMadePdb.Guid, 7), 9u), (pdb.Id, pdb.InfoAge));
    }

    [Fact]
    public void A_fastlink_pdb_is_told_apart_and_its_publics_are_found()
    {
        var made = new HandMadePdb();
        made.Features.Add(0x494E494D);
        made.AddModule("a.obj", []);
        made.AddPiece(0, 0x100, 0);
        made.AddPublic("?only@@YAXXZ", 0x10);
        PdbFile pdb = made.Open();
        Assert.True(pdb.IsFastLink);
        Assert.False(Small().Open().IsFastLink);
        Assert.True(pdb.TryFind(Text + 0x20, out PdbSymbol symbol));
        Assert.Equal(("?only@@YAXXZ", SymbolProof.Public, 0x10u), (symbol.Function, symbol.Proof, symbol.Offset));
    }

    [Fact]
    public void A_stripped_pdb_says_so() =>
        Assert.True(new HandMadePdb { DbiFlags = 2 }.Open().IsStripped);

    [Fact]
    public void Contributions_of_the_later_version_are_read()
    {
        HandMadePdb made = Small();
        made.ContributionVersion = 0xF13151E4;
        Assert.True(made.Open().TryFind(Text, out _));
    }

    [Fact]
    public void Without_contributions_the_nearest_public_symbol_before_an_address_names_it()
    {
        HandMadePdb made = Small();
        made.HasContributions = false;
        PdbFile pdb = made.Open();
        Assert.True(pdb.TryFind(Text + 0x15, out PdbSymbol symbol));
        Assert.Equal(("?first@@YAXXZ", SymbolProof.Public, 0x15u), (symbol.Function, symbol.Proof, symbol.Offset));
    }

    [Fact]
    public void Code_that_a_tool_moved_is_found_through_the_map()
    {
        HandMadePdb made = Small();
        made.AddOptional(5, HandMadePdb.Sections((".text", 0x8000, 0x4000, 0x60000020)));
        made.AddOptional(10, HandMadePdb.Sections((".text", 0x8000, Text, 0x60000020)));
        // In the image: second, then first, then code of the tool's own.
        made.AddOptional(3, Omap((0x4000, Text + 0x20), (0x4010, Text), (0x4020, 0), (0x5000, Text + 0x100)));
        made.AddOptional(4, Omap((Text, 0x4010), (Text + 0x10, 0), (Text + 0x20, 0x4000), (Text + 0x30, 0)));
        PdbFile pdb = made.Open();
        Assert.True(pdb.IsRearranged);
        Assert.True(pdb.TryFind(0x4003, out PdbSymbol second));
        Assert.Equal(("second", 0x4000u, 3u), (second.Function, second.Start, second.Offset));
        Assert.True(pdb.TryFind(0x4012, out PdbSymbol first));
        Assert.Equal(("first", 0x4010u, 2u), (first.Function, first.Start, first.Offset));
        Assert.False(pdb.TryFind(0x4020, out _));
        Assert.False(pdb.TryFind(0x3FFF, out _));
        Assert.Equal([("first", 0x4010u), ("second", 0x4000u)], pdb.Procedures().Select(procedure => (procedure.Name, procedure.Rva)));
    }

    [Fact]
    public void An_address_map_out_of_order_is_sorted_and_told()
    {
        HandMadePdb made = Small();
        made.AddOptional(3, Omap((0x4010, Text + 0x20), (0x4000, Text)));
        PdbFile pdb = made.Open();
        Assert.True(pdb.TryFind(0x4001, out PdbSymbol first));
        Assert.Equal("first", first.Function);
        Assert.Contains("OMAP", Assert.Single(pdb.Damage).Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(9)]
    public void Unwind_data_ends_a_public_function(int stream)
    {
        var made = new HandMadePdb();
        made.AddModule("a.obj", []);
        made.AddPiece(0, 0x100, 0);
        made.AddPublic("_known@0", 0x10);
        byte[] rest = new byte[stream == 0 ? 8 : 20];
        var frames = new Wire().U32(Text + 0x10).U32(0x18).Add(rest);
        made.AddOptional(stream, (stream == 0 ? frames : frames.U32(4)).ToArray());
        PdbFile pdb = made.Open();
        Assert.True(pdb.TryFind(Text + 0x27, out PdbSymbol symbol));
        Assert.Equal(("_known@0", 0x18u), (symbol.Function, symbol.Length!.Value));
        Assert.False(pdb.TryFind(Text + 0x28, out _));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Code_that_was_put_elsewhere_belongs_to_its_procedure(bool isInside)
    {
        var made = new HandMadePdb();
        uint file = made.AddName("cold.c");
        made.Ids.Add(HandMadePdb.FunctionId("in_hot"));
        made.Ids.Add(HandMadePdb.FunctionId("in_cold"));
        byte[] separated = Wire.Record(0x1132, fields =>
            fields.U32(0).U32(0).U32(0x20).U32(0).U32(0x500).U32(0).U16(1).U16(1));
        made.AddModule(
            "a.obj",
            [
                .. HandMadePdb.Procedure("hot", 0, 0x20),
                .. HandMadePdb.InlineSite(0x1000, 6, 4, 12, 4, 8), .. HandMadePdb.End(0x114E),
                // Part 1 is the separated code: lines 3 behind the begin at its bytes 8 to 10.
                .. HandMadePdb.InlineSite(0x1001, 2, 1, 6, 6, 12, 8, 8), .. HandMadePdb.End(0x114E),
                .. isInside ? [] : HandMadePdb.End(),
                .. separated, .. HandMadePdb.InlineSite(0x1000, 6, 2, 12, 2, 2), .. HandMadePdb.End(0x114E), .. HandMadePdb.End(),
                .. isInside ? HandMadePdb.InlineSite(0x1001, 12, 2, 30) : [],
                .. isInside ? HandMadePdb.End(0x114E) : [],
                .. isInside ? HandMadePdb.End() : [],
            ],
            HandMadePdb.FileChecksums(file),
            HandMadePdb.InlineeLines((0x1000, 0, 100), (0x1001, 0, 200)),
            HandMadePdb.Lines(0, 0x20, 0, (0, 10)),
            HandMadePdb.Lines(0x500, 0x20, 0, (0, 20)));
        made.AddPiece(0, 0x20, 0);
        made.AddPiece(0x500, 0x20, 0);
        made.AddPublic("?hot@@YAXXZ", 0);
        PdbFile pdb = made.Open();
        Assert.True(pdb.TryFind(Text + 0x509, out PdbSymbol symbol));
        Assert.Equal(("hot", "?hot@@YAXXZ", Text + 0x500, 9u, true), Told(symbol));
        Assert.Equal(new PdbSource("cold.c", 20), symbol.Source);
        Assert.Equal([new PdbInlineFrame("in_cold", new PdbSource("cold.c", 203))], symbol.Inlines.ToArray());
        Assert.True(pdb.TryFind(Text + 0x503, out symbol));
        Assert.Equal([new PdbInlineFrame("in_hot", new PdbSource("cold.c", 101))], symbol.Inlines.ToArray());
        Assert.True(pdb.TryFind(Text + 9, out symbol));
        Assert.Equal(("hot", "?hot@@YAXXZ", Text, 9u, false), Told(symbol));
        Assert.Equal([new PdbInlineFrame("in_hot", new PdbSource("cold.c", 102))], symbol.Inlines.ToArray());
        Assert.True(pdb.TryFind(Text + 1, out symbol));
        Assert.True(symbol.Inlines.IsEmpty);
        Assert.True(pdb.TryFind(Text + 30, out symbol));
        Assert.Equal(isInside ? 1 : 0, symbol.Inlines.Count);
    }

    [Fact]
    public void An_id_from_another_module_is_found_there()
    {
        var made = new HandMadePdb();
        made.Ids.Add(HandMadePdb.FunctionId("other"));
        made.Ids.Add(Wire.Record(0x1605, fields => fields.U32(0).Text("space")));
        made.Ids.Add(HandMadePdb.FunctionId("wanted", scope: 0x1001));
        uint exporter = made.AddName("exporter.obj");
        made.AddModule(
            "importer.obj",
            [
                .. HandMadePdb.Procedure("caller", 0, 0x20), .. HandMadePdb.InlineSite(0x8010_0001, 12, 8, 0), .. HandMadePdb.End(0x114E),
                .. HandMadePdb.End(),
            ],
            Wire.Part(0xF7, fields => fields.U32(0).U32(1).U32(1).U32(exporter).U32(2).U32(0x55).U32(0x66)));
        made.AddModule("exporter.obj", [], Wire.Part(0xF8, fields => fields.U32(0x55).U32(0x1000).U32(0x66).U32(0x1002)));
        made.AddPiece(0, 0x20, 0);
        Assert.True(made.Open().TryFind(Text + 2, out PdbSymbol symbol));
        Assert.Equal("space::wanted", Assert.Single(symbol.Inlines.ToArray()).Function);
    }

    [Theory]
    [InlineData(0x110F)]
    [InlineData(0x1110)]
    [InlineData(0x1146)]
    [InlineData(0x1147)]
    [InlineData(0x1155)]
    [InlineData(0x1156)]
    public void Every_form_of_a_procedures_record_names_its_code(int kind)
    {
        var made = new HandMadePdb();
        made.AddModule("a.obj", [.. HandMadePdb.Procedure("named", 4, 8, kind), .. HandMadePdb.End(0x114F)]);
        made.AddPiece(0, 0x20, 0);
        Assert.True(made.Open().TryFind(Text + 11, out PdbSymbol symbol));
        Assert.Equal(("named", 7u), (symbol.Function, symbol.Offset));
    }

    [Fact]
    public void A_second_form_of_inline_sites_and_classes_name_callees()
    {
        var made = new HandMadePdb();
        made.Types.Add(Wire.Record(0x1505, fields => fields.Add(new byte[16]).U16(0x8003).U32(70_000).Text("Outer::Inner")));
        made.Ids.Add(Wire.Record(0x1602, fields => fields.U32(0x1000).U32(0).Text("method")));
        byte[] site = Wire.Record(0x115D, fields => fields.U32(0).U32(0).U32(0x1000).U32(12345).Add([12, 8, 0]));
        made.AddModule(
            "a.obj", [.. HandMadePdb.Procedure("caller", 0, 0x20), .. site, .. HandMadePdb.End(0x114E), .. HandMadePdb.End()]);
        made.AddPiece(0, 0x20, 0);
        Assert.True(made.Open().TryFind(Text + 2, out PdbSymbol symbol));
        Assert.Equal([new PdbInlineFrame("Outer::Inner::method", null)], symbol.Inlines.ToArray());
    }

    [Fact]
    public void Marks_of_code_without_a_line_are_no_lines()
    {
        var made = new HandMadePdb();
        uint file = made.AddName("a.c");
        made.AddModule(
            "a.obj",
            [.. HandMadePdb.Procedure("stepped", 0, 0x20), .. HandMadePdb.End()],
            HandMadePdb.FileChecksums(file),
            HandMadePdb.Lines(0, 0x20, 0, (0, 5), (8, 0xFEEFEE), (12, 0xF00F00), (16, 6)));
        made.AddPiece(0, 0x20, 0);
        PdbFile pdb = made.Open();
        Assert.Equal(
            [5, null, null, 6],
            ((uint[])[4, 8, 13, 31]).Select(at => pdb.TryFind(Text + at, out PdbSymbol symbol) ? symbol.Source?.Line : 0));
    }

    private static (string, string?, uint, uint, bool) Told(PdbSymbol symbol) =>
        (symbol.Function, symbol.Decorated, symbol.Start, symbol.Offset, symbol.IsSeparated);

    private static byte[] Omap(params (uint From, uint To)[] pairs) =>
        MsfWriter.Bytes(pairs.SelectMany(pair => (uint[])[pair.From, pair.To]));

    /// <summary>Two functions, each a piece of its own.</summary>
    internal static HandMadePdb Small()
    {
        var made = new HandMadePdb();
        made.AddModule(
            "a.obj",
            [
                .. HandMadePdb.Procedure("first", 0, 0x10), .. HandMadePdb.End(), .. HandMadePdb.Procedure("second", 0x20, 0x10),
                .. HandMadePdb.End(),
            ]);
        made.AddPiece(0, 0x10, 0);
        made.AddPiece(0x20, 0x10, 0);
        made.AddPublic("?first@@YAXXZ", 0);
        made.AddPublic("?second@@YAXXZ", 0x20);
        return made;
    }

    /// <summary>Something of everything: inlined calls, separated code, imported ids, maps, unwind data, publics.</summary>
    internal static HandMadePdb Varied()
    {
        HandMadePdb made = Small();
        uint file = made.AddName("varied.c");
        uint exporter = made.AddName("exporter.obj");
        made.Types.Add(Wire.Record(0x1505, fields => fields.Add(new byte[16]).U16(0x8003).U32(70_000).Text("Outer::Inner")));
        made.Ids.Add(HandMadePdb.FunctionId("first"));
        made.Ids.Add(Wire.Record(0x1605, fields => fields.U32(0).Text("space")));
        made.Ids.Add(HandMadePdb.FunctionId("second", scope: 0x1001));
        made.Ids.Add(Wire.Record(0x1602, fields => fields.U32(0x1000).U32(0).Text("method")));
        byte[] separated = Wire.Record(0x1132, fields =>
            fields.U32(0).U32(0).U32(0x20).U32(0).U32(0x500).U32(0x100).U16(1).U16(1));
        made.AddModule(
            "varied.obj",
            [
                .. HandMadePdb.Procedure("hot", 0x100, 0x40),
                .. HandMadePdb.InlineSite(0x1000, 6, 4, 12, 8, 8, 11, 0x34, 4, 6), .. HandMadePdb.InlineSite(0x1003, 12, 4, 9),
                .. HandMadePdb.End(0x114E), .. HandMadePdb.End(0x114E),
                .. HandMadePdb.InlineSite(0x8000_0001, 3, 0x20, 4, 8), .. HandMadePdb.End(0x114E),
                .. HandMadePdb.End(),
                .. separated, .. HandMadePdb.InlineSite(0x1002, 6, 2, 12, 2, 2), .. HandMadePdb.End(0x114E), .. HandMadePdb.End(),
            ],
            HandMadePdb.FileChecksums(file),
            HandMadePdb.InlineeLines((0x1000, 0, 100), (0x1002, 0, 200), (0x1003, 0, 300)),
            HandMadePdb.Lines(0x100, 0x40, 0, (0, 10), (4, 11), (0x20, 12)),
            HandMadePdb.Lines(0x500, 0x20, 0, (0, 20)),
            Wire.Part(0xF7, fields => fields.U32(exporter).U32(2).U32(0x55).U32(0x66)));
        made.AddModule("exporter.obj", [], Wire.Part(0xF8, fields => fields.U32(0x55).U32(0x1000).U32(0x66).U32(0x1002)));
        made.AddPiece(0x100, 0x40, 1);
        made.AddPiece(0x500, 0x20, 1);
        made.AddPublic("?hot@@YAXXZ", 0x100);
        made.AddPublic("?folded@@YAXXZ", 0x100);
        made.AddOptional(3, Omap((Text, Text), (Text + 0x1000, Text + 0x100)));
        made.AddOptional(4, Omap((Text, Text)));
        made.AddOptional(9, new Wire().U32(Text).U32(0x10).Add(new byte[20]).U32(4).ToArray());
        return made;
    }

    /// <summary>Streams of many pages, whatever a page's size.</summary>
    private static HandMadePdb Large()
    {
        var made = new HandMadePdb();
        uint file = made.AddName("source.c");
        for (uint i = 0; i < 3000; i += 1000)
        {
            made.AddModule(
                $"{i}.obj",
                [.. Numbers(i).SelectMany(n => (byte[])[.. HandMadePdb.Procedure($"function_{n}", n * 8, 8), .. HandMadePdb.End()])],
                [
                    HandMadePdb.FileChecksums(file),
                    .. Numbers(i).Select(n => HandMadePdb.Lines(n * 8, 8, 0, (0, n + 1))),
                ]);
            made.AddPiece(i * 8, 8000, (int)(i / 1000));
            Numbers(i).ToList().ForEach(n => made.AddPublic($"?function_{n}@@YAXXZ", n * 8));
        }

        return made;
    }

    private static IEnumerable<uint> Numbers(uint first) => Enumerable.Range((int)first, 1000).Select(n => (uint)n);
}
