namespace Tracer.Measure.Loads;

/// <summary>
/// What runs beside a measurement: Bernadat's workloads (section 5.3) by today's means. Removable media and serial lines are left out.
/// </summary>
public enum LoadKind
{
    /// <summary>Nothing.</summary>
    Idle,

    /// <summary>A thread that computes for 33 ms and sleeps for 33 ms.</summary>
    Cpu,

    /// <summary>A C compiler, over and over.</summary>
    Make,

    /// <summary>Two threads that allocate and collect.</summary>
    Heap,

    /// <summary>A file that is written through to the disk, and copied.</summary>
    Disk,

    /// <summary>A stream of bytes over the loopback interface.</summary>
    Net,

    /// <summary>Text that a program shows on a pseudo terminal, and keys that it reads there.</summary>
    Tty,

    /// <summary>Reads and writes all over memory that no cache holds.</summary>
    Memory,
}
