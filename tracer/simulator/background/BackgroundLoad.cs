namespace Tracer.Simulator.Background;

/// <summary>What else goes on while a scenario runs.</summary>
public enum BackgroundLoad
{
    /// <summary>Next to nothing.</summary>
    Idle,

    /// <summary>Programs that compute without end.</summary>
    Cpu,

    /// <summary>A program that reads and writes files.</summary>
    Disk,

    /// <summary>Traffic on the network.</summary>
    Net,

    /// <summary>A program that prints on a console, and somebody who types.</summary>
    Tty,
}
