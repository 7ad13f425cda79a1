namespace Tracer.Symbols.Tests.Pdb;

/// <summary>Every public, procedure, inline site and line of our own fixtures equals what LLVM's readers say.</summary>
public class FixtureTests
{
    public static TheoryData<string> Names => [.. PdbFixture.Names];

    public static TheoryData<string> PublicNames => [.. PdbFixture.Names.Except(PdbFixture.PrivateNames)];

    public static TheoryData<string> PrivateNames => [.. PdbFixture.PrivateNames];

    [Theory]
    [MemberData(nameof(Names))]
    public void Procedures_are_those_that_llvm_lists(string name)
    {
        var fixture = PdbFixture.Of(name);
        uint[] sections = LlvmTools.Sections(fixture.PdbPath);
        Assert.Equal(
            LlvmTools.Procedures(fixture.PdbPath).Select(symbol => (symbol.Name, Rva(sections, symbol), symbol.Length)).Order(),
            fixture.Open().Procedures().Select(procedure => (procedure.Name, procedure.Rva, procedure.Length)).Order());
    }

    [Theory]
    [MemberData(nameof(Names))]
    public void Public_symbols_are_those_that_llvm_lists(string name)
    {
        var fixture = PdbFixture.Of(name);
        uint[] sections = LlvmTools.Sections(fixture.PdbPath);
        Assert.Equal(
            LlvmTools.Publics(fixture.PdbPath).Select(symbol => (symbol.Name, Rva(sections, symbol))).Order(),
            fixture.Open().Publics().Select(symbol => (symbol.Name, symbol.Rva)).Order());
    }

    /// <summary>
    /// Where one stretch of code has lines of several files, llvm-symbolizer loses its order; there only the calls are compared, and the
    /// lines with what llvm-pdbutil lists.
    /// </summary>
    [Theory]
    [MemberData(nameof(PrivateNames))]
    public void Every_address_of_every_procedure_has_the_frames_and_lines_that_llvm_says(string name)
    {
        var fixture = PdbFixture.Of(name);
        PdbFile pdb = fixture.Open();
        uint[] sections = LlvmTools.Sections(fixture.PdbPath);
        HashSet<uint> mixed =
        [
            .. LlvmTools.Lines(fixture.PdbPath).GroupBy(lines => sections[lines.Section - 1] + lines.Start)
                .Where(group => group.Count() > 1).Select(group => group.Key),
        ];
        (uint Rva, bool IsMixed)[] places =
        [
            .. OnePerAddress(pdb).SelectMany(procedure => Enumerable.Range(0, (int)procedure.Length).Select(
                i => (procedure.Rva + (uint)i, mixed.Contains(procedure.Rva)))),
        ];
        Dictionary<uint, SourceFrame[]> expected = LlvmTools.Symbolize(fixture.Image, places.Select(place => place.Rva));
        Assert.InRange(places.Count(place => !place.IsMixed), 500, int.MaxValue);
        Assert.Equal(places.Length, expected.Count);
        foreach ((uint rva, bool isMixed) in places)
        {
            string ours = string.Join("\n", Frames(pdb, rva).SkipLast(isMixed ? 1 : 0));
            string llvm = string.Join("\n", expected[rva].SkipLast(isMixed ? 1 : 0));
            Assert.True(ours == llvm, $"0x{rva:x}: {ours}\nllvm: {llvm}");
        }

        Assert.Empty(pdb.Damage);
    }

    [Theory]
    [MemberData(nameof(PrivateNames))]
    public void Every_line_is_where_llvm_lists_it(string name)
    {
        var fixture = PdbFixture.Of(name);
        Assert.InRange(ComparedLines(fixture.Open(), fixture.PdbPath), 50, int.MaxValue);
    }

    [Theory]
    [MemberData(nameof(PrivateNames))]
    public void A_procedure_is_found_from_its_first_byte_to_its_last_and_no_further(string name)
    {
        PdbFile pdb = PdbFixture.Of(name).Open();
        HashSet<uint> starts = [.. pdb.Procedures().Select(procedure => procedure.Rva)];
        foreach (PdbProcedure procedure in OnePerAddress(pdb))
        {
            foreach (uint offset in (uint[])[0, procedure.Length / 2, procedure.Length - 1])
            {
                Assert.True(pdb.TryFind(procedure.Rva + offset, out PdbSymbol symbol));
                Assert.Equal(
                    (procedure.Name, procedure.Rva, offset, procedure.Length, SymbolProof.Private),
                    (symbol.Function, symbol.Start, symbol.Offset, symbol.Length!.Value, symbol.Proof));
            }

            if (!starts.Contains(procedure.Rva + procedure.Length))
            {
                Assert.False(pdb.TryFind(procedure.Rva + procedure.Length, out _));
            }
        }
    }

    [Theory]
    [MemberData(nameof(PublicNames))]
    public void Without_private_symbols_public_ones_name_the_functions(string name)
    {
        var fixture = PdbFixture.Of(name);
        PdbFile pdb = fixture.Open();
        uint[] rvas = [.. pdb.Publics().Where(symbol => symbol.IsFunction).SelectMany(symbol => (uint[])[symbol.Rva, symbol.Rva + 5])];
        Assert.NotEmpty(rvas);
        foreach ((uint rva, SourceFrame[] frames) in LlvmTools.Symbolize(fixture.Image, rvas))
        {
            Assert.True(pdb.TryFind(rva, out PdbSymbol symbol));
            Assert.Equal((frames[^1].Function, SymbolProof.Public), (symbol.Function, symbol.Proof));
            Assert.Equal(symbol.Function, symbol.Decorated);
            Assert.Null(symbol.Source);
        }
    }

    /// <summary>The static function has no public symbol, and no other function's name reaches into its section.</summary>
    [Fact]
    public void A_public_symbol_does_not_name_the_code_of_another_piece()
    {
        uint[] hidden =
        [
            .. PdbFixture.Of("x64").Open().Procedures()
                .Where(procedure => procedure.Name is "same_name" or "`anonymous namespace'::quiet").Select(procedure => procedure.Rva),
        ];
        Assert.Equal(3, hidden.Length);
        PdbFile publics = PdbFixture.Of("x64 publics").Open();
        Every.Item(hidden, rva => Assert.False(publics.TryFind(rva, out _)));
    }

    [Fact]
    public void Functions_that_were_folded_into_one_have_the_name_of_the_first_always()
    {
        PdbFile pdb = PdbFixture.Of("x64 folded").Open();
        string[] names = ["equal_one", "equal_two", "equal_three"];
        uint[] rvas = [.. pdb.Procedures().Where(procedure => names.Contains(procedure.Name)).Select(procedure => procedure.Rva)];
        Assert.Equal(3, rvas.Length);
        Assert.Single(rvas.Distinct());
        Assert.True(pdb.TryFind(rvas[0] + 1, out PdbSymbol symbol));
        Assert.Equal(("equal_one", "equal_one"), (symbol.Function, symbol.Decorated));
        Assert.EndsWith("shapes.cpp", symbol.Source!.Value.File, StringComparison.Ordinal);
    }

    [Fact]
    public void Private_symbols_come_before_public_ones_and_keep_the_decorated_name_beside()
    {
        PdbFile pdb = PdbFixture.Of("x64").Open();
        PdbPublic stored = pdb.Publics().Single(symbol => symbol.Name == "?stored@?$Box@H@shapes@@QEAAHH@Z");
        Assert.True(pdb.TryFind(stored.Rva, out PdbSymbol symbol));
        Assert.Equal(
            ("shapes::Box<int>::stored", stored.Name, SymbolProof.Private), (symbol.Function, symbol.Decorated, symbol.Proof));
        Assert.Equal(["shapes::Box<int>::twice", "shapes::Box<int>::scaled"], symbol.Inlines.ToArray().Select(frame => frame.Function));
        Assert.Equal(2, symbol.Inlines.Count);
        Assert.False(symbol.Inlines.IsEmpty);
    }

    [Theory]
    [MemberData(nameof(Names))]
    public void Variables_are_those_that_llvm_lists(string name)
    {
        var fixture = PdbFixture.Of(name);
        uint[] sections = LlvmTools.Sections(fixture.PdbPath);
        Assert.Equal(
            LlvmTools.Variables(fixture.PdbPath).Select(symbol => (symbol.Name, Rva(sections, symbol))).Order(),
            fixture.Open().Variables().Select(variable => (variable.Name, variable.Rva)).Order());
    }

    /// <summary>A PDB without private symbols, as vendors publish it: modules without streams; the unwind data stays.</summary>
    [Fact]
    public void Unwind_data_of_x86_says_how_long_a_public_function_is()
    {
        byte[] file = File.ReadAllBytes(PdbFixture.Of("x86").PdbPath);
        Dictionary<uint, uint> lengths = PdbFixture.Of("x86").Open().Procedures().ToDictionary(
            procedure => procedure.Rva, procedure => procedure.Length);
        int debugInformation = new PdbFuzzBase("x86", file).StreamPages[3];
        int end = debugInformation + 64 + BitConverter.ToInt32(file, debugInformation + 24);
        for (int module = debugInformation + 64; module < end;)
        {
            BitConverter.GetBytes(ushort.MaxValue).CopyTo(file, module + 34);
            int name = Array.IndexOf(file, (byte)0, module + 64);
            module = debugInformation + ((Array.IndexOf(file, (byte)0, name + 1) + 1 - debugInformation + 3) & ~3);
        }

        PdbFile stripped = PdbFixture.Opened(file);
        Assert.Empty(stripped.Procedures());
        PdbPublic[] functions = [.. stripped.Publics().Where(symbol => symbol.IsFunction)];
        Assert.InRange(functions.Length, 10, int.MaxValue);
        foreach (PdbPublic function in functions)
        {
            Assert.True(stripped.TryFind(function.Rva + lengths[function.Rva] - 1, out PdbSymbol symbol));
            Assert.Equal((function.Rva, lengths[function.Rva], SymbolProof.Public), (symbol.Start, symbol.Length!.Value, symbol.Proof));
            Assert.False(stripped.TryFind(function.Rva + lengths[function.Rva], out symbol) && symbol.Start == function.Rva);
        }
    }

    [Fact]
    public void The_identity_is_what_llvm_says()
    {
        var fixture = PdbFixture.Of("x64");
        string summary = LlvmTools.PdbUtil(fixture.PdbPath, "-summary");
        PdbFile pdb = fixture.Open();
        Assert.Contains($"GUID: {{{pdb.Id.Guid.ToString().ToUpperInvariant()}}}", summary, StringComparison.Ordinal);
        Assert.Contains($"Age: {pdb.Id.Age}\n", summary, StringComparison.Ordinal);
        Assert.Equal(
            (1u, (ushort)0x8664, false, false, false), (pdb.InfoAge, pdb.Machine, pdb.IsFastLink, pdb.IsStripped, pdb.IsRearranged));
        Assert.EndsWith("other.cpp.obj", Enumerable.Range(0, pdb.ModuleCount).Select(pdb.ModuleName).First(), StringComparison.Ordinal);
    }

    [Fact]
    public void Nothing_is_found_outside_of_code()
    {
        PdbFile pdb = PdbFixture.Of("x64").Open();
        uint data = pdb.Publics().Single(symbol => symbol.Name == "sink").Rva;
        Every.Item((uint[])[0u, 1u, 0xFFFu, data, data + 1, 0x7FFF_FFFF, uint.MaxValue], rva => Assert.False(pdb.TryFind(rva, out _)));
    }

    /// <summary>All that LLVM lists for an address, outermost last, under the name by which the linker knows the outermost.</summary>
    internal static IEnumerable<SourceFrame> Frames(PdbFile pdb, uint rva)
    {
        Assert.True(pdb.TryFind(rva, out PdbSymbol symbol), $"0x{rva:x}");
        foreach (PdbInlineFrame frame in symbol.Inlines)
        {
            yield return new SourceFrame(frame.Function, frame.Source?.File ?? "", frame.Source?.Line ?? 0);
        }

        yield return new SourceFrame(symbol.Decorated ?? symbol.Function, symbol.Source?.File ?? "", symbol.Source?.Line ?? 0);
    }

    /// <summary>Compares every line that llvm-pdbutil lists; of several at one address the first counts.</summary>
    /// <returns>How many were compared.</returns>
    internal static int ComparedLines(PdbFile pdb, string path)
    {
        uint[] sections = LlvmTools.Sections(path);
        HashSet<uint> alone = [.. OnePerAddress(pdb).Select(procedure => procedure.Rva)];
        HashSet<uint> seen = [];
        int compared = 0;
        foreach (ListedLines lines in LlvmTools.Lines(path).Where(lines => alone.Contains(sections[lines.Section - 1] + lines.Start)))
        {
            foreach ((int line, uint offset) in lines.Rows)
            {
                uint rva = sections[lines.Section - 1] + offset;
                if (seen.Add(rva) && offset < lines.End)
                {
                    Assert.True(pdb.TryFind(rva, out PdbSymbol symbol), $"0x{rva:x}");
                    Assert.Equal((rva, line == 0 ? null : new PdbSource(lines.File, line)), (rva, symbol.Source));
                    compared++;
                }
            }
        }

        return compared;
    }

    /// <summary>
    /// The procedures that are alone at their address. Where functions were folded, llvm-symbolizer takes the name of the last public
    /// symbol and mixes the lines of all of them.
    /// </summary>
    internal static IEnumerable<PdbProcedure> OnePerAddress(PdbFile pdb) =>
        pdb.Procedures().GroupBy(procedure => procedure.Rva).Where(group => group.Count() == 1).Select(group => group.Single());

    private static uint Rva(uint[] sections, ListedSymbol symbol) => sections[symbol.Section - 1] + symbol.Offset;
}
