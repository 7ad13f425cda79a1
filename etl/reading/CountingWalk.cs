using System.Runtime.CompilerServices;
using System.Runtime.ExceptionServices;
using System.Runtime.InteropServices;

namespace Tracer.Etl.Reading;

/// <summary>
/// Goes through a trace with several threads at once that count events; what they do not count is given by the caller's thread. The file
/// is cut into parts, which take turns with the counters, and the parts' rests come in the file's order. Each thread counts the next part
/// whose counter is free, so that the others go on while the caller gives a rest.
/// </summary>
/// <param name="input">The file.</param>
/// <param name="places">Its buffers, in the order of the file.</param>
/// <param name="times">Puts times right; null where they stay as they are.</param>
/// <param name="threads">How many threads may be used.</param>
internal sealed class CountingWalk(TraceInput input, BufferIndex.Place[] places, StrayTimes? times, int threads)
{
    /// <summary>A part takes so many bytes of memory, but holds at least one buffer.</summary>
    private const int PartBytes = 1024 * 1024;

    /// <summary>So many parts for each thread are in memory where several count.</summary>
    private const int PartsOfThread = 2;

    private readonly object _gate = new();

    // Under the gate.
    private Turn[] _turns = [];
    private bool[] _isCounting = [];
    private long _begun;
    private long _given;
    private int _next;
    private bool _isUnwanted;
    private ExceptionDispatchInfo? _failure;

    /// <summary>Gives all events.</summary>
    /// <param name="counters">Are asked first, each by one thread at a time.</param>
    /// <param name="health">Is told what is odd.</param>
    /// <param name="sink">Takes what no counter takes.</param>
    /// <returns>False when the sink wants no more.</returns>
    /// <exception cref="IOException">The storage failed.</exception>
    public bool GiveAll<TCounter, TSink>(TCounter[] counters, TraceHealth health, ref TSink sink)
        where TCounter : struct, IEtlEventCounter
        where TSink : IEtlEventSink, allows ref struct
    {
        // A thread that has no part to count is not begun.
        long bytes = places.Sum(place => (long)place.HeldBytes);
        int helpers = (int)Math.Min(Math.Min(threads, counters.Length) - 1, bytes / PartBytes);
        int turns = helpers == 0 ? 1 : PartsOfThread * (1 + helpers);
        _turns = [.. Enumerable.Range(0, turns).Select(_ => new Turn(new Part(input, times)))];
        _isCounting = new bool[counters.Length];
        Thread?[] started = new Thread?[helpers];
        try
        {
            for (int i = 0; i < helpers; i++)
            {
                started[i] = new Thread(() => Help(counters)) { IsBackground = true, Name = "ETL counting" };
                started[i]!.Start();
            }

            while (WaitFor(counters) is { } part)
            {
                health.Add(part.Health);
                if (!part.GiveRest(ref sink))
                {
                    return false;
                }

                lock (_gate)
                {
                    _turns[_given++ % _turns.Length].IsCounted = false;
                    Monitor.PulseAll(_gate);
                }
            }

            return true;
        }
        finally
        {
            lock (_gate)
            {
                _isUnwanted = true;
                Monitor.PulseAll(_gate);
            }

            foreach (Thread? thread in started)
            {
                thread?.Join();
            }

            foreach (Turn turn in _turns)
            {
                turn.Part.End();
            }
        }
    }

    /// <summary>Counts parts until there are no more.</summary>
    private void Help<TCounter>(TCounter[] counters)
        where TCounter : struct, IEtlEventCounter
    {
        while (true)
        {
            long number;
            lock (_gate)
            {
                while (!TryBegin(counters.Length, out number))
                {
                    if (_isUnwanted || _next == places.Length)
                    {
                        return;
                    }

                    Monitor.Wait(_gate);
                }
            }

            Count(number, counters);
        }
    }

    /// <summary>The next part whose rest is to be given, counted; null where there are no more. Counts meanwhile what can be.</summary>
    private Part? WaitFor<TCounter>(TCounter[] counters)
        where TCounter : struct, IEtlEventCounter
    {
        while (true)
        {
            long number;
            lock (_gate)
            {
                while (true)
                {
                    _failure?.Throw();
                    Turn turn = _turns[_given % _turns.Length];
                    if (turn.IsCounted)
                    {
                        return turn.Part;
                    }

                    if (TryBegin(counters.Length, out number))
                    {
                        break;
                    }

                    if (_given == _begun)
                    {
                        return null;
                    }

                    Monitor.Wait(_gate);
                }
            }

            Count(number, counters);
        }
    }

    /// <summary>Begins the next part where there is one, with room for it, and its counter is free; under the gate.</summary>
    private bool TryBegin(int counters, out long number)
    {
        number = _begun;
        if (_isUnwanted || _next == places.Length || _begun - _given == _turns.Length || _isCounting[_begun % counters])
        {
            return false;
        }

        _isCounting[_begun % counters] = true;
        _turns[_begun++ % _turns.Length].Part.Begin(Take());
        return true;
    }

    private void Count<TCounter>(long number, TCounter[] counters)
        where TCounter : struct, IEtlEventCounter
    {
        Turn turn = _turns[number % _turns.Length];
        ExceptionDispatchInfo? failure = null;
        try
        {
            turn.Part.Count(ref counters[number % counters.Length]);
        }
        catch (Exception thrown)
        {
            failure = ExceptionDispatchInfo.Capture(thrown);
        }

        lock (_gate)
        {
            _failure ??= failure;
            _isUnwanted |= failure is not null;
            _isCounting[number % counters.Length] = false;
            turn.IsCounted = true;
            Monitor.PulseAll(_gate);
        }
    }

    private ReadOnlySpan<BufferIndex.Place> Take()
    {
        int first = _next;
        long bytes = 0;
        while (_next < places.Length && (_next == first || bytes + places[_next].HeldBytes <= PartBytes))
        {
            bytes += places[_next++].HeldBytes;
        }

        return places.AsSpan(first, _next - first);
    }

    private sealed class Turn(Part part)
    {
        public Part Part { get; } = part;

        /// <summary>Whether it was counted and its rest was not given yet.</summary>
        public bool IsCounted { get; set; }
    }

    /// <summary>Some buffers of the file, and what was not counted of them. Its block is recycled from part to part.</summary>
    private sealed class Part(TraceInput input, StrayTimes? times)
    {
        private readonly List<(int Buffer, int At)> _rest = [];
        private Loaded[] _buffers = [];
        private byte[] _block = [];
        private byte[] _compressed = [];
        private int _count;

        public TraceHealth Health { get; private set; } = new();

        public void Begin(ReadOnlySpan<BufferIndex.Place> places)
        {
            _count = places.Length;
            _rest.Clear();
            Health = new TraceHealth();
            if (_buffers.Length < _count)
            {
                _buffers = new Loaded[Math.Max(_count, 2 * _buffers.Length)];
            }

            int start = 0;
            int longest = 0;
            for (int i = 0; i < places.Length; i++)
            {
                _buffers[i] = new Loaded(places[i], start);
                start += BufferHeaderLayout.Aligned(places[i].HeldBytes);
                longest = Math.Max(longest, places[i].IsCompressed ? places[i].StoredBytes : 0);
            }

            Fit(ref _block, start);
            Fit(ref _compressed, longest);
        }

        public void Count<TCounter>(ref TCounter counter)
            where TCounter : struct, IEtlEventCounter
        {
            var sink = new Counting<TCounter>(this, ref counter);
            int given = 0;
            for (; given + 4 <= _count; given += 4)
            {
                // Counted at once, while they are in the processor's cache.
                Load(_buffers.AsSpan(given, 4));
                sink.First = given;
                FourBuffers.GiveAll(Events(given), Events(given + 1), Events(given + 2), Events(given + 3), Health, ref sink);
            }

            for (; given < _count; given++)
            {
                Load(_buffers.AsSpan(given, 1));
                sink.First = given;
                ref readonly Loaded buffer = ref _buffers[given];
                EventWalk.GiveAll(Data(in buffer), buffer.Cpu, buffer.Place.Offset, Health, ref sink);
            }
        }

        public bool GiveRest<TSink>(ref TSink sink)
            where TSink : IEtlEventSink, allows ref struct
        {
            foreach ((int number, int at) in CollectionsMarshal.AsSpan(_rest))
            {
                ref readonly Loaded buffer = ref _buffers[number];
                if (!EventWalk.GiveFound(Data(in buffer), at, buffer.Cpu, buffer.Place.Offset, ref sink))
                {
                    return false;
                }
            }

            return true;
        }

        /// <summary>It is used no more.</summary>
        public void End()
        {
            input.Blocks.Give(_block);
            input.Blocks.Give(_compressed);
        }

        /// <summary>A block that fits, and is not kept for ever where one buffer was the largest there can be.</summary>
        private void Fit(ref byte[] block, int bytes)
        {
            if (block.Length < bytes || block.Length > Math.Max(2 * PartBytes, bytes))
            {
                block = input.Blocks.Take(bytes);
            }
        }

        private void Load(Span<Loaded> buffers)
        {
            foreach (ref Loaded buffer in buffers)
            {
                Load(ref buffer);
            }

            if (times is null || (buffers.Length == 4
                && times.AreSound(Data(in buffers[0]), Data(in buffers[1]), Data(in buffers[2]), Data(in buffers[3]))))
            {
                return;
            }

            foreach (ref readonly Loaded buffer in buffers)
            {
                if (buffer.Length > 0)
                {
                    times.Settle(_block.AsSpan(buffer.Start, buffer.Length), buffer.Cpu, buffer.Place, Health);
                }
            }
        }

        private void Load(ref Loaded buffer)
        {
            BufferIndex.Place place = buffer.Place;
            Span<byte> block = _block.AsSpan(buffer.Start, place.HeldBytes);
            Span<byte> stored = place.IsCompressed ? _compressed.AsSpan(0, place.StoredBytes) : block;
            stored = stored[..input.ReadFully(stored, place.Offset)];
            if (BufferIndex.IsStill(stored, in place, out EtlBufferHeader header))
            {
                buffer.Cpu = header.Cpu;
                buffer.Length = header.IsCompressed
                    ? BufferDecompression.Decompress(header, stored, block, place.Offset, Health)
                    : BufferDecompression.EndOfRaw(header, stored);
            }
        }

        private ReadOnlySpan<byte> Data(in Loaded buffer) => _block.AsSpan(buffer.Start, buffer.Length);

        private FourBuffers.Buffer Events(int number) =>
            new(Data(in _buffers[number]), _buffers[number].Cpu, _buffers[number].Place.Offset);

        /// <summary>Asks the counter; notes the place of what it does not take.</summary>
        private ref struct Counting<TCounter>(Part part, ref TCounter counter) : IEtlEventSink
            where TCounter : struct, IEtlEventCounter
        {
            private readonly ref TCounter _counter = ref counter;

            /// <summary>Number of the first of the buffers that are gone through together.</summary>
            public int First { get; set; }

            [MethodImpl(MethodImplOptions.AggressiveInlining)]
            public readonly bool OnEvent(scoped in EtlEvent traceEvent)
            {
                if (!_counter.TryCount(in traceEvent))
                {
                    part.Note(First, in traceEvent);
                }

                return true;
            }
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private void Note(int first, scoped in EtlEvent traceEvent)
        {
            int number = first;
            while (_buffers[number].Place.Offset != traceEvent.BufferOffset)
            {
                number++;
            }

            ref byte start = ref MemoryMarshal.GetReference(Data(in _buffers[number]));
            _rest.Add((number, (int)Unsafe.ByteOffset(ref start, ref MemoryMarshal.GetReference(traceEvent.Record))));
        }
    }

    /// <param name="Place">Where it is in the file.</param>
    /// <param name="Start">Where it starts in its part's block.</param>
    private record struct Loaded(BufferIndex.Place Place, int Start)
    {
        public int Cpu { get; set; }

        /// <summary>Length of its header and events; 0 where it could not be read.</summary>
        public int Length { get; set; }
    }
}
