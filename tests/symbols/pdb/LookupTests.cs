namespace Tracer.Symbols.Tests.Pdb;

/// <summary>What look-ups cost, and that threads do not disturb each other.</summary>
[Collection(Alone.Name)]
public class LookupTests
{
    private const uint Text = HandMadePdb.TextRva;

    [Fact]
    public void A_look_up_allocates_nothing_when_its_names_were_made()
    {
        PdbFile pdb = PdbFixture.Of("x64").Open();
        uint[] rvas = [.. pdb.Procedures().SelectMany(procedure => (uint[])[procedure.Rva, procedure.Rva + (procedure.Length / 2)])];
        long sum = Sum(pdb, rvas);
        long before = GC.GetAllocatedBytesForCurrentThread();
        long again = Sum(pdb, rvas);
        Assert.Equal(0, GC.GetAllocatedBytesForCurrentThread() - before);
        Assert.Equal(sum, again);
    }

    [Fact]
    public void A_look_up_of_a_public_symbol_allocates_nothing_when_its_name_was_made()
    {
        HandMadePdb made = HandMadeTests.Small();
        made.HasContributions = false;
        PdbFile pdb = made.Open();
        uint[] rvas = [Text, Text + 5, Text + 0x22];
        long sum = Sum(pdb, rvas);
        long before = GC.GetAllocatedBytesForCurrentThread();
        long again = Sum(pdb, rvas);
        Assert.Equal(0, GC.GetAllocatedBytesForCurrentThread() - before);
        Assert.Equal(sum, again);
    }

    [Fact]
    public void Threads_get_the_same_answers_as_one()
    {
        var fixture = PdbFixture.Of("x64 plain");
        PdbFile one = fixture.Open();
        uint[] rvas =
        [
            .. one.Procedures().SelectMany(
                procedure => Enumerable.Range(0, (int)procedure.Length).Select(i => procedure.Rva + (uint)i)),
        ];
        long expected = Sum(one, rvas);
        for (int round = 0; round < 5; round++)
        {
            PdbFile shared = fixture.Open();
            Parallel.For(0, 8, _ => Assert.Equal(expected, Sum(shared, rvas)));
        }
    }

    /// <summary>
    /// 70 modules of 50,000 procedures take 168 MB when they are read, more than is kept; all are found nevertheless, the first ten once
    /// more when they were dropped, and what is held in the end stays within the bound and what the file itself takes.
    /// </summary>
    [Fact]
    public void Modules_that_were_not_used_for_long_are_dropped_and_read_again()
    {
        const int Modules = 70;
        const int PerModule = 50_000;
        byte[] one = HandMadePdb.Procedure("p", 0, 4);
        var made = new HandMadePdb();
        made.AddOptional(5, HandMadePdb.Sections((".text", Modules * PerModule * 4, Text, 0x60000020)));
        for (int module = 0; module < Modules; module++)
        {
            byte[] symbols = new byte[one.Length * PerModule];
            for (int i = 0; i < PerModule; i++)
            {
                one.CopyTo(symbols, i * one.Length);
                BitConverter.GetBytes(((module * PerModule) + i) * 4).CopyTo(symbols, (i * one.Length) + 4 + 28);
            }

            made.AddModule($"{module}", symbols);
            made.AddPiece((uint)(module * PerModule * 4), PerModule * 4, module);
        }

        byte[] file = made.ToArray();
        made = null;
        long before = GC.GetTotalMemory(forceFullCollection: true);
        PdbFile pdb = PdbFixture.Opened(file);
        foreach (int module in Enumerable.Range(0, Modules).Concat(Enumerable.Range(0, 10)))
        {
            uint rva = Text + (uint)(((module * PerModule) + 77) * 4);
            Assert.True(pdb.TryFind(rva + 1, out PdbSymbol symbol));
            Assert.Equal(("p", rva, 1u), (symbol.Function, symbol.Start, symbol.Offset));
        }

        long held = GC.GetTotalMemory(forceFullCollection: true) - before;
        Assert.InRange(held, 0, 150_000_000);
        GC.KeepAlive(pdb);
        GC.KeepAlive(file);
    }

    private static long Sum(PdbFile pdb, uint[] rvas)
    {
        long sum = 0;
        foreach (uint rva in rvas)
        {
            if (pdb.TryFind(rva, out PdbSymbol symbol))
            {
                sum += symbol.Function.Length + (symbol.Decorated?.Length ?? 0) + symbol.Offset + (symbol.Source?.Line ?? 0);
                foreach (PdbInlineFrame frame in symbol.Inlines)
                {
                    sum += frame.Function.Length + (frame.Source?.Line ?? 0);
                }
            }
        }

        return sum;
    }
}
