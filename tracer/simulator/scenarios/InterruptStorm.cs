using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Platform;

namespace Tracer.Simulator.Scenarios;

/// <summary>
/// A device whose interrupt is asserted anew before its ISR has returned, a few hundred times: its CPU does nothing else meanwhile,
/// although each ISR is short.
/// </summary>
internal sealed class InterruptStorm
{
    private readonly string _name;
    private readonly SimulatedMachine _machine;
    private readonly RandomSequence _random;
    private long _left;

    public InterruptStorm(SimulatedMachine machine, DriverShape shape, int cpu, Spread isr)
    {
        _machine = machine;
        _name = $"storm of {shape.Role}";
        _random = machine.Engine.Random(_name);
        RandomSequence lengths = machine.Engine.Random(_name + " lengths");
        Device = new InterruptingDevice(machine, shape, machine.UsualIsr, machine.UsualDpc, cpus: [cpu], isrSteps: Steps);

        IEnumerable<Step> Steps(CodeStretch code)
        {
            bool isStorm = _left > 0;
            yield return Step.Run(code, (isStorm ? isr : machine.UsualIsr).Next(lengths));
            if (isStorm && --_left > 0)
            {
                yield return Step.Act(engine => engine.Raise(Device!.Isr));
            }
        }
    }

    public InterruptingDevice Device { get; }

    public void Begin(long count)
    {
        _left = count;
        _machine.Engine.Raise(Device.Isr);
    }

    /// <summary>Storms at random times.</summary>
    public void BeginAgain(long meanIntervalNs, long least, long most) => _machine.Engine.Repeat(
        _name, Arrivals.Random(Spread.Uniform(meanIntervalNs / 2, meanIntervalNs * 3 / 2)), _ => Begin(_random.Between(least, most)));
}
