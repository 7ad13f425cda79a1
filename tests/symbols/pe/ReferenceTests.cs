namespace Tracer.Symbols.Tests.Pe;

/// <summary>Images that clang and lld made, compared with what llvm-readobj says of them, and with what their source says.</summary>
public class ReferenceTests
{
    public static TheoryData<string> Machines => PeFixtures.Machines;

    [Theory]
    [MemberData(nameof(Machines))]
    public void Identity_equals_what_readobj_says(string machine)
    {
        PeImage image = PeFixtures.Read(machine);
        ReadObjReport report = ReadObjReport.Of(PeFixtures.PathOf(machine));
        Assert.Equal(report.Number("TimeDateStamp"), image.Id.TimeDateStamp);
        Assert.Equal(report.Number("SizeOfImage"), image.Id.SizeOfImage);
        Assert.Equal(report.Number("CheckSum"), image.CheckSum);
        Assert.Equal(report.Number("Machine"), (ulong)image.Machine);
        Assert.Equal(report.Number("ImageBase"), image.PreferredBase);
        Assert.Equal(report.Number("AddressOfEntryPoint"), image.EntryPointRva);
        Assert.Equal(machine != "x86", image.Is64Bit);
        Assert.True(image.IsLibrary);
        Assert.False(image.IsManaged);
        Assert.Empty(image.Oddities);
    }

    [Theory]
    [MemberData(nameof(Machines))]
    public void The_pdb_equals_what_readobj_says(string machine)
    {
        PeImage image = PeFixtures.Read(machine);
        ReadObjReport report = ReadObjReport.Of(PeFixtures.PathOf(machine));
        PdbReference pdb = Assert.Single(image.Pdbs);
        byte[] guid = pdb.Id!.Value.Guid.ToByteArray();
        Assert.Equal(report.Text("PDBGUID"), $"({string.Join(' ', guid.Select(part => part.ToString("X2", null)))})");
        Assert.Equal(pdb.Id, image.PdbId);
        Assert.Equal(report.Number("PDBAge"), pdb.Age);
        Assert.Equal(report.Text("PDBFileName"), pdb.Path);
        Assert.Equal(machine + ".pdb", pdb.FileName);
        Assert.True(image.IsReproducible);
    }

    [Theory]
    [MemberData(nameof(Machines))]
    public void Sections_equal_what_readobj_says(string machine) => Assert.Equal(
        ReadObjReport.Of(PeFixtures.PathOf(machine)).Sections,
        PeFixtures.Read(machine).Sections.Select(section =>
            $"{section.Name} {section.Rva:x} {section.VirtualSize:x} {section.RawOffset:x} {section.RawSize}"));

    [Theory]
    [MemberData(nameof(Machines))]
    public void Exports_equal_what_readobj_says(string machine)
    {
        string[] told = [.. ReadObjReport.Of(PeFixtures.PathOf(machine)).Exports.Order(StringComparer.Ordinal)];
        PeExports exports = PeFixtures.Read(machine).Exports;
        Assert.Equal(told, exports.Select(Line).Order(StringComparer.Ordinal));
        Assert.Equal(machine + ".dll", exports.ModuleName);
        Assert.Contains(exports, export => export is { Name: null, Ordinal: 40 });
        Assert.Equal("OTHER.Function", exports.Single(export => export.Name == "Forwarded").Forwarder);
        Assert.Equal("OTHER.#7", exports.Single(export => export.Name == "ForwardedOrdinal").Forwarder);

        static string Line(PeExport export) => string.Create(
            CultureInfo.InvariantCulture, $"{export.Ordinal} {export.Name} {export.Forwarder ?? export.Rva.ToString("x", null)}");
    }

    [Theory]
    [InlineData("x64")]
    [InlineData("arm64")]
    public void Functions_equal_what_readobj_says(string machine)
    {
        PeImage image = PeFixtures.Read(machine);
        ReadObjReport report = ReadObjReport.Of(PeFixtures.PathOf(machine));
        string[] told = [.. machine == "x64" ? report.UnwindX64(image.PreferredBase) : report.UnwindArm64(image.PreferredBase)];
        Assert.True(told.Length > 5, $"{told.Length} functions");
        Assert.Equal(told, Enumerable.Range(0, image.UnwindEntries).Select(index =>
        {
            Assert.True(image.TryGetFunction(index, out FunctionBounds bounds));
            return $"{bounds.PieceBegin:x} {bounds.PieceEnd:x} {bounds.Begin:x}";
        }));
    }

    [Theory]
    [InlineData("x64")]
    [InlineData("arm64")]
    public void Every_address_of_a_function_finds_it_and_no_other_does(string machine)
    {
        PeImage image = PeFixtures.Read(machine);
        PeSection code = image.Sections.Single(section => section.IsExecutable);
        for (uint rva = code.Rva; rva < code.Rva + code.VirtualSize; rva++)
        {
            bool isInside = Enumerable.Range(0, image.UnwindEntries).Any(
                index => image.TryGetFunction(index, out FunctionBounds entry) && rva >= entry.PieceBegin && rva < entry.PieceEnd);
            Assert.Equal(isInside, image.TryFindFunction(rva, out FunctionBounds bounds));
            Assert.True(!isInside || (rva >= bounds.PieceBegin && rva < bounds.PieceEnd));
        }
    }

    [Fact]
    public void An_address_is_named_by_an_export_only_if_it_lies_in_that_function()
    {
        PeImage image = PeFixtures.Read("x64");
        PeExport second = image.Exports.Single(export => export.Name == "second");
        Assert.True(image.TryFindExportedFunction(second.Rva + 5, out PeExport export, out FunctionBounds bounds));
        Assert.Equal(("second", second.Rva), (export.Name, bounds.Begin));

        // The function before has no export of its own, although other exports stand before it.
        PeExport first = image.Exports.First(candidate => candidate.Name is "first" or "alias");
        Assert.Equal(2, image.Exports.Count(candidate => candidate.Rva == first.Rva));
        uint hidden = Enumerable.Range(0, image.UnwindEntries)
            .Select(index => image.TryGetFunction(index, out FunctionBounds entry) ? entry.Begin : 0)
            .First(begin => begin < first.Rva && !image.Exports.TryFind(begin, out _));
        Assert.False(image.TryFindExportedFunction(hidden + 1, out _, out _));

        // A leaf function has no unwind data: nothing is said, although its export is known.
        PeExport leaf = image.Exports.Single(candidate => candidate.Name == "leaf");
        Assert.False(image.TryFindExportedFunction(leaf.Rva + 1, out _, out _));
    }

    [Fact]
    public void Looking_up_a_function_allocates_nothing()
    {
        PeImage image = PeFixtures.Read("x64");
        bool isFound = image.TryFindFunction(image.EntryPointRva, out _);
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (uint rva = 0; rva < image.Id.SizeOfImage; rva++)
        {
            isFound |= image.TryFindFunction(rva, out _);
        }

        Assert.Equal(before, GC.GetAllocatedBytesForCurrentThread());
        Assert.True(isFound);
    }

    [Fact]
    public void A_chained_piece_tells_its_function()
    {
        PeImage image = PeFixtures.Read("x64");
        FunctionBounds[] all = [.. Enumerable.Range(0, image.UnwindEntries)
            .Select(index => image.TryGetFunction(index, out FunctionBounds entry) ? entry : default)];
        FunctionBounds piece = Assert.Single(all, entry => entry.IsSplit);
        Assert.True(image.TryFindFunction(piece.PieceBegin + 1, out FunctionBounds found));
        Assert.Equal(piece, found);
        Assert.True(image.TryFindFunction(piece.PieceEnd, out found));
        Assert.Equal((piece.Begin, false), (found.Begin, found.IsSplit));
    }

    [Fact]
    public void A_32_bit_image_has_no_unwind_table()
    {
        PeImage image = PeFixtures.Read("x86");
        Assert.Equal(0, image.UnwindEntries);
        Assert.False(image.TryFindFunction(image.EntryPointRva, out _));
    }

    [Theory]
    [MemberData(nameof(Machines))]
    public void The_version_is_what_the_script_says_and_English_goes_first(string machine)
    {
        PeVersion version = PeFixtures.Read(machine).Version!;
        Assert.Equal(new Version(10, 0, 19041, 3636), version.FixedFileVersion);
        Assert.Equal(new Version(1, 2, 3, 4), version.FixedProductVersion);
        Assert.Equal("Example Ltd", version.Company);
        Assert.Equal("Driver for tests", version.Description);
        Assert.Equal("Example Suite", version.Product);
        Assert.Equal("10.0.19041.3636 (WinBuild.160101.0800)", version.FileVersion);
        Assert.Equal("1.2", version.ProductVersion);
        Assert.Equal("fixture.sys", version.OriginalFileName);
        Assert.Equal([0x407, 0x409], version.Texts.Select(texts => (int)texts.Language));
        Assert.Equal("Treiber für Prüfungen", version.Texts[0].Values["FileDescription"]);
        Assert.Null(version["NoSuchKey"]);
    }

    [Theory]
    [MemberData(nameof(Machines))]
    public void An_image_as_it_was_mapped_says_the_same(string machine)
    {
        byte[] file = File.ReadAllBytes(PeFixtures.PathOf(machine));
        PeImage image = HandMadePe.Read(file);
        byte[] memory = new byte[image.Id.SizeOfImage];
        file.AsSpan(0, 0x400).CopyTo(memory);
        foreach (PeSection section in image.Sections)
        {
            int length = (int)Math.Min(section.RawSize, section.VirtualSize);
            file.AsSpan((int)section.RawOffset, length).CopyTo(memory.AsSpan((int)section.Rva));
        }

        PeImage mapped = HandMadePe.Read(memory, PeLayout.Mapped);
        Assert.Equal(image.Id, mapped.Id);
        Assert.Equal(image.PdbId, mapped.PdbId);
        Assert.NotNull(mapped.PdbId);
        Assert.Equal(image.Exports, mapped.Exports);
        Assert.Equal(image.UnwindEntries, mapped.UnwindEntries);
        Assert.Equal(image.Version!.Company, mapped.Version!.Company);
        Assert.Empty(mapped.Oddities);
    }

    [Theory]
    [MemberData(nameof(Machines))]
    public void Offsets_and_addresses_lead_to_each_other(string machine)
    {
        PeImage image = PeFixtures.Read(machine);
        foreach (PeSection section in image.Sections)
        {
            Assert.True(image.TryGetOffset(section.Rva + 1, out long offset));
            Assert.Equal(section.RawOffset + 1, offset);
            Assert.True(image.TryGetRva(offset, out uint rva));
            Assert.Equal(section.Rva + 1, rva);
        }

        Assert.False(image.TryGetOffset(image.Id.SizeOfImage, out _));
        Assert.False(image.TryGetRva(1 << 30, out _));
    }
}
