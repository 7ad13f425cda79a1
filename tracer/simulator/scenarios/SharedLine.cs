using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;

namespace Tracer.Simulator.Scenarios;

/// <summary>
/// Two devices on one interrupt line: both ISRs run until one claims the interrupt, and only one of them is slow. By the seed it is the
/// one that claims, or the one that only looks whether its device was meant.
/// </summary>
internal static class SharedLine
{
    public static Scenario Scenario { get; } = new()
    {
        Name = "shared-line",
        Explanation = "Two drivers share an interrupt line; the ISR of one runs for 1 to 3 ms now and then, claimed or not.",
        Verdict = Verdict.Driver,
        Kind = CulpritKind.Driver,
        CulpritName = "<plain driver>",
        Mechanism = Mechanism.Isr,
        Duration = Duration.FromSeconds(12),
        Build = Build,
    };

    private static ScenarioTruth Build(SimulatedMachine machine)
    {
        const ImageRole Guilty = ImageRole.PlainDriver;
        const ImageRole Innocent = ImageRole.UsbController;
        machine.Inventory.ShareInterrupt(Innocent, Guilty);
        RandomSequence random = machine.Engine.Random("shared line");
        bool claims = machine.Random.Happens(0.5);
        bool isSlow = false;
        var innocent = new InterruptingDevice(
            machine, DriverShape.Usb(machine.Inventory), machine.UsualIsr, machine.UsualDpc,
            manner: new DeviceManner { NotMine = Look, IsConnectedLater = true });
        var guilty = new InterruptingDevice(
            machine, DriverShape.Plain(Guilty), machine.UsualIsr, machine.UsualDpc,
            isrSteps: Ask, manner: new DeviceManner { NotMine = Ask, IsConnectedLater = true });
        // Who is asked first sees every interrupt of the line.
        Isr[] chain = claims ? [innocent.Isr, guilty.Isr] : [guilty.Isr, innocent.Isr];
        machine.Engine.Connect(
            innocent.Vector, InterruptingDevice.IrqlOf(innocent.Vector), [.. Enumerable.Range(0, machine.Inventory.CpuCount)], chain);
        long interval = 1_000_000 * machine.Random.Between(350, 600);
        machine.Engine.Repeat("slow looks", Arrivals.Random(Spread.Uniform(interval / 2, interval * 3 / 2)), engine =>
        {
            isSlow = true;
            engine.Raise(claims ? guilty.Isr : innocent.Isr);
        });
        machine.Engine.RaiseAgain("own work", guilty.Isr, Arrivals.Random(Spread.Exponential(25_000_000)));
        return new ScenarioTruth(guilty.Isr.Owner.Name, innocent.Isr.Owner.Name);

        IEnumerable<Step> Ask(CodeStretch code)
        {
            long ns = isSlow ? random.Between(1_000_000, 3_000_000) : machine.UsualIsr.Next(random);
            isSlow = false;
            yield return Step.Run(code, ns);
        }

        IEnumerable<Step> Look(CodeStretch code)
        {
            yield return Step.Run(code, random.Between(1_000, 3_000));
        }
    }
}
