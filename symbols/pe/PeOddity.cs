namespace Tracer.Symbols;

/// <summary>Something in an image that is damaged or against the format. What lies beside it was still read.</summary>
/// <param name="Offset">Where it stands in the bytes.</param>
/// <param name="Problem">What is odd about it, in words.</param>
public readonly record struct PeOddity(long Offset, string Problem);
