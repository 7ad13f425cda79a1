using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;

namespace Tracer.Simulator.Scenarios;

/// <summary>A program that calls into the plain driver now and then; what the driver does there is the scenario's.</summary>
internal static class DriverCallers
{
    /// <summary>What the driver does in a call, given its code and random numbers.</summary>
    public delegate IEnumerable<Step> Call(CodeStretch code, RandomSequence random);

    /// <param name="affinity">The CPUs that it may use, one bit each; 0 for all.</param>
    public static void Add(
        SimulatedMachine machine, string name, CodeOwner owner, long meanIntervalNs, Call call, UInt128 affinity = default)
    {
        StackBuilder stacks = machine.Stacks;
        InventoryProcess process = machine.Inventory.AddProcess(machine.Inventory.InventProgramName());
        SimulatedImage driver = machine.Inventory[ImageRole.PlainDriver];
        CodeStretch user = SimulatedMachine.Stretch(
            null, SimulatedMachine.Several(6, () => stacks.UserCode(process, "Refresh")));
        CodeStretch code = SimulatedMachine.Stretch(
            owner,
            SimulatedMachine.Several(16, () => stacks.SystemCall(
                process,
                "NtDeviceIoControlFile",
                stacks.At(ImageRole.PlainDriver, "ReadSensors"),
                stacks.At(ImageRole.PlainDriver, "DispatchDeviceControl"),
                stacks.At("IopXxxControlFile"))),
            driver.Describe(driver.Routine("ReadSensors")));
        RandomSequence random = machine.Engine.Random(name);
        Spread interval = Spread.Uniform(meanIntervalNs / 2, meanIntervalNs * 3 / 2);
        machine.AddThread(process, 9, Program, affinity: affinity);

        IEnumerable<Step> Program()
        {
            while (true)
            {
                yield return Step.Sleep(interval.Next(random));
                yield return Step.Run(user, random.Between(100_000, 600_000));
                foreach (Step step in call(code, random))
                {
                    yield return step;
                }

                yield return Step.Run(user, random.Between(50_000, 200_000));
            }
        }
    }
}
