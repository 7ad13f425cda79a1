using Tracer.Capture.Sessions.Native;

namespace Tracer.Capture.Sessions;

/// <summary>The kernel events of a running session that get a stack: what TraceStackTracingInfo sets.</summary>
internal static unsafe class KernelStackList
{
    /// <summary>
    /// Sets the complete list. Where Windows refuses it, the longest that it takes, built up one by one.
    /// </summary>
    /// <returns>What Windows took: the header documents the list for setting only, so that an answer to a query proves less.</returns>
    public static IReadOnlyList<StackRequest> Apply(ulong handle, IReadOnlyList<StackRequest> wanted, List<string> missing)
    {
        if (wanted.Count == 0 || Set(handle, wanted) == EtwError.Success)
        {
            return wanted;
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

        return taken;
    }

    private static uint Set(ulong handle, IReadOnlyList<StackRequest> requests)
    {
        ClassicEventId[] events = [.. requests.Select(IdOf)];
        fixed (ClassicEventId* first = events)
        {
            return TraceFunctions.TraceSetInformation(
                handle, TraceInformationClass.TraceStackTracingInfo, first, (uint)(events.Length * sizeof(ClassicEventId)));
        }
    }

    /// <summary>As Windows wants the name of an event.</summary>
    private static ClassicEventId IdOf(StackRequest request) => new() { EventGuid = request.Group.ClassId(), Type = request.Opcode };
}
