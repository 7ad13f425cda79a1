using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;
using Tracer.Simulator.Writing;

namespace Tracer.Simulator.Scenarios;

/// <summary>
/// ACPI.sys runs a firmware method in a DPC: its ISR is short, its first DPC too, and the second one interprets for milliseconds. Where
/// methods are recorded, the firmware is to blame.
/// </summary>
internal static class AcpiDpc
{
    private const ImageRole Role = ImageRole.Acpi;
    private const long Millisecond = 1_000_000;

    private static readonly string[] Methods =
        [@"\_GPE._L6E", @"\_SB.PCI0.LPCB.EC0._Q66", @"\_TZ.THRM._TMP", @"\_GPE._E0D", @"\_SB.PC00.LPCB.EC0.WMNV"];

    /// <summary>Without events of methods.</summary>
    public static Scenario Unrecorded { get; } = new()
    {
        Name = "acpi-dpc-aml",
        Explanation = "ACPI.sys interprets firmware code for 1 to 6 ms in a DPC that its ISR's DPC queues; methods are not recorded.",
        Verdict = Verdict.Driver,
        Kind = CulpritKind.Driver,
        CulpritName = "ACPI.sys",
        Mechanism = Mechanism.Dpc,
        Duration = Duration.FromSeconds(12),
        ShowsWithoutReadyThreads = true,
        Build = machine => Build(machine, hasMethods: false),
    };

    public static Scenario Recorded { get; } = Unrecorded with
    {
        Name = "acpi-dpc-method",
        Explanation = "The firmware runs a method for 1 to 6 ms in a DPC of ACPI.sys; methods are recorded.",
        Verdict = Verdict.Hardware,
        Kind = CulpritKind.Hardware,
        CulpritName = Contract.CulpritName.HardwareOrFirmware,
        MustBeModern = true,
        MoreKinds = RecordKinds.FirmwareMethods,
        Build = machine => Build(machine, hasMethods: true),
    };

    private static ScenarioTruth Build(SimulatedMachine machine, bool hasMethods)
    {
        CodeOwner driver = machine.OwnerOf(Role);
        CodeOwner owner = hasMethods
            ? new CodeOwner(CulpritKind.Hardware, Contract.CulpritName.HardwareOrFirmware, machine.Inventory[Role].FileName) : driver;
        StackBuilder stacks = machine.Stacks;
        CodeFrame[] frames = [stacks.At(Role, "ParseTerm"), stacks.At(Role, "RunContext"), stacks.At(Role, "RestartCtxtPassive")];
        CodeStretch own = Code(null, frames[^1..]);
        CodeStretch interpreted = Code(owner, frames);
        RandomSequence random = machine.Engine.Random("interpreted");
        Spread usual = machine.Innocent(Spread.Measured((0, 6.5), (0.1, 12.6), (0.5, 118), (0.9, 210), (1, 267)));
        string method = machine.Random.OneOf(Methods);
        bool isLong = false;
        var second = new Dpc(driver, InterruptingDevice.AddressOf(frames[^1]), Body)
        {
            RoutineName = InterruptingDevice.NameOf(frames[^1]),
        };
        var device = new InterruptingDevice(
            machine,
            DriverShape.Plain(Role),
            machine.Innocent(Spread.Measured((0, 8.9), (0.1, 10.7), (0.5, 15.9), (0.9, 23.8), (1, 41.5))),
            machine.Innocent(Spread.Measured((0, 8.9), (0.5, 12.6), (0.9, 17.7), (1, 59.7))),
            () => [Step.Queue(second)],
            cpus: [0]);
        machine.Engine.RaiseAgain("firmware events", device.Isr, Arrivals.Random(Spread.Exponential(50 * Millisecond)));
        long interval = Millisecond * machine.Random.Between(300, 700);
        machine.Engine.Repeat("long firmware events", Arrivals.Random(Spread.Uniform(interval / 2, interval * 3 / 2)), engine =>
        {
            isLong = true;
            engine.Raise(device.Isr);
        });
        return new ScenarioTruth(owner.Name, machine.Inventory[ImageRole.DisplayMiniport].FileName);

        CodeStretch Code(CodeOwner? codeOwner, CodeFrame[] of) => SimulatedMachine.Stretch(
            codeOwner, SimulatedMachine.Several(12, () => stacks.Dpc(of)), InterruptingDevice.NameOf(frames[^1]));

        IEnumerable<Step> Body()
        {
            long ns = isLong ? random.Between(Millisecond, 6 * Millisecond) : usual.Next(random);
            isLong = false;
            yield return Step.Run(own, random.Between(1_000, 3_000));
            yield return Step.FirmwareMethodBegins(method);
            yield return Step.Run(interpreted, ns);
            yield return Step.FirmwareMethodEnds(method);
            yield return Step.Run(own, random.Between(500, 2_000));
        }
    }
}
