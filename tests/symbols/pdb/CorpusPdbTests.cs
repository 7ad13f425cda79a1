using System.Text.RegularExpressions;

namespace Tracer.Symbols.Tests.Pdb;

/// <summary>PDBs by others: one of Microsoft's compiler and linker, one of managed code in the same container, one portable.</summary>
public partial class CorpusPdbTests
{
    private const string Native = "perfview-CppCon.pdb";
    private const string Managed = "perfview-CsDesktopProj.pdb";
    private const string Portable = "perfview-CsPortablePdb1-portable.pdb";

    [Theory]
    [InlineData(Native)]
    [InlineData(Managed)]
    public void Procedures_and_publics_are_those_that_llvm_lists(string name)
    {
        string path = PathOf(name);
        PdbFile pdb = Open(name);
        uint[] sections = LlvmTools.Sections(path);
        Assert.Equal(
            LlvmTools.Procedures(path).Select(symbol => (symbol.Name, sections[symbol.Section - 1] + symbol.Offset, symbol.Length)).Order(),
            pdb.Procedures().Select(procedure => (procedure.Name, procedure.Rva, procedure.Length)).Order());
        Assert.Equal(
            LlvmTools.Publics(path).Where(symbol => symbol.Section > 0 && symbol.Section <= sections.Length)
                .Select(symbol => (symbol.Name, sections[symbol.Section - 1] + symbol.Offset)).Order(),
            pdb.Publics().Select(symbol => (symbol.Name, symbol.Rva)).Order());
        Assert.Empty(pdb.Damage);
    }

    [Fact]
    public void Every_line_of_Microsofts_compiler_is_where_llvm_lists_it() =>
        Assert.InRange(FixtureTests.ComparedLines(Open(Native), PathOf(Native)), 300, int.MaxValue);

    [Fact]
    public void Every_procedure_is_found_at_its_begin_middle_and_end()
    {
        PdbFile pdb = Open(Native);
        foreach (PdbProcedure procedure in FixtureTests.OnePerAddress(pdb))
        {
            foreach (uint offset in (uint[])[0, procedure.Length / 2, procedure.Length - 1])
            {
                Assert.True(pdb.TryFind(procedure.Rva + offset, out PdbSymbol symbol));
                Assert.Equal((procedure.Name, procedure.Rva, offset), (symbol.Function, symbol.Start, symbol.Offset));
            }
        }
    }

    /// <summary>Each row of each inline site, as llvm-pdbutil spells it, has a frame of that callee, and every call is around it.</summary>
    [Fact]
    public void Every_inlined_call_of_Microsofts_compiler_is_where_llvm_lists_it()
    {
        PdbFile pdb = Open(Native);
        uint[] sections = LlvmTools.Sections(PathOf(Native));
        int rows = 0;
        uint start = 0;
        string inlinee = "";
        foreach (string line in LlvmTools.PdbUtil(PathOf(Native), "-symbols").Split('\n'))
        {
            Match procedure = ProcedureAddress().Match(line);
            Match site = Inlinee().Match(line);
            if (procedure.Success)
            {
                start = sections[int.Parse(procedure.Groups[1].Value, CultureInfo.InvariantCulture) - 1]
                    + uint.Parse(procedure.Groups[2].Value, CultureInfo.InvariantCulture);
            }

            inlinee = site.Success ? site.Groups[1].Value : inlinee;
            foreach (Match row in CodeOffset().Matches(line))
            {
                rows++;
                bool isEnd = row.Groups[1].Success;
                uint offset = uint.Parse(row.Groups[2].Value, NumberStyles.HexNumber, CultureInfo.InvariantCulture);
                uint rva = start + offset - (isEnd ? 1u : 0u);
                Assert.True(pdb.TryFind(rva, out PdbSymbol symbol));
                Assert.Contains(symbol.Inlines.ToArray(), frame =>
                    frame.Function == inlinee || frame.Function.EndsWith("::" + inlinee, StringComparison.Ordinal));
                Every.Item(symbol.Inlines.ToArray(), frame => Assert.InRange(frame.Source!.Value.Line, 1, 100_000));
            }
        }

        Assert.InRange(rows, 50, int.MaxValue);
    }

    [Fact]
    public void A_portable_pdb_is_told_apart_with_a_word()
    {
        Assert.Null(PdbFile.Open(SymbolBytes.Of(File.ReadAllBytes(PathOf(Portable))), out PdbFault? fault));
        Assert.Equal(PdbFaultKind.Portable, fault!.Kind);
        Assert.Contains("portable PDB", fault.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void The_age_is_that_of_the_debug_information()
    {
        PdbFile pdb = Open(Native);
        Assert.Equal((new Guid("12DC0A4F-BD7D-4F2A-A9BE-263BACAEB467"), 5u), (pdb.Id.Guid, pdb.InfoAge));
        string dbi = LlvmTools.PdbUtil(PathOf(Native), "-summary");
        Assert.Contains("Age: 5", dbi, StringComparison.Ordinal);
        Assert.InRange(pdb.Id.Age, 1u, 5u);
    }

    private static string PathOf(string name)
    {
        string path = Path.Combine(RepositoryFiles.Corpus(), "pdb", name);
        Assert.SkipUnless(File.Exists(path), $"{name} is not in the corpus");
        return path;
    }

    private static PdbFile Open(string name) => PdbFixture.Opened(File.ReadAllBytes(PathOf(name)));

    [GeneratedRegex(@"parent = \d+, end = \d+, addr = (\d+):(\d+), code size")]
    private static partial Regex ProcedureAddress();

    [GeneratedRegex(@"inlinee = 0x[0-9A-F]+ \((.*)\), parent")]
    private static partial Regex Inlinee();

    [GeneratedRegex(@"code (end )?0x([0-9A-F]+) \(\+0x")]
    private static partial Regex CodeOffset();
}
