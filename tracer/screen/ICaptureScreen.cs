using Tracer.Capture;

namespace Tracer.TracerCommand;

/// <summary>Shows a capture while it runs; disposed when it is over, before its result is printed.</summary>
internal interface ICaptureScreen : ICaptureObserver, IDisposable;
