using System.Diagnostics.CodeAnalysis;

namespace Tracer.Etl.Stacks;

/// <summary>
/// Stands between a reader that gives events by <see cref="EtlOrder.Time"/> and a sink that wants each of them together with its stack,
/// in the same order. Parts of stacks are separate records behind their event, so events are held back in a window until their stack is
/// there, or can be expected no more. A trace without such records passes through unhindered.
/// </summary>
/// <remarks>
/// A record belongs to the event with its time stamp and thread (<see cref="StackMatcher"/>). Pass it by reference and call
/// <see cref="Complete"/> when the reading has ended. Nothing is allocated per event once the window is as large as the trace needs.
/// </remarks>
/// <typeparam name="TSink">The sink; a struct lets the compiler join it with this.</typeparam>
public struct StackJoiner<TSink> : IEtlEventSink
    where TSink : IStackedEventSink
{
    private readonly StackMatcher _matcher;
    private readonly StackDefinitions _definitions;
    private readonly TraceHealth _health;
    private readonly bool _passStackRecords;
    private TSink _sink;
    private ulong[] _scratch = [];
    private bool _isEnded;

    /// <summary>Makes a joiner.</summary>
    /// <param name="sink">Takes the events; where it is a struct, <see cref="Sink"/> is the one that changes.</param>
    /// <param name="definitions">What a first reading of the same trace has learnt.</param>
    /// <param name="clock">The trace's clock.</param>
    /// <param name="health">
    /// Is told of stacks without an event, events that waited in vain, and unknown keys. Not that of the reader, which begins anew with
    /// each reading: add this one to it afterwards.
    /// </param>
    /// <param name="window">How much may be held back; nothing for <see cref="StackWindow.Default"/>.</param>
    /// <param name="passStackRecords">Whether stack records are given to the sink too, as events without a stack.</param>
    public StackJoiner(
        TSink sink,
        StackDefinitions definitions,
        TraceClock clock,
        TraceHealth health,
        StackWindow? window = null,
        bool passStackRecords = false)
    {
        ArgumentNullException.ThrowIfNull(definitions);
        ArgumentNullException.ThrowIfNull(health);
        _sink = sink;
        _definitions = definitions;
        _health = health;
        _passStackRecords = passStackRecords;
        _matcher = new StackMatcher(definitions, clock, window ?? StackWindow.Default, health);
    }

    /// <summary>The sink.</summary>
    [UnscopedRef]
    public ref TSink Sink => ref _sink;

    /// <summary>How many events are held back now.</summary>
    public readonly long HeldEvents => _matcher.Held.Next - _matcher.Held.First;

    /// <summary>Memory that the window has taken, in bytes.</summary>
    public readonly long WindowBytes => _matcher.Held.Bytes;

    /// <summary>Takes the next event and gives on those that need not wait any longer.</summary>
    /// <param name="traceEvent">The event.</param>
    /// <returns>False when the sink has ended the reading.</returns>
    public bool OnEvent(scoped in EtlEvent traceEvent)
    {
        if (_isEnded)
        {
            return false;
        }

        bool isStackRecord = StackHooks.IsStackRecord(in traceEvent);
        if (isStackRecord)
        {
            while (!_matcher.TryAttach(in traceEvent))
            {
                if (!GiveFirst(forRoom: true))
                {
                    return false;
                }
            }
        }
        else if (StackHooks.IsUserHalf(in traceEvent))
        {
            while (!_matcher.TryAttachHalf(in traceEvent, out isStackRecord))
            {
                if (!GiveFirst(forRoom: true))
                {
                    return false;
                }
            }
        }

        if (!GiveReady(traceEvent.TimestampTicks))
        {
            return false;
        }

        if (isStackRecord)
        {
            return !_passStackRecords || Pass(in traceEvent, canHaveStack: false);
        }

        return Pass(in traceEvent, canHaveStack: true);
    }

    /// <summary>Gives on what is still held back. To be called once, when all events of the trace have been taken.</summary>
    /// <returns>False when the sink has ended the reading.</returns>
    public bool Complete()
    {
        while (!_isEnded && !_matcher.Held.IsEmpty)
        {
            GiveFirst(forRoom: false);
        }

        if (_isEnded)
        {
            return false;
        }

        _health.Add(HealthCounter.DroppedStackDefinitions, _definitions.Dropped);
        _isEnded = true;
        return true;
    }

    private bool Pass(scoped in EtlEvent traceEvent, bool canHaveStack)
    {
        if (_matcher.Held.IsEmpty && !(canHaveStack && _matcher.HasToWait(in traceEvent)))
        {
            EventStack stack = canHaveStack && traceEvent.IsEventHeader ? _matcher.OwnStack(in traceEvent, ref _scratch) : default;
            _isEnded = !_sink.OnEvent(in traceEvent, in stack);
            return !_isEnded;
        }

        while (!_matcher.TryHold(in traceEvent, canHaveStack))
        {
            if (!GiveFirst(forRoom: true))
            {
                return false;
            }
        }

        return true;
    }

    private bool GiveReady(long nowTicks)
    {
        while (_matcher.IsFirstReady(nowTicks))
        {
            if (!GiveFirst(forRoom: false))
            {
                return false;
            }
        }

        return true;
    }

    private bool GiveFirst(bool forRoom)
    {
        ref readonly HeldEvent first = ref _matcher.Held[_matcher.Held.First];
        if (EtlEvent.TryRead(_matcher.Held.RecordOf(first), first.Cpu, first.BufferOffset, out EtlEvent traceEvent))
        {
            EventStack stack = _matcher.StackOf(first);
            _isEnded = !_sink.OnEvent(in traceEvent, in stack);
        }

        _matcher.RemoveFirst(forRoom);
        return !_isEnded;
    }
}
