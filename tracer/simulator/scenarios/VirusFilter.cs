using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;

namespace Tracer.Simulator.Scenarios;

/// <summary>
/// The virus scanner of Cota-Robles and Held (OSDI 1999, 4.3): a filter on the file system looks through what is opened, in the thread that
/// opens it and at raised IRQL.
/// </summary>
internal static class VirusFilter
{
    private static readonly string[] Openers = ["explorer.exe", "SearchIndexer.exe", "svchost.exe"];

    public static Scenario Scenario { get; } = new()
    {
        Name = "virus-filter",
        Explanation = "A virus scanner's file-system filter looks through opened files for up to 16 ms at raised IRQL.",
        Verdict = Verdict.Driver,
        Kind = CulpritKind.Driver,
        CulpritName = "<file filter>",
        Mechanism = Mechanism.RaisedIrql,
        Duration = Duration.FromSeconds(8),
        LeastCpus = 2,
        Build = Build,
    };

    private static ScenarioTruth Build(SimulatedMachine machine)
    {
        const ImageRole Role = ImageRole.FilterDriver;
        const ImageRole Framework = ImageRole.FilterFramework;
        StackBuilder stacks = machine.Stacks;
        CodeOwner owner = machine.OwnerOf(Role, Framework);
        SimulatedImage driver = machine.Inventory[Role];
        foreach (string name in Openers)
        {
            InventoryProcess process = machine.Inventory.Process(name);
            CodeStretch user = SimulatedMachine.Stretch(
                null, SimulatedMachine.Several(6, () => stacks.UserCode(process, "OpenFiles")));
            CodeStretch scan = SimulatedMachine.Stretch(
                owner,
                SimulatedMachine.Several(16, () => stacks.SystemCall(
                    process,
                    "NtCreateFile",
                    stacks.At(Role, "ScanBuffer"),
                    stacks.At(Role, "PostCreate"),
                    stacks.At(Framework, "FltpPerformPostCallbacks"),
                    stacks.At(Framework, "FltpLegacyProcessingAfterPreCallbacksCompleted"),
                    stacks.At(Framework, "FltpCreate"),
                    stacks.At("IofCallDriver"),
                    stacks.At("IopParseDevice"),
                    stacks.At("ObOpenObjectByName"))),
                driver.Describe(driver.Routine("ScanBuffer")));
            RandomSequence random = machine.Engine.Random("opening by " + name);
            Spread length = Spread.LogNormal(2_500_000, 0.6, 16_000_000);
            machine.AddThread(process, 9, Program);

            IEnumerable<Step> Program()
            {
                while (true)
                {
                    yield return Step.Sleep(random.Between(400_000_000, 1_600_000_000));
                    yield return Step.Run(user, random.Between(50_000, 300_000));
                    yield return Step.Run(scan, random.Between(20_000, 90_000));
                    yield return Step.RaiseIrql(Irql.Dispatch);
                    yield return Step.Run(scan, length.Next(random));
                    yield return Step.LowerIrql();
                    yield return Step.Run(user, random.Between(50_000, 300_000));
                }
            }
        }

        return new ScenarioTruth(owner.Name, machine.Inventory[Framework].FileName, machine.Inventory[ImageRole.FileSystem].FileName);
    }
}
