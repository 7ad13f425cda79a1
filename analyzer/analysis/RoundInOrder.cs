using Tracer.Analysis.Machine;

namespace Tracer.Analysis;

/// <summary>
/// Puts what the lanes handed over of a round in the order of time, and follows what needs no thread's past, on one thread, while another
/// takes <see cref="Records"/>.
/// </summary>
internal sealed class RoundInOrder(MachineState machine, MachineSettings settings)
{
    private readonly LaneOrder _order = new();
    private readonly EarlyPass _pass = new(machine, settings);
    private List<Lane> _round = [];
    private LaneReading?[] _lanes = [];

    /// <summary>What the thread pass is to take.</summary>
    public PassRecords Records { get; } = new();

    /// <inheritdoc cref="EarlyPass.AddHole"/>
    public void AddHole(long endTicks) => _pass.AddHole(endTicks);

    /// <summary>A round was handed over; neither thread is at work.</summary>
    /// <param name="round">The lanes with events in it, in the order of their CPUs.</param>
    /// <param name="lanes">The readings of the CPUs.</param>
    public void Begin(List<Lane> round, LaneReading?[] lanes)
    {
        (_round, _lanes) = (round, lanes);
        Records.Begin(round.Sum(static lane => lane.HandedOver.Count));
    }

    /// <summary>Puts it in order.</summary>
    public void PutInOrder()
    {
        bool isWhole = false;
        try
        {
            _order.Begin(_round);
            while (_order.Next(out LaneRecords records, out int number) is >= 0 and var cpu)
            {
                ref readonly LaneRecord record = ref records[number];
                if (record.Kind == LaneRecordKind.FrameworkDpc)
                {
                    _lanes[cpu]!.TakeQueuer(in record);
                }
                else if (_pass.Take(cpu, in record))
                {
                    Records.Add(cpu, number, in machine.Queues.StartsOf(cpu).Newest);
                }
                else if (record.Kind is not (LaneRecordKind.DpcQueued or LaneRecordKind.DpcTaken))
                {
                    Records.Add(cpu, number);
                }
            }

            isWhole = true;
        }
        finally
        {
            Records.End(isWhole);
        }
    }
}
