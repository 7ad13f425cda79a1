using System.Runtime.ExceptionServices;
using Tracer.Measure.Ground;

namespace Tracer.Measure.Machine;

/// <summary>
/// Runs bodies on threads of the system that are made for them: what is set for such a thread ends with it, whatever happens.
/// </summary>
internal static class ThreadRunner
{
    /// <returns>The settings of all, in the order of the threads.</returns>
    public static IReadOnlyList<SettingState> Run(IReadOnlyList<MeasureThread> threads, Func<MeasureThread, List<SettingState>> set)
    {
        var settings = new List<SettingState>[threads.Count];
        var workers = new Thread[threads.Count];
        using var ready = new CountdownEvent(threads.Count);
        // A wait of the system, not one that spins: a spinning thread of high priority would keep its CPU from the others.
        using var begin = new ManualResetEvent(false);
        ExceptionDispatchInfo? failure = null;
        for (int i = 0; i < threads.Count; i++)
        {
            int index = i;
            workers[i] = new Thread(() =>
            {
                List<SettingState> own = settings[index] = [];
                try
                {
                    try
                    {
                        own.AddRange(set(threads[index]));
                    }
                    finally
                    {
                        ready.Signal();
                    }

                    begin.WaitOne();
                    threads[index].Body();
                }
#pragma warning disable CA1031 // Thrown again by the thread that waits.
                catch (Exception caught)
#pragma warning restore CA1031
                {
                    Interlocked.CompareExchange(ref failure, ExceptionDispatchInfo.Capture(caught), null);
                }
                finally
                {
                    own.Reverse();
                    own.ForEach(static one => one.Restore());
                    own.Reverse();
                }
            })
            {
                IsBackground = true,
                Name = "measure " + threads[i].Name,
            };
            workers[i].Start();
        }

        ready.Wait();
        begin.Set();
        foreach (Thread worker in workers)
        {
            worker.Join();
        }

        failure?.Throw();
        return [.. settings.SelectMany(static own => own)];
    }
}
