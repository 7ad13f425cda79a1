using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;

namespace Tracer.Simulator.Scenarios;

/// <summary>
/// The victims: a program with a thread of high priority on each CPU, woken by a timer of another CPU as an audio engine or a measuring
/// tool is. With one CPU, of that one.
/// </summary>
internal static class ProbeThreads
{
    private const int LeastPriority = 24;
    private const int MostPriority = 28;

    /// <summary>Adds the program and its threads to a machine.</summary>
    /// <param name="fixedPriority">Their priority; null for the seed's choice.</param>
    /// <param name="timerCpu">The CPU whose timers wake them; null where it is the next one for each.</param>
    public static void Add(
        SimulatedMachine machine, long periodNs, int? fixedPriority = null, int? timerCpu = null, int firstCpu = 0)
    {
        MachineInventory inventory = machine.Inventory;
        InventoryProcess process = inventory.AddProcess(inventory.InventProgramName());
        CodeStretch work = SimulatedMachine.Stretch(
            null, SimulatedMachine.Several(4, () => machine.Stacks.UserCode(process, "ProcessBuffer")));
        CodeStretch wait = SimulatedMachine.Stretch(null, [machine.Stacks.Waiting(process)]);
        Spread length = Spread.LogNormal(25_000, 0.3, 80_000);
        int priority = fixedPriority ?? (int)machine.Random.Between(LeastPriority, MostPriority);
        for (int cpu = firstCpu; cpu < inventory.CpuCount; cpu++)
        {
            string name = $"probe {cpu}";
            long first = periodNs + machine.Random.NextBelow(periodNs);
            KernelTimer timer = machine.Engine.AddTimer(
                name, timerCpu ?? ((cpu + 1) % inventory.CpuCount), Arrivals.Every(periodNs, first));
            RandomSequence random = machine.Engine.Random(name + " work");
            machine.AddThread(process, priority, Program, wait, SimulatedMachine.Only(cpu));

            IEnumerable<Step> Program()
            {
                while (true)
                {
                    yield return Step.Wait(timer.Expired, wait);
                    yield return Step.Run(work, length.Next(random));
                }
            }
        }
    }
}
