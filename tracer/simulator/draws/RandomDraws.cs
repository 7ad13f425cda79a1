using System.Buffers.Binary;

namespace Tracer.Simulator.Draws;

/// <summary>Things drawn by lot from a <see cref="RandomSequence"/>.</summary>
internal static class RandomDraws
{
    /// <summary>A whole number from a least to a most, both included.</summary>
    public static long Between(this RandomSequence random, long least, long most) => least + random.NextBelow(most - least + 1);

    /// <summary>Whether something of this probability happens.</summary>
    public static bool Happens(this RandomSequence random, double probability) => random.NextFraction() < probability;

    /// <summary>One of several, each as likely.</summary>
    public static T OneOf<T>(this RandomSequence random, params IReadOnlyList<T> choices) =>
        choices[(int)random.NextBelow(choices.Count)];

    public static Guid NextGuid(this RandomSequence random)
    {
        Span<byte> bytes = stackalloc byte[16];
        BinaryPrimitives.WriteUInt64LittleEndian(bytes, random.NextBits());
        BinaryPrimitives.WriteUInt64LittleEndian(bytes[8..], random.NextBits());
        return new Guid(bytes);
    }

    /// <summary>Puts the entries from one place of a list on into random order.</summary>
    public static void ShuffleFrom<T>(this RandomSequence random, List<T> list, int first)
    {
        for (int last = list.Count - 1; last > first; last--)
        {
            int other = (int)random.Between(first, last);
            (list[last], list[other]) = (list[other], list[last]);
        }
    }
}
