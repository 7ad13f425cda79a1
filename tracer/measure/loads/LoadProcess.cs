using Tracer.Measure.Ground;
using Tracer.Measure.Processes;

namespace Tracer.Measure.Loads;

/// <summary>
/// A load in a process of its own, so that what it allocates and collects does not stop the threads that measure.
/// </summary>
public sealed class LoadProcess : IDisposable
{
    public const string Ready = "ready";

    private readonly HelperProcess _process;

    private LoadProcess(HelperProcess process) => _process = process;

    public int Id => _process.Id;

    /// <summary>Starts one, and waits until it works.</summary>
    /// <exception cref="MeasureException">It can't be started; the message is what it says itself.</exception>
    public static LoadProcess Start(LoadKind kind, long seed)
    {
        string name = KebabCase.Of(kind);
        return new LoadProcess(HelperProcess.Start(
            $"the load '{name}'", Ready, "load", name, "--seed", seed.ToString(CultureInfo.InvariantCulture)));
    }

    /// <summary>Looks whether it still works.</summary>
    /// <exception cref="MeasureException">It has ended.</exception>
    public void MustWork() => _process.MustWork();

    /// <summary>Ends it, and waits until it has removed its files.</summary>
    public void Dispose() => _process.Dispose();
}
