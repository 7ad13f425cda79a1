using Tracer.Measure.Ground;

namespace Tracer.Measure.Measurements;

/// <summary>
/// <c>clock</c>: what each clock of the system can tell apart and what reading it costs (Bernadat, section 5.1, Tables 1 and 2). Clocks are
/// read in batches, in turn, so that what disturbs one time disturbs all of them.
/// </summary>
public sealed class ClockMeasurement : IMeasurement
{
    private const int ReadsPerBatch = 1_000;
    private const int Decimals = 2;

    private readonly List<Tally> _tallies = [];
    private double _loop = double.MaxValue;

    public string Name => "clock";

    public void Run(MeasureStage stage)
    {
        ArgumentNullException.ThrowIfNull(stage);
        _tallies.AddRange(stage.Machine.Clocks.Select(static clock => new Tally(clock)));
        var nothing = new Tally(new NoClock());
        stage.RunAlone(() => Measure(stage, nothing));
    }

    public MeasureResult ToResult()
    {
        Tally fastest = _tallies.Where(static one => one.Resolution <= 1_000).MinBy(static one => one.Best)
            ?? _tallies.MinBy(static one => one.Best)!;
        return new MeasureResult(
            $"{fastest.Clock.Name} is the cheapest clock that tells apart a microsecond or less: {Rounded(Cost(fastest.Best))} ns to read, "
            + $"values {Rounded(fastest.Resolution)} ns apart.")
        {
            Figures =
            [
                new MeasureFigure(
                    "empty loop", Rounded(_loop), "ns", "one turn of the loop that reads, with a clock that always reads 0: subtracted"),
            ],
            Tables =
            [
                new MeasureTable(
                    "clocks",
                    "least step between two values, the step that the system promises, and reading: the best batch of 1,000, and the mean",
                    [
                        new("step", "ns"), new("promised", "ns"), new("read", "ns"), new("mean", "ns"), new("reads", ""),
                        new("backward", ""),
                    ],
                    [
                        .. _tallies.Select(one => new MeasureRow(
                            one.Clock.Name,
                            [
                                one.Resolution is > 0 and < double.MaxValue ? Rounded(one.Resolution) : null,
                                one.Clock.NominalNanoseconds is { } promised ? Rounded(promised) : null,
                                Rounded(Cost(one.Best)), Rounded(Cost(one.Total / one.Reads)), one.Reads, one.Backward,
                            ])),
                    ]),
            ],
            Notes =
            [
                "A step is what two readings one after the other can differ by at least: where reading takes longer than a unit, it is the "
                + "time that reading takes.",
            ],
        };
    }

    private void Measure(MeasureStage stage, Tally nothing)
    {
        IMeasureMachine machine = stage.Machine;
        long end = machine.Ticks + stage.Length;
        do
        {
            nothing.ReadBatch(stage);
            _loop = Math.Min(_loop, nothing.Best);
            foreach (Tally tally in _tallies)
            {
                tally.ReadBatch(stage);
            }
        }
        while (machine.Ticks < end && !stage.Stop.IsCancellationRequested);
    }

    private double Cost(double read) => Math.Max(0, read - _loop);

    private static decimal Rounded(double value) => Math.Round((decimal)value, Decimals);

    private sealed class NoClock : IReadableClock
    {
        public string Name => "";

        public double? NominalNanoseconds => null;

        public double? UnitNanoseconds => null;

        public long Read() => 0;
    }

    private sealed class Tally(IReadableClock clock)
    {
        private readonly double _unit = clock.UnitNanoseconds ?? 1;
        private long _last = clock.Read();

        public IReadableClock Clock => clock;

        /// <summary>The least step seen, in nanoseconds.</summary>
        public double Resolution { get; private set; } = double.MaxValue;

        /// <summary>The least time of a reading, over a batch.</summary>
        public double Best { get; private set; } = double.MaxValue;

        public double Total { get; private set; }

        public long Reads { get; private set; }

        public long Backward { get; private set; }

        public void ReadBatch(MeasureStage stage)
        {
            long least = long.MaxValue;
            long backward = 0;
            long begun = stage.Machine.Ticks;
            // From batch to batch, because a coarse clock may never change within one.
            long last = _last;
            for (int i = 0; i < ReadsPerBatch; i++)
            {
                long value = clock.Read();
                long step = value - last;
                last = value;
                if (step > 0)
                {
                    least = Math.Min(least, step);
                }
                else if (step < 0)
                {
                    backward++;
                }
            }

            _last = last;
            double time = stage.Time.ToNanoseconds(stage.Machine.Ticks - begun);
            Best = Math.Min(Best, time / ReadsPerBatch);
            Total += time;
            Reads += ReadsPerBatch;
            Backward += backward;
            Resolution = least == long.MaxValue ? Resolution : Math.Min(Resolution, least * _unit);
        }
    }
}
