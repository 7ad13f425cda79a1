using Tracer.Analysis;
using Tracer.Analysis.Modules;
using Tracer.Analysis.Request;
using Tracer.Commands.Tests.Blame;
using Tracer.Simulator.Background;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Scenarios;

namespace Tracer.Bench.Calibration;

/// <summary>Windows 11 in docs/generated/calibration.md: genuine texts of <c>xperf -a dpcisr</c> beside simulated machines.</summary>
internal static class Windows11Page
{
    private const int Cpus = 16;

    private const double Alike = 1.5;

    private static readonly double[] Parts = [0.5, 0.9, 0.99, 0.999];

    private static readonly Duration Length = Duration.FromSeconds(30);

    private static readonly (string Text, MachineProfile Profile)[] Machines =
    [
        ("idle.dpcisr.txt", MachineProfile.Idle), ("baseline.dpcisr.txt", MachineProfile.HyperV), ("game.dpcisr.txt", MachineProfile.Game),
    ];

    private static readonly (string Class, string Module)[] Classes =
    [
        ("graphics", "dxgkrnl.sys"), ("display driver", "nvlddmkm.sys"), ("USB", "USBXHCI.SYS"), ("network", "ndis.sys"),
        ("storage", "storport.sys"), ("audio bus", "HDAudBus.sys"), ("kernel", "ntoskrnl.exe"), ("hypervisor", "winhvr.sys"),
        ("bus to guests", "vmbusr.sys"), ("network stack", "tcpip.sys"), ("graphics scheduler", "dxgmms2.sys"),
        ("random numbers", "symcryptk.dll"), ("keyboard", "kbdhid.sys"), ("disk class", "CLASSPNP.SYS"),
    ];

    /// <summary>Whether the genuine texts are there.</summary>
    public static bool HasTexts(string folder) => Machines.All(machine => File.Exists(Path.Combine(folder, machine.Text)));

    /// <param name="folder">Where the genuine texts are.</param>
    public static void Write(string folder, ulong seed, Action<string> line)
    {
        line("## Windows 11: genuine texts of xperf");
        line("");
        line("Real: `xperf -a dpcisr` of Windows 11 26200 with 16 CPUs: idle (121 s), as the root of Hyper-V (126 s), in a game (302 s). "
            + "Simulated: `clean`");
        line("with `--machine idle`, `hyperv` and `game` on 16 CPUs for 30 s. Both are counted as xperf counts; lengths are "
            + "microseconds, read off the same");
        line("histograms of powers of two, evenly in the logarithm within a bucket. A quantile is left out where fewer than "
            + $"{UsageQuantiles.RunsBeyond} runs lie beyond it.");
        line("*CPUs apart* is the part of the time that would have to move to another CPU for both to have it on the same.");
        int alike = 0;
        List<string> others = [];
        foreach ((string text, MachineProfile profile) in Machines)
        {
            LevelUsage real = DpcIsrText.Read(File.ReadAllText(Path.Combine(folder, text)));
            (LevelUsage simulated, MachineInventory inventory) = Simulate(profile, seed);
            line("");
            line($"### {profile}");
            line("");
            line("| | a second, real | simulated | p50 / p90 / p99 / p99.9, real | simulated | CPUs apart |");
            line("|---|---|---|---|---|---|");
            foreach ((string kind, IReadOnlyList<ModuleUsage> ofReal, IReadOnlyList<ModuleUsage> ofSimulated) in
                new[] { ("DPC", real.Dpcs, simulated.Dpcs), ("ISR", real.Isrs, simulated.Isrs) })
            {
                foreach ((string name, string module) in Classes)
                {
                    string other = module == "nvlddmkm.sys" ? inventory[ImageRole.DisplayMiniport].FileName : module;
                    ModuleUsage? one = ofReal.FirstOrDefault(usage => Is(usage, module));
                    ModuleUsage? its = ofSimulated.FirstOrDefault(usage => Is(usage, other));
                    if (one is not null && its is not null)
                    {
                        line($"| {kind}, {name} ({module}) | {Rate(one, real)} | {Rate(its, simulated)} | {Lengths(one)} | {Lengths(its)} "
                            + $"| {Apart(one, its):0} % |");
                        Compare($"{profile}: {kind}, {name}", one, its);
                    }
                }
            }
        }

        line("");
        line($"Of {alike + others.Count} quantiles that both have, {alike} are within a factor of {Alike}"
            + (others.Count == 0 ? "." : "; not: " + string.Join(", ", others) + "."));
        line("");

        void Compare(string name, ModuleUsage one, ModuleUsage other)
        {
            foreach (double part in Parts)
            {
                if (UsageQuantiles.At(one, part) is { } real && UsageQuantiles.At(other, part) is { } simulated)
                {
                    bool isAlike = Math.Max(real, simulated) / Math.Min(real, simulated) <= Alike;
                    alike += isAlike ? 1 : 0;
                    others.AddRange(isAlike ? [] : [$"{name} p{100 * part:0.#}"]);
                }
            }
        }
    }

    private static bool Is(ModuleUsage usage, string module) => module.Equals(usage.Name, StringComparison.OrdinalIgnoreCase);

    private static (LevelUsage Usage, MachineInventory Inventory) Simulate(MachineProfile profile, ulong seed)
    {
        Scenario clean = ScenarioCatalog.Find("clean")! with { ProbePeriodNs = 0, MostInnocentNs = long.MaxValue };
        var run = new ScenarioRun(clean, seed) { Profile = profile, Cpus = Cpus, Duration = Length, Load = BackgroundLoad.Idle };
        using var trace = new MemoryStream();
        run.WriteTo(trace);
        trace.Position = 0;
        using var reader = EtlReader.Open(trace, "trace");
        var request = new BlameRequest { WithUsage = true, WithTables = false };
        return (BlameAnalysis.Analyze("trace", reader, request).Usage!, run.MakeInventory());
    }

    private static string Rate(ModuleUsage usage, LevelUsage all) => Quantiles.Number(usage.Histogram.Sum() / (all.Span.Nanoseconds / 1e9));

    private static string Lengths(ModuleUsage usage) =>
        string.Join(" / ", Parts.Select(part => UsageQuantiles.At(usage, part) is { } length ? Quantiles.Number(length) : "-"));

    /// <summary>In percent.</summary>
    private static double Apart(ModuleUsage one, ModuleUsage other)
    {
        double all = Math.Max(1, one.Times.Sum(time => time.Nanoseconds));
        double allOther = Math.Max(1, other.Times.Sum(time => time.Nanoseconds));
        return 50 * one.Times.Zip(other.Times).Sum(pair => Math.Abs((pair.First.Nanoseconds / all) - (pair.Second.Nanoseconds / allOther)));
    }
}
