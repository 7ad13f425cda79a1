namespace Tracer.Etl.Reading;

/// <summary>What the search for losses wants to know of each buffer, events or not.</summary>
/// <param name="SequenceNumber">Its number.</param>
/// <param name="Offset">Its place in the file, in bytes.</param>
/// <param name="Part">Which part of an appended file it stands in: numbers begin anew in each.</param>
/// <param name="Cpu">Logical processor.</param>
/// <param name="Flags">Flags of its header.</param>
/// <param name="IsHeader">Whether it is the file's first buffer, which has no number.</param>
/// <param name="IsCut">Whether the file holds less of it than its header says.</param>
internal readonly record struct NumberedBuffer(
    long Offset, long SequenceNumber, int Part, int Cpu, ushort Flags, bool IsHeader, bool IsCut);
