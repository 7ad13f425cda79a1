using System.Text.Json;
using System.Text.Json.Serialization;

namespace Tracer.Contract;

/// <summary>
/// The serialisation code of some records in the two forms of their text. A form is made when it is first used: most programs write one.
/// </summary>
internal sealed class JsonForms<TContext>(Func<JsonSerializerOptions, TContext> make)
    where TContext : JsonSerializerContext
{
    private TContext? _compact;
    private TContext? _indented;

    /// <summary>The code in a form. Threads that come at once may make it twice, which does no harm.</summary>
    public TContext In(bool indented) => indented
        ? _indented ??= make(ReportJson.Options(indented: true))
        : _compact ??= make(ReportJson.Options(indented: false));
}
