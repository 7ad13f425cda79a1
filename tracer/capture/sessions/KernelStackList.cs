using Tracer.Etl;

namespace Tracer.Capture;

/// <summary>The kernel events of a running session that get a stack: what TraceStackTracingInfo sets and tells.</summary>
internal static unsafe class KernelStackList
{
    /// <summary>More than Windows takes (Learn, TRACE_QUERY_INFO_CLASS: 256).</summary>
    private const int MostEvents = 256;

    /// <summary>
    /// Sets the complete list. Where Windows refuses it, the longest that it takes, built up one by one.
    /// </summary>
    /// <param name="handle">The session.</param>
    /// <param name="wanted">The list.</param>
    /// <param name="missing">Gets a word for each that is refused.</param>
    public static void Apply(ulong handle, IReadOnlyList<StackRequest> wanted, List<string> missing)
    {
        if (wanted.Count == 0 || Set(handle, wanted) == EtwError.Success)
        {
            return;
        }

        List<StackRequest> taken = [];
        foreach (StackRequest request in wanted)
        {
            taken.Add(request);
            if (Set(handle, taken) != EtwError.Success)
            {
                taken.RemoveAt(taken.Count - 1);
                missing.Add($"stacks of {request.Group} {request.Opcode}");
            }
        }
    }

    /// <summary>What Windows says is on.</summary>
    /// <param name="handle">The session.</param>
    /// <returns>The list; empty where Windows does not say.</returns>
    public static IReadOnlyList<StackRequest> Query(ulong handle)
    {
        ClassicEventId[] events = new ClassicEventId[MostEvents];
        uint code;
        uint returned;
        fixed (ClassicEventId* first = events)
        {
            code = TraceFunctions.TraceQueryInformation(
                handle, TraceInformationClass.TraceStackTracingInfo, first, (uint)(events.Length * sizeof(ClassicEventId)), out returned);
        }

        int count = code == EtwError.Success ? Math.Min((int)(returned / (uint)sizeof(ClassicEventId)), events.Length) : 0;
        List<StackRequest> granted = [];
        foreach (ref readonly ClassicEventId one in events.AsSpan(0, count))
        {
            KernelGroup group = KernelGroupClass.GroupOf(one.EventGuid);
            if (group != KernelGroup.None)
            {
                granted.Add(new StackRequest(group, one.Type));
            }
        }

        return granted;
    }

    private static uint Set(ulong handle, IReadOnlyList<StackRequest> requests)
    {
        ClassicEventId[] events = [.. requests.Select(ClassicEventId.Of)];
        fixed (ClassicEventId* first = events)
        {
            return TraceFunctions.TraceSetInformation(
                handle, TraceInformationClass.TraceStackTracingInfo, first, (uint)(events.Length * sizeof(ClassicEventId)));
        }
    }
}
