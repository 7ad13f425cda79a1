namespace Tracer.Simulator.Inventory;

/// <summary>NT's processor groups: CPUs are numbered through all of them, and each full one has 64, as many as a mask has bits.</summary>
public static class ProcessorGroups
{
    public const int CpusOfFullGroup = 64;

    /// <summary>As many CPUs as a set of them, one bit each, has room for: two full groups.</summary>
    public const int MostCpus = 128;

    public static int Count(int cpus) => (cpus + CpusOfFullGroup - 1) / CpusOfFullGroup;

    public static int Of(int cpu) => cpu / CpusOfFullGroup;

    /// <summary>Number of a CPU within its group.</summary>
    public static int NumberOf(int cpu) => cpu % CpusOfFullGroup;

    /// <summary>Those CPUs of a set that are in a group, one bit each from the first of the group on.</summary>
    public static ulong MaskOf(UInt128 cpus, int group) => (ulong)(cpus >> (group * CpusOfFullGroup));

    /// <summary>All CPUs of a group of a machine, one bit each from the first of the group on.</summary>
    /// <param name="cpus">How many the machine has.</param>
    public static ulong MaskOf(int cpus, int group) =>
        ulong.MaxValue >> (CpusOfFullGroup - Math.Min(CpusOfFullGroup, cpus - (group * CpusOfFullGroup)));

    /// <summary>The CPU of a set that comes next in the group of one, or is it; of another group where the set has none of that.</summary>
    /// <param name="set">One bit for each CPU; at least one of the machine's.</param>
    /// <param name="cpus">How many the machine has.</param>
    public static int NextIn(UInt128 set, int cpus, int cpu)
    {
        int group = Of(cpu);
        while (MaskOf(set, group) == 0)
        {
            group = (group + 1) % Count(cpus);
        }

        int first = group * CpusOfFullGroup;
        int ofGroup = Math.Min(CpusOfFullGroup, cpus - first);
        int number = NumberOf(cpu) % ofGroup;
        while (((set >> (first + number)) & 1) == 0)
        {
            number = (number + 1) % ofGroup;
        }

        return first + number;
    }
}
