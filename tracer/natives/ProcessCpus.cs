using System.ComponentModel;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using static Tracer.Windows.ThreadNatives;

namespace Tracer.Windows;

/// <summary>
/// The CPUs that this process may use, numbered over all processor groups as traces number them: a process may be limited to some, and
/// starts in one group only, which need not be the first.
/// </summary>
[SupportedOSPlatform("windows")]
internal static unsafe partial class ProcessCpus
{
    /// <summary>CPUs of one group: bits of its mask.</summary>
    private const int MostOfGroup = 64;

    /// <summary>The CPUs, ascending; at least one.</summary>
    public static IReadOnlyList<int> Allowed()
    {
        GroupAffinity group = OwnGroup();
        nuint mask;
        nuint system;
        // A process with threads in several groups gets 0: then the mask of this thread holds.
        bool isTold = GetProcessAffinityMask(GetCurrentProcess(), &mask, &system) != 0 && mask != 0;
        return Of(isTold ? mask : group.Mask, FirstOf(group.Group));
    }

    /// <summary>Binds the current thread to one of them.</summary>
    /// <exception cref="Win32Exception">Windows refuses it.</exception>
    public static void Bind(int cpu)
    {
        int bit = cpu - FirstOf(OwnGroup().Group);
        if (bit is < 0 or >= MostOfGroup)
        {
            throw new Win32Exception($"CPU {cpu} is of another processor group than this process");
        }

        if (SetThreadAffinityMask(GetCurrentThread(), (nuint)1 << bit) == 0)
        {
            throw new Win32Exception();
        }
    }

    /// <summary>The CPUs of a mask.</summary>
    /// <param name="first">Number of the first CPU of the group.</param>
    internal static IReadOnlyList<int> Of(nuint mask, int first) =>
        mask == 0 ? [first] : [.. Enumerable.Range(0, MostOfGroup).Where(cpu => ((ulong)mask >> cpu & 1) != 0).Select(cpu => first + cpu)];

    private static GroupAffinity OwnGroup()
    {
        GroupAffinity affinity;
        return GetThreadGroupAffinity(GetCurrentThread(), &affinity) == 0 ? new GroupAffinity { Mask = 1 } : affinity;
    }

    private static int FirstOf(ushort group)
    {
        int first = 0;
        for (ushort before = 0; before < group; before++)
        {
            first += (int)GetMaximumProcessorCount(before);
        }

        return first;
    }

    [LibraryImport("kernel32.dll", SetLastError = true)]
    private static partial int GetThreadGroupAffinity(nint thread, GroupAffinity* affinity);

    [LibraryImport("kernel32.dll")]
    private static partial uint GetMaximumProcessorCount(ushort group);

    /// <summary>GROUP_AFFINITY.</summary>
    [StructLayout(LayoutKind.Sequential)]
    internal struct GroupAffinity
    {
        public nuint Mask;
        public ushort Group;

        /// <summary>Three times zero.</summary>
        public ushort Reserved0;
        public ushort Reserved1;
        public ushort Reserved2;
    }
}
