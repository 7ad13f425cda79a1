using BenchmarkDotNet.Running;
using Tracer.Bench;
using Tracer.Bench.Accuracy;
using Tracer.Bench.Adversary;
using Tracer.Bench.Beats;
using Tracer.Bench.Calibration;
using Tracer.Bench.Diffs;
using Tracer.Bench.Fleet;
using Tracer.Bench.Forecasts;
using Tracer.Bench.Numbers;
using Tracer.Bench.Reading;
using Tracer.Bench.RealTime;
using Tracer.Bench.Slices;
using Tracer.Bench.Symbols;
using Tracer.Bench.Traces;

return args switch
{
    ["make-trace", .. string[] rest] => MakeTrace.Run(rest),
    ["adversary", .. string[] rest] => WriteAdversary.Run(rest),
    ["accuracy", .. string[] rest] => AccuracyRun.Run(rest),
    ["slices", .. string[] rest] => SliceLawRun.Run(rest, redacted: false),
    ["packs", .. string[] rest] => SliceLawRun.Run(rest, redacted: true),
    ["beats", .. string[] rest] => BeatsRun.Run(rest),
    ["calibration", .. string[] rest] => CalibrationRun.Run(rest),
    ["diff", .. string[] rest] => DiffRun.Run(rest),
    ["equal", .. string[] rest] => ReportEquality.Run(rest),
    ["scaling", .. string[] rest] => ScalingModel.Run(rest),
    ["diff-pairs", .. string[] rest] => OtherCulprits.Run(rest),
    ["diff-traces", .. string[] rest] => WholeTraces.Run(rest),
    ["fleet-traces", .. string[] rest] => FleetTraces.Run(rest),
    ["fleet-check", .. string[] rest] => FleetCheck.Run(rest),
    ["fleet-scale", .. string[] rest] => FleetScale.Run(rest),
    ["forecast", .. string[] rest] => ForecastRun.Run(rest),
    ["numbers", .. string[] rest] => NumbersRun.Run(rest),
    ["read", .. string[] rest] => TimedReading.Run(rest),
    ["realtime", .. string[] rest] => RealTimeRun.Run(rest),
    ["symbols", .. string[] rest] => TimedLookups.Run(rest),
    _ => Microbenchmarks(args),
};

static int Microbenchmarks(string[] args)
{
    BenchmarkSwitcher.FromAssembly(typeof(EventHeaderWalk).Assembly).Run(args);
    return 0;
}
