using System.Runtime.InteropServices;

namespace Tracer.Analysis.Facts;

/// <summary>Compares two records where they are.</summary>
/// <returns>As <see cref="IComparable{T}.CompareTo"/>.</returns>
internal delegate int LongRecordComparison<T>(in T one, in T other);

/// <summary>
/// Sorts records that are long and hold references, which are dear to move: their numbers are sorted, and each record is moved once.
/// </summary>
internal static class LongRecords
{
    public static void Sort<T>(List<T> records, LongRecordComparison<T> compare)
        where T : struct
    {
        int[] order = [.. Enumerable.Range(0, records.Count)];
        order.AsSpan().Sort((one, other) =>
        {
            ReadOnlySpan<T> all = CollectionsMarshal.AsSpan(records);
            return compare(in all[one], in all[other]);
        });
        T[] sorted = Array.ConvertAll(order, number => records[number]);
        sorted.CopyTo(CollectionsMarshal.AsSpan(records));
    }
}
