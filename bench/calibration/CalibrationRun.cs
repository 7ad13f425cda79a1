using System.IO.Compression;
using Tracer.Simulator.Background;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Scenarios;
using Tracer.Simulator.Writing;

namespace Tracer.Bench.Calibration;

/// <summary>Compares simulated machines with what is known of real ones. Writes docs/generated/calibration.md.</summary>
internal static class CalibrationRun
{
    private const string TraceName = "randomascii-slowppt.etl.gz";

    /// <summary>The real trace has 17 s, of which the first and the last two are the recorder's own work.</summary>
    private static readonly Duration Length = Duration.FromSeconds(17);

    /// <summary>Runs; <c>calibration [--corpus FOLDER] [--seed N] [-o FILE]</c>.</summary>
    /// <returns>0; 1 where the real trace is not there; 64 for wrong usage.</returns>
    public static int Run(string[] args)
    {
        string corpus = Environment.GetEnvironmentVariable("TRACER_CORPUS") ?? Path.Combine("..", "shared", "corpus");
        string? output = null;
        ulong seed = 1;
        for (int i = 0; i + 1 < args.Length; i += 2)
        {
            switch (args[i])
            {
                case "--corpus":
                    corpus = args[i + 1];
                    break;
                case "-o":
                    output = args[i + 1];
                    break;
                case "--seed" when ulong.TryParse(args[i + 1], out seed):
                    break;
                default:
                    return Usage(args[i]);
            }
        }

        if (args.Length % 2 != 0)
        {
            return Usage(args[^1]);
        }

        string path = Path.Combine(corpus, TraceName);
        if (!File.Exists(path))
        {
            Console.Error.WriteLine($"calibration: {path} is not there (--corpus FOLDER, or TRACER_CORPUS)");
            return 1;
        }

        string texts = Path.Combine(corpus, "win11");
        if (!Windows11Page.HasTexts(texts))
        {
            Console.Error.WriteLine($"calibration: the texts of xperf are not in {texts}");
            return 1;
        }

        string document = CalibrationDocument.Of(Real(path), Windows7(seed), [Desktop(seed), Guest(seed)], texts, seed);
        if (output is null)
        {
            Console.WriteLine(document);
        }
        else
        {
            File.WriteAllText(output, document);
        }

        return 0;
    }

    private static int Usage(string word)
    {
        Console.Error.WriteLine($"calibration: '{word}' is no option, or its value is wrong");
        return 64;
    }

    private static TraceFigures Real(string path)
    {
        using var unpacked = new MemoryStream();
        using (var packed = new GZipStream(File.OpenRead(path), CompressionMode.Decompress))
        {
            packed.CopyTo(unpacked);
        }

        unpacked.Position = 0;
        return TraceFigures.Of(unpacked);
    }

    /// <summary>
    /// The same machine, simulated: what is below every scenario, with a clock that nobody has made faster and nobody who measures.
    /// </summary>
    private static SimulatedFigures Windows7(ulong seed) => Simulate(
        new ScenarioRun(Clean() with { ChangeEngine = options => options with { ClockIntervalNs = 15_600_000 } }, seed)
        {
            Build = WindowsBuild.Windows7,
            Cpus = 8,
            Duration = Length,
            Load = BackgroundLoad.Idle,
        });

    /// <summary>The machine that LatencyMon reported most fully.</summary>
    private static SimulatedFigures Desktop(ulong seed) => Simulate(new ScenarioRun(Clean(), seed)
    {
        Build = WindowsBuild.All[^2],
        Profile = MachineProfile.Desktop,
        Cpus = 12,
        Duration = Duration.FromSeconds(20),
        Load = BackgroundLoad.Idle,
        Intensity = 1,
    });

    /// <summary>A guest with four processors and little to do.</summary>
    private static SimulatedFigures Guest(ulong seed) => Simulate(new ScenarioRun(Clean() with { HasHypervisor = true }, seed)
    {
        Build = WindowsBuild.All[5],
        Cpus = 4,
        Duration = Duration.FromSeconds(20),
        Load = BackgroundLoad.Idle,
        Intensity = 0.1,
    });

    private static Scenario Clean() => ScenarioCatalog.Find("clean")! with
    {
        ProbePeriodNs = 0,
        MostInnocentNs = long.MaxValue,
    };

    private static SimulatedFigures Simulate(ScenarioRun run)
    {
        using var trace = new MemoryStream();
        ScenarioRun recorded = run with
        {
            ChangeRecording = options => options with { Rundown = Rundowns.End, UsesStackKeys = false },
        };
        recorded.WriteTo(trace);
        trace.Position = 0;
        return new SimulatedFigures(TraceFigures.Of(trace), run.MakeInventory());
    }
}

/// <summary>The figures of a simulated machine, and what its modules are.</summary>
internal sealed record SimulatedFigures(TraceFigures Figures, MachineInventory Inventory);
