namespace Tracer.Capture.Ground;

/// <summary>A trigger whose threads have a priority that matters.</summary>
public interface IOwnPriority
{
    /// <summary>The lowest base priority of its threads as the system tells it; null before it is known.</summary>
    int? Priority { get; }
}
