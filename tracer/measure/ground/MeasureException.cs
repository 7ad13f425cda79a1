namespace Tracer.Measure.Ground;

/// <summary>A measurement that could not be made; the message is one sentence that says what to do.</summary>
public sealed class MeasureException : Exception
{
    public MeasureException(string message)
        : base(message)
    {
    }

    /// <summary>With a sentence and a cause.</summary>
    public MeasureException(string message, Exception inner)
        : base(message, inner)
    {
    }
}
