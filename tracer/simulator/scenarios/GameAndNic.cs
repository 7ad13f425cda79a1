using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;

namespace Tracer.Simulator.Scenarios;

/// <summary>
/// A game computes at priority 16 for most of each frame, and programs of ordinary priority wait: that is what priorities are for. Whom
/// threads of real-time priority wait for is another matter.
/// </summary>
internal static class GameAndNic
{
    private const int GamePriority = 16;
    private const int OrdinaryPriority = 8;
    private const int ProbePriority = 26;
    private const long Microsecond = 1_000;
    private const long Millisecond = 1_000_000;

    /// <summary>A network miniport delays threads of priority 26.</summary>
    public static Scenario WithNic { get; } = new()
    {
        Name = "game-and-nic",
        Explanation = "A game at priority 16 keeps programs of priority 8 waiting; those of 26 wait for a NIC's DPCs of 1 to 3 ms.",
        Verdict = Verdict.Driver,
        Kind = CulpritKind.Driver,
        CulpritName = "<network miniport>",
        Mechanism = Mechanism.Dpc,
        Duration = Duration.FromSeconds(8),
        LeastShare = 0.5,
        ProbePriority = ProbePriority,
        Build = machine => Build(machine, hasLongDpcs: true),
    };

    /// <summary>Nobody delays them: all that there is to tell of is the game.</summary>
    public static Scenario Alone { get; } = WithNic with
    {
        Name = "game-alone",
        Explanation = "A game at priority 16 keeps programs of priority 8 waiting; nothing else waits.",
        Verdict = Verdict.Process,
        Kind = CulpritKind.Process,
        CulpritName = "<program>",
        Mechanism = Mechanism.Thread,
        Build = machine => Build(machine, hasLongDpcs: false),
    };

    private static ScenarioTruth Build(SimulatedMachine machine, bool hasLongDpcs)
    {
        InventoryProcess game = machine.Inventory.AddProcess(machine.Inventory.InventProgramName());
        InventoryProcess other = machine.Inventory.AddProcess(machine.Inventory.InventProgramName());
        CodeStretch frame = Code(game, "DrawFrame");
        CodeStretch work = Code(other, "Refresh");
        RandomSequence random = machine.Engine.Random("game");
        machine.AddThread(game, GamePriority, Game, affinity: SimulatedMachine.Only(0));
        machine.AddThread(other, OrdinaryPriority, Other, affinity: SimulatedMachine.Only(0));
        var nic = new InterruptingDevice(machine, DriverShape.NetworkMiniport, machine.UsualIsr, machine.UsualDpc);
        LongDpcs.AddBusy(machine, nic, 5 * Millisecond);
        if (!hasLongDpcs)
        {
            return new ScenarioTruth(game.Name, nic.Dpc.Owner.Name);
        }

        LongDpcs.Add(machine, nic, 400 * Millisecond, Spread.Uniform(Millisecond, 3 * Millisecond));
        return new ScenarioTruth(nic.Dpc.Owner.Name, machine.Inventory[ImageRole.NetworkFramework].FileName);

        CodeStretch Code(InventoryProcess process, string routine) =>
            SimulatedMachine.Stretch(null, SimulatedMachine.Several(8, () => machine.Stacks.UserCode(process, routine)));

        IEnumerable<Step> Game()
        {
            while (true)
            {
                yield return Step.Sleep(random.Between(4 * Millisecond, 8 * Millisecond));
                yield return Step.Run(frame, random.Between(5 * Millisecond, 11 * Millisecond));
            }
        }

        IEnumerable<Step> Other()
        {
            while (true)
            {
                yield return Step.Sleep(random.Between(8 * Millisecond, 20 * Millisecond));
                yield return Step.Run(work, random.Between(100 * Microsecond, 400 * Microsecond));
            }
        }
    }
}
