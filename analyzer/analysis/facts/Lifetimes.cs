using System.Runtime.InteropServices;

namespace Tracer.Analysis.Facts;

/// <summary>What a record says about something with a lifetime: an image, a thread, a process.</summary>
internal enum LifetimeRecordKind : byte
{
    /// <summary>It ended. The value sorts first, so that at equal time stamps the old one ends before the new one starts.</summary>
    End,

    Start,

    /// <summary>It exists: reported by a rundown at the start or end of a trace.</summary>
    There,
}

/// <summary>One record about something with a lifetime.</summary>
internal interface ILifetimeRecord<TSelf>
    where TSelf : struct, ILifetimeRecord<TSelf>
{
    /// <summary>Time of the record, in ticks.</summary>
    long Ticks { get; }

    LifetimeRecordKind Kind { get; }

    /// <summary>The place that only one thing at a time can occupy, which orders records: an address, an id.</summary>
    UInt128 Place { get; }

    /// <summary>Orders records of equal place, time and kind by content, so that their order in the file does not matter.</summary>
    int CompareContent(in TSelf other);

    /// <summary>Whether two records of the same place are about the same thing.</summary>
    bool IsSame(in TSelf other);

    /// <summary>Combines this record with a later one of the same thing.</summary>
    TSelf With(in TSelf later);
}

/// <summary>The time during which something existed.</summary>
/// <param name="What">The combined content of all its records.</param>
/// <param name="FromTicks">When it started; long.MinValue where it existed before the trace.</param>
/// <param name="ToTicks">When it ended; long.MaxValue where it outlived the trace.</param>
internal readonly record struct Lifetime<T>(T What, long FromTicks, long ToTicks);

/// <summary>Derives lifetimes from records in any order, some of which may be missing.</summary>
/// <remarks>
/// A place holds one thing at a time: a record of something new there shows that the previous thing is gone, and lifetimes of one place do
/// not overlap. Something seen without a start has existed since its place became free: since before the trace, or since the previous thing
/// ended.
/// </remarks>
internal static class Lifetimes
{
    /// <returns>The lifetimes, sorted by place and then by time.</returns>
    public static List<Lifetime<T>> Of<T>(List<T> records, int maximum, out long dropped)
        where T : struct, ILifetimeRecord<T>
    {
        LongRecords.Sort(records, static (in T record) => record.Place, Compare);
        var lives = new List<Lifetime<T>>();
        ReadOnlySpan<T> all = CollectionsMarshal.AsSpan(records);
        dropped = 0;
        int start = 0;
        while (start < all.Length)
        {
            int end = start + 1;
            while (end < all.Length && all[start].Place == all[end].Place)
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

    private static int Compare<T>(in T first, in T second)
        where T : struct, ILifetimeRecord<T>
    {
        int order = first.Ticks.CompareTo(second.Ticks);
        order = order != 0 ? order : first.Kind.CompareTo(second.Kind);
        return order != 0 ? order : first.CompareContent(in second);
    }

    private static void AddPlace<T>(ReadOnlySpan<T> records, List<Lifetime<T>> lives)
        where T : struct, ILifetimeRecord<T>
    {
        Lifetime<T>? open = null;
        long freeFrom = long.MinValue;
        long seenAt = long.MinValue;
        foreach (ref readonly T seen in records)
        {
            if (open is { } there && there.What.IsSame(in seen))
            {
                open = there with { What = there.What.With(in seen) };
            }
            else
            {
                if (open is { } gone)
                {
                    // Its end was not recorded: it ended by now at the latest, or before the thing that ended now could start.
                    freeFrom = seen.Kind == LifetimeRecordKind.End ? seenAt : seen.Ticks;
                    lives.Add(gone with { ToTicks = freeFrom });
                }
                else if (seen.Kind == LifetimeRecordKind.End && seen.Ticks == freeFrom)
                {
                    continue; // A repeated record.
                }

                open = new Lifetime<T>(seen, seen.Kind == LifetimeRecordKind.Start ? seen.Ticks : freeFrom, long.MaxValue);
            }

            seenAt = seen.Ticks;
            if (seen.Kind == LifetimeRecordKind.End)
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
