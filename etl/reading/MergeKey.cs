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
    /// foreseen in a trace, so it is computed instead of branched on.
    /// </summary>
    /// <param name="first">The first run.</param>
    /// <param name="second">The second run.</param>
    /// <param name="merged">Takes both.</param>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public static void Merge(ReadOnlySpan<MergeKey> first, ReadOnlySpan<MergeKey> second, Span<MergeKey> merged)
    {
        merged = merged[..(first.Length + second.Length)];
        if (first.IsEmpty || second.IsEmpty || first[^1].Ticks <= second[0].Ticks)
        {
            first.CopyTo(merged);
            second.CopyTo(merged[first.Length..]);
            return;
        }

        ref MergeKey a = ref MemoryMarshal.GetReference(first);
        ref MergeKey b = ref MemoryMarshal.GetReference(second);
        ref MergeKey to = ref MemoryMarshal.GetReference(merged);
        nint i = 0;
        nint j = 0;
        nint firstEnd = first.Length;
        nint secondEnd = second.Length;
        while (i < firstEnd && j < secondEnd)
        {
            bool takesSecond = Unsafe.Add(ref b, j).Ticks < Unsafe.Add(ref a, i).Ticks;
            nint one = Unsafe.BitCast<bool, byte>(takesSecond);
            ref MergeKey taken = ref Unsafe.AddByteOffset(
                ref Unsafe.Add(ref a, i), (Unsafe.ByteOffset(ref a, ref b) + ((j - i) * Unsafe.SizeOf<MergeKey>())) & -one);
            Unsafe.Add(ref to, i + j) = taken;
            j += one;
            i += 1 - one;
        }

        first[(int)i..].CopyTo(merged[(int)(i + j)..]);
        second[(int)j..].CopyTo(merged[(int)(firstEnd + j)..]);
    }
}
