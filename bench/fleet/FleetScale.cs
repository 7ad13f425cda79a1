using System.Diagnostics;
using System.Text;
using Tracer.Commands.Tests.Fleet.Made;

namespace Tracer.Bench.Fleet;

/// <summary>
/// Measures <c>analyzer fleet</c> with its embedded store: time and memory of loading and of asking, by the number of cases. The cases are
/// invented: what the numbers depend on is how many there are, and of how many machines, drivers and buckets.
/// </summary>
internal static class FleetScale
{
    private const int Drivers = 180;
    private const int CasesOfMachine = 10;
    private const int Causes = 12;
    private const int PollMs = 10;

    private static readonly int[] Usual = [200, 2_000, 20_000];

    /// <summary>Runs: <c>fleet-scale [N...] [-o FILE]</c>.</summary>
    public static int Run(string[] args)
    {
        string? output = args is [.., "-o", var file] ? file : null;
        string[] numbers = output is null ? args : args[..^2];
        int[] counts = numbers.Length > 0 ? [.. numbers.Select(one => int.Parse(one, CultureInfo.InvariantCulture))] : Usual;
        string folder = Directory.CreateTempSubdirectory("tracer-fleet-scale-").FullName;
        try
        {
            var table = new StringBuilder();
            table.Append("| cases | machines | file | store | loading | a case | asking | memory |\n|---|---|---|---|---|---|---|---|\n");
            foreach (int count in counts)
            {
                string row = Measure(folder, count);
                Console.Error.WriteLine(row);
                table.Append(row).Append('\n');
            }

            Console.Write(table);
            if (output is not null)
            {
                File.WriteAllText(output, Document(table.ToString()));
            }

            return 0;
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    private static string Document(string table) => $"""
        # What the embedded store of `analyzer fleet` costs

        Written by `dotnet run -c Release --project bench -- fleet-scale -o bench/fleet-scale.md`, on {Environment.ProcessorCount}
        processors. Each case is invented: {CasesOfMachine} of each machine, {Drivers} drivers, two chains, two histograms. *Loading* is the
        whole run that makes the store, its report included; *asking* is a run that only reads it and reports causes, contrasts, what is
        new and latencies; both are CPU time. *Memory* is the larger peak of the two (VmHWM).

        {table}
        """.ReplaceLineEndings("\n");

    private static string Measure(string folder, int count)
    {
        string cases = Path.Combine(folder, $"{count}.jsonl");
        string store = Path.Combine(folder, $"{count}.db");
        using (FileStream file = File.Create(cases))
        {
            for (int i = 0; i < count; i++)
            {
                file.Write(MadeCase.Line(Case(i)));
            }
        }

        (double load, long loadKib) = Timed(cases, "--store", store);
        (double ask, long askKib) = Timed("--store", store, "--since", "7d");
        return string.Create(
            CultureInfo.InvariantCulture,
            $"| {count:N0} | {(count + CasesOfMachine - 1) / CasesOfMachine:N0} | {new FileInfo(cases).Length / 1e6:0.0} MB | "
            + $"{new FileInfo(store).Length / 1e6:0.0} MB | {load:0.0} s | {load * 1e6 / count:N0} us | {ask:0.0} s | "
            + $"{Math.Max(loadKib, askKib) / 1024:N0} MiB |");
    }

    private static (double Seconds, long Kib) Timed(params string[] arguments)
    {
        string analyzer = Path.GetFullPath(Path.Combine(AppContext.BaseDirectory, "..", "..", "analyzer", "release", "analyzer.dll"));
        var start = new ProcessStartInfo("dotnet", [analyzer, "fleet", .. arguments, "--format", "json"]) { RedirectStandardOutput = true };
        using Process process = Process.Start(start)!;
        Task<string> report = process.StandardOutput.ReadToEndAsync();
        (double Seconds, long Kib) used = default;
        while (!process.WaitForExit(PollMs))
        {
            used = Used(process) ?? used;
        }

        _ = ReportJson.Read<FleetReport>(Encoding.UTF8.GetBytes(report.Result));
        return used;
    }

    /// <summary>CPU time and peak of memory so far; null where the process has just ended.</summary>
    private static (double Seconds, long Kib)? Used(Process process)
    {
        try
        {
            string line = File.ReadLines($"/proc/{process.Id}/status").First(one => one.StartsWith("VmHWM:", StringComparison.Ordinal));
            return (
                process.TotalProcessorTime.TotalSeconds,
                long.Parse(line["VmHWM:".Length..].Replace("kB", "", StringComparison.Ordinal), CultureInfo.InvariantCulture));
        }
        catch (Exception failure) when (failure is IOException or InvalidOperationException)
        {
            return null;
        }
    }

    private static CaseReport Case(int number)
    {
        var random = new Random(number);
        int machine = number / CasesOfMachine;
        int cause = machine % 40;
        CaseChain[] chains = cause < Causes ? [Chain($"driver{cause}.sys", random), Chain("disk.sys", random)] : [];
        (string, string)[] drivers =
            [.. Enumerable.Range(0, Drivers).Select(one => ($"driver{one}.sys", $"{1 + ((machine >> (one % 4)) % 5)}.0"))];
        CaseReport one = MadeCase.Of(number, machine, number % CasesOfMachine * 2.8, drivers, chains);
        return one with
        {
            // Ids of traces are spread evenly.
            Id = Convert.ToHexStringLower(System.Security.Cryptography.SHA256.HashData(BitConverter.GetBytes(number)).AsSpan(0, 16)),
            System = one.System with { Model = $"Model {machine % 25}", Firmware = $"1.{machine % 30}" },
            Latencies =
            [
                new CaseLatency(LatencyKind.Thread, LatencySource.ReadyThread, 10_000, Duration.FromMicroseconds(1500), Histogram(random)),
                new CaseLatency(LatencyKind.Dpc, LatencySource.DpcQueue, 10_000, Duration.FromMicroseconds(1500), Histogram(random)),
            ],
        };
    }

    private static CaseChain Chain(string owner, Random random) => MadeCase.Chain(
        owner, Mechanism.Dpc, string.Create(CultureInfo.InvariantCulture, $"{owner}+0x{0x4000 + random.Next(300):x}"), 1 + random.Next(5));

    private static string Histogram(Random random)
    {
        var histogram = new HdrHistogram(HdrLayout.Latencies);
        for (int i = 0; i < 1000; i++)
        {
            histogram.Record((long)(20_000 * Math.Exp(1.2 * random.NextDouble() * random.NextDouble() * 4)), 10);
        }

        return HdrEncoding.Encode(histogram);
    }
}
