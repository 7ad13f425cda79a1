namespace Tracer.Windows;

/// <summary>What the system tells of its processor groups, and of those that this process may use; Windows, or a fake of it.</summary>
internal interface IProcessorGroups
{
    int Groups { get; }

    /// <summary>CPUs of a group that are on; 0 where the system does not tell.</summary>
    int CpusOf(ushort group);

    /// <summary>The groups of this process; none where the system does not tell.</summary>
    IReadOnlyList<ushort> OfProcess();

    /// <summary>Where the current thread may run: its group, and CPUs of that as bits; no bits where the system does not tell.</summary>
    (ushort Group, ulong Mask) OfThread();

    /// <summary>CPUs of this process in its first group, as bits; 0 where it has threads elsewhere, or the system does not tell.</summary>
    ulong MaskOfProcess();

    /// <summary>Binds the current thread to CPUs of a group, as bits.</summary>
    /// <exception cref="System.ComponentModel.Win32Exception">The system refuses it.</exception>
    void Bind(ushort group, ulong mask);
}
