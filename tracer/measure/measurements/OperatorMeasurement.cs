using Tracer.Measure.Ground;
using Tracer.Measure.Processes;
using Tracer.Measure.Recording;

namespace Tracer.Measure.Measurements;

/// <summary>
/// <c>operator</c>: commands of an operator go to another process over the network stack and come back, one each period (Ramamritham and
/// others, section 4, Tables 2 to 4). The other end answers at real-time priority, as their server does; their sensors and video are
/// left to whatever else runs on the machine.
/// </summary>
/// <param name="bytes">Size of a command; at least 12.</param>
/// <param name="isShown">Whether each answer is shown on a screen before the command counts as done (section 4.4.3).</param>
public sealed class OperatorMeasurement(Duration period, int bytes, bool isShown = false) : IMeasurement
{
    private readonly TimeSeries _trips = new(
        "round trip", "from before a command is sent until its answer is there" + (isShown ? " and shown" : ""));
    private long _missed;
    private long _lost;

    public string Name => "operator";

    public void Run(MeasureStage stage)
    {
        ArgumentNullException.ThrowIfNull(stage);
        IMeasurePeer peer = stage.Machine.OpenPeer(new PeerWish(MeasurePriority.RealTime, null, stage.Request.Peer));
        byte[] command = new byte[bytes];
        // Text, where it is shown.
        Array.Fill(command, (byte)'x');
        byte[] answer = new byte[bytes];
        using IMeasureTerminal? screen = isShown ? stage.Machine.OpenTerminal() : null;
        stage.Run(new MeasureThread("operator", stage.Request.Priority, stage.Request.Cpu, () => Measure(
            stage, peer, screen, command, answer)));
    }

    public MeasureResult ToResult() => new(
        $"{Counted.Of(_trips.Count, "command")} of {bytes} bytes: {ReadableDuration.Of(new Duration(_trips.Mean))} there and back on "
        + $"average, {ReadableDuration.Of(new Duration(_trips.Maximum))} at most; {Counted.Of(_missed, "deadline")} of {period} missed.")
    {
        Figures =
        [
            new("mean", _trips.Mean / 1e6m, "ms", "of the round trips"),
            new("max", _trips.Maximum / 1e6m, "ms", "of the round trips"),
            new("variance", Math.Round((decimal)(_trips.Variance / 1e12), 6), "ms2", "of the round trips"),
            new("missed deadlines", _missed, "", "round trips longer than the period, and commands without an answer"),
            new("lost", _lost, "", "commands without an answer for a second"),
        ],
        Series = [_trips.ToReport()],
    };

    private void Measure(MeasureStage stage, IMeasurePeer peer, IMeasureTerminal? screen, byte[] command, byte[] answer)
    {
        IMeasureMachine machine = stage.Machine;
        long step = Math.Max(1, stage.Time.ToTicks(period.Nanoseconds));
        long begun = machine.Ticks;
        long end = begun + stage.Length;
        long due = begun;
        for (long number = 0; due < end && !stage.Stop.IsCancellationRequested; number++)
        {
            machine.SleepUntil(due);
            long before = machine.Ticks;
            PeerPacket.Ask(command, number, wantsStamps: false);
            peer.Send(command);
            if (PeerPacket.Await(peer, answer, number) < 0)
            {
                _lost++;
                _missed++;
            }
            else
            {
                screen?.Show(answer);
                long trip = machine.Ticks - before;
                if (trip < 0)
                {
                    stage.NoteBackward();
                }

                _trips.Record(stage.Time.ToNanoseconds(before - begun), stage.Time.ToNanoseconds(trip));
                _missed += trip > step ? 1 : 0;
            }

            due = Math.Max(due + step, machine.Ticks);
        }
    }
}
