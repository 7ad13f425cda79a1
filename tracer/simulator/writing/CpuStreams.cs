namespace Tracer.Simulator.Writing;

/// <summary>
/// The streams of records of all CPUs on their way to the file: keeps each in order of time, and loses from it what is to be lost.
/// </summary>
internal sealed class CpuStreams
{
    private readonly EtlWriter _writer;
    private readonly int _bufferBytes;
    private readonly int _eventHeaderBytes;
    private readonly long[] _lastTicks;
    private readonly long[] _bytesToLose;
    private readonly uint[] _eventsToLose;
    private readonly Queue<(long Ticks, SimulatedLoss Loss)>[] _losses;

    /// <param name="losses">What is to be lost, with its time in ticks.</param>
    public CpuStreams(EtlWriter writer, IEnumerable<(long Ticks, SimulatedLoss Loss)> losses)
    {
        _writer = writer;
        int cpus = writer.Header.ProcessorCount;
        _bufferBytes = writer.Header.BufferBytes;
        _eventHeaderBytes = EventRecord.Measure(EtlEventHeader.PerfInfo(0, 0, 0), 0);
        _lastTicks = new long[cpus];
        Array.Fill(_lastTicks, writer.Header.Clock.HeaderTicks);
        _bytesToLose = new long[cpus];
        _eventsToLose = new uint[cpus];
        _losses = new Queue<(long, SimulatedLoss)>[cpus];
        for (int cpu = 0; cpu < cpus; cpu++)
        {
            _losses[cpu] = new(losses.Where(loss => loss.Loss.Cpu == cpu).OrderBy(loss => loss.Ticks));
        }
    }

    /// <summary>Time stamp of a CPU's latest record; the header's before the first.</summary>
    public long LastTicksOf(int cpu) => _lastTicks[cpu];

    /// <summary>Writes a record, unless it is one to be lost.</summary>
    /// <exception cref="ArgumentException">Its time is before that of the CPU's record before it.</exception>
    public void Write(int cpu, in EtlEventHeader header, ReadOnlySpan<byte> payload, ReadOnlySpan<EtlExtendedItem> items = default)
    {
        long ticks = header.TimestampTicks;
        if (ticks < _lastTicks[cpu])
        {
            throw new ArgumentException($"CPU {cpu} logs at tick {ticks} after it has logged at {_lastTicks[cpu]}.", nameof(header));
        }

        _lastTicks[cpu] = ticks;
        if (_losses[cpu].Count > 0 && _losses[cpu].Peek().Ticks <= ticks)
        {
            Begin(_losses[cpu].Dequeue().Loss);
        }

        if (_eventsToLose[cpu] > 0)
        {
            _eventsToLose[cpu]--;
            return;
        }

        if (_bytesToLose[cpu] > 0)
        {
            _bytesToLose[cpu] -= (_eventHeaderBytes + payload.Length + 7) & ~7;
            return;
        }

        _writer.Write(cpu, header, payload, items);
    }

    /// <summary>Nothing is lost from here on: the session is being stopped.</summary>
    public void EndLosses()
    {
        Array.Clear(_bytesToLose);
        Array.Clear(_eventsToLose);
        Array.ForEach(_losses, losses => losses.Clear());
    }

    private void Begin(SimulatedLoss loss)
    {
        if (loss.Buffers > 0)
        {
            _writer.AddLostBuffers(loss.Cpu, loss.Buffers);
            _bytesToLose[loss.Cpu] += (long)loss.Buffers * (_bufferBytes - EtlBufferHeader.HeaderBytes);
        }

        if (loss.Events > 0)
        {
            _writer.AddLostEvents(loss.Cpu, loss.Events);
            _eventsToLose[loss.Cpu] += loss.Events;
        }
    }
}
