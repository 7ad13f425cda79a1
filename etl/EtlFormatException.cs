namespace Tracer.Etl;

/// <summary>
/// The input is no .etl trace, or none of a kind that can be read. The message says which and why, as a sentence for a person.
/// Damage inside a trace never throws; see <see cref="TraceHealth"/>.
/// </summary>
public sealed class EtlFormatException : IOException
{
    /// <summary>Makes one without a message.</summary>
    public EtlFormatException()
    {
    }

    /// <summary>Makes one.</summary>
    /// <param name="message">What the input is and why that cannot be read.</param>
    public EtlFormatException(string message)
        : base(message)
    {
    }

    /// <summary>Makes one with its cause.</summary>
    /// <param name="message">What the input is and why that cannot be read.</param>
    /// <param name="innerException">The cause.</param>
    public EtlFormatException(string message, Exception innerException)
        : base(message, innerException)
    {
    }
}
