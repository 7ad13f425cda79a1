using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;

namespace Tracer.Simulator.Scenarios;

/// <summary>
/// A machine that works and rests by turns. The culprit's long DPCs come while it works; while it rests another driver is the busiest by
/// far, with DPCs that stay below what anybody minds.
/// </summary>
internal static class PhaseCulprit
{
    private const long Microsecond = 1_000;
    private const long Millisecond = 1_000_000;

    public static Scenario Scenario { get; } = new()
    {
        Name = "phase-culprit",
        Explanation = "A driver's DPCs of 1 to 4 ms come in busy phases only; in quiet ones another's harmless DPCs add up to more.",
        Verdict = Verdict.Driver,
        Kind = CulpritKind.Driver,
        CulpritName = "<network miniport>",
        Mechanism = Mechanism.Dpc,
        Duration = Duration.FromSeconds(16),
        Build = Build,
    };

    private static ScenarioTruth Build(SimulatedMachine machine)
    {
        var guilty = new InterruptingDevice(machine, DriverShape.NetworkMiniport, machine.UsualIsr, machine.UsualDpc);
        Spread harmless = Spread.Mixed(
            0.04, Spread.Uniform(200 * Microsecond, 380 * Microsecond), Spread.LogNormal(50 * Microsecond, 0.4, 120 * Microsecond));
        var decoy = new InterruptingDevice(
            machine, DriverShape.FrameworkClient(ImageRole.FrameworkClient), machine.UsualIsr, harmless);
        InventoryProcess process = machine.Inventory.AddProcess(machine.Inventory.InventProgramName());
        CodeStretch code = SimulatedMachine.Stretch(
            null, SimulatedMachine.Several(12, () => machine.Stacks.DeepUserCode(process, "Compile", 24)));
        bool isBusy = false;
        RandomSequence phases = machine.Engine.Random("busy phases");
        ChangePhase(machine.Engine);
        RandomSequence random = machine.Engine.Random("work of phases");
        machine.Engine.Repeat("long in busy phases", Arrivals.Random(Spread.Uniform(80 * Millisecond, 400 * Millisecond)), engine =>
        {
            guilty.NextDpcNs = isBusy ? random.Between(Millisecond, 4 * Millisecond) : 0;
            engine.Raise(guilty.Isr);
        });
        machine.Engine.Repeat("harmless in quiet phases", Arrivals.Every(600 * Microsecond, jitterNs: 150 * Microsecond), engine =>
        {
            if (!isBusy)
            {
                engine.Raise(decoy.Isr);
            }
        });
        RandomSequence works = machine.Engine.Random("compiling");
        machine.AddThread(process, 7, Compile);
        return new ScenarioTruth(
            guilty.Dpc.Owner.Name,
            decoy.Dpc.Owner.Name,
            machine.Inventory[ImageRole.DriverFramework].FileName,
            machine.Inventory[ImageRole.NetworkFramework].FileName);

        void ChangePhase(Machine engine)
        {
            isBusy = !isBusy;
            engine.After(phases.Between(1_200 * Millisecond, 2_600 * Millisecond), ChangePhase);
        }

        IEnumerable<Step> Compile()
        {
            while (true)
            {
                if (isBusy)
                {
                    yield return Step.Run(code, works.Between(Millisecond, 12 * Millisecond));
                }

                yield return Step.Sleep(isBusy ? Millisecond : 50 * Millisecond);
            }
        }
    }
}
