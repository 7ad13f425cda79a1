using System.Diagnostics.CodeAnalysis;

namespace Tracer.Etl.Stacks;

/// <summary>Which parts of an event's stack are there, and why others are not.</summary>
[Flags]
public enum EventStackParts
{
    /// <summary>No stack belongs to the event.</summary>
    None = 0,

    /// <summary>The kernel part is known; it has no frames where <see cref="UnresolvedKernel"/> is set too.</summary>
    Kernel = 1,

    /// <summary>The user part is known; it has no frames where <see cref="UnresolvedUser"/> is set too.</summary>
    User = 2,

    /// <summary>A user part was still due when the event had to be given on: the trace ended, or too many events waited.</summary>
    UserPending = 4,

    /// <summary>The user part was logged with an earlier event of the same entry into the kernel.</summary>
    SharedUser = 8,

    /// <summary>The kernel part is a key without a definition, or only one that contradicts it.</summary>
    UnresolvedKernel = 16,

    /// <summary>The user part is a key without a definition, or only one that contradicts it.</summary>
    UnresolvedUser = 32,
}

/// <summary>The stack of one event: addresses of code, innermost first, kernel before user part. Valid only as long as its event.</summary>
[SuppressMessage("Naming", "CA1711", Justification = "It is a stack, of calls.")]
public readonly ref struct EventStack
{
    /// <summary>Makes a stack of its parts.</summary>
    /// <param name="kernel">Kernel frames, innermost first.</param>
    /// <param name="user">User frames, innermost first.</param>
    /// <param name="parts">Which of them are known.</param>
    public EventStack(ReadOnlySpan<ulong> kernel, ReadOnlySpan<ulong> user, EventStackParts parts)
    {
        Kernel = kernel;
        User = user;
        Parts = parts;
    }

    /// <summary>Addresses of the kernel part, innermost first; empty where there is none.</summary>
    public ReadOnlySpan<ulong> Kernel { get; }

    /// <summary>Addresses of the user part, innermost first; empty where there is none.</summary>
    public ReadOnlySpan<ulong> User { get; }

    /// <summary>Which parts are known.</summary>
    public EventStackParts Parts { get; }

    /// <summary>How many frames both parts have.</summary>
    public int FrameCount => Kernel.Length + User.Length;

    /// <summary>Address of a frame of the whole stack.</summary>
    /// <param name="index">0, the innermost, to <see cref="FrameCount"/> - 1.</param>
    /// <exception cref="IndexOutOfRangeException">There is no such frame.</exception>
    public ulong this[int index] => index < Kernel.Length ? Kernel[index] : User[index - Kernel.Length];

    /// <summary>Copies the whole stack.</summary>
    /// <param name="frames">At least <see cref="FrameCount"/> long.</param>
    /// <exception cref="ArgumentException">It is shorter.</exception>
    public void CopyTo(Span<ulong> frames)
    {
        Kernel.CopyTo(frames);
        User.CopyTo(frames[Kernel.Length..]);
    }
}

/// <summary>Takes the events of a trace together with their stacks; the counterpart of <see cref="IEtlEventSink"/>.</summary>
public interface IStackedEventSink
{
    /// <summary>Takes one event.</summary>
    /// <param name="traceEvent">The event; valid only during the call.</param>
    /// <param name="stack">Its stack; valid only during the call.</param>
    /// <returns>Whether to go on; false ends the reading.</returns>
    bool OnEvent(scoped in EtlEvent traceEvent, scoped in EventStack stack);
}
