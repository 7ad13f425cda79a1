using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Tracer.Etl.Reading;

/// <summary>
/// Goes through a trace with several threads at once that count events; what they do not count is given by the caller's thread. The file
/// is cut into parts, as many at a time as there are counters, and the parts' rests come in the file's order.
/// </summary>
/// <param name="input">The file.</param>
/// <param name="places">Its buffers, in the order of the file.</param>
internal sealed class CountingWalk(TraceInput input, BufferIndex.Place[] places)
{
    /// <summary>A part holds so many bytes as stored, but at least one buffer.</summary>
    private const int PartBytes = 4 * 1024 * 1024;

    private int _next;

    /// <summary>Gives all events.</summary>
    /// <param name="counters">Are asked first, each by one thread at a time.</param>
    /// <param name="health">Is told what is odd.</param>
    /// <param name="sink">Takes what no counter takes.</param>
    /// <returns>False when the sink wants no more.</returns>
    public bool GiveAll<TCounter, TSink>(TCounter[] counters, TraceHealth health, ref TSink sink)
        where TCounter : struct, IEtlEventCounter
        where TSink : IEtlEventSink, allows ref struct
    {
        Part[] parts = [.. counters.Select(_ => new Part(input))];
        while (_next < places.Length)
        {
            foreach (Part part in parts)
            {
                part.Begin(Take());
            }

            Parallel.For(0, parts.Length, which => parts[which].Count(ref counters[which]));
            foreach (Part part in parts)
            {
                health.Add(part.Health);
                if (!part.GiveRest(ref sink))
                {
                    return false;
                }
            }
        }

        return true;
    }

    private ReadOnlySpan<BufferIndex.Place> Take()
    {
        int first = _next;
        long bytes = 0;
        while (_next < places.Length && (_next == first || bytes + places[_next].StoredBytes <= PartBytes))
        {
            bytes += places[_next++].StoredBytes;
        }

        return places.AsSpan(first, _next - first);
    }

    /// <summary>Some buffers of the file, and what was not counted of them. Its blocks are recycled from part to part.</summary>
    private sealed class Part(TraceInput input)
    {
        private readonly List<Loaded> _buffers = [];
        private readonly List<(int Buffer, int At)> _rest = [];
        private int _count;

        /// <summary>What was odd.</summary>
        public TraceHealth Health { get; private set; } = new();

        public void Begin(ReadOnlySpan<BufferIndex.Place> places)
        {
            _count = places.Length;
            _rest.Clear();
            Health = new TraceHealth();
            for (int i = 0; i < places.Length; i++)
            {
                if (_buffers.Count == i)
                {
                    _buffers.Add(new Loaded());
                }

                _buffers[i].Place = places[i];
            }
        }

        public void Count<TCounter>(ref TCounter counter)
            where TCounter : struct, IEtlEventCounter
        {
            for (int i = 0; i < _count; i++)
            {
                _buffers[i].Load(input, Health);
            }

            var sink = new Counting<TCounter>(this, ref counter);
            int given = 0;
            for (; given + 4 <= _count; given += 4)
            {
                sink.First = given;
                FourBuffers.GiveAll(
                    _buffers[given].Events, _buffers[given + 1].Events, _buffers[given + 2].Events, _buffers[given + 3].Events, Health,
                    ref sink);
            }

            for (; given < _count; given++)
            {
                sink.First = given;
                Loaded buffer = _buffers[given];
                EventWalk.GiveAll(buffer.Data, buffer.Cpu, buffer.Place.Offset, Health, ref sink);
            }
        }

        public bool GiveRest<TSink>(ref TSink sink)
            where TSink : IEtlEventSink, allows ref struct
        {
            foreach ((int number, int at) in CollectionsMarshal.AsSpan(_rest))
            {
                Loaded buffer = _buffers[number];
                if (!EventWalk.GiveFound(buffer.Data, at, buffer.Cpu, buffer.Place.Offset, ref sink))
                {
                    return false;
                }
            }

            return true;
        }

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

            _rest.Add((number, _buffers[number].PlaceOf(traceEvent.Record)));
        }
    }

    /// <summary>A buffer in memory.</summary>
    private sealed class Loaded
    {
        private byte[] _stored = [];
        private byte[] _decompressed = [];
        private bool _isDecompressed;
        private int _length;

        public BufferIndex.Place Place { get; set; }

        public int Cpu { get; private set; }

        public ReadOnlySpan<byte> Data => (_isDecompressed ? _decompressed : _stored).AsSpan(0, _length);

        public FourBuffers.Buffer Events => new(Data, Cpu, Place.Offset);

        public void Load(TraceInput input, TraceHealth health)
        {
            if (_stored.Length < Place.StoredBytes)
            {
                _stored = new byte[Place.StoredBytes];
            }

            _length = 0;
            int read = input.ReadFully(_stored.AsSpan(0, Place.StoredBytes), Place.Offset);
            if (BufferIndex.IsStill(_stored.AsSpan(0, read), out EtlBufferHeader header))
            {
                Cpu = header.Cpu;
                _isDecompressed = header.IsCompressed;
                _length = BufferDecompression.Data(
                    header, _stored.AsSpan(0, read), ref _decompressed, Place.Offset, health).Length;
            }
        }

        /// <summary>Where a record of this buffer starts in it.</summary>
        public int PlaceOf(ReadOnlySpan<byte> record) =>
            (int)Unsafe.ByteOffset(ref MemoryMarshal.GetReference(Data), ref MemoryMarshal.GetReference(record));
    }
}
