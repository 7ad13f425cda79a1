using Tracer.Etl.Decoding;

namespace Tracer.Etl.Kernel;

/// <summary>
/// A typed view of one kernel event's payload. Implementations are <c>readonly ref struct</c>s over the event's bytes: nothing is copied,
/// nothing is allocated, and every field that the payload's version lacks is null or false, never a made-up value.
/// </summary>
/// <typeparam name="TSelf">The view.</typeparam>
public interface IKernelRecord<TSelf>
    where TSelf : IKernelRecord<TSelf>, allows ref struct
{
    /// <summary>Takes the payload of an event whose hook the caller has looked at.</summary>
    /// <param name="traceEvent">The event, with any header kind.</param>
    /// <param name="record">The view, valid as long as the event.</param>
    /// <returns>False when the payload is shorter than the fields of its version; a longer one keeps its known prefix.</returns>
    static abstract bool TryRead(in EtlEvent traceEvent, out TSelf record);

    /// <summary>Gives the fields by name, in the order of the payload.</summary>
    void WriteFields(IFieldSink fields);
}
