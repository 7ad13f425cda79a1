using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;

namespace Tracer.Simulator.Scenarios;

/// <summary>
/// Ramamritham and others (RTAS 1998, 3.1): while a program computes in a thread of the real-time class, keys and mouse moves are not
/// processed, since the threads that do it have priorities below 16. The interrupts are served all the while.
/// </summary>
internal static class InputStarvation
{
    private const int HogPriority = 20;
    private const int RawInputPriority = 15;
    private const int WindowPriority = 10;

    public static Scenario Scenario { get; } = new()
    {
        Name = "input-starvation",
        Explanation = "A program computes for 30 to 150 ms at real-time priority 20: the threads that take keys get no CPU.",
        Verdict = Verdict.Process,
        Kind = CulpritKind.Process,
        CulpritName = "<program>",
        Mechanism = Mechanism.Thread,
        Duration = Duration.FromSeconds(8),
        Cpus = 1,
        LeastShare = 0.75, // When it has stopped, those that starved run one after the other.
        Build = Build,
    };

    private static ScenarioTruth Build(SimulatedMachine machine)
    {
        StackBuilder stacks = machine.Stacks;
        InventoryProcess console = machine.Inventory.Process("csrss.exe");
        InventoryProcess shell = machine.Inventory.Process("explorer.exe");
        InventoryProcess program = machine.Inventory.AddProcess(machine.Inventory.InventProgramName());
        CodeStretch raw = Code(() => stacks.SystemCall(
            console, "NtUserCallNoParam", stacks.At(ImageRole.WindowSystem, "RawInputThread")));
        CodeStretch window = Code(() => stacks.UserCode(shell, "DispatchMessage"));
        CodeStretch hog = Code(() => stacks.UserCode(program, "Control"));
        var typed = new KernelEvent(isCounter: true);
        var posted = new KernelEvent(isCounter: true);
        RandomSequence random = machine.Engine.Random("input");
        var keyboard = new InterruptingDevice(
            machine, DriverShape.Plain(ImageRole.KeyboardPort), machine.UsualIsr, machine.UsualDpc, () => [Step.Signal(typed, 2)]);
        machine.Engine.RaiseAgain("keys", keyboard.Isr, Arrivals.Random(Spread.Exponential(12_000_000)));
        machine.AddThread(console, RawInputPriority, () => Pass(typed, raw, posted));
        machine.AddThread(shell, WindowPriority, () => Pass(posted, window, null));
        RandomSequence lengths = machine.Engine.Random("real-time program");
        for (int cpu = 0; cpu < machine.Inventory.CpuCount; cpu++)
        {
            machine.AddThread(program, HogPriority, Compute, affinity: SimulatedMachine.Only(cpu));
        }

        return new ScenarioTruth(program.Name, machine.Inventory[ImageRole.KeyboardPort].FileName);

        static CodeStretch Code(Func<ulong[]> make) => SimulatedMachine.Stretch(null, SimulatedMachine.Several(10, make));

        IEnumerable<Step> Pass(KernelEvent taken, CodeStretch code, KernelEvent? given)
        {
            while (true)
            {
                yield return Step.Wait(taken);
                yield return Step.Run(code, random.Between(20_000, 150_000));
                if (given is not null)
                {
                    yield return Step.Signal(given);
                }
            }
        }

        IEnumerable<Step> Compute()
        {
            while (true)
            {
                yield return Step.Sleep(lengths.Between(300_000_000, 900_000_000));
                yield return Step.Run(hog, lengths.Between(30_000_000, 150_000_000));
            }
        }
    }
}
