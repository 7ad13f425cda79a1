using System.Runtime.InteropServices;

namespace Tracer.Analysis;

/// <summary>What a record tells of something that comes and goes: an image, a thread, a process.</summary>
internal enum SightingKind : byte
{
    /// <summary>It goes. First, so that at one time stamp the old leaves before the new comes.</summary>
    End,

    /// <summary>It comes.</summary>
    Start,

    /// <summary>It is there: a rundown at the start or the end of a trace.</summary>
    There,
}

/// <summary>One record about something that comes and goes.</summary>
/// <typeparam name="TSelf">The record.</typeparam>
internal interface ISighting<TSelf>
    where TSelf : struct, ISighting<TSelf>
{
    /// <summary>When, in ticks.</summary>
    long Ticks { get; }

    /// <summary>What it tells.</summary>
    SightingKind Kind { get; }

    /// <summary>Orders by the place that only one at a time can take: an address, an id.</summary>
    int ComparePlace(in TSelf other);

    /// <summary>Orders records of one place, time and kind, so that the order in the file does not matter.</summary>
    int CompareContent(in TSelf other);

    /// <summary>Whether both are about the same thing, given that they are about the same place.</summary>
    bool IsSame(in TSelf other);

    /// <summary>What this and a later record of the same thing tell together.</summary>
    TSelf With(in TSelf later);
}

/// <summary>How long something was there.</summary>
/// <param name="What">What all records of it tell.</param>
/// <param name="FromTicks">When it came; long.MinValue where it was there before the trace.</param>
/// <param name="ToTicks">When it went; long.MaxValue where it did not.</param>
internal readonly record struct Lifetime<T>(T What, long FromTicks, long ToTicks);

/// <summary>Makes lifetimes from records in any order, of which some may be missing.</summary>
/// <remarks>
/// A place holds one thing at a time, so what is seen there tells when the one before it was gone, and lives of one place do not overlap.
/// What is seen without having come was there since its place was free: from before the trace, or since the last one went.
/// </remarks>
internal static class Lifetimes
{
    /// <summary>Makes them.</summary>
    /// <param name="sightings">The records; sorted by this.</param>
    /// <param name="maximum">At most so many.</param>
    /// <param name="dropped">How many were left out.</param>
    /// <returns>By place, then by time.</returns>
    public static List<Lifetime<T>> Of<T>(List<T> sightings, int maximum, out long dropped)
        where T : struct, ISighting<T>
    {
        sightings.Sort(Compare);
        var lives = new List<Lifetime<T>>();
        ReadOnlySpan<T> all = CollectionsMarshal.AsSpan(sightings);
        dropped = 0;
        int start = 0;
        while (start < all.Length)
        {
            int end = start + 1;
            while (end < all.Length && all[start].ComparePlace(in all[end]) == 0)
            {
                end++;
            }

            if (lives.Count < maximum)
            {
                AddPlace(all[start..end], lives);
            }
            else
            {
                dropped += end - start;
            }

            start = end;
        }

        return lives;
    }

    private static int Compare<T>(T first, T second)
        where T : struct, ISighting<T>
    {
        int order = first.ComparePlace(in second);
        order = order != 0 ? order : first.Ticks.CompareTo(second.Ticks);
        order = order != 0 ? order : first.Kind.CompareTo(second.Kind);
        return order != 0 ? order : first.CompareContent(in second);
    }

    private static void AddPlace<T>(ReadOnlySpan<T> sightings, List<Lifetime<T>> lives)
        where T : struct, ISighting<T>
    {
        Lifetime<T>? open = null;
        long freeFrom = long.MinValue;
        long seenAt = long.MinValue;
        foreach (ref readonly T seen in sightings)
        {
            if (open is { } there && there.What.IsSame(in seen))
            {
                open = there with { What = there.What.With(in seen) };
            }
            else
            {
                if (open is { } gone)
                {
                    // It went without a record: by now at the latest, or before what ended now could come.
                    freeFrom = seen.Kind == SightingKind.End ? seenAt : seen.Ticks;
                    lives.Add(gone with { ToTicks = freeFrom });
                }
                else if (seen.Kind == SightingKind.End && seen.Ticks == freeFrom)
                {
                    continue; // Told twice.
                }

                open = new Lifetime<T>(seen, seen.Kind == SightingKind.Start ? seen.Ticks : freeFrom, long.MaxValue);
            }

            seenAt = seen.Ticks;
            if (seen.Kind == SightingKind.End)
            {
                freeFrom = seen.Ticks;
                lives.Add(open.GetValueOrDefault() with { ToTicks = freeFrom });
                open = null;
            }
        }

        if (open is { } last)
        {
            lives.Add(last);
        }
    }
}
