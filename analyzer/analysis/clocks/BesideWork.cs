namespace Tracer.Analysis.Clocks;

/// <summary>Does two pieces of work beside each other where two threads may be used; neither may change what the other uses.</summary>
internal static class BesideWork
{
    /// <param name="threads">How many threads may be used, at least 1.</param>
    /// <param name="beside">Done by another thread meanwhile; with one thread behind the caller's.</param>
    /// <param name="own">The caller's.</param>
    /// <returns>What <paramref name="beside"/> gives; neither goes on any more, also where one of them failed.</returns>
    public static T Do<T>(int threads, Func<T> beside, Action own)
    {
        if (threads <= 1)
        {
            own();
            return beside();
        }

        Task<T> task = Task.Run(beside);
        try
        {
            own();
        }
        finally
        {
            Task.WaitAny(task); // Throws nothing that it failed with.
        }

        return task.GetAwaiter().GetResult();
    }
}
