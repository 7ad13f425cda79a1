using System.Collections.Concurrent;

namespace Tracer.Capture.Tests;

/// <summary>
/// A Windows below TraceEvent and our P/Invoke: it keeps sessions, fills their buffers with what a simulated machine logs, and models what
/// Windows does with them (sources: Learn's pages on the functions, evntrace.h, and what traces show). Time is virtual and passes only
/// in <see cref="FakeClock.Wait"/>, of one thread; what a real-time reader gets, it has taken when that returns.
/// </summary>
internal sealed partial class FakeWindows : IDisposable
{
    private const long SlowestReaderMs = 100_000;

    private static readonly AsyncLocal<FakeWindows?> Ambient = new();
    private static readonly ushort[] LifetimeHooks = [0x0301, 0x0302, 0x0501, 0x0502, 0x030A, 0x1402, 0x140A];

    private readonly object _pulse = new();
    private readonly FakeOptions _options;
    private readonly List<FakeSession> _sessions = [];
    private readonly AliveRecords _alive = new();
    private readonly ParkedState _parked;
    private readonly long[] _plays;
    private readonly bool[] _isLifetime;
    private long _now;
    private int _play = -1;
    private int _nextEvent;
    private long _shift;

    public FakeWindows(MachineTrace machine, FakeOptions? options = null)
    {
        FakeShim.Install();
        Machine = machine;
        _options = options ?? new FakeOptions();
        _plays = _options.Plays.Count > 0 ? [.. _options.Plays] : [machine.FirstTicks];
        _isLifetime = [.. machine.Kinds.Select(kind => !kind.IsStack && LifetimeHooks.Contains(kind.Hook))];
        _now = machine.FirstTicks;
        _alive.Begin(machine.AliveAtStart);
        _parked = new ParkedState(machine.Header.ProcessorCount);
        Clock = new FakeClock(this);
        foreach ((string name, bool isSystemLogger) in _options.Others)
        {
            _sessions.Add(new FakeSession(1)
            {
                Name = name,
                Handle = _nextHandle++,
                Mode = FakeSession.Buffering | (isSystemLogger ? FakeSession.SystemLogger : 0),
                BufferBytes = 4096,
                MinimumBuffers = 2,
                MaximumBuffers = 2,
                FlushSeconds = 1,
                StartTicks = _now,
            });
        }

        Ambient.Value = this;
    }

    /// <summary>The one in which native calls of this flow of control arrive: that which was made last in it.</summary>
    public static FakeWindows? Current => Ambient.Value;

    public MachineTrace Machine { get; }

    public FakeClock Clock { get; }

    /// <summary>Exceptions of the fake itself: a test that sees calls fail with 31 looks here.</summary>
    public ConcurrentQueue<Exception> Faults { get; } = [];

    /// <summary>Bytes that a file may have: more is a full disk.</summary>
    public long DiskBytes { get; set; } = long.MaxValue;

    public IReadOnlyList<string> SessionNames
    {
        get
        {
            lock (_pulse)
            {
                return [.. _sessions.Select(session => session.Name)];
            }
        }
    }

    /// <summary>When the machine runs its trace.</summary>
    public IReadOnlyList<long> Plays => _plays;

    /// <summary>Ticks now.</summary>
    public long Now => Volatile.Read(ref _now);

    public FakeSession Session(string name) => _sessions.Single(session => session.Name == name);

    /// <summary>Ends the machine: readers come back.</summary>
    public void Dispose()
    {
        lock (_pulse)
        {
            _sessions.ForEach(session => session.IsStopped = true);
            _sessions.Clear();
            Monitor.PulseAll(_pulse);
        }

        Ambient.Value = null;
        Assert.Empty(Faults);
    }

    /// <summary>Lets time pass until a moment.</summary>
    public void RunTo(long ticks)
    {
        if (ticks < NextHappening())
        {
            Volatile.Write(ref _now, Math.Max(_now, ticks));
            return;
        }

        lock (_pulse)
        {
            Pass(ticks);
        }
    }

    /// <summary>Time passes; under the lock.</summary>
    private void Pass(long ticks)
    {
        while (_now < ticks)
        {
            long stop = Math.Min(ticks, NextFlush());
            Play(stop);
            Volatile.Write(ref _now, Math.Max(_now, stop));
            foreach (FakeSession session in _sessions.Where(session => session.IsRealTime && NextFlush(session) <= stop))
            {
                session.LastFlushTicks = stop;
                session.Flush();
            }

            AwaitReaders();
        }
    }

    private long NextHappening() => Math.Min(NextEventTicks(), NextFlush());

    private long NextEventTicks() => _play >= 0 && _nextEvent < Machine.Events.Length ? Machine.Events[_nextEvent].Ticks + _shift
        : _play + 1 < _plays.Length ? _plays[_play + 1]
        : long.MaxValue;

    private long NextFlush()
    {
        long next = long.MaxValue;
        foreach (FakeSession session in _sessions)
        {
            next = session.IsRealTime ? Math.Min(next, NextFlush(session)) : next;
        }

        return next;
    }

    private long NextFlush(FakeSession session) => session.LastFlushTicks + (session.FlushSeconds * Clock.QpcHz);

    /// <summary>Logs what the machine does until a moment.</summary>
    private void Play(long untilTicks)
    {
        ReadOnlySpan<MachineEvent> events = Machine.Events;
        while (NextEventTicks() <= untilTicks)
        {
            if (_play < 0 || _nextEvent == events.Length)
            {
                _play++;
                _nextEvent = 0;
                _shift = _plays[_play] - Machine.FirstTicks;
                _alive.Begin(Machine.AliveAtStart);
                continue;
            }

            ref readonly MachineEvent one = ref events[_nextEvent++];
            ReadOnlySpan<byte> record = Machine.Record(one);
            if (_isLifetime[one.Kind])
            {
                _alive.Apply(record);
            }

            if (Machine.Kinds[one.Kind].Provider == ParkedState.Provider)
            {
                _parked.Apply(record);
            }

            foreach (FakeSession session in _sessions)
            {
                if (session.Wants(one.Kind))
                {
                    Log(session, one, record);
                }
            }
        }
    }

    private void Log(FakeSession session, in MachineEvent one, ReadOnlySpan<byte> record)
    {
        Span<byte> logged = session.Log(one.Cpu, one.Ticks + _shift, record);
        if (_shift != 0 && !logged.IsEmpty)
        {
            MachineEventKind kind = Machine.Kinds[one.Kind];
            RecordTime.Shift(logged, kind.TimeOffset, _shift);
            foreach (int offset in kind.InnerTimes)
            {
                RecordTime.Shift(logged, offset, _shift);
            }
        }
    }

    /// <summary>Waits until the readers have taken what there is, and for the reader of a session that never had one.</summary>
    private void AwaitReaders()
    {
        long patience = Environment.TickCount64 + SlowestReaderMs;
        while (_sessions.Exists(session => session.IsRealTime && IsBusy(session)))
        {
            Monitor.PulseAll(_pulse);
            if (!Monitor.Wait(_pulse, TimeSpan.FromMilliseconds(Math.Max(1, patience - Environment.TickCount64))))
            {
                throw new TimeoutException($"A reader takes nothing: {string.Join(", ", SessionNames)}.");
            }
        }
    }

    private static bool IsBusy(FakeSession session) =>
        (session.FullBuffers > 0 && (session.Reader is not null || !session.HadReader)) || session.Reader?.IsDelivering == true;
}
