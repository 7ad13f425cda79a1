using Tracer.Capture.Engine;
using Tracer.Capture.Ground;
using Tracer.Capture.Snap;
using Tracer.Capture.Triggers.Events;

namespace Tracer.TracerCommand.Commands.Capture;

/// <summary>The machine that <c>tracer capture</c> works on.</summary>
internal interface ICaptureHost
{
    /// <summary>The machine as the engine needs it.</summary>
    CaptureMachine Machine();

    IProviderCatalog Providers { get; }

    ISnapSignals Snap { get; }

    /// <summary>The program that writes pages; null where there is none.</summary>
    string? Analyzer { get; }

    /// <summary>Shows a page to the person.</summary>
    /// <returns>Why it could not be shown; null where it was.</returns>
    string? Open(string page);

    /// <summary>The triggers that were asked for, or those that the machine offers.</summary>
    IReadOnlyList<ITriggerSource> Triggers(CaptureOptions options, IReadOnlyList<EventRule> events, CaptureMachine machine);
}
