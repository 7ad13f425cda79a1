namespace Tracer.Adversary;

/// <summary>
/// Traces that are made to take time or memory: one shape in any size, the same bytes for the same size. Growth tests double it, fuzzing
/// takes some as bases, and <c>bench -- adversary NAME -o FILE</c> writes one to a file.
/// </summary>
/// <param name="Name">What commands call it.</param>
/// <param name="IsSound">Whether it is a trace that a session could have written: nothing of it may be left out.</param>
/// <param name="Make">Makes one of about so many bytes.</param>
internal sealed record AdversaryFamily(string Name, string Shape, bool IsSound, Func<int, byte[]> Make);
