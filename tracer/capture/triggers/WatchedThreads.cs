namespace Tracer.Capture.Triggers;

/// <summary>The threads of the processes that the user named, from the kernel's records of both; those that begin later count.</summary>
public sealed class WatchedThreads
{
    private readonly ThreadOwners _owners = new();
    private readonly IReadOnlyList<string> _names;
    private readonly HashSet<uint> _ids;

    /// <param name="processes">Names of images, in any case, or process ids.</param>
    public WatchedThreads(IReadOnlyList<string> processes)
    {
        ArgumentNullException.ThrowIfNull(processes);
        _names = processes;
        _ids = [.. processes.Select(static one => uint.TryParse(one, out uint id) ? id : 0).Where(static id => id != 0)];
    }

    public void Learn(in EtlEvent traceEvent) => _owners.Learn(in traceEvent);

    public bool Has(uint thread)
    {
        if (_owners.ProcessOf(thread) is not { } process)
        {
            return false;
        }

        if (_ids.Contains(process))
        {
            return true;
        }

        string? image = _owners.NameOf(process);
        if (image is null)
        {
            return false;
        }

        foreach (string name in _names)
        {
            if (name.Equals(image, StringComparison.OrdinalIgnoreCase))
            {
                return true;
            }
        }

        return false;
    }
}
