using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Tracer.Etl.Reading;

/// <summary>One event in a merge: when it was logged, and where it is.</summary>
/// <param name="Ticks">When.</param>
/// <param name="Run">Which of the merged buffers holds it.</param>
/// <param name="Place">Where it starts in that buffer's data.</param>
internal readonly record struct MergeKey(long Ticks, int Run, int Place)
{
    /// <summary>
    /// Merges two neighbouring runs, each by time, into one; at equal times the first run's come first. Which run is next can't be
    /// foreseen in a trace, so it is computed, not branched on; and the merge goes from both ends, so that the CPU has two chains of
    /// such computations to work on.
    /// </summary>
    /// <param name="runs">Both runs.</param>
    /// <param name="middle">Where the second begins.</param>
    /// <param name="merged">Takes both.</param>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public static void Merge(ReadOnlySpan<MergeKey> runs, int middle, Span<MergeKey> merged)
    {
        merged = merged[..runs.Length];
        if (middle == 0 || middle == runs.Length || runs[middle - 1].Ticks <= runs[middle].Ticks)
        {
            runs.CopyTo(merged);
            return;
        }

        ref MergeKey from = ref MemoryMarshal.GetReference(runs);
        ref MergeKey to = ref MemoryMarshal.GetReference(merged);
        nint first = 0;
        nint second = middle;
        nint firstLast = middle - 1;
        nint secondLast = runs.Length - 1;
        nint front = 0;
        nint back = runs.Length - 1;
        while (first < firstLast && second < secondLast)
        {
            nint takesSecond = AsNumber(Unsafe.Add(ref from, second).Ticks < Unsafe.Add(ref from, first).Ticks);
            Unsafe.Add(ref to, front++) = Unsafe.Add(ref from, first + ((second - first) & -takesSecond));
            second += takesSecond;
            first += 1 - takesSecond;

            nint takesFirst = AsNumber(Unsafe.Add(ref from, firstLast).Ticks > Unsafe.Add(ref from, secondLast).Ticks);
            Unsafe.Add(ref to, back--) = Unsafe.Add(ref from, secondLast + ((firstLast - secondLast) & -takesFirst));
            firstLast -= takesFirst;
            secondLast -= 1 - takesFirst;
        }

        // One run has at most one event left; what the other has follows it or surrounds it.
        while (first <= firstLast && second <= secondLast)
        {
            nint taken = Unsafe.Add(ref from, second).Ticks < Unsafe.Add(ref from, first).Ticks ? second++ : first++;
            Unsafe.Add(ref to, front++) = Unsafe.Add(ref from, taken);
        }

        while (first <= firstLast)
        {
            Unsafe.Add(ref to, front++) = Unsafe.Add(ref from, first++);
        }

        while (second <= secondLast)
        {
            Unsafe.Add(ref to, front++) = Unsafe.Add(ref from, second++);
        }
    }

    private static nint AsNumber(bool value) => Unsafe.BitCast<bool, byte>(value);
}
