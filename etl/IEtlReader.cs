namespace Tracer.Etl;

/// <summary>In which order the events of a file are wanted.</summary>
public enum EtlOrder
{
    /// <summary>By time over all CPUs. At equal times by CPU, and within a CPU as written, so a stack follows its event.</summary>
    Time,

    /// <summary>
    /// CPU after CPU, by time within each. The cheapest order that analysis can use. Within one buffer as written, which is by time but
    /// for stamps that an interrupt took between reserving a place and filling it; <see cref="Time"/> puts those right.
    /// </summary>
    Cpu,

    /// <summary>As the buffers stand in the file, which is the order they were flushed in and no order of time.</summary>
    File,

    /// <summary>In no order, as is fastest: events of several buffers come alternately. For counting.</summary>
    Any,
}

/// <summary>
/// Takes the events of a trace, one call each. Implemented by a struct that is passed by reference, so that the call costs no dispatch
/// and the reader allocates nothing per event.
/// </summary>
public interface IEtlEventSink
{
    /// <summary>Takes one event.</summary>
    /// <param name="traceEvent">The event; valid only during the call.</param>
    /// <returns>Whether to go on; false ends the reading.</returns>
    bool OnEvent(scoped in EtlEvent traceEvent);
}

/// <summary>Takes what needs no more than counting; see <see cref="EtlReader.ReadCounting"/>.</summary>
public interface IEtlEventCounter
{
    /// <summary>Counts an event.</summary>
    /// <param name="traceEvent">The event; valid only during the call.</param>
    /// <returns>Whether it was counted; if not, it is given to the sink.</returns>
    bool TryCount(scoped in EtlEvent traceEvent);
}

/// <summary>
/// Reads one .etl file. Damage in the file never throws: it is counted in <see cref="Health"/>, with its place, and all that is readable
/// is read. Memory is bounded whatever the size of the file. Not safe for use by several threads at once.
/// </summary>
public interface IEtlReader : IDisposable
{
    /// <summary>What the first event of the file says.</summary>
    EtlFileHeader Header { get; }

    /// <summary>What was odd so far; complete when <see cref="Read"/> has returned true.</summary>
    TraceHealth Health { get; }

    /// <summary>Gives every event of the file to a sink.</summary>
    /// <typeparam name="TSink">The sink; a struct lets the compiler join it with the reader's loop.</typeparam>
    /// <param name="order">The order wanted.</param>
    /// <param name="sink">Takes the events.</param>
    /// <returns>Whether all events were given; false when the sink ended the reading.</returns>
    /// <exception cref="IOException">The storage failed, not the format.</exception>
    /// <exception cref="InvalidOperationException">A second reading of input that can be read once only, such as a pipe.</exception>
    bool Read<TSink>(EtlOrder order, ref TSink sink)
        where TSink : IEtlEventSink, allows ref struct;
}
