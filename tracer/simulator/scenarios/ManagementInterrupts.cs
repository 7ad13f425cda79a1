using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Platform;

namespace Tracer.Simulator.Scenarios;

/// <summary>System management interrupts: the firmware stops all CPUs, whatever they run, and Windows is not told.</summary>
internal static class ManagementInterrupts
{
    public static Scenario Scenario { get; } = new()
    {
        Name = "smi",
        Explanation = "The firmware stops all CPUs for 1 to 3 ms at whatever code they run (system management interrupts).",
        Verdict = Verdict.Hardware,
        Kind = CulpritKind.Hardware,
        CulpritName = Contract.CulpritName.HardwareOrFirmware,
        Mechanism = Mechanism.Blackout,
        Duration = Duration.FromSeconds(12),
        NeedsBusyCpus = true,
        ShowsWithoutReadyThreads = true,
        Build = Build,
    };

    private static ScenarioTruth Build(SimulatedMachine machine)
    {
        machine.Engine.StallAgain(
            "smi",
            CodeOwner.Hardware,
            Arrivals.Random(Spread.Uniform(150_000_000, 650_000_000)),
            Spread.Uniform(1_000_000, 3_000_000));
        return new ScenarioTruth(CodeOwner.Hardware.Name);
    }
}
