namespace Tracer.Analysis.Mechanisms;

/// <summary>The page of each mechanism that can keep a victim waiting.</summary>
internal static class MechanismPages
{
    private static readonly MechanismPage Isr = new IsrRuns();
    private static readonly MechanismPage Dpc = new DpcRuns();
    private static readonly MechanismPage Deferred = new DeferredDpcs();
    private static readonly MechanismPage Thread = new OtherThreads();
    private static readonly MechanismPage Raised = new RaisedCode();
    private static readonly MechanismPage Spin = new SpinWaits();
    private static readonly MechanismPage Blackout = new BlackoutPage();
    private static readonly MechanismPage Hypervisor = new HypervisorPage();
    private static readonly MechanismPage Exit = new IdleExits();
    private static readonly MechanismPage Page = new PageReads();
    private static readonly MechanismPage Scheduler = new SchedulerChoices();
    private static readonly MechanismPage Tick = new TimerWaits();
    private static readonly MechanismPage Unexplained = new UnexplainedTime();

    public static MechanismPage Of(Mechanism mechanism) => mechanism switch
    {
        Mechanism.Unexplained => Unexplained,
        Mechanism.Isr => Isr,
        Mechanism.Dpc => Dpc,
        Mechanism.DpcDeferred => Deferred,
        Mechanism.Thread => Thread,
        Mechanism.RaisedIrql => Raised,
        Mechanism.SpinWait => Spin,
        Mechanism.Blackout => Blackout,
        Mechanism.IdleExit => Exit,
        Mechanism.Paging => Page,
        Mechanism.Scheduler => Scheduler,
        Mechanism.Hypervisor => Hypervisor,
        Mechanism.TimerTick => Tick,
        _ => throw new ArgumentOutOfRangeException(nameof(mechanism)),
    };

    public static Mechanism MainOf(IEnumerable<NamedCause> causes) => causes.GroupBy(cause => cause.Mechanism)
        .OrderByDescending(group => group.Sum(cause => cause.Ticks)).ThenBy(group => group.Key).First().Key;
}
