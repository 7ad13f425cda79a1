using Tracer.AnalyzerShared.Options;
using Tracer.Etl.Stacks;

namespace Tracer.AnalyzerCommand.Commands.Dump;

/// <summary>Prints one event after the other.</summary>
internal interface IDumpFormat
{
    /// <summary>Events of which something was left out: <see cref="DumpAllowance"/>.</summary>
    long EventsCut { get; }

    /// <param name="stack">Its stack; without frames where there is none.</param>
    void Write(scoped in EtlEvent traceEvent, in DumpedEvent dumped, scoped in EventStack stack);
}
