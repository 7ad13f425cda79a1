using System.ComponentModel;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using static Tracer.Windows.ThreadNatives;

namespace Tracer.Windows;

/// <summary>The processor groups of this Windows.</summary>
[SupportedOSPlatform("windows")]
internal sealed unsafe partial class WindowsProcessorGroups : IProcessorGroups
{
    /// <summary>More than Windows has: 2,048 CPUs in groups of 64.</summary>
    private const int MostGroups = 64;

    public static WindowsProcessorGroups Here { get; } = new();

    public int Groups => GetActiveProcessorGroupCount();

    public int CpusOf(ushort group) => (int)GetActiveProcessorCount(group);

    public IReadOnlyList<ushort> OfProcess()
    {
        ushort* groups = stackalloc ushort[MostGroups];
        ushort count = MostGroups;
        return GetProcessGroupAffinity(GetCurrentProcess(), &count, groups) == 0
            ? []
            : [.. new ReadOnlySpan<ushort>(groups, Math.Min(count, (ushort)MostGroups))];
    }

    public (ushort Group, ulong Mask) OfThread()
    {
        GroupAffinity affinity;
        return GetThreadGroupAffinity(GetCurrentThread(), &affinity) == 0 ? default : (affinity.Group, affinity.Mask);
    }

    public ulong MaskOfProcess()
    {
        nuint mask;
        nuint system;
        return GetProcessAffinityMask(GetCurrentProcess(), &mask, &system) == 0 ? 0 : mask;
    }

    public void Bind(ushort group, ulong mask)
    {
        var affinity = new GroupAffinity { Mask = (nuint)mask, Group = group };
        if (SetThreadGroupAffinity(GetCurrentThread(), &affinity, null) == 0)
        {
            throw new Win32Exception();
        }
    }

    [LibraryImport("kernel32.dll")]
    private static partial ushort GetActiveProcessorGroupCount();

    [LibraryImport("kernel32.dll")]
    private static partial uint GetActiveProcessorCount(ushort group);

    [LibraryImport("kernel32.dll", SetLastError = true)]
    private static partial int GetProcessAffinityMask(nint process, nuint* mask, nuint* systemMask);

    [LibraryImport("kernel32.dll", SetLastError = true)]
    private static partial int GetProcessGroupAffinity(nint process, ushort* count, ushort* groups);

    [LibraryImport("kernel32.dll", SetLastError = true)]
    private static partial int GetThreadGroupAffinity(nint thread, GroupAffinity* affinity);

    [LibraryImport("kernel32.dll", SetLastError = true)]
    private static partial int SetThreadGroupAffinity(nint thread, GroupAffinity* affinity, GroupAffinity* before);

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
