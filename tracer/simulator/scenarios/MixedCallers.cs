using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;

namespace Tracer.Simulator.Scenarios;

/// <summary>
/// Programs that keep all CPUs busy with calls into many parts of the kernel, so that whatever stops a CPU finds now this module, now
/// that one.
/// </summary>
internal static class MixedCallers
{
    private const int Priority = 6;
    private const long Microsecond = 1_000;

    public static void Add(SimulatedMachine machine)
    {
        StackBuilder stacks = machine.Stacks;
        InventoryProcess process = machine.Inventory.AddProcess(machine.Inventory.InventProgramName());
        CodeStretch[] codes =
        [
            Code("NtReadFile", stacks.At(ImageRole.FileSystem, "NtfsCommonRead"), stacks.At(ImageRole.FilterFramework, "FltpDispatch")),
            Code("NtQueryDirectoryFile", stacks.At(ImageRole.FileSystem, "NtfsQueryDirectory")),
            Code("NtUserMessageCall", stacks.At(ImageRole.WindowSystem, "xxxDefWindowProc")),
            Code("NtDeviceIoControlFile", stacks.At(ImageRole.NetworkStack, "TcpTcbSend"), stacks.At(ImageRole.Sockets, "AfdSend")),
            Code("NtAllocateVirtualMemory", stacks.At("MiAllocateVad")),
            Code("NtQueryValueKey", stacks.At("CmpFindValueByName")),
            User("Parse"),
            User("Search"),
        ];
        for (int cpu = 0; cpu < machine.Inventory.CpuCount; cpu++)
        {
            RandomSequence random = machine.Engine.Random($"mixed {cpu}");
            machine.AddThread(process, Priority, () => Program(random), affinity: SimulatedMachine.Only(cpu));
        }

        CodeStretch Code(string call, params CodeFrame[] frames) =>
            SimulatedMachine.Stretch(null, SimulatedMachine.Several(6, () => stacks.SystemCall(process, call, frames)));

        CodeStretch User(string routine) =>
            SimulatedMachine.Stretch(null, SimulatedMachine.Several(6, () => stacks.UserCode(process, routine)));

        IEnumerable<Step> Program(RandomSequence random)
        {
            while (true)
            {
                yield return Step.Run(random.OneOf(codes), random.Between(40 * Microsecond, 900 * Microsecond));
            }
        }
    }
}
