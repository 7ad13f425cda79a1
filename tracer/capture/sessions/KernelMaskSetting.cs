using Tracer.Capture.Sessions.Native;

namespace Tracer.Capture.Sessions;

/// <summary>The kernel events of a running session, all eight words of them: what TraceSystemTraceEnableFlagsInfo sets and tells.</summary>
internal static unsafe class KernelMaskSetting
{
    /// <summary>
    /// Adds events to those that the session's enable flags have switched on. Where Windows refuses them together, one after the other:
    /// what is too new for this build stays off and the rest is on.
    /// </summary>
    public static void Apply(ulong handle, KernelMasks wanted)
    {
        KernelMasks on = Query(handle);
        KernelMasks all = Join(on, wanted);
        if (all == on || Set(handle, all) == EtwError.Success)
        {
            return;
        }

        foreach (KernelSwitch one in RecordedEvents.All)
        {
            if (!wanted.Has(one.Mask) || on.Has(one.Mask))
            {
                continue;
            }

            KernelMasks more = on;
            more.Add(one.Mask);
            if (Set(handle, more) == EtwError.Success)
            {
                on = more;
            }
        }
    }

    /// <returns>Its masks; events that have an enable flag in its place are named by their mask.</returns>
    public static KernelMasks Query(ulong handle)
    {
        KernelMasks masks = default;
        uint code = TraceFunctions.TraceQueryInformation(
            handle, TraceInformationClass.TraceSystemTraceEnableFlagsInfo, &masks, (uint)sizeof(KernelMasks), out _);
        return code == EtwError.Success
            ? RecordedEvents.WithFlagsAsMasks(masks)
            : throw EtwFailures.Of("TraceQueryInformation (kernel events)", (int)code);
    }

    private static uint Set(ulong handle, KernelMasks masks) => TraceFunctions.TraceSetInformation(
        handle, TraceInformationClass.TraceSystemTraceEnableFlagsInfo, &masks, (uint)sizeof(KernelMasks));

    private static KernelMasks Join(KernelMasks first, KernelMasks second)
    {
        for (int word = 0; word < KernelMasks.Words; word++)
        {
            first[word] |= second[word];
        }

        return first;
    }
}
