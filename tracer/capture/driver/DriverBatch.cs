using System.Runtime.InteropServices;

namespace Tracer.Capture.Driver;

/// <summary>Records that one read gave, all of them checked; valid until the next read.</summary>
public readonly ref struct DriverBatch
{
    private readonly ReadOnlySpan<byte> _records;

    internal DriverBatch(ReadOnlySpan<byte> records, ulong dropped)
    {
        _records = records;
        Dropped = dropped;
    }

    /// <summary>Records lost since the run began, because nobody read in time.</summary>
    public ulong Dropped { get; }

    /// <summary>The records as they came, one after the other.</summary>
    public ReadOnlySpan<byte> Bytes => _records;

    /// <summary>Goes over the records of known types.</summary>
    public Enumerator GetEnumerator() => new(_records);

    /// <summary>Goes over the records of a batch.</summary>
    public ref struct Enumerator
    {
        private ReadOnlySpan<byte> _left;

        internal Enumerator(ReadOnlySpan<byte> records) => _left = records;

        /// <summary>The record, header and all.</summary>
        public ReadOnlySpan<byte> Current { get; private set; }

        /// <returns>False at the end.</returns>
        public bool MoveNext()
        {
            while (DriverRecordShape.TryMeasure(_left, out int size, out bool isKnown))
            {
                Current = _left[..size];
                _left = _left[size..];
                if (isKnown)
                {
                    return true;
                }
            }

            return false;
        }
    }

    public static DriverRecordType TypeOf(ReadOnlySpan<byte> record) => MemoryMarshal.Read<DriverRecordHeader>(record).Type;
}
