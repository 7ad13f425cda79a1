using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;
using Tracer.Simulator.Writing;

namespace Tracer.Simulator.Scenarios;

/// <summary>
/// A driver's timer callback that the kernel's own DPC routine calls, as those of ExAllocateTimer: the DPC record names the kernel, and
/// only stacks show whose callback ran.
/// </summary>
internal static class TimerCallbacks
{
    private const long Millisecond = 1_000_000;

    public static Scenario Sampled { get; } = new()
    {
        Name = "timer-callback",
        Explanation = "A driver's timer callback runs for 1 to 4 ms in a DPC routine of the kernel; stacks show whose callback.",
        Verdict = Verdict.Driver,
        Kind = CulpritKind.Driver,
        CulpritName = "<plain driver>",
        Mechanism = Mechanism.Dpc,
        Duration = Duration.FromSeconds(10),
        Build = machine => Build(machine, isShown: true),
    };

    /// <summary>Without samples all that is known is that the kernel called somebody.</summary>
    public static Scenario Unsampled { get; } = Sampled with
    {
        Name = "timer-callback-unseen",
        Explanation = "A timer callback runs for 1 to 4 ms in a DPC routine of the kernel; without samples nobody can say whose.",
        Verdict = Verdict.Kernel,
        Kind = CulpritKind.Kernel,
        CulpritName = "ntoskrnl.exe",
        Surest = Confidence.Possible,
        WithoutKinds = RecordKinds.Samples | RecordKinds.Wdf,
        Build = machine => Build(machine, isShown: false),
    };

    private static ScenarioTruth Build(SimulatedMachine machine, bool isShown)
    {
        StackBuilder stacks = machine.Stacks;
        CodeOwner owner = machine.OwnerOf(isShown ? ImageRole.PlainDriver : ImageRole.Kernel);
        CodeFrame routine = stacks.At("ExpTimerDpcRoutine");
        CodeStretch code = SimulatedMachine.Stretch(null, SimulatedMachine.Several(
            InterruptingDevice.Points, () => stacks.Dpc(stacks.At(ImageRole.PlainDriver, "PollTimerCallback"), routine)));
        RandomSequence random = machine.Engine.Random("timer callback");
        var dpc = new Dpc(owner, InterruptingDevice.AddressOf(routine), Steps) { RoutineName = InterruptingDevice.NameOf(routine) };
        long first = 300 * Millisecond;
        machine.Engine.AddTimer(
            "callback",
            (int)machine.Random.NextBelow(machine.Inventory.CpuCount),
            Arrivals.Random(Spread.Uniform(first, 2 * first)),
            dpc);
        return new ScenarioTruth(owner.Name);

        IEnumerable<Step> Steps()
        {
            yield return Step.Run(code, random.Between(Millisecond, 4 * Millisecond));
        }
    }
}
