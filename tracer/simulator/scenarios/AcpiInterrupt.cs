using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;
using Tracer.Simulator.Writing;

namespace Tracer.Simulator.Scenarios;

/// <summary>
/// ACPI.sys runs a firmware method in its ISR for 13.6 ms about every 36 s on CPU 0. With the events of Microsoft-Windows-Kernel-Acpi the
/// method has a name, and the firmware is to blame.
/// </summary>
internal static class AcpiInterrupt
{
    private const long PeriodNs = 36_000_000_000;
    private const long JitterNs = 200_000_000;
    private const long LeastNs = 13_400_000;
    private const long MostNs = 13_800_000;

    private static readonly string[] Methods =
        [@"\_GPE._L17", @"\_SB.PCI0.LPCB.EC0._Q1D", @"\_SB.PCI0.LPCB.EC0._Q34", @"\_GPE._E02", @"\_SB.PC00.LPCB.H_EC._Q50"];

    /// <summary>The scenario without events of methods.</summary>
    public static Scenario Isr { get; } = new()
    {
        Name = "acpi-isr",
        Explanation = "ACPI.sys runs firmware code for 13.6 ms in its ISR on CPU 0 about every 36 s; its methods are not recorded.",
        Verdict = Verdict.Driver,
        Kind = CulpritKind.Driver,
        CulpritName = "ACPI.sys",
        Mechanism = Mechanism.Isr,
        Duration = Duration.FromSeconds(300),
        SampleIntervalNs = 4_000_000,
        ProbePeriodNs = 10_000_000,
        Build = machine => Build(machine, hasMethods: false),
    };

    public static Scenario Method { get; } = Isr with
    {
        Name = "acpi-method",
        Explanation = "The firmware runs a method for 13.6 ms in the ISR of ACPI.sys on CPU 0 about every 36 s; methods are recorded.",
        Verdict = Verdict.Hardware,
        Kind = CulpritKind.Hardware,
        CulpritName = Contract.CulpritName.HardwareOrFirmware,
        MustBeModern = true,
        MoreKinds = RecordKinds.FirmwareMethods,
        Build = machine => Build(machine, hasMethods: true),
    };

    private static ScenarioTruth Build(SimulatedMachine machine, bool hasMethods)
    {
        const ImageRole Role = ImageRole.Acpi;
        CodeOwner owner = hasMethods
            ? new CodeOwner(CulpritKind.Hardware, Contract.CulpritName.HardwareOrFirmware, machine.Inventory[Role].FileName)
            : machine.OwnerOf(Role);
        var shape = new DriverShape(
            Role,
            [],
            [
                (Role, "InterpretAml"), (Role, "ACPIGpeRunMethod"), (Role, "ACPIInterruptServiceRoutine"),
            ],
            [(Role, "ACPIInterruptServiceRoutineDPC")]);
        RandomSequence random = machine.Engine.Random("firmware");
        string method = machine.Random.OneOf(Methods);
        // The method belongs to the firmware where it is recorded, and to ACPI.sys where nobody can tell.
        StackBuilder stacks = machine.Stacks;
        CodeFrame[] frames = [.. shape.IsrFrames.Select(frame => stacks.At(frame.Role, frame.Routine))];
        CodeStretch firmware = SimulatedMachine.Stretch(
            owner,
            SimulatedMachine.Several(16, () => stacks.Isr(frames)),
            InterruptingDevice.NameOf(frames[^1]));
        var device = new InterruptingDevice(machine, shape, machine.UsualIsr, machine.UsualDpc, cpus: [0], isrSteps: Steps);
        long first = 1_500_000_000 + machine.Random.NextBelow(1_000_000_000);
        Arrivals arrivals = Arrivals.Every(PeriodNs, first, JitterNs);
        machine.Engine.RaiseAgain("general purpose event", device.Isr, arrivals);
        owner.Beat = arrivals;
        return new ScenarioTruth(owner.Name, machine.Inventory[ImageRole.DisplayMiniport].FileName);

        IEnumerable<Step> Steps(CodeStretch code)
        {
            yield return Step.Run(code, random.Between(2_000, 5_000));
            yield return Step.FirmwareMethodBegins(method);
            yield return Step.Run(firmware, random.Between(LeastNs, MostNs));
            yield return Step.FirmwareMethodEnds(method);
            yield return Step.Run(code, random.Between(1_000, 3_000));
        }
    }
}
