using Tracer.Analysis.Facts;

namespace Tracer.Analysis.Modules;

/// <summary>
/// What the stacks and records of the whole trace show about the role of drivers that are in no table. A driver that calls other drivers
/// and has little code of its own is a framework. One with interrupts, DPCs, threads or devices of its own is itself to blame for its time,
/// even if another driver calls it.
/// </summary>
public sealed class ModuleCalls
{
    /// <summary>A framework calls at least this many different drivers.</summary>
    internal const int FewestClients = 2;

    /// <summary>A framework has at least this many stacks in which it called a client for each stack with its own code on top.</summary>
    internal const int CallsForOneOfItsOwn = 4;

    private readonly HashSet<string> _workers = new(StringComparer.OrdinalIgnoreCase);
    private readonly HashSet<string> _frameworks = new(StringComparer.OrdinalIgnoreCase);
    private readonly HashSet<string> _independent = new(StringComparer.OrdinalIgnoreCase);

    /// <summary>Drivers that call other drivers and spend little time in their own code.</summary>
    public IReadOnlySet<string> Frameworks => _frameworks;

    /// <summary>Whether a driver has routines, threads or devices of its own.</summary>
    public bool IsIndependent(string module) => _independent.Contains(module);

    /// <summary>
    /// Whether a driver that calls others has its own code on top of at least as many stacks as it called others in: then a single run in
    /// which samples hit another driver does not shift the blame.
    /// </summary>
    public bool WorksItself(string module) => _workers.Contains(module);

    /// <summary>Finds frameworks, independent drivers and those that work themselves in a trace.</summary>
    /// <param name="facts">What the first reading learnt; must be complete.</param>
    internal static ModuleCalls Of(TraceFacts facts)
    {
        var calls = new ModuleCalls();
        calls.Find(facts.CallStacks(), facts.InterruptRoutines().Select(routine => (routine, facts.LastTicks)), facts);
        return calls;
    }

    /// <summary>Finds frameworks, independent drivers and those that work themselves.</summary>
    /// <param name="routines">Routines of ISRs and DPCs, each with a time at which its image was mapped.</param>
    /// <param name="facts">Images, threads and devices, complete.</param>
    internal void Find(IEnumerable<CallStacks> stacks, IEnumerable<(ulong Routine, long Ticks)> routines, TraceFacts facts)
    {
        foreach ((ulong routine, long ticks) in routines)
        {
            AddIndependent(facts.Images.Find(routine, ticks));
        }

        foreach (ThreadLife thread in facts.Threads.Threads.Where(thread => thread.ProcessId == ThreadTable.SystemProcess))
        {
            AddIndependent(
                thread.StartAddress is { } start ? facts.Images.Find(start, Math.Max(thread.FromTicks, facts.FirstTicks)) : null);
        }

        for (int number = 0; number < facts.Images.KernelImageCount; number++)
        {
            LoadedImage image = facts.Images.Images[number];
            if (facts.Devices.DeviceOf(image.Name) is not null)
            {
                AddIndependent(image);
            }
        }

        FindFrameworks(stacks, facts);
    }

    /// <summary>Whether the version resources of two images name the same company.</summary>
    internal static bool AreOfOneVendor(LoadedImage one, LoadedImage other) =>
        one.Description?.Company is { Length: > 0 } company
        && string.Equals(company, other.Description?.Company, StringComparison.OrdinalIgnoreCase);

    private static bool IsUnlisted(LoadedImage image) => Modules.Frameworks.RoleOf(image.Name) == ModuleRole.Driver;

    private void AddIndependent(LoadedImage? image)
    {
        if (image is not null && IsUnlisted(image))
        {
            _independent.Add(image.Name);
        }
    }

    private void FindFrameworks(IEnumerable<CallStacks> stacks, TraceFacts facts)
    {
        Dictionary<string, Dictionary<LoadedImage, long>> calls = new(StringComparer.OrdinalIgnoreCase);
        Dictionary<string, long> own = new(StringComparer.OrdinalIgnoreCase);
        foreach ((ReadOnlyMemory<ulong> frames, int count, long ticks) in stacks.SelectMany(stack => stack.All))
        {
            LoadedImage? callee = null;
            for (int i = 0; i < frames.Length; i++)
            {
                LoadedImage? image = facts.Images.Find(frames.Span[i], ticks);
                if (i == 0 && image is not null)
                {
                    own[image.Name] = own.GetValueOrDefault(image.Name) + count;
                }

                if (image is not null && callee is not null && image.Number != callee.Number && IsUnlisted(image) && IsUnlisted(callee)
                    && !AreOfOneVendor(image, callee))
                {
                    if (!calls.TryGetValue(image.Name, out Dictionary<LoadedImage, long>? called))
                    {
                        calls.Add(image.Name, called = []);
                    }

                    called[callee] = called.GetValueOrDefault(callee) + count;
                }

                callee = image;
            }
        }

        foreach ((string caller, Dictionary<LoadedImage, long> called) in calls)
        {
            int clients = called.Keys.Select(image => image.Name).Distinct(StringComparer.OrdinalIgnoreCase).Count();
            if (own.GetValueOrDefault(caller) >= called.Values.Sum())
            {
                _workers.Add(caller);
            }

            if (clients >= FewestClients && own.GetValueOrDefault(caller) * CallsForOneOfItsOwn <= called.Values.Sum())
            {
                _frameworks.Add(caller);
            }
        }
    }
}
