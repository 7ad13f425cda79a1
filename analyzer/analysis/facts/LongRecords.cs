using System.Runtime.InteropServices;

namespace Tracer.Analysis.Facts;

/// <summary>Compares two records where they are.</summary>
/// <returns>As <see cref="IComparable{T}.CompareTo"/>.</returns>
internal delegate int LongRecordComparison<T>(in T one, in T other);

/// <summary>What a record is sorted by first.</summary>
internal delegate UInt128 LongRecordPlace<T>(in T record);

/// <summary>
/// Sorts records that are long and hold references, which are dear to move and to compare: numbers that stand for them are sorted by their
/// places, only those of one place are compared, and each record is moved once.
/// </summary>
internal static class LongRecords
{
    /// <summary>Sorting so many of them is worth a thread.</summary>
    public const int WorthThread = 4096;

    /// <param name="place">Is asked once for each record.</param>
    /// <param name="compare">Orders records of one place.</param>
    public static void Sort<T>(List<T> records, LongRecordPlace<T> place, LongRecordComparison<T> compare)
        where T : struct
    {
        Span<T> all = CollectionsMarshal.AsSpan(records);
        var places = new UInt128[all.Length];
        int[] order = new int[all.Length];
        for (int i = 0; i < all.Length; i++)
        {
            (places[i], order[i]) = (place(in all[i]), i);
        }

        Array.Sort(places, order);
        Comparison<int> byContent = (one, other) =>
        {
            ReadOnlySpan<T> compared = CollectionsMarshal.AsSpan(records);
            return compare(in compared[one], in compared[other]);
        };
        for (int from = 0; from < order.Length;)
        {
            int to = from + 1;
            while (to < order.Length && places[to] == places[from])
            {
                to++;
            }

            order.AsSpan(from, to - from).Sort(byContent);
            from = to;
        }

        Move(all, order);
    }

    /// <summary>Puts records in an order of their numbers; each place is free when its record was moved.</summary>
    private static void Move<T>(Span<T> records, Span<int> order)
    {
        const int Done = -1;
        for (int start = 0; start < order.Length; start++)
        {
            if (order[start] == Done)
            {
                continue;
            }

            T first = records[start];
            int at = start;
            while (order[at] is var from && from != start)
            {
                records[at] = records[from];
                order[at] = Done;
                at = from;
            }

            records[at] = first;
            order[at] = Done;
        }
    }
}
