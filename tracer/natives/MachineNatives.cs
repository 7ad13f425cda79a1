using System.Runtime.InteropServices;
using System.Runtime.Intrinsics.X86;
using System.Runtime.Versioning;
using System.Text;

namespace Tracer.Windows;

/// <summary>What the doctor and the measurements both ask of a machine, compiled into each.</summary>
[SupportedOSPlatform("windows")]
internal static unsafe partial class MachineNatives
{
    private const int HypervisorBit = 31;
    private const int FeatureLeaf = 1;
    private const int HypervisorLeaf = 0x4000_0000;
    private const int HypervisorPrivilegeLeaf = 0x4000_0003;

    /// <summary>The hypervisor's leaves of CPUID (Hypervisor Top Level Functional Specification 2.4).</summary>
    public static (string? Vendor, bool IsRoot) Hypervisor()
    {
        if (!X86Base.IsSupported || (X86Base.CpuId(FeatureLeaf, 0).Ecx >> HypervisorBit & 1) == 0)
        {
            return (null, false);
        }

        (int _, int ebx, int ecx, int edx) = X86Base.CpuId(HypervisorLeaf, 0);
        Span<int> words = [ebx, ecx, edx];
        string vendor = Encoding.ASCII.GetString(MemoryMarshal.AsBytes(words)).TrimEnd('\0', ' ');
        // CreatePartitions: a privilege of the root alone.
        bool isRoot = vendor == "Microsoft Hv" && (X86Base.CpuId(HypervisorPrivilegeLeaf, 0).Ebx & 1) != 0;
        return (vendor.Length == 0 ? "unnamed" : vendor, isRoot);
    }

    /// <summary>The power plan that is active; null where Windows does not tell.</summary>
    public static (string? Name, Guid? Id) PowerPlan()
    {
        try
        {
            Guid* id;
            if (PowerGetActiveScheme(0, &id) != 0)
            {
                return (null, null);
            }

            Guid plan = *id;
            _ = LocalFree((nint)id);
            char* name = stackalloc char[256];
            uint bytes = 256 * sizeof(char);
            bool isNamed = PowerReadFriendlyName(0, &plan, null, null, name, &bytes) == 0;
            return (isNamed ? new string(name) : plan.ToString(), plan);
        }
        catch (EntryPointNotFoundException)
        {
            return (null, null);
        }
    }

    [LibraryImport("powrprof.dll")]
    private static partial uint PowerGetActiveScheme(nint root, Guid** scheme);

    [LibraryImport("powrprof.dll")]
    private static partial uint PowerReadFriendlyName(nint root, Guid* scheme, Guid* subgroup, Guid* setting, char* name, uint* bytes);

    [LibraryImport("kernel32.dll")]
    public static partial nint LocalFree(nint memory);

    [LibraryImport("ntdll.dll")]
    public static partial int NtQuerySystemInformation(uint informationClass, void* information, uint bytes, uint* returned);
}
