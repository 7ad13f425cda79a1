using System.Diagnostics;
using Tracer.Bench.Reading;
using Tracer.Symbols.Pdb;

namespace Tracer.Bench.Symbols;

/// <summary>
/// <c>symbols FILE.pdb ADDRESSES [--passes N]</c>: opens a PDB, looks addresses up, one a line in hexadecimal, with every inlined call, and
/// prints one line: the times to the open file, to the first answer and to the last, the look-ups a second when all was read before, and
/// the peak of the process's memory. <c>symbols FILE.pdb --make-addresses N</c> prints N addresses at random places of its procedures.
/// </summary>
internal static class TimedLookups
{
    private const int Seed = 1;

    public static int Run(string[] args) => args switch
    {
        [string pdb, "--make-addresses", string count] => MakeAddresses(pdb, int.Parse(count, CultureInfo.InvariantCulture)),
        [string pdb, string addresses] => Time(pdb, addresses, 5),
        [string pdb, string addresses, "--passes", string passes] => Time(pdb, addresses, int.Parse(passes, CultureInfo.InvariantCulture)),
        _ => Usage(),
    };

    private static int Usage()
    {
        Console.Error.WriteLine("symbols FILE.pdb ADDRESSES [--passes N], or symbols FILE.pdb --make-addresses N");
        return 2;
    }

    private static int Time(string path, string addresses, int passes)
    {
        uint[] rvas =
        [
            .. File.ReadLines(addresses).Select(line => uint.Parse(line.AsSpan(2), NumberStyles.HexNumber, CultureInfo.InvariantCulture)),
        ];
        var watch = Stopwatch.StartNew();
        using var file = new MappedFile(path);
        PdbFile pdb = Open(file);
        double open = watch.Elapsed.TotalMilliseconds;
        _ = pdb.TryFind(rvas[0], out _);
        double first = watch.Elapsed.TotalMilliseconds;
        (int found, long sum) = LookUp(pdb, rvas);
        double cold = watch.Elapsed.TotalMilliseconds;
        double best = double.MaxValue;
        for (int i = 0; i < passes; i++)
        {
            watch.Restart();
            LookUp(pdb, rvas);
            best = Math.Min(best, watch.Elapsed.TotalSeconds);
        }

        Console.WriteLine(string.Create(
            CultureInfo.InvariantCulture,
            $"open_ms={open:f2} first_ms={first:f2} all_ms={cold:f2} lookups={rvas.Length} found={found} "
            + $"per_second={(passes > 0 ? rvas.Length / best : 0):f0} sum={sum} managed_kb={GC.GetTotalMemory(true) / 1024} "
            + $"peak_kb={TimedReading.PeakKilobytes()}"));
        return 0;
    }

    private static (int Found, long Sum) LookUp(PdbFile pdb, uint[] rvas)
    {
        int found = 0;
        long sum = 0;
        foreach (uint rva in rvas)
        {
            if (pdb.TryFind(rva, out PdbSymbol symbol))
            {
                found++;
                sum += symbol.Function.Length + (symbol.Source?.Line ?? 0);
                foreach (PdbInlineFrame frame in symbol.Inlines)
                {
                    sum += frame.Function.Length + (frame.Source?.Line ?? 0);
                }
            }
        }

        return (found, sum);
    }

    private static int MakeAddresses(string path, int count)
    {
        using var file = new MappedFile(path);
        var random = new Random(Seed);
        PdbProcedure[] procedures = [.. Open(file).Procedures()];
        for (int i = 0; i < count; i++)
        {
            PdbProcedure procedure = procedures[random.Next(procedures.Length)];
            Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"0x{procedure.Rva + random.NextInt64(procedure.Length):x}"));
        }

        return 0;
    }

    private static PdbFile Open(MappedFile file) =>
        PdbFile.Open(file, out PdbFault? fault) ?? throw new InvalidDataException(fault?.Message);
}
