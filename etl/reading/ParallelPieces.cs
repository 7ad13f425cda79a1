using System.Runtime.ExceptionServices;

namespace Tracer.Etl.Reading;

/// <summary>Does numbered pieces of work, several at once; which thread does which, and when, must not matter.</summary>
internal static class ParallelPieces
{
    /// <summary>Each thread takes the next piece, until there are no more.</summary>
    /// <param name="count">How many pieces.</param>
    /// <param name="threads">How many threads may be used, at least 1; with 1 the caller's only.</param>
    /// <param name="work">Does one.</param>
    public static void Do(int count, int threads, Action<int> work)
    {
        int next = -1;
        threads = Math.Min(threads, count);
        if (threads <= 1)
        {
            Take();
            return;
        }

        try
        {
            Parallel.For(0, threads, new ParallelOptions { MaxDegreeOfParallelism = threads }, _ => Take());
        }
        catch (AggregateException failures)
        {
            // As from one thread: the caller knows what reading throws.
            ExceptionDispatchInfo.Throw(failures.InnerExceptions[0]);
        }

        void Take()
        {
            for (int at = Interlocked.Increment(ref next); at < count; at = Interlocked.Increment(ref next))
            {
                work(at);
            }
        }
    }
}
