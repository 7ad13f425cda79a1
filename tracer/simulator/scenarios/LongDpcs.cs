using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Platform;

namespace Tracer.Simulator.Scenarios;

/// <summary>Makes the DPC of a device run long now and then.</summary>
internal static class LongDpcs
{
    /// <summary>Makes it do so at random times.</summary>
    public static void Add(SimulatedMachine machine, InterruptingDevice device, long meanIntervalNs, Spread length)
    {
        string name = $"long {device.Dpc.RoutineName} of {device.Dpc.Owner.Name}";
        RandomSequence random = machine.Engine.Random(name + " length");
        // Never two in a row: half of the time between them is fixed.
        Spread interval = Spread.Uniform(meanIntervalNs / 2, meanIntervalNs * 3 / 2);
        machine.Engine.Repeat(name, Arrivals.Random(interval), engine =>
        {
            device.NextDpcNs = length.Next(random);
            engine.Raise(device.Isr);
        });
    }

    /// <summary>Makes an innocent device busier than all others: many short DPCs.</summary>
    public static void AddBusy(SimulatedMachine machine, InterruptingDevice device, long meanIntervalNs) =>
        machine.Engine.RaiseAgain($"busy {device.Isr.Routine}", device.Isr, Arrivals.Random(Spread.Exponential(meanIntervalNs)));
}
