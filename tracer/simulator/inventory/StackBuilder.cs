using Tracer.Simulator.Draws;

namespace Tracer.Simulator.Inventory;

/// <summary>One frame of a stack: code in a routine of a module.</summary>
/// <param name="Routine">The routine's name; see <see cref="SimulatedImage.Routine"/>.</param>
public readonly record struct CodeFrame(SimulatedImage Image, string Routine);

/// <summary>
/// Makes stacks as addresses, innermost first, with the kernel's own frames below those of a scenario. The innermost frame is a random
/// instruction of its routine, new for each stack; the others are the places behind a call, the same each time.
/// </summary>
/// <param name="machine">The machine whose code it is. Stacks hold addresses: make them anew after a module has moved.</param>
public sealed class StackBuilder(MachineInventory machine, RandomSequence random)
{
    public CodeFrame At(ImageRole role, string routine) => new(machine[role], routine);

    public CodeFrame At(string routine) => At(ImageRole.Kernel, routine);

    /// <summary>These frames and no more.</summary>
    /// <param name="innermostFirst">The frames; at least one.</param>
    public ulong[] Plain(params ReadOnlySpan<CodeFrame> innermostFirst)
    {
        ulong[] stack = new ulong[innermostFirst.Length];
        for (int i = 0; i < stack.Length; i++)
        {
            (SimulatedImage image, string routine) = innermostFirst[i];
            stack[i] = i == 0 ? image.Inside(routine, random) : image.ReturnInto(routine);
        }

        return stack;
    }

    /// <summary>A DPC; what it interrupts stands below.</summary>
    /// <param name="innermostFirst">The driver's frames, then those of the framework that called it.</param>
    public ulong[] Dpc(params ReadOnlySpan<CodeFrame> innermostFirst) =>
        Plain([.. innermostFirst, At("KiExecuteAllDpcs"), At("KiRetireDpcList")]);

    /// <summary>A threaded DPC, or the kernel's own thread for DPCs.</summary>
    /// <param name="innermostFirst">The driver's frames, then those of the framework that called it.</param>
    public ulong[] ThreadedDpc(params ReadOnlySpan<CodeFrame> innermostFirst) =>
        KernelThread([.. innermostFirst, At("KiExecuteDpc")]);

    /// <summary>An interrupt service routine; what it interrupts stands below.</summary>
    /// <param name="innermostFirst">The driver's frames, then those of the framework that called it.</param>
    public ulong[] Isr(params ReadOnlySpan<CodeFrame> innermostFirst)
    {
        CodeFrame[] entry = machine.Build.IsModern
            ? [At("KiCallInterruptServiceRoutine"), At("KiInterruptSubDispatchNoLock"), At("KiInterruptDispatchNoLock")]
            : [At("KiInterruptDispatch")];
        return Plain([.. innermostFirst, .. entry]);
    }

    /// <summary>Code of a thread that the kernel or a driver made.</summary>
    public ulong[] KernelThread(params ReadOnlySpan<CodeFrame> innermostFirst) =>
        Plain([.. innermostFirst, At("PspSystemThreadStartup"), At("KiStartSystemThread")]);

    /// <summary>Code of a kernel worker that runs a driver's work item.</summary>
    public ulong[] WorkItem(params ReadOnlySpan<CodeFrame> innermostFirst) =>
        KernelThread([.. innermostFirst, At("IopProcessWorkItem"), At("ExpWorkerThread")]);

    /// <summary>Kernel code that a thread called from user mode.</summary>
    /// <param name="process">The thread's process; one with images.</param>
    /// <param name="systemCall">Name of the system call, such as <c>NtDeviceIoControlFile</c>.</param>
    /// <param name="innermostFirst">The kernel frames inside the call; the call's own frame is put below them.</param>
    public ulong[] SystemCall(InventoryProcess process, string systemCall, params ReadOnlySpan<CodeFrame> innermostFirst)
    {
        ArgumentNullException.ThrowIfNull(process);
        return
        [
            .. Plain([.. innermostFirst, At(systemCall), At("KiSystemServiceCopyEnd")]),
            process.Images[1].ReturnInto(systemCall),
            .. UserFrames(process, "main"),
        ];
    }

    /// <summary>Code of a program in user mode.</summary>
    /// <param name="routine">Name of the routine in its own program.</param>
    public ulong[] UserCode(InventoryProcess process, string routine)
    {
        ArgumentNullException.ThrowIfNull(process);
        return [process.Images[0].Inside(routine, random), .. UserFrames(process, "main")];
    }

    /// <summary>Code of a program in user mode, called through many libraries as large programs do.</summary>
    /// <param name="routine">Name of the routine in its own program.</param>
    /// <param name="frames">How many frames the stack has; at least 4.</param>
    public ulong[] DeepUserCode(InventoryProcess process, string routine, int frames)
    {
        ArgumentNullException.ThrowIfNull(process);
        ulong[] shallow = UserCode(process, routine);
        if (frames <= shallow.Length)
        {
            return shallow;
        }

        ulong[] deep = new ulong[frames];
        int callers = frames - shallow.Length;
        deep[0] = shallow[0];
        for (int i = 1; i <= callers; i++)
        {
            deep[i] = process.Images[(int)random.NextBelow(process.Images.Count)].Anywhere(random);
        }

        shallow.AsSpan(1).CopyTo(deep.AsSpan(callers + 1));
        return deep;
    }

    /// <summary>Where a thread waits: the frames that its switch back resumes in.</summary>
    /// <param name="process">The thread's process; one without images has its kernel frames only.</param>
    public ulong[] Waiting(InventoryProcess process)
    {
        ArgumentNullException.ThrowIfNull(process);
        CodeFrame[] wait = [At("KiSwapContext"), At("KiSwapThread"), At("KiCommitThreadWait"), At("KeWaitForSingleObject")];
        return process.Images.Count == 0
            ? KernelThread([.. wait, At("ExpWorkerThread")])
            : SystemCall(process, "NtWaitForSingleObject", [.. wait, At("ObWaitForSingleObject")]);
    }

    /// <summary>
    /// A CPU with nothing to do. Windows 7 lets interrupts in behind the halt, in its idle loop, where every sample of an idle CPU hits.
    /// </summary>
    public ulong[] Idle() => machine.IsArm64
        ? Plain(At("HalProcessorIdle"), At("PpmIdleDefaultExecute"), At("PpmIdleExecuteTransition"), At("PoIdle"), At("KiIdleLoop"))
        : machine.Build.IsModern
        ? Plain(At(ImageRole.ProcessorPower, "MWaitIdle"), At("PpmIdleExecuteTransition"), At("PoIdle"), At("KiIdleLoop"))
        : [machine[ImageRole.Kernel].ReturnInto("KiIdleLoop")];

    private static ulong[] UserFrames(InventoryProcess process, string routine)
    {
        SimulatedImage threadStart = process.Images[^1];
        foreach (SimulatedImage image in process.Images)
        {
            threadStart = image.FileName == "kernel32.dll" ? image : threadStart;
        }

        return
        [
            process.Images[0].ReturnInto(routine),
            threadStart.ReturnInto("BaseThreadInitThunk"),
            process.Images[1].ReturnInto("RtlUserThreadStart"),
        ];
    }
}
