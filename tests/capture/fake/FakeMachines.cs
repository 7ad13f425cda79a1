using System.Collections.Concurrent;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Scenarios;
using Tracer.Simulator.Writing;

namespace Tracer.Capture.Tests;

/// <summary>Simulated machines: a scenario each, on a 64-bit Windows 10 or later, with all that the recorder may ask for.</summary>
internal static class FakeMachines
{
    private const ulong FirstSeed = 1;

    private static readonly ConcurrentDictionary<(string, Duration), Lazy<MachineTrace>> Made = [];

    /// <summary>The machine of a scenario, made once; for tests that share it.</summary>
    public static MachineTrace Of(string scenario, Duration duration) => Made.GetOrAdd(
        (scenario, duration),
        key => new Lazy<MachineTrace>(() =>
        {
            using var trace = new MemoryStream();
            TruthReport truth = Simulate(scenario, duration, trace);
            trace.Position = 0;
            return MachineTrace.Read(trace, truth);
        })).Value;

    /// <summary>Simulates a scenario into the trace that a recorder with all switches on would write.</summary>
    public static TruthReport Simulate(string scenario, Duration? duration, Stream trace)
    {
        Scenario chosen = ScenarioCatalog.Find(scenario)! with { MustBeModern = true };
        var run = new ScenarioRun(chosen, SeedOf64Bits(chosen))
        {
            Duration = duration ?? chosen.Duration,
            ChangeRecording = recording => recording with
            {
                Kinds = RecordKinds.All & ~chosen.WithoutKinds,
                Stacks = StackedKinds.All,
                UsesStackKeys = false,
                Rundown = Rundowns.Both,
                IsMerged = true,
                Compress = false,
                RingBuffers = 0,
                BufferBytes = 64 * 1024,
                Losses = [],
            },
        };
        return run.WriteTo(trace);
    }

    /// <summary>Whether a Windows that our recorder knows can have the scenario: some are of older ones.</summary>
    public static bool CanBeCaptured(Scenario scenario) =>
        WindowsBuild.All.Any(build => build.IsModern && (scenario.Suits?.Invoke(build) ?? true));

    /// <summary>The first seed whose machine has 64 bits: ours are for such ones.</summary>
    private static ulong SeedOf64Bits(Scenario scenario)
    {
        ulong seed = FirstSeed;
        while (new MachineInventory(seed, new InventoryOptions { MustBeModern = true, HasHypervisor = scenario.HasHypervisor }).Build
            .PointerBytes != sizeof(ulong))
        {
            seed++;
        }

        return seed;
    }
}
