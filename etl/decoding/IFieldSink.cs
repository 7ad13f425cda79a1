namespace Tracer.Etl.Decoding;

/// <summary>
/// Takes the fields of one event in the order of its payload. Values are views over the event's bytes, valid during the call only.
/// Inside an array, elements come with an empty name.
/// </summary>
public interface IFieldSink
{
    /// <summary>Takes one value.</summary>
    /// <param name="name">The field's name; empty for an element of an array.</param>
    /// <param name="value">Its value.</param>
    void Field(string name, in FieldValue value);

    /// <summary>The fields that follow, until <see cref="EndStruct"/>, are members of this one.</summary>
    void BeginStruct(string name);

    /// <summary>Ends what <see cref="BeginStruct"/> began.</summary>
    void EndStruct();

    /// <summary>The values that follow, until <see cref="EndArray"/>, are elements of this field.</summary>
    void BeginArray(string name);

    /// <summary>Ends what <see cref="BeginArray"/> began.</summary>
    void EndArray();
}
