using Tracer.Measure.Ground;

namespace Tracer.Measure.Tests;

/// <summary>
/// The scheduler of a model with one CPU: of the threads that are ready, the highest runs, of equals the one that has been ready longest.
/// Each is a thread of the system that waits for its turn, so that measurements run as they are; only one runs at a time.
/// </summary>
internal sealed class ModelScheduler(ModelMachine machine)
{
    private readonly List<ModelThread> _threads = [];
    private readonly ManualResetEventSlim _isOver = new();
    private ModelThread? _current;
    private ModelThread? _last;
    private long _order;
    private Exception? _failure;

    public object? Current => _current;

    public void Run(IReadOnlyList<MeasureThread> threads)
    {
        _threads.Clear();
        _isOver.Reset();
        _last = null;
        _failure = null;
        _threads.AddRange(threads.Select(plan => new ModelThread(plan, ++_order)));
        ModelThread[] all = [.. _threads];
        Thread[] workers = [.. all.Select(one => new Thread(() => Work(one)) { IsBackground = true })];
        Array.ForEach(workers, static worker => worker.Start());
        Dispatch();
        _isOver.Wait();
        Array.ForEach(workers, static worker => worker.Join());
        _current = null;
        if (_failure is not null)
        {
            throw _failure;
        }
    }

    /// <summary>The running thread waits until a time or until it is woken.</summary>
    public void Block(long due)
    {
        if (_current is not { } me)
        {
            machine.IdleUntil(due);
            return;
        }

        me.Due = due;
        me.IsReady = false;
        GiveWay(me);
    }

    public void Wake(object thread) => MakeReady((ModelThread)thread);

    public void WakeAt(object thread, long time) => ((ModelThread)thread).Due = time;

    /// <summary>The running thread goes on unless a higher one is ready.</summary>
    public void Preempt()
    {
        if (_current is not { } me || _threads.Count < 2)
        {
            return;
        }

        ReadyWhatIsDue();
        if (_threads.Exists(one => one.IsReady && one.Plan.Priority.Rank() > me.Plan.Priority.Rank()))
        {
            GiveWay(me);
        }
        else if (machine.Slice > 0 && machine.Now - me.Since >= machine.Slice
            && _threads.Exists(one => one != me && one.IsReady && one.Plan.Priority == me.Plan.Priority))
        {
            me.Order = ++_order;
            GiveWay(me);
        }
    }

    private void Work(ModelThread me)
    {
        me.Turn.Wait();
        try
        {
            me.Plan.Body();
        }
#pragma warning disable CA1031 // Thrown again by the thread that waits.
        catch (Exception caught)
#pragma warning restore CA1031
        {
            _failure ??= caught;
        }

        _threads.Remove(me);
        _current = null;
        Dispatch();
    }

    private void GiveWay(ModelThread me)
    {
        Dispatch();
        me.Turn.Wait();
    }

    private void Dispatch()
    {
        if (_threads.Count == 0)
        {
            _isOver.Set();
            return;
        }

        ReadyWhatIsDue();
        while (!_threads.Exists(static one => one.IsReady))
        {
            long next = _threads.Min(static one => one.Due);
            if (next == long.MaxValue)
            {
                throw new InvalidOperationException("All threads wait for each other.");
            }

            machine.IdleUntil(next);
            ReadyWhatIsDue();
        }

        ModelThread chosen = _threads.Where(static one => one.IsReady)
            .OrderByDescending(static one => one.Plan.Priority.Rank()).ThenBy(static one => one.Order).First();
        if (_last is not null && chosen != _last)
        {
            machine.IdleUntil(machine.Now + machine.SwitchCost);
        }

        _last = chosen;
        _current = chosen;
        chosen.Since = machine.Now;
        chosen.Turn.Release();
    }

    private void ReadyWhatIsDue()
    {
        foreach (ModelThread one in _threads.Where(one => !one.IsReady && one.Due <= machine.Now).OrderBy(static one => one.Due).ToList())
        {
            MakeReady(one);
        }
    }

    private void MakeReady(ModelThread thread)
    {
        thread.IsReady = true;
        thread.Order = ++_order;
    }

    private sealed class ModelThread(MeasureThread plan, long order)
    {
        public MeasureThread Plan => plan;

        public SemaphoreSlim Turn { get; } = new(0);

        public bool IsReady { get; set; } = true;

        public long Due { get; set; } = long.MaxValue;

        /// <summary>When it began to run.</summary>
        public long Since { get; set; }

        public long Order { get; set; } = order;
    }
}

/// <summary>The order of classes.</summary>
internal static class MeasurePriorities
{
    public static int Rank(this MeasurePriority priority) => priority switch
    {
        MeasurePriority.Normal => 0,
        MeasurePriority.High => 1,
        MeasurePriority.RealTime => 2,
        _ => 3,
    };
}
