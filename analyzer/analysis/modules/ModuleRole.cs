namespace Tracer.Analysis.Modules;

/// <summary>The role of a module on a stack, which decides whether its time is blamed on itself or on another module.</summary>
internal enum ModuleRole : byte
{
    /// <summary>A driver on its own: what runs in it is blamed on it.</summary>
    Driver,

    /// <summary>The kernel or HAL: its caller is blamed first.</summary>
    Kernel,

    /// <summary>Calls other drivers and has little code of its own: time spent in it does not tell the owner.</summary>
    Framework,

    /// <summary>Calls other drivers but has enough code of its own to be the owner where no other is seen.</summary>
    Layer,

    /// <summary>
    /// Works on behalf of its caller and calls no other driver: time spent in it is its caller's. It is the owner only where the kernel
    /// alone called it, and in its own ISRs, DPCs and threads.
    /// </summary>
    Library,

    /// <summary>Interprets the firmware's ACPI methods.</summary>
    Firmware,
}
