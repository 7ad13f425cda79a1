namespace Tracer.TracerCommand.Common.Screen;

internal interface IKeySource
{
    /// <summary>Whether one waits to be read.</summary>
    bool HasKey { get; }

    /// <summary>Reads it; it is not shown.</summary>
    ConsoleKeyInfo Read();
}

/// <summary>The console's keyboard.</summary>
internal sealed class ConsoleKeys : IKeySource
{
    public bool HasKey => Console.KeyAvailable;

    public ConsoleKeyInfo Read() => Console.ReadKey(intercept: true);

    /// <summary>The keyboard, where a person sits at it: not where input comes from a file or another program.</summary>
    public static IKeySource? OfPerson() => Console.IsInputRedirected ? null : new ConsoleKeys();
}

/// <summary>Reads keys on a thread of its own while a live screen is shown.</summary>
internal sealed class KeyWatch : IDisposable
{
    private static readonly TimeSpan Look = TimeSpan.FromMilliseconds(50);

    private readonly ManualResetEventSlim _stop = new();
    private readonly Thread _thread;

    public KeyWatch(IKeySource keys, Action<ConsoleKeyInfo> onKey)
    {
        _thread = new Thread(() => Watch(keys, onKey)) { IsBackground = true, Name = "keys" };
        _thread.Start();
    }

    /// <summary>Reads no more.</summary>
    public void Dispose()
    {
        _stop.Set();
        _thread.Join();
        _stop.Dispose();
    }

    private void Watch(IKeySource keys, Action<ConsoleKeyInfo> onKey)
    {
        try
        {
            do
            {
                while (keys.HasKey)
                {
                    onKey(keys.Read());
                }
            }
            while (!_stop.Wait(Look));
        }
        catch (Exception gone) when (gone is InvalidOperationException or IOException)
        {
            // The console is gone: so are its keys. What runs goes on without.
        }
    }
}
