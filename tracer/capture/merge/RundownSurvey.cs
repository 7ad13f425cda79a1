using Tracer.Analysis.Slicing;
using Tracer.Etl.Kernel;

namespace Tracer.Capture.Merge;

/// <summary>The first look at a rundown: whether it tells what was there when it ended, and the kernel's images.</summary>
public sealed class RundownSurvey
{
    private RundownSurvey()
    {
    }

    /// <summary>Whether it lists images at its end; then what it lists at its beginning is left out.</summary>
    public bool HasEnd { get; private set; }

    public KernelImageLog Images { get; } = new();

    /// <summary>What it tells of the machine; empty where it was not asked to.</summary>
    public MachineConfiguration Configuration { get; } = new();

    public static RundownSurvey Of(EtlReader reader, HeaderRecords header)
    {
        ArgumentNullException.ThrowIfNull(reader);
        var survey = new RundownSurvey();
        var sink = new Sink(survey, header);
        reader.Read(EtlOrder.Time, ref sink);
        return survey;
    }

    private readonly struct Sink(RundownSurvey survey, HeaderRecords header) : IEtlEventSink
    {
        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            survey.HasEnd |= traceEvent.HookId == KernelHook.ImageDCEnd;
            survey.Images.Add(in traceEvent);
            survey.Configuration.Add(in traceEvent);
            header.Add(in traceEvent);
            return true;
        }
    }
}
