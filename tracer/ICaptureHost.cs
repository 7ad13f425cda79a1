using Tracer.Capture;

namespace Tracer.TracerCommand;

/// <summary>The machine that <c>tracer capture</c> works on.</summary>
internal interface ICaptureHost
{
    /// <summary>The machine as the engine needs it.</summary>
    CaptureMachine Machine();

    /// <summary>The triggers that were asked for, or those that the machine offers.</summary>
    /// <param name="options">What the user asked for.</param>
    /// <param name="machine">The machine.</param>
    IReadOnlyList<ITriggerSource> Triggers(CaptureOptions options, CaptureMachine machine);
}
