using Tracer.Measure.Ground;
using Tracer.Measure.Processes;
using Tracer.Measure.Recording;

namespace Tracer.Measure.Measurements;

/// <summary>
/// <c>io-interference</c>: what is left of a thread's input and output while a thread of the same real-time priority computes on its CPU
/// (Ramamritham and others, section 3.1, experiments 1 to 3): reading a keyboard, writing 64-bit values to a file, and reading from another
/// process over the network stack. Each runs alone first, then beside the computing thread.
/// </summary>
public sealed class InterferenceMeasurement : IMeasurement
{
    private const int Phases = 6;
    private const long KeyPause = 1_000_000;
    private const int MostShown = 2;

    private readonly Experiment[] _experiments =
    [
        new("keyboard", "reads a key"), new("disk", "writes 64 bits through to the disk"),
        new("network", "asks another process, and reads"),
    ];

    public string Name => "io-interference";

    public void Run(MeasureStage stage)
    {
        ArgumentNullException.ThrowIfNull(stage);
        long share = stage.Length / Phases;
        using (IMeasureTerminal terminal = stage.Machine.OpenTerminal())
        {
            bool isOver = false;
            var typist = new MeasureThread("typist", MeasurePriority.Normal, null, () =>
            {
                while (!Volatile.Read(ref isOver))
                {
                    stage.Machine.Sleep(KeyPause);
                    terminal.Press();
                }
            });
            Run(stage, _experiments[0], share, terminal.ReadKey, typist, isFinished => Volatile.Write(ref isOver, isFinished));
        }

        using (IMeasureFile file = stage.Machine.OpenFile())
        {
            long value = 0;
            Run(stage, _experiments[1], share, () => file.Write(value++));
        }

        IMeasurePeer peer = stage.Machine.OpenPeer(new PeerWish(MeasurePriority.RealTime, null, stage.Request.Peer));
        byte[] packet = new byte[PeerPacket.LeastBytes];
        byte[] answer = new byte[PeerPacket.StampedBytes];
        long number = 0;
        Run(stage, _experiments[2], share, () =>
        {
            PeerPacket.Ask(packet, ++number, wantsStamps: false);
            peer.Send(packet);
            _ = PeerPacket.Await(peer, answer, number);
        });
    }

    public MeasureResult ToResult() => new(
        "Beside a computing thread of the same priority on its CPU, of what a thread does alone there are left: "
        + string.Join(", ", _experiments.Select(static one => $"{one.Name} {Math.Round(one.Left, 1)} %")) + ".")
    {
        Tables =
        [
            new(
                "input and output",
                "how often in a second, alone and beside the computing thread; how often the two took turns, and the longest wait for one",
                [
                    new("alone", "1/s"), new("beside", "1/s"), new("left", "%"), new("turns", ""), new("longest alone", "ms"),
                    new("longest beside", "ms"),
                ],
                [
                    .. _experiments.Select(static one => new MeasureRow(
                        one.Name,
                        [
                            Math.Round(one.Alone.Rate, MostShown), Math.Round(one.Beside.Rate, MostShown), Math.Round(one.Left, MostShown),
                            one.Beside.Turns, one.Alone.Waits.Maximum / 1e6m, one.Beside.Waits.Maximum / 1e6m,
                        ])),
                ]),
        ],
        Series = [.. _experiments.SelectMany(static one => new[] { one.Alone.Waits.ToReport(), one.Beside.Waits.ToReport() })],
        Notes =
        [
            "Both threads take turns by the system's time slices where the system lets threads of one priority do so (SCHED_RR on Linux).",
        ],
    };

    private static void Run(
        MeasureStage stage, Experiment experiment, long length, Action once, MeasureThread? helper = null, Action<bool>? tellHelper = null)
    {
        int cpu = stage.Request.Cpu ?? stage.Machine.Cpus[^1];
        foreach (Phase phase in (Phase[])[experiment.Alone, experiment.Beside])
        {
            long computed = 0;
            long end = 0;
            tellHelper?.Invoke(false);
            List<MeasureThread> threads =
            [
                new("thread for input and output", stage.Request.Priority, cpu, () =>
                {
                    phase.Begin(stage, length);
                    Volatile.Write(ref end, phase.End);
                    phase.Measure(stage, once, ref computed);
                    tellHelper?.Invoke(true);
                })
                {
                    TakesTurns = true,
                },
            ];
            if (phase == experiment.Beside)
            {
                threads.Add(new("computing thread", stage.Request.Priority, cpu, () =>
                {
                    IMeasureMachine machine = stage.Machine;
                    // The other one has begun, or begins when this one's time slice is over.
                    while (Volatile.Read(ref end) is var until && (until == 0 || machine.Ticks < until)
                        && !stage.Stop.IsCancellationRequested)
                    {
                        Volatile.Write(ref computed, computed + 1);
                    }
                })
                {
                    TakesTurns = true,
                });
            }

            if (helper is not null)
            {
                threads.Add(helper);
            }

            stage.Run(threads);
        }
    }

    private sealed class Experiment(string name, string meaning)
    {
        public string Name => name;

        public Phase Alone { get; } = new($"{name} alone", meaning);

        public Phase Beside { get; } = new($"{name} beside", $"{meaning} beside a computing thread");

        /// <summary>Percent of the rate alone; 0 where there was none.</summary>
        public decimal Left => Alone.Rate == 0 ? 0 : 100 * Beside.Rate / Alone.Rate;
    }

    /// <summary>One experiment, alone or not.</summary>
    private sealed class Phase(string name, string meaning)
    {
        private long _begun;
        private long _nanoseconds;

        public TimeSeries Waits { get; } = new(name, $"from one to the next: the thread {meaning}");

        /// <summary>How often it was done, and the computing thread had computed since the last time.</summary>
        public long Turns { get; private set; }

        /// <summary>When it ends, in ticks.</summary>
        public long End { get; private set; }

        public long Done { get; private set; }

        /// <summary>How often in a second.</summary>
        public decimal Rate => _nanoseconds == 0 ? 0 : Done * 1e9m / _nanoseconds;

        public void Begin(MeasureStage stage, long length)
        {
            _begun = stage.Machine.Ticks;
            _nanoseconds = stage.Time.ToNanoseconds(length);
            End = _begun + length;
        }

        public void Measure(MeasureStage stage, Action once, ref long computed)
        {
            IMeasureMachine machine = stage.Machine;
            long last = _begun;
            long seen = Volatile.Read(ref computed);
            while (last < End && !stage.Stop.IsCancellationRequested)
            {
                once();
                long now = machine.Ticks;
                if (now < last)
                {
                    stage.NoteBackward();
                }

                Waits.Record(stage.Time.ToNanoseconds(now - _begun), stage.Time.ToNanoseconds(now - last));
                Done += now <= End ? 1 : 0;
                long all = Volatile.Read(ref computed);
                Turns += all != seen ? 1 : 0;
                seen = all;
                last = now;
            }
        }
    }
}
