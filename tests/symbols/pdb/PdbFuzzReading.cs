using System.Diagnostics;

namespace Tracer.Symbols.Tests.Pdb;

/// <summary>Reads any bytes as a PDB in every way there is, and asserts what must hold whatever they are.</summary>
internal static class PdbFuzzReading
{
    public const double MaximumSeconds = 10;

    /// <summary>What reading may hold beyond the file itself.</summary>
    public const long MaximumHeldBytes = 64 * 1024 * 1024;

    private const int LookUps = 400;
    private const int MaximumListed = 5000;

    /// <returns>Seconds taken, heap bytes held when all had been read, and how many addresses were found.</returns>
    public static (double Seconds, long HeldBytes, int Found) Read(byte[] file)
    {
        long before = GC.GetTotalMemory(forceFullCollection: false);
        var watch = Stopwatch.StartNew();
        var pdb = PdbFile.Open(SymbolBytes.Of(file), out PdbFault? fault);
        int found = 0;
        if (pdb is null)
        {
            Assert.DoesNotContain('\n', fault!.Message);
            Assert.InRange(fault.FileOffset, 0, file.Length);
        }
        else
        {
            Assert.Null(fault);
            found = ReadAll(pdb);
            Assert.InRange(pdb.Damage.Count, 0, 100);
            Assert.All(pdb.Damage, damage => Assert.InRange(damage.FileOffset, 0, file.Length));
        }

        double seconds = watch.Elapsed.TotalSeconds;
        long held = GC.GetTotalMemory(forceFullCollection: false) - before;
        held = held > MaximumHeldBytes ? GC.GetTotalMemory(forceFullCollection: true) - before : held;
        GC.KeepAlive(pdb);
        Assert.InRange(seconds, 0, MaximumSeconds);
        Assert.InRange(held, long.MinValue, MaximumHeldBytes);
        return (seconds, held, found);
    }

    private static int ReadAll(PdbFile pdb)
    {
        _ = (pdb.Id, pdb.InfoAge, pdb.Machine, pdb.IsFastLink, pdb.IsStripped, pdb.IsRearranged);
        for (int i = 0; i < Math.Min(pdb.ModuleCount, MaximumListed); i++)
        {
            _ = pdb.ModuleName(i);
        }

        PdbProcedure[] procedures = [.. pdb.Procedures().Take(MaximumListed)];
        Assert.All(pdb.Variables().Take(MaximumListed), variable => Assert.NotNull(variable.Name));
        int found = pdb.Publics().Take(MaximumListed).Sum(symbol => LookUp(pdb, symbol.Rva + 1));
        for (int i = 0; i < procedures.Length; i += 1 + (procedures.Length / LookUps))
        {
            found += LookUp(pdb, procedures[i].Rva);
            found += LookUp(pdb, unchecked(procedures[i].Rva + (procedures[i].Length / 2)));
            found += LookUp(pdb, unchecked(procedures[i].Rva + procedures[i].Length));
        }

        for (uint rva = 0; rva < 0x4000; rva += 0x4000 / LookUps)
        {
            found += LookUp(pdb, rva);
        }

        return found + LookUp(pdb, uint.MaxValue);
    }

    private static int LookUp(PdbFile pdb, uint rva)
    {
        if (!pdb.TryFind(rva, out PdbSymbol symbol))
        {
            return 0;
        }

        Assert.NotNull(symbol.Function);
        Assert.True(symbol.Proof is SymbolProof.Private or SymbolProof.Public);
        Assert.True(symbol.Length is null || symbol.Offset < symbol.Length);
        int frames = 0;
        foreach (PdbInlineFrame frame in symbol.Inlines)
        {
            Assert.NotNull(frame.Function);
            Assert.InRange(++frames, 1, 256);
        }

        return 1;
    }
}
