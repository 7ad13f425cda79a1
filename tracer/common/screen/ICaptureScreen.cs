using Tracer.Capture.Ground;

namespace Tracer.TracerCommand.Common.Screen;

/// <summary>Shows a capture while it runs; disposed when it is over, before its result is printed.</summary>
internal interface ICaptureScreen : ICaptureObserver, IDisposable;

/// <summary>What was told once while a capture ran.</summary>
/// <param name="Text">A sentence without a full stop.</param>
internal readonly record struct CaptureNote(CaptureNoteLevel Level, string Text);
