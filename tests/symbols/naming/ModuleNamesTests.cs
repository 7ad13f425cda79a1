using System.Text;
using Tracer.Symbols.Tests.Pdb;
using Tracer.Symbols.Tests.Pe;

namespace Tracer.Symbols.Tests.Naming;

/// <summary>What an address is called by what there is of a module: the first of the fallbacks that tells, and which one it was.</summary>
public class ModuleNamesTests
{
    private const uint Begin = HandMadePe.SectionRva + 0x100;
    private const uint End = Begin + 0x40;
    private const int ExportDirectory = 0;
    private const int ExceptionDirectory = 3;

    [Fact]
    public void A_private_symbol_goes_first()
    {
        ModuleNames names = new(new FixedSymbols(Symbol("?f@ns@@YAXXZ", SymbolProof.Private)), Image("Exported"));
        AddressName name = names.Find(Begin + 3);
        Assert.Equal(("ns::f", "?f@ns@@YAXXZ", 3u, SymbolProof.Private), (name.Function, name.Decorated, name.Offset, name.Proof));
    }

    [Fact]
    public void A_public_symbol_goes_before_an_export()
    {
        AddressName name = new ModuleNames(new FixedSymbols(Symbol("DriverEntry", SymbolProof.Public)), Image("Exported")).Find(Begin);
        Assert.Equal(("DriverEntry", null, SymbolProof.Public), (name.Function, name.Decorated, name.Proof));
    }

    /// <summary>It tells where its function begins, not where that ends: the unwind data says that another one began meanwhile.</summary>
    [Fact]
    public void A_public_symbol_does_not_name_what_unwind_data_says_is_another_function()
    {
        PdbSymbol before = Symbol("Before", SymbolProof.Public) with { Start = Begin - 0x80, Offset = 0x83 };
        AddressName name = new ModuleNames(new FixedSymbols(before), Image(null)).Find(Begin + 3);
        Assert.Equal(($"sub_{Begin:x}", 3u, SymbolProof.Pdata), (name.Function, name.Offset, name.Proof));
        AddressName without = new ModuleNames(new FixedSymbols(before), null).Find(Begin + 3);
        Assert.Equal(("Before", SymbolProof.Public), (without.Function, without.Proof));
    }

    [Theory]
    [InlineData("NicSend", "NicSend", null)]
    [InlineData("?send@nic@@YAXXZ", "nic::send", "?send@nic@@YAXXZ")]
    public void An_export_names_the_function_that_unwind_data_says_it_begins(string export, string function, string? decorated)
    {
        ModuleNames names = new(null, Image(export));
        AddressName name = names.Find(Begin + 0x3F);
        Assert.Equal((function, decorated, 0x3Fu, SymbolProof.Export), (name.Function, name.Decorated, name.Offset, name.Proof));
    }

    /// <summary>The nearest export is no proof.</summary>
    [Fact]
    public void Behind_the_end_of_an_exported_function_only_the_module_is_known()
    {
        ModuleNames names = new(null, Image("NicSend"));
        Assert.Equal((null, End, SymbolProof.Module), Told(names.Find(End)));
        Assert.Equal((null, Begin - 1, SymbolProof.Module), Told(names.Find(Begin - 1)));
    }

    [Fact]
    public void A_function_of_the_unwind_data_is_named_by_its_begin() =>
        Assert.Equal(($"sub_{Begin:x}", 8u, SymbolProof.Pdata), Told(new ModuleNames(null, Image(null)).Find(Begin + 8)));

    [Fact]
    public void Without_anything_the_module_is_all_there_is() =>
        Assert.Equal((null, 0x1234u, SymbolProof.Module), Told(new ModuleNames(null, null).Find(0x1234)));

    [Fact]
    public void A_pdb_that_knows_nothing_there_leaves_it_to_the_image() =>
        Assert.Equal(("NicSend", 1u, SymbolProof.Export), Told(new ModuleNames(new FixedSymbols(null), Image("NicSend")).Find(Begin + 1)));

    [Fact]
    public void Look_ups_allocate_nothing_when_their_names_were_made()
    {
        var fixture = PdbFixture.Of("x64");
        Assert.True(PeImage.TryRead(SymbolBytes.Of(File.ReadAllBytes(fixture.Image)), out PeImage? image, out _));
        PdbFile pdb = fixture.Open();
        uint[] places = [.. pdb.Procedures().SelectMany(one => (uint[])[one.Rva, one.Rva + one.Length - 1, one.Rva + one.Length])];
        ModuleNames[] all = [new(pdb, image), new(pdb, null), new(null, image)];
        Assert.InRange(Allocated(all, places), 1, long.MaxValue);
        Assert.Equal(0, Allocated(all, places));
    }

    [Fact]
    public void Several_threads_get_the_same_names()
    {
        PdbFile pdb = PdbFixture.Of("x64").Open();
        ModuleNames names = new(pdb, null);
        uint[] places = [.. pdb.Procedures().Select(one => one.Rva)];
        string?[][] got = [.. Enumerable.Range(0, 8).AsParallel().Select(_ => places.Select(rva => names.Find(rva).Function).ToArray())];
        Every.Item(got, one => Assert.Equal(got[0], one));
    }

    private static long Allocated(ModuleNames[] all, uint[] places)
    {
        long before = GC.GetAllocatedBytesForCurrentThread();
        foreach (ModuleNames names in all)
        {
            foreach (uint rva in places)
            {
                names.Find(rva);
            }
        }

        return GC.GetAllocatedBytesForCurrentThread() - before;
    }

    private static (string? Function, uint Offset, SymbolProof Proof) Told(AddressName name) => (name.Function, name.Offset, name.Proof);

    private static PdbSymbol Symbol(string function, SymbolProof proof) =>
        new() { Function = function, Decorated = function, Start = Begin, Offset = 3, Length = null, Proof = proof };

    /// <summary>One function with unwind data at <see cref="Begin"/>, and an export of that begin.</summary>
    private static PeImage Image(string? export)
    {
        const uint Table = HandMadePe.SectionRva + 0x800;
        const uint Exports = HandMadePe.SectionRva + 0x900;
        HandMadePe image = new();
        image.Put(Table, Begin, End, Table + 0x20).Directory(ExceptionDirectory, Table, 12);
        image.Put(Table + 0x20, [1, 0, 0, 0]);
        if (export is not null)
        {
            image.Directory(ExportDirectory, Exports, 0x100)
                .Put(Exports + 16, 1, 1, 1, Exports + 0x40, Exports + 0x44, Exports + 0x48)
                .Put(Exports + 0x40, Begin)
                .Put(Exports + 0x44, Exports + 0x60)
                .Put(Exports + 0x60, Encoding.ASCII.GetBytes(export + "\0"));
        }

        return image.Read();
    }

    private sealed class FixedSymbols(PdbSymbol? symbol) : IPdbSymbols
    {
        public PdbId Id => default;

        public bool TryFind(uint rva, out PdbSymbol found)
        {
            found = symbol ?? new PdbSymbol { Function = "", Start = 0, Offset = 0, Proof = SymbolProof.Public };
            return symbol is not null;
        }
    }
}
