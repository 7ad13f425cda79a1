namespace Tracer.Analysis.Request;

/// <summary>
/// What was asked cannot be meant of this trace: CPUs that its machine does not have, a time before its beginning or after its end. The
/// message says so in one sentence.
/// </summary>
public sealed class MeaninglessRequestException : Exception
{
    /// <param name="message">What is wrong and what there is, beginning with the option's name.</param>
    public MeaninglessRequestException(string message)
        : base(message)
    {
    }
}
