using System.Text.Json.Serialization.Metadata;

namespace Tracer.Contract;

/// <summary>A record that <see cref="ReportJson"/> writes: it knows the serialisation code that is generated for it.</summary>
public interface IJsonRecord<TSelf>
    where TSelf : class, IJsonRecord<TSelf>
{
    /// <param name="indented">Whether it writes on lines of their own, or all on one line.</param>
    static abstract JsonTypeInfo<TSelf> JsonType(bool indented);
}
