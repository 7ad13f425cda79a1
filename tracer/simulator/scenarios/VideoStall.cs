using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;

namespace Tracer.Simulator.Scenarios;

/// <summary>
/// The video card of Jones and Regehr (HotOS 1999): while its driver moves a window the machine stops for 25 to 30 ms, since the card holds
/// the bus until it has room for another command.
/// </summary>
internal static class VideoStall
{
    public static Scenario Scenario { get; } = new()
    {
        Name = "video-stall",
        Explanation = "The whole machine stops for 25 to 30 ms while the display miniport writes to its full card.",
        Verdict = Verdict.Driver,
        Kind = CulpritKind.Driver,
        CulpritName = "<display miniport>",
        Mechanism = Mechanism.Blackout,
        Duration = Duration.FromSeconds(20),
        Cpus = 1,
        NeedsBusyCpus = true,
        Build = Build,
    };

    private static ScenarioTruth Build(SimulatedMachine machine)
    {
        const ImageRole Role = ImageRole.DisplayMiniport;
        StackBuilder stacks = machine.Stacks;
        CodeOwner owner = machine.OwnerOf(Role, ImageRole.GraphicsFramework);
        InventoryProcess process = machine.Inventory.Process("dwm.exe");
        SimulatedImage driver = machine.Inventory[Role];
        CodeStretch code = SimulatedMachine.Stretch(
            owner,
            SimulatedMachine.Several(16, () => stacks.SystemCall(
                process,
                "NtGdiDdDDIPresent",
                stacks.At(Role, "WriteCommand"),
                stacks.At(Role, "DdiPresent"),
                stacks.At(ImageRole.GraphicsFramework, "DxgkPresent"))),
            driver.Describe(driver.Routine("WriteCommand")));
        RandomSequence random = machine.Engine.Random("video stall");
        machine.AddThread(process, 13, Program);
        return new ScenarioTruth(owner.Name);

        IEnumerable<Step> Program()
        {
            while (true)
            {
                yield return Step.Sleep(random.Between(500_000_000, 1_500_000_000));
                yield return Step.Run(code, random.Between(300_000, 900_000));
                yield return Step.StallMachine(code, random.Between(25_000_000, 30_000_000));
                yield return Step.Run(code, random.Between(150_000, 500_000));
            }
        }
    }
}
