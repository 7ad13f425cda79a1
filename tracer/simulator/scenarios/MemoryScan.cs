using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;

namespace Tracer.Simulator.Scenarios;

/// <summary>
/// The sound scheme of Cota-Robles and Held (OSDI 1999, 4.4): with each sound the audio driver asks the kernel for contiguous memory, and
/// the kernel searches for it at raised IRQL in the caller's thread. No thread runs on that CPU meanwhile, whatever its priority.
/// </summary>
internal static class MemoryScan
{
    public static Scenario Scenario { get; } = new()
    {
        Name = "memory-scan",
        Explanation = "An audio driver lets the kernel scan memory at raised IRQL for 2 to 8 ms with each sound that is played.",
        Verdict = Verdict.Driver,
        Kind = CulpritKind.Driver,
        CulpritName = "<audio driver>",
        Mechanism = Mechanism.RaisedIrql,
        Duration = Duration.FromSeconds(8),
        LeastCpus = 2,
        Build = Build,
    };

    private static ScenarioTruth Build(SimulatedMachine machine)
    {
        const ImageRole Role = ImageRole.AudioMiniport;
        StackBuilder stacks = machine.Stacks;
        CodeOwner owner = machine.OwnerOf(Role, ImageRole.AudioFramework);
        SimulatedImage driver = machine.Inventory[Role];
        // The sound is set up by a thread of the system or by the one that plays it.
        InventoryProcess process = machine.Random.Happens(0.5)
            ? machine.Inventory.SystemProcess : machine.Inventory.Process("explorer.exe");
        CodeStretch own = Code(stacks.At(Role, "ProcessTopologyConnection"));
        CodeStretch scan = SimulatedMachine.Stretch(
            owner,
            ((string[])["MiFindContiguousPages", "MiFindContiguousPages", "MmCalculateFrameBadness", "ExAllocatePoolWithTag"])
                .SelectMany(leaf => SimulatedMachine.Several(4, () => Called(
                    stacks.At(leaf), stacks.At("MiAllocateContiguousMemory"), stacks.At("MmAllocateContiguousMemorySpecifyCache"),
                    stacks.At(Role, "AllocateFrames"), stacks.At(Role, "ProcessTopologyConnection")))),
            driver.Describe(driver.Routine("AllocateFrames")));
        RandomSequence random = machine.Engine.Random("sounds");
        machine.AddThread(process, process == machine.Inventory.SystemProcess ? 12 : 9, Program);
        return new ScenarioTruth(owner.Name, machine.Inventory[ImageRole.AudioFramework].FileName);

        CodeStretch Code(CodeFrame leaf) => SimulatedMachine.Stretch(
            owner, SimulatedMachine.Several(6, () => Called(leaf)), driver.Describe(driver.Routine(leaf.Routine)));

        ulong[] Called(params ReadOnlySpan<CodeFrame> innermostFirst)
        {
            CodeFrame[] below = [.. innermostFirst, stacks.At(ImageRole.AudioFramework, "PcDispatchProperty")];
            return process == machine.Inventory.SystemProcess
                ? stacks.WorkItem(below)
                : stacks.SystemCall(process, "NtDeviceIoControlFile", [.. below, stacks.At("IopXxxControlFile")]);
        }

        IEnumerable<Step> Program()
        {
            while (true)
            {
                yield return Step.Sleep(random.Between(200_000_000, 900_000_000));
                yield return Step.Run(own, random.Between(40_000, 200_000));
                yield return Step.RaiseIrql(Irql.Dispatch);
                yield return Step.Run(scan, random.Between(2_000_000, 8_000_000));
                yield return Step.LowerIrql();
                yield return Step.Run(own, random.Between(20_000, 100_000));
            }
        }
    }
}
