using System.ComponentModel;
using System.Runtime.Versioning;

namespace Tracer.Windows;

/// <summary>
/// The CPUs of this machine and those that this process may use, numbered over all processor groups as traces number them: group after
/// group, as many as are on in each (so count KeGetProcessorIndexFromNumber and the .NET runtime). A process may be limited to some, or
/// to one group, which need not be the first.
/// </summary>
internal static class ProcessCpus
{
    /// <summary>CPUs of one group: bits of its mask.</summary>
    private const int MostOfGroup = 64;

    /// <summary>All CPUs of the machine that are on, whatever this process may use.</summary>
    /// <param name="groups">The machine's; null where it has none.</param>
    public static int OfMachine(IProcessorGroups? groups)
    {
        int cpus = groups is null ? 0 : FirstOf(groups, groups.Groups);
        return cpus > 0 ? cpus : Environment.ProcessorCount;
    }

    /// <summary>The CPUs that this process may use, ascending; at least one.</summary>
    [SupportedOSPlatform("windows")]
    public static IReadOnlyList<int> Allowed() => Allowed(WindowsProcessorGroups.Here);

    public static IReadOnlyList<int> Allowed(IProcessorGroups groups)
    {
        (ushort own, ulong ofThread) = groups.OfThread();
        ulong ofProcess = groups.MaskOfProcess();
        IReadOnlyList<ushort> told = groups.OfProcess();
        own = told.Count == 1 ? told[0] : own;
        IEnumerable<ushort> all = told.Count > 0 ? told.Order() : [own];
        int[] cpus =
        [
            .. all.SelectMany(group =>
            {
                // A mask is told of one group, that of a thread which nobody has bound elsewhere; of the others, all may be used.
                ulong every = All(groups.CpusOf(group));
                ulong mask = group != own ? every : ofProcess != 0 ? ofProcess : told.Count > 1 ? every : ofThread;
                return CpusOf(mask, FirstOf(groups, group));
            }),
        ];
        return cpus.Length > 0 ? cpus : [FirstOf(groups, own)];
    }

    /// <summary>Binds the current thread to a CPU.</summary>
    /// <exception cref="Win32Exception">Windows refuses it.</exception>
    [SupportedOSPlatform("windows")]
    public static void Bind(int cpu) => Bind(WindowsProcessorGroups.Here, cpu);

    /// <exception cref="Win32Exception">There is no such CPU, or it is refused.</exception>
    public static void Bind(IProcessorGroups groups, int cpu)
    {
        int left = cpu;
        for (ushort group = 0; group < groups.Groups; left -= groups.CpusOf(group), group++)
        {
            if (left >= 0 && left < groups.CpusOf(group))
            {
                groups.Bind(group, 1UL << left);
                return;
            }
        }

        throw new Win32Exception($"this machine has no CPU {cpu}");
    }

    private static ulong All(int cpus) => cpus >= MostOfGroup ? ulong.MaxValue : (1UL << cpus) - 1;

    private static IEnumerable<int> CpusOf(ulong mask, int first) =>
        Enumerable.Range(0, MostOfGroup).Where(cpu => (mask >> cpu & 1) != 0).Select(cpu => first + cpu);

    private static int FirstOf(IProcessorGroups groups, int group) =>
        Enumerable.Range(0, group).Sum(before => groups.CpusOf((ushort)before));
}
