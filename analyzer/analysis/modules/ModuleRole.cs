namespace Tracer.Analysis;

/// <summary>What part a module plays when it stands in front of somebody else's code.</summary>
internal enum ModuleRole : byte
{
    /// <summary>A driver by itself: what runs in it is its own.</summary>
    Driver,

    /// <summary>The kernel or HAL: whoever called it is asked first.</summary>
    Kernel,

    /// <summary>Calls the drivers of others and has little code of its own: time in it says nothing about its owner.</summary>
    Framework,

    /// <summary>Calls the drivers of others but has enough code of its own to be the owner where nobody else is seen.</summary>
    Layer,

    /// <summary>
    /// Works for whoever calls it and calls nobody else: time in it is its caller's; its own only where no one but the kernel called it,
    /// and in ISRs, DPCs and threads of its own.
    /// </summary>
    Library,

    /// <summary>Runs the methods of the firmware.</summary>
    Firmware,
}
