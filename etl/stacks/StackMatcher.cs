namespace Tracer.Etl.Stacks;

/// <summary>
/// Finds the events that stack records belong to, among those held back. What it can't do for want of room it refuses without having
/// changed anything: the caller then lets the oldest event go and asks again.
/// </summary>
/// <remarks>All 21,760 stack records of two real traces found an event of their time stamp.</remarks>
internal sealed class StackMatcher
{
    /// <summary>How many events of one time stamp are looked at: a damaged trace may stop the clock.</summary>
    private const int MaximumCandidates = 1024;

    /// <summary>One return to user mode logs its parts one right behind the other.</summary>
    private const long OwnPartNanoseconds = 1_000_000;

    private readonly StackDefinitions _definitions;
    private readonly TraceHealth _health;
    private readonly long _firstPartTicks;
    private readonly long _ownPartTicks;
    private long _gaveUpTicks = long.MinValue;

    /// <summary>Makes one that holds nothing.</summary>
    public StackMatcher(StackDefinitions definitions, TraceClock clock, StackWindow window, TraceHealth health)
    {
        _definitions = definitions;
        _health = health;
        Held = new HeldEvents(window);
        _firstPartTicks = Math.Max(0, clock.TicksOf(window.FirstPartNanoseconds));
        _ownPartTicks = clock.TicksOf(OwnPartNanoseconds);
    }

    public HeldEvents Held { get; }

    /// <summary>Whether an event has to wait for others than those before it.</summary>
    public bool HasToWait(in EtlEvent traceEvent) => traceEvent.IsKernelHook
        ? _definitions.StackRecords > 0 && StackHooks.CanHaveRecords(in traceEvent)
        : _definitions.UserHalves > 0 && ExtendedStack.TryRead(in traceEvent, out ExtendedStack own) && LacksUserHalf(own);

    /// <summary>Whether the oldest event need not wait any longer.</summary>
    public bool IsFirstReady(long nowTicks) => !Held.IsEmpty && IsComplete(in Held[Held.First], nowTicks);

    /// <param name="traceEvent">The event.</param>
    /// <param name="canHaveStack">Whether it is an event that can have a stack, and not part of one.</param>
    /// <returns>False when there is no room.</returns>
    public bool TryHold(in EtlEvent traceEvent, bool canHaveStack)
    {
        if (!canHaveStack || !ExtendedStack.TryRead(in traceEvent, out ExtendedStack own))
        {
            bool waits = canHaveStack && _definitions.StackRecords > 0 && StackHooks.CanHaveRecords(in traceEvent);
            return Held.TryAdd(in traceEvent, waits ? StackHooks.ThreadOf(in traceEvent) : EtlEvent.NotInHeader, waits, 0);
        }

        if (!Held.TryAdd(in traceEvent, traceEvent.ThreadId, mayHaveRecords: false, own.FrameCount))
        {
            return false;
        }

        long number = Held.Next - 1;
        ref HeldEvent held = ref Held[number];
        HeldPlace place = HeldEvents.OwnFrames(held);
        own.CopyTo(Held.Frames(place, own.FrameCount));
        held.Parts = Split(own, in traceEvent, place, out held.Kernel, out held.User);
        held.MatchId = own.MatchId;
        if (LacksUserHalf(own))
        {
            if (_definitions.UserHalves == 0 || !Held.TryAddWait(number, StackWait.UserHalf))
            {
                held.Parts |= EventStackParts.UserPending;
            }
        }

        return true;
    }

    /// <summary>The stack that an event brings along, which need not wait.</summary>
    /// <param name="traceEvent">The event.</param>
    /// <param name="scratch">Is used for the frames; replaced where it is too short.</param>
    public EventStack OwnStack(in EtlEvent traceEvent, ref ulong[] scratch)
    {
        if (!ExtendedStack.TryRead(in traceEvent, out ExtendedStack own))
        {
            return default;
        }

        if (scratch.Length < own.FrameCount)
        {
            scratch = new ulong[2 * own.FrameCount];
        }

        own.CopyTo(scratch);
        EventStackParts parts = Split(own, in traceEvent, default, out FramesPlace kernel, out FramesPlace user);
        parts |= LacksUserHalf(own) ? EventStackParts.UserPending : EventStackParts.None;
        return own.IsKey
            ? new EventStack(FramesAt(kernel), FramesAt(user), parts)
            : new EventStack(scratch.AsSpan(0, kernel.Count), scratch.AsSpan(kernel.Count, user.Count), parts);
    }

    /// <summary>The stack of a held event as far as it is known.</summary>
    public EventStack StackOf(in HeldEvent held)
    {
        bool isPending = held.Wait is StackWait.UserPart or StackWait.UserHalf;
        return new EventStack(
            FramesAt(held.Kernel), FramesAt(held.User), held.Parts | (isPending ? EventStackParts.UserPending : EventStackParts.None));
    }

    /// <summary>Lets the oldest event go.</summary>
    /// <param name="forRoom">Whether it goes only because there is no room.</param>
    public void RemoveFirst(bool forRoom)
    {
        ref HeldEvent first = ref Held[Held.First];
        if (first.Wait is not (StackWait.None or StackWait.OwnUserPart))
        {
            _gaveUpTicks = Math.Max(_gaveUpTicks, first.Ticks);
            _health.Add(HealthCounter.StackWaitsEvicted, forRoom ? 1 : 0);
        }

        Held.RemoveFirst();
    }

    /// <summary>Gives a stack record to the event, or events, that it belongs to.</summary>
    /// <returns>False when there is no room.</returns>
    public bool TryAttach(in EtlEvent record)
    {
        if (!StackPart.TryRead(in record, out StackPart part) || !(part.HasKernel || part.HasUser))
        {
            return true;
        }

        bool isUserPart = part.HasUser && !part.HasKernel;
        long owner = FindOwner(in part, record.Cpu, record.TimestampTicks);
        bool hasWaits = isUserPart && Held.HasWaits(part.ThreadId, 0);
        bool isUsed = owner != HeldEvents.None || hasWaits;
        HeldPlace place = default;
        if (isUsed && !Held.TryTakeFrames(part.FrameCount, out place))
        {
            return false;
        }

        FramesPlace kernel = default;
        FramesPlace user = default;
        EventStackParts parts = EventStackParts.None;
        if (part.IsKey)
        {
            parts = Resolve(part.Key, in record, part.HasKernel, out kernel, out user);
        }
        else if (isUsed)
        {
            part.CopyTo(Held.Frames(place, part.FrameCount));
            parts = Split(place, part.KernelFrameCount, part.FrameCount, out kernel, out user);
        }

        if (owner != HeldEvents.None)
        {
            Attach(owner, in part, kernel, user, parts);
        }

        bool isShared = hasWaits && ShareUserPart(part.EventTicks, record.TimestampTicks, part.ThreadId, user, parts);
        if (owner == HeldEvents.None && !isShared)
        {
            CountUnmatched(part.EventTicks);
        }

        return true;
    }

    /// <summary>Gives the user half that an event carries to the events whose kernel halves wait for it.</summary>
    /// <param name="traceEvent">The event.</param>
    /// <param name="isHalf">Whether it carries one; if not, it is an event like any other.</param>
    /// <returns>False when there is no room.</returns>
    public bool TryAttachHalf(in EtlEvent traceEvent, out bool isHalf)
    {
        isHalf = ExtendedStack.TryRead(in traceEvent, out ExtendedStack half);
        if (!isHalf)
        {
            return true;
        }

        if (half.MatchId == 0 || !Held.HasWaits(traceEvent.ThreadId, half.MatchId))
        {
            _health.Add(HealthCounter.UnmatchedStacks);
            return true;
        }

        if (!Held.TryTakeFrames(half.FrameCount, out HeldPlace place))
        {
            return false;
        }

        var user = new FramesPlace(place, half.FrameCount);
        EventStackParts parts = EventStackParts.User;
        half.CopyTo(Held.Frames(place, half.FrameCount));
        if (half.IsKey)
        {
            parts = Resolve(half.Key, in traceEvent, isKernel: false, out _, out user);
        }

        for (long number = Held.EndWaits(traceEvent.ThreadId, half.MatchId); Held.Holds(number); number = Held[number].OlderOfWait)
        {
            ref HeldEvent held = ref Held[number];
            held.User = user;
            held.Parts |= parts;
            held.Wait = StackWait.None;
        }

        return true;
    }

    /// <summary>Whether only the kernel half of a stack is there, and the user half a separate event.</summary>
    private static bool LacksUserHalf(in ExtendedStack own) =>
        own.MatchId != 0 && (own.IsKey || own.KernelFrameCount == own.FrameCount);

    /// <summary>Which part has frames where; none at all is an unknown stack.</summary>
    private static EventStackParts Split(HeldPlace place, int kernelCount, int count, out FramesPlace kernel, out FramesPlace user)
    {
        kernel = new FramesPlace(place, kernelCount);
        user = new FramesPlace(place with { Offset = place.Offset + kernelCount }, count - kernelCount);
        return (kernelCount > 0 ? EventStackParts.Kernel : EventStackParts.None)
            | (count > kernelCount ? EventStackParts.User : EventStackParts.None);
    }

    private static void SetUser(ref HeldEvent held, FramesPlace user, EventStackParts parts)
    {
        const EventStackParts OfUser = EventStackParts.User | EventStackParts.UnresolvedUser | EventStackParts.SharedUser;
        held.User = user;
        held.Parts = (held.Parts & ~OfUser) | (parts & OfUser);
        held.Wait = StackWait.None;
    }

    private EventStackParts Split(
        in ExtendedStack own, in EtlEvent traceEvent, HeldPlace place, out FramesPlace kernel, out FramesPlace user)
    {
        if (!own.IsKey)
        {
            return Split(place, own.KernelFrameCount, own.FrameCount, out kernel, out user);
        }

        if (own.MatchId != 0)
        {
            return Resolve(own.Key, in traceEvent, isKernel: true, out kernel, out user);
        }

        // One key for the whole stack: its frames tell where the user part begins.
        EventStackParts parts = Resolve(own.Key, in traceEvent, isKernel: null, out kernel, out user);
        int kernelCount = 0;
        ReadOnlySpan<ulong> frames = FramesAt(user);
        while (kernelCount < frames.Length && StackHooks.IsKernelAddress(frames[kernelCount], traceEvent.PointerBytes))
        {
            kernelCount++;
        }

        return kernelCount == 0 ? parts : Split(user.Place, kernelCount, frames.Length, out kernel, out user);
    }

    /// <summary>Looks up a key.</summary>
    /// <param name="kernel">The frames, of a kernel part.</param>
    /// <param name="key">The key.</param>
    /// <param name="use">The record that uses it.</param>
    /// <param name="isKernel">Whether it stands for a kernel part; null where it may be anything, which then is the user part.</param>
    /// <param name="user">The frames, of any other.</param>
    private EventStackParts Resolve(ulong key, in EtlEvent use, bool? isKernel, out FramesPlace kernel, out FramesPlace user)
    {
        kernel = default;
        user = default;
        int list = _definitions.ListOf(key, use.TimestampTicks);
        ReadOnlySpan<ulong> frames = list < 0 ? default : _definitions.FramesOf(list);
        bool isContradictory = isKernel is { } expected && !frames.IsEmpty
            && StackHooks.IsKernelAddress(frames[0], use.PointerBytes) != expected;
        if (list < 0 || isContradictory)
        {
            _health.Add(isContradictory ? HealthCounter.ContradictoryStackKeys : HealthCounter.UnresolvedStackKeys);
            return isKernel == true
                ? EventStackParts.Kernel | EventStackParts.UnresolvedKernel
                : EventStackParts.User | EventStackParts.UnresolvedUser;
        }

        (isKernel == true ? ref kernel : ref user) = new FramesPlace(FramesPlace.OfList(list), frames.Length);
        return isKernel == true ? EventStackParts.Kernel : EventStackParts.User;
    }

    private ReadOnlySpan<ulong> FramesAt(FramesPlace frames) => frames switch
    {
        { Count: 0 } => default,
        { Place.Segment: < 0 } => _definitions.FramesOf(~frames.Place.Segment).Slice(frames.Place.Offset, frames.Count),
        _ => Held.Frames(frames.Place, frames.Count),
    };

    private void Attach(long owner, in StackPart part, FramesPlace kernel, FramesPlace user, EventStackParts parts)
    {
        ref HeldEvent held = ref Held[owner];
        held.ThreadId = part.ThreadId;
        if (part.HasKernel)
        {
            held.Kernel = kernel;
            held.Parts |= parts & (EventStackParts.Kernel | EventStackParts.UnresolvedKernel);
        }

        if (part.HasUser)
        {
            SetUser(ref held, user, parts);
        }
        else if (part.IsOfSystem || (held.Parts & EventStackParts.User) != 0)
        {
            held.Wait = StackWait.None;
        }
        else if (!Held.TryAddWait(owner, StackWait.UserPart))
        {
            held.Wait = StackWait.None;
            held.Parts |= EventStackParts.UserPending;
        }
    }

    /// <summary>
    /// One entry into the kernel may log several events, but the user part is logged once, for the first of them: the next one of the
    /// thread belongs to all that wait for it, unless it is that of a later entry, which ends their waiting too.
    /// </summary>
    private bool ShareUserPart(long eventTicks, long nowTicks, uint threadId, FramesPlace user, EventStackParts parts)
    {
        bool isShared = false;
        for (long number = Held.EndWaits(threadId, 0); Held.Holds(number); number = Held[number].OlderOfWait)
        {
            ref HeldEvent held = ref Held[number];
            if (held.Wait == StackWait.UserPart && eventTicks <= held.Ticks)
            {
                SetUser(ref held, user, parts | EventStackParts.SharedUser);
                held.SharedTicks = nowTicks;
                held.Wait = StackWait.OwnUserPart;
                isShared = true;
                continue;
            }

            held.Wait = StackWait.None;
        }

        return isShared;
    }

    /// <summary>
    /// Whether an event waits for nothing more, or has waited for too long, though it may be held because of others before it. No part is
    /// added then: so what stack an event gets depends on its own records alone, and is the same wherever a reading of the trace begins.
    /// </summary>
    private bool IsComplete(in HeldEvent held, long nowTicks) => held.Wait switch
    {
        StackWait.None => true,
        StackWait.FirstPart => nowTicks - held.Ticks > _firstPartTicks,
        StackWait.OwnUserPart => nowTicks - held.SharedTicks > _ownPartTicks,
        _ => false,
    };

    /// <summary>
    /// The event with the time stamp and thread of a stack record that lacks this part. Of several, one of the same CPU; of these, one
    /// whose kernel part came before this user part; of these, the nearest.
    /// </summary>
    private long FindOwner(in StackPart part, int cpu, long nowTicks)
    {
        const int SameThread = 4;
        const int SameCpu = 2;
        const int Continued = 1;
        long best = HeldEvents.None;
        int bestRank = -1;
        long number = Held.NewestAt(part.EventTicks);
        for (int seen = 0; Held.Holds(number) && seen < MaximumCandidates; number = Held[number].OlderInSlot, seen++)
        {
            ref readonly HeldEvent held = ref Held[number];
            bool hasKernel = (held.Parts & EventStackParts.Kernel) != 0;
            bool hasOwnUser = (held.Parts & (EventStackParts.User | EventStackParts.SharedUser)) == EventStackParts.User;
            bool lacksPart = !(part.HasKernel && hasKernel) && !(part.HasUser && hasOwnUser);
            if (held.Ticks != part.EventTicks || !lacksPart || IsComplete(in held, nowTicks))
            {
                continue;
            }

            bool isSameThread = held.ThreadId == part.ThreadId;
            bool isSameCpu = held.Cpu == cpu;
            if (!isSameThread && !(held.ThreadId == EtlEvent.NotInHeader && isSameCpu))
            {
                continue;
            }

            int rank = (isSameThread ? SameThread : 0) + (isSameCpu ? SameCpu : 0) + (hasKernel ? Continued : 0);
            if (rank > bestRank)
            {
                (best, bestRank) = (number, rank);
            }
        }

        return best;
    }

    private void CountUnmatched(long eventTicks) =>
        _health.Add(eventTicks <= _gaveUpTicks ? HealthCounter.LateStacks : HealthCounter.UnmatchedStacks);
}
