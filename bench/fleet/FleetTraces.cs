using System.Text.Json;
using Tracer.Simulator.Draws;
using Tracer.Simulator.Scenarios;

namespace Tracer.Bench.Fleet;

/// <summary>
/// Simulates the traces of a planted fleet, damages some of them, and writes the truth beside them: <c>truth.jsonl</c>, a line for each
/// trace.
/// </summary>
internal static class FleetTraces
{
    /// <summary>Of ten recordings of a machine that suffers this many show it; the first and the fifth do not.</summary>
    private static readonly int[] WithoutCause = [0, 4];

    private const int Days = 28;
    private const int LastDays = 7;

    private static readonly DateTime First = new(2026, 10, 26, 6, 0, 0, DateTimeKind.Utc);

    /// <summary>Runs: <c>fleet-traces [--machines N] [--traces N] [--seed N] [--seconds N] [--damaged N] -o FOLDER</c>.</summary>
    public static int Run(string[] args)
    {
        (int machines, int traces, int seconds, int damaged, ulong seed, string? folder) = (200, 2000, 2, 40, 1, null);
        for (int i = 0; i < args.Length; i += 2)
        {
            string value = i + 1 < args.Length ? args[i + 1] : "";
            switch (args[i])
            {
                case "--machines" when int.TryParse(value, out machines) && machines > 0:
                case "--traces" when int.TryParse(value, out traces) && traces > 0:
                case "--seconds" when int.TryParse(value, out seconds) && seconds > 0:
                case "--damaged" when int.TryParse(value, out damaged) && damaged >= 0:
                case "--seed" when ulong.TryParse(value, out seed):
                    break;
                case "-o" when value.Length > 0:
                    folder = value;
                    break;
                default:
                    return Usage();
            }
        }

        if (folder is null || traces % machines != 0)
        {
            return Usage();
        }

        Write(new PlantedFleet(seed, machines), traces / machines, seconds, damaged, seed, folder);
        return 0;
    }

    private static int Usage()
    {
        Console.Error.WriteLine("fleet-traces [--machines N] [--traces N, a multiple] [--seed N] [--seconds N] [--damaged N] -o FOLDER");
        return 64;
    }

    private static void Write(PlantedFleet fleet, int each, int seconds, int damaged, ulong seed, string folder)
    {
        int all = fleet.Machines.Count * each;
        var random = new RandomSequence(seed, "damage");
        Dictionary<int, string> damages = Enumerable.Range(0, all).OrderBy(_ => random.NextBits()).Take(damaged)
            .Select((trace, number) => (trace, TraceDamage.Kinds[number % TraceDamage.Kinds.Count])).ToDictionary();
        string?[] lines = new string?[all];
        int done = 0;
        Parallel.For(0, all, new ParallelOptions { MaxDegreeOfParallelism = Environment.ProcessorCount }, index =>
        {
            PlantedMachine machine = fleet.Machines[index / each];
            int number = index % each;
            DateTime began = First.AddDays(Days * (number + 0.5) / each).AddMinutes(index / each);
            bool shows = machine.Cause is { } suffered && !WithoutCause.Contains(number % 10)
                && (!suffered.IsOfLastWeek || began >= First.AddDays(Days - LastDays));
            ScenarioRun run = machine.Recording(shows ? machine.Cause : null, number, seconds, began);
            string computer = run.MakeInventory().Hardware.ComputerName;
            string name = Path.Combine(computer, number.ToString("00", CultureInfo.InvariantCulture) + ".etl");
            string path = Path.Combine(folder, "traces", name);
            Directory.CreateDirectory(Path.GetDirectoryName(path)!);
            TruthReport truth;
            using (var file = new FileStream(path, FileMode.Create, FileAccess.ReadWrite, FileShare.Read, bufferSize: 0))
            {
                truth = run.WriteTo(file);
            }

            string? damage = damages.GetValueOrDefault(index);
            if (damage is not null)
            {
                TraceDamage.Do(damage, path, new RandomSequence(seed, $"damage {index}"));
            }

            lines[index] = JsonSerializer.Serialize(new
            {
                trace = name,
                computer,
                cause = shows && truth.Episodes.Count > 0 ? machine.Cause!.Name : null,
                machineCause = machine.Cause?.Name,
                episodes = truth.Episodes.Count,
                damage,
            });
            int count = Interlocked.Increment(ref done);
            if (count % 200 == 0)
            {
                Console.Error.WriteLine($"{count} of {all}");
            }
        });
        File.WriteAllLines(Path.Combine(folder, "truth.jsonl"), lines!);
    }
}
