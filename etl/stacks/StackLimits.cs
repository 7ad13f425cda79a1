namespace Tracer.Etl.Stacks;

/// <summary>What bounds the memory that stacks take while a trace is read, unless the caller says otherwise.</summary>
internal static class StackLimits
{
    /// <summary>Memory for what stack keys stand for, with the frames, in bytes.</summary>
    public const long DefinitionBytes = 256L * 1024 * 1024;

    /// <summary>Events held back at once while they wait for their stacks.</summary>
    public const int HeldEvents = 256 * 1024;

    /// <summary>Bytes of these events and of their frames.</summary>
    public const long HeldBytes = 64L * 1024 * 1024;
}
