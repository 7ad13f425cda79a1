using Spectre.Console;

namespace Tracer.CommandLine;

/// <summary>
/// Shows how far a reading has come, on standard error, once it takes longer than a second and only where a person looks on: never when
/// standard error is redirected. Nothing of it stays on the screen.
/// </summary>
public static class ReadingProgress
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan Refresh = TimeSpan.FromMilliseconds(100);

    /// <summary>Does the work and shows its progress meanwhile.</summary>
    /// <param name="progress">Tells how far the work is, 0 to 1, null for unknown; called from another thread.</param>
    public static TResult Show<TResult>(string what, Func<double?> progress, Func<TResult> work)
    {
        ArgumentNullException.ThrowIfNull(progress);
        ArgumentNullException.ThrowIfNull(work);
        if (!Terminal.AreMessagesSeen)
        {
            return work();
        }

        using var done = new ManualResetEventSlim();
        var watcher = new Thread(() =>
        {
            if (!done.Wait(Patience))
            {
                Draw(what, progress, done);
            }
        });
        watcher.Start();
        try
        {
            return work();
        }
        finally
        {
            done.Set();
            watcher.Join();
        }
    }

    private static void Draw(string what, Func<double?> progress, ManualResetEventSlim done) =>
        Terminal.OfMessages().Progress().AutoClear(true).Start(context =>
        {
            ProgressTask task = context.AddTask(Markup.Escape(PrintableText.Of($"reading {what}")), maxValue: 1);
            do
            {
                task.IsIndeterminate = progress() is null;
                task.Value = progress() ?? 0;
            }
            while (!done.Wait(Refresh));
        });
}
