using Tracer.Simulator.Scenarios;

namespace Tracer.TracerCommand.Commands.Simulate;

/// <summary>Tells before a simulation whether the disk holds its trace: hours of it are gigabytes.</summary>
internal static class SimulatedBytes
{
    /// <summary>More than a second of a busy simulated CPU has ever written, in bytes.</summary>
    private const long MostPerCpuSecond = 4_000_000;

    /// <summary>What is simulated to learn how much a scenario writes: long enough for what it begins with not to count.</summary>
    private static readonly Duration Sample = Duration.FromSeconds(2);

    /// <summary>Looks at the free space; nothing is simulated where there is plenty.</summary>
    /// <returns>What is wrong, as a sentence; null where it fits, or where the system cannot tell.</returns>
    public static string? Problem(ScenarioRun run, string path) => FreeBytes(path) is { } free ? Problem(run, free) : null;

    public static string? Problem(ScenarioRun run, long freeBytes)
    {
        double seconds = run.Duration.Nanoseconds / 1e9;
        if (seconds * run.Cpus * MostPerCpuSecond <= freeBytes)
        {
            return null;
        }

        Duration tried = run.Duration < Sample ? run.Duration : Sample;
        using var counted = new CountedStream();
        (run with { Duration = tried, WithSecondRun = false }).WriteTo(counted);
        double perSecond = counted.Length / (tried.Nanoseconds / 1e9);
        double needed = perSecond * seconds;
        return needed <= freeBytes
            ? null
            : FormattableString.Invariant($"--duration: {run.Duration} of {run.Scenario.Name} on {run.Cpus} CPUs would be about ")
                + $"{ByteCount.Of((long)Math.Min(needed, long.MaxValue))} ({ByteCount.Of((long)perSecond)} a second), and "
                + $"{ByteCount.Of(freeBytes)} are free; write a shorter one";
    }

    private static long? FreeBytes(string path)
    {
        try
        {
            string folder = Path.GetDirectoryName(Path.GetFullPath(path))!;
            return new DriveInfo(OperatingSystem.IsWindows() ? Path.GetPathRoot(folder)! : folder).AvailableFreeSpace;
        }
        catch (Exception fault) when (fault is ArgumentException or IOException or UnauthorizedAccessException)
        {
            // A share of another machine, for one: what is too much is told when the disk is full.
            return null;
        }
    }

    /// <summary>Takes bytes and keeps none.</summary>
    private sealed class CountedStream : Stream
    {
        private long _length;
        private long _position;

        public override bool CanRead => false;

        public override bool CanSeek => true;

        public override bool CanWrite => true;

        public override long Length => _length;

        public override long Position
        {
            get => _position;
            set => _position = value;
        }

        public override void Flush()
        {
        }

        public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

        public override long Seek(long offset, SeekOrigin origin) => _position = origin switch
        {
            SeekOrigin.Begin => offset,
            SeekOrigin.Current => _position + offset,
            _ => _length + offset,
        };

        public override void SetLength(long value) => _length = value;

        public override void Write(byte[] buffer, int offset, int count) => Write(buffer.AsSpan(offset, count));

        public override void Write(ReadOnlySpan<byte> buffer) => _length = Math.Max(_length, _position += buffer.Length);
    }
}
