using Tracer.Analysis.Facts;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Modules;

namespace Tracer.Analysis.Report;

/// <summary>Builds the profile of a trace without ISR and DPC records: what the samples hit, and which processes had the CPUs.</summary>
internal sealed class ProfileBuilder(
    TraceFacts facts,
    ModuleMap modules,
    MachineState machine,
    TraceSummary summary,
    Func<long, Duration> duration,
    IFunctionNames? functionNames)
{
    /// <returns>The profile; null where there is nothing to show.</returns>
    public TraceProfile? Make(int most)
    {
        if (machine.Samples.Total == 0 && machine.Counts.AskedSwitches == 0)
        {
            return null;
        }

        var names = new AddressNames(facts, modules, functionNames);
        long last = facts.Contents.LastTicks ?? 0;
        List<SampledFunction> functions = [.. machine.Samples.All
            .Select(sample => names.Function(sample.Address, sample.ProcessId, last, sample.Count))
            .GroupBy(function => (function.Module, function.Function))
            .Select(AddressNames.Sum)
            .OrderByDescending(function => function.Count).ThenBy(function => function.Module, StringComparer.Ordinal)
            .ThenBy(function => function.Function, StringComparer.Ordinal).Take(most)];
        List<ProcessRunTime> processes = [.. machine.RunTimes
            .Select(run => new ProcessRunTime(NameOf(run.Key, last), duration(run.Value.Ticks), run.Value.Switches))
            .GroupBy(run => run.Process)
            .Select(group => new ProcessRunTime(
                group.Key, group.Aggregate(Duration.Zero, (sum, run) => sum + run.Time), group.Sum(run => run.Switches)))
            .OrderByDescending(run => run.Time.Nanoseconds).ThenBy(run => run.Process, StringComparer.Ordinal).Take(most)];
        return new TraceProfile
        {
            Samples = machine.Samples.Total,
            Functions = functions,
            Switches = summary.Has.ContextSwitches ? machine.Counts.AskedSwitches : null,
            Processes = processes,
        };
    }

    private string NameOf(uint process, long ticks) => process == uint.MaxValue
        ? "(unknown)"
        : facts.Threads.NameOf(process, ticks) ?? process.ToString(CultureInfo.InvariantCulture);
}
