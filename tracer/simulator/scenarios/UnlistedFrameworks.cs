using Tracer.Simulator.Draws;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;

namespace Tracer.Simulator.Scenarios;

/// <summary>
/// Class extensions that no table lists, as vendors and newer releases of Windows have them: the records name the extension, stacks show
/// the client that it calls. Beside it drivers that call others and are guilty themselves.
/// </summary>
internal static class UnlistedFrameworks
{
    private const ImageRole Extension = ImageRole.VendorOther;
    private const long Millisecond = 1_000_000;

    /// <summary>An extension with two clients, one of them guilty.</summary>
    public static Scenario Client { get; } = new()
    {
        Name = "unlisted-framework",
        Explanation = "A class extension that nobody lists calls two drivers; one of them runs for 2 to 5 ms in the extension's DPC.",
        Verdict = Verdict.Driver,
        Kind = CulpritKind.Driver,
        CulpritName = "<driver behind an extension>",
        Mechanism = Mechanism.Dpc,
        Duration = Duration.FromSeconds(12),
        Build = BuildClient,
    };

    /// <summary>A network miniport that calls frameworks and is guilty itself.</summary>
    public static Scenario Caller { get; } = Client with
    {
        Name = "framework-caller",
        Explanation = "A network miniport whose DPC calls ndis.sys, Wdf01000.sys and tcpip.sys, half of its 2 to 5 ms, is guilty itself.",
        CulpritName = "<network miniport>",
        Build = machine => BuildCaller(machine, DriverShape.NetworkMiniport with
        {
            Calls =
            [
                (ImageRole.NetworkFramework, "NdisMIndicateReceiveNetBufferLists"), (ImageRole.DriverFramework, "imp_WdfTimerStart"),
                (ImageRole.NetworkStack, "TcpipReceive"),
            ],
            CalledPoints = InterruptingDevice.Points / 2,
        }),
    };

    /// <summary>A driver that calls two others, as an extension does, but for a third of its time only.</summary>
    public static Scenario CallerOfDrivers { get; } = Client with
    {
        Name = "driver-caller",
        Explanation = "A driver calls two other vendors' drivers for a third of its DPCs of 2 to 5 ms; the rest is its own code.",
        CulpritName = "<driver that calls others>",
        Build = machine => BuildCaller(machine, DriverShape.Plain(Extension) with
        {
            Calls = [(ImageRole.FrameworkClient, "ReadRegister"), (ImageRole.OtherFrameworkClient, "QueryState")],
            CalledPoints = InterruptingDevice.Points / 3,
        }),
    };

    private static DriverShape Behind(ImageRole client) => new(
        client,
        [Extension],
        [(client, "EvtPinInterrupt"), (Extension, "PortInterruptService")],
        [(client, "EvtPinWork"), (Extension, "PortProcessQueue"), (Extension, "PortDpcForIsr")]);

    private static ScenarioTruth BuildClient(SimulatedMachine machine)
    {
        var guilty = new InterruptingDevice(machine, Behind(ImageRole.FrameworkClient), machine.UsualIsr, machine.UsualDpc);
        var innocent = new InterruptingDevice(machine, Behind(ImageRole.OtherFrameworkClient), machine.UsualIsr, machine.UsualDpc);
        LongDpcs.Add(machine, guilty, 500 * Millisecond, Spread.Uniform(2 * Millisecond, 5 * Millisecond));
        LongDpcs.AddBusy(machine, innocent, 3 * Millisecond);
        return new ScenarioTruth(guilty.Dpc.Owner.Name, innocent.Dpc.Owner.Name, machine.Inventory[Extension].FileName);
    }

    private static ScenarioTruth BuildCaller(SimulatedMachine machine, DriverShape shape)
    {
        var guilty = new InterruptingDevice(machine, shape, machine.UsualIsr, machine.UsualDpc);
        LongDpcs.Add(machine, guilty, 500 * Millisecond, Spread.Uniform(2 * Millisecond, 5 * Millisecond));
        return new ScenarioTruth(
            guilty.Dpc.Owner.Name,
            [.. shape.Calls.Concat(shape.DpcFrames).Select(frame => frame.Role).Where(role => role != shape.Role).Distinct()
                .Select(role => machine.Inventory[role].FileName)]);
    }
}
