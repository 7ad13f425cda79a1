using System.ComponentModel;
using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using System.Text;
using Tracer.Measure.Ground;
using Tracer.Measure.Machine;

namespace Tracer.Measure.Loads;

/// <summary>The loads themselves, in a process of their own: each works until it is told to stop.</summary>
public static class LoadWork
{
    private const int LinesOfSource = 300;
    private const int BytesOfFile = 16 << 20;
    private const int BytesOfBlock = 64 << 10;
    private const int BytesOfMemory = 128 << 20;
    private static readonly TimeSpan Turn = TimeSpan.FromMilliseconds(33);

    /// <param name="inFolder">Does what it is given in a folder for a while, and removes that.</param>
    /// <param name="stop">Ends it; files are removed then.</param>
    /// <exception cref="MeasureException">It can't be done on this machine.</exception>
    public static void Run(LoadKind kind, long seed, Action<Action<string>> inFolder, Action isReady, CancellationToken stop)
    {
        ArgumentNullException.ThrowIfNull(inFolder);
        ArgumentNullException.ThrowIfNull(isReady);
        var random = new RandomPauses(seed);
        switch (kind)
        {
            case LoadKind.Cpu:
                isReady();
                Compute(stop);
                break;
            case LoadKind.Make:
                inFolder(folder => Compile(folder, random, isReady, stop));
                break;
            case LoadKind.Heap:
                isReady();
                Allocate(seed, stop);
                break;
            case LoadKind.Disk:
                inFolder(folder => Copy(folder, random, isReady, stop));
                break;
            case LoadKind.Net:
                Stream(isReady, stop);
                break;
            case LoadKind.Tty:
                Type(random, isReady, stop);
                break;
            case LoadKind.Memory:
                Roam(random, isReady, stop);
                break;
            default:
                isReady();
                stop.WaitHandle.WaitOne();
                break;
        }
    }

    private static void Compute(CancellationToken stop)
    {
        while (!stop.WaitHandle.WaitOne(Turn))
        {
            long end = Stopwatch.GetTimestamp() + new TickTime(Stopwatch.Frequency).ToTicks(Turn.Ticks * TimeSpan.NanosecondsPerTick);
            while (Stopwatch.GetTimestamp() < end)
            {
            }
        }
    }

    private static void Compile(string folder, RandomPauses random, Action isReady, CancellationToken stop)
    {
        var source = new StringBuilder();
        for (int line = 0; line < LinesOfSource; line++)
        {
            source.Append(
                CultureInfo.InvariantCulture,
                $"int f{line}(int a, int b) {{ return (a * {random.Next(1_000)} + b) % {1 + random.Next(1_000)}; }}\n");
        }

        string path = Path.Combine(folder, "source.c");
        File.WriteAllText(path, source.ToString());
        for (bool isFirst = true; !stop.IsCancellationRequested; isFirst = false)
        {
            try
            {
                var start = new ProcessStartInfo("cc", ["-O2", "-c", "-o", Path.Combine(folder, "source.o"), path])
                {
                    UseShellExecute = false,
                    CreateNoWindow = true,
                };
                using Process compiler = Process.Start(start)!;
                if (isFirst)
                {
                    isReady();
                }

                compiler.WaitForExit();
            }
            catch (Win32Exception missing)
            {
                throw new MeasureException("the load 'make' needs a C compiler called cc: install one, or choose another --load", missing);
            }
        }
    }

    private static void Allocate(long seed, CancellationToken stop)
    {
        const int Kept = 4_096;
        const int Largest = 16_384;
        Thread[] threads = [.. Enumerable.Range(0, 2).Select(number => new Thread(() =>
        {
            var random = new RandomPauses(seed + number);
            byte[]?[] kept = new byte[]?[Kept];
            while (!stop.IsCancellationRequested)
            {
                kept[random.Next(Kept)] = new byte[random.Next(Largest)];
            }

            GC.KeepAlive(kept);
        }))];
        Array.ForEach(threads, static thread => thread.Start());
        Array.ForEach(threads, static thread => thread.Join());
    }

    private static void Copy(string folder, RandomPauses random, Action isReady, CancellationToken stop)
    {
        byte[] block = new byte[BytesOfBlock];
        for (int i = 0; i < block.Length; i++)
        {
            block[i] = (byte)random.Next(256);
        }

        string from = Path.Combine(folder, "from");
        string to = Path.Combine(folder, "to");
        isReady();
        while (!stop.IsCancellationRequested)
        {
            using (var file = new FileStream(from, FileMode.Create, FileAccess.Write, FileShare.None, 0, FileOptions.WriteThrough))
            {
                for (int written = 0; written < BytesOfFile && !stop.IsCancellationRequested; written += block.Length)
                {
                    file.Write(block);
                }
            }

            File.Copy(from, to, overwrite: true);
        }
    }

    private static void Stream(Action isReady, CancellationToken stop)
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        using var sender = new TcpClient();
        sender.Connect((IPEndPoint)listener.LocalEndpoint);
        using TcpClient receiver = listener.AcceptTcpClient();
        var reading = new Thread(() =>
        {
            byte[] incoming = new byte[BytesOfBlock];
            while (receiver.Client.Receive(incoming, SocketFlags.None, out _) > 0)
            {
            }
        });
        reading.Start();
        isReady();
        byte[] block = new byte[BytesOfBlock];
        while (!stop.IsCancellationRequested)
        {
            sender.Client.Send(block);
        }

        sender.Client.Shutdown(SocketShutdown.Both);
        reading.Join();
    }

    /// <summary>Lines of up to 80 characters, and a key for each.</summary>
    private static void Type(RandomPauses random, Action isReady, CancellationToken stop)
    {
        const int Columns = 80;
        if (!OperatingSystem.IsLinux())
        {
            throw new MeasureException("the load 'tty' needs a pseudo terminal, which only Linux has: choose another --load");
        }

        using var terminal = new LinuxTerminal();
        byte[] line = new byte[Columns];
        Array.Fill(line, (byte)'x');
        line[^1] = (byte)'\n';
        isReady();
        while (!stop.IsCancellationRequested)
        {
            terminal.Show(line.AsSpan((int)random.Next(Columns)));
            terminal.Press();
            terminal.ReadKey();
        }
    }

    private static void Roam(RandomPauses random, Action isReady, CancellationToken stop)
    {
        long[] memory = new long[BytesOfMemory / sizeof(long)];
        Array.Fill(memory, 1);
        isReady();
        while (!stop.IsCancellationRequested)
        {
            for (int i = 0; i < BytesOfBlock; i++)
            {
                memory[random.Next(memory.Length)]++;
            }
        }
    }
}
