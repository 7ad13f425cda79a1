namespace Tracer.Contract;

/// <summary>A record that is a document of its own and names its schema, so that it can be read for what it is.</summary>
public interface IReport<TSelf> : IJsonRecord<TSelf>
    where TSelf : class, IReport<TSelf>
{
    /// <summary>The schema that every such report names.</summary>
    static abstract string SchemaName { get; }

    /// <summary>The schema that this one names.</summary>
    string Schema { get; }

    /// <summary>
    /// What is wrong with a report that was read, where the types of its fields do not say all: a sentence; null where nothing is.
    /// </summary>
    static virtual string? Problem(TSelf report) => null;
}
