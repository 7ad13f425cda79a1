using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Tracer.CommandLine;

/// <summary>
/// What ends a process from outside: Ctrl+C and Ctrl+Break, SIGTERM, a closed console. Unfinished files are removed, the terminal is left
/// as it was found, and the exit status is that of a process which the signal ended: 130 for Ctrl+C, 143 for SIGTERM. A signal that the
/// process was started to ignore, as under nohup, stays ignored.
/// </summary>
public static class Interruption
{
    /// <summary>So long a signal waits for the end of what is being printed: who reads it may have stopped to.</summary>
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(1);

    /// <summary>A signal so soon after the first says nothing more: `timeout` sends two.</summary>
    private static readonly TimeSpan Together = TimeSpan.FromMilliseconds(100);

    private static readonly Lock Gate = new();
    private static readonly Lock Printing = new();
    private static readonly List<Action> Undone = [];
    private static readonly List<Func<PosixSignal, bool>> Handlers = [];

    /// <summary>When the first signal came; 0 where none did.</summary>
    private static long _firstSignal;

    /// <summary>Listens; called once, by the program.</summary>
    /// <returns>To be disposed of when the program has nothing more to undo.</returns>
    public static IDisposable Listen() => new Registrations(
    [
        PosixSignalRegistration.Create(PosixSignal.SIGINT, OnSignal),
        PosixSignalRegistration.Create(PosixSignal.SIGQUIT, OnSignal), // Ctrl+Break on Windows.
        PosixSignalRegistration.Create(PosixSignal.SIGHUP, OnSignal),  // The console is closed.
        PosixSignalRegistration.Create(PosixSignal.SIGTERM, OnSignal), // Shutdown, or the stop of a service.
    ]);

    /// <summary>Lets a command end by itself.</summary>
    /// <param name="handler">
    /// Told of a signal, on another thread; gives whether the command goes on for now. Windows ends a process whose console is closed as
    /// soon as it returns.
    /// </param>
    /// <returns>To be disposed of when the command has ended.</returns>
    public static IDisposable Handle(Func<PosixSignal, bool> handler) => new Entry<Func<PosixSignal, bool>>(Handlers, handler);

    /// <summary>Has something undone if the process is ended before it is done.</summary>
    /// <param name="begin">Does what may have to be undone; no signal comes between.</param>
    /// <param name="undo">Undoes it; must not wait for the thread that did it.</param>
    /// <returns>To be disposed of when it is done.</returns>
    public static IDisposable Guard(Action begin, Action undo)
    {
        ArgumentNullException.ThrowIfNull(begin);
        lock (Gate)
        {
            begin();
            return new Entry<Action>(Undone, undo);
        }
    }

    /// <summary>Does a thing that a signal must not cut in two: it comes before or after.</summary>
    public static void Whole(Action action)
    {
        ArgumentNullException.ThrowIfNull(action);
        lock (Gate)
        {
            action();
        }
    }

    /// <summary>
    /// Prints a report: a signal comes before or after it, so that nobody gets a part. Where that takes longer than a second more, or a
    /// second signal comes that is not of the same moment, the process ends all the same.
    /// </summary>
    public static void Print(Action print)
    {
        ArgumentNullException.ThrowIfNull(print);
        lock (Printing)
        {
            print();
        }

        if (Volatile.Read(ref _firstSignal) != 0)
        {
            Thread.Sleep(Timeout.Infinite); // The process ends, with the status of the signal.
        }
    }

    private static void OnSignal(PosixSignalContext context)
    {
        context.Cancel = true;
        Func<PosixSignal, bool>? handler;
        lock (Gate)
        {
            handler = Handlers.Count > 0 ? Handlers[^1] : null;
        }

        if (handler?.Invoke(context.Signal) == true)
        {
            return;
        }

        // Never left where it is entered: nothing more is printed.
        long first = Interlocked.CompareExchange(ref _firstSignal, Stopwatch.GetTimestamp(), 0);
        Printing.TryEnter(first == 0 || Stopwatch.GetElapsedTime(first) < Together ? Patience : TimeSpan.Zero);
        lock (Gate)
        {
            foreach (Action undo in Undone)
            {
                undo();
            }

            Terminal.Restore();
            // Nothing more is begun: who wants to waits for the gate until the process has ended.
            Environment.Exit(128 + NumberOf(context.Signal));
        }
    }

    private static int NumberOf(PosixSignal signal) => signal switch
    {
        PosixSignal.SIGHUP => 1,
        PosixSignal.SIGINT => 2,
        PosixSignal.SIGQUIT => 3,
        _ => 15,
    };

    private sealed class Registrations(PosixSignalRegistration[] all) : IDisposable
    {
        public void Dispose() => Array.ForEach(all, one => one.Dispose());
    }

    private sealed class Entry<T> : IDisposable
    {
        private readonly List<T> _list;
        private readonly T _item;

        public Entry(List<T> list, T item)
        {
            (_list, _item) = (list, item);
            lock (Gate)
            {
                list.Add(item);
            }
        }

        public void Dispose()
        {
            lock (Gate)
            {
                _list.Remove(_item);
            }
        }
    }
}
