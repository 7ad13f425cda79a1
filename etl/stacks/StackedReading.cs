namespace Tracer.Etl.Stacks;

/// <summary>Reads a trace with its stacks in two goes: what keys mean, then the events.</summary>
public static class StackedReading
{
    /// <summary>Gives every event of a trace by time, together with its stack.</summary>
    /// <typeparam name="TSink">The sink; a struct lets the compiler join it with the reader's loop.</typeparam>
    /// <param name="reader">The trace.</param>
    /// <param name="sink">Takes the events.</param>
    /// <param name="window">How much may be held back; nothing for <see cref="StackWindow.Default"/>.</param>
    /// <param name="maximumDefinitionBytes">Memory that definitions of stack keys may take, in bytes.</param>
    /// <returns>Whether all events were given. <see cref="IEtlReader.Health"/> then also tells what was odd about stacks.</returns>
    /// <exception cref="IOException">The storage failed.</exception>
    public static bool ReadWithStacks<TSink>(
        this IEtlReader reader,
        ref TSink sink,
        StackWindow? window = null,
        long maximumDefinitionBytes = StackDefinitions.DefaultMaximumBytes)
        where TSink : IStackedEventSink
    {
        ArgumentNullException.ThrowIfNull(reader);
        var definitions = StackDefinitions.Learn(reader, maximumDefinitionBytes);
        var health = new TraceHealth();
        var joiner = new StackJoiner<TSink>(sink, definitions, reader.Header.Clock, health, window);
        bool isAll = reader.Read(EtlOrder.Time, ref joiner) && joiner.Complete();
        sink = joiner.Sink;
        reader.Health.Add(health);
        return isAll;
    }
}
