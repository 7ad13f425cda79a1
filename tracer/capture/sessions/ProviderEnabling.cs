using System.Runtime.InteropServices;
using Tracer.Capture.Sessions.Native;

namespace Tracer.Capture.Sessions;

/// <summary>Takes the events of a provider into a running session.</summary>
internal static unsafe class ProviderEnabling
{
    /// <summary>Enables it, whether it is registered yet or not, and asks for its state where that is wanted.</summary>
    /// <returns>Win32 code.</returns>
    public static int Enable(ulong handle, ProviderRequest provider)
    {
        EnableTraceParameters parameters = new() { Version = EtwConstants.EnableParametersVersion };
        byte[] filter = FilterOf(provider.EventIds);
        fixed (byte* data = filter)
        {
            EventFilterDescriptor descriptor = new()
            {
                Ptr = (ulong)data,
                Size = (uint)filter.Length,
                Type = EtwConstants.FilterTypeEventId,
            };
            if (filter.Length > 0)
            {
                parameters.EnableFilterDesc = (nint)(&descriptor);
                parameters.FilterDescCount = 1;
            }

            int code = Control(EtwConstants.EnableProvider, &parameters);
            if (code == EtwError.Success && provider.AsksState)
            {
                Control(EtwConstants.CaptureState, null); // One that does not answer logs its changes all the same.
            }

            return code;
        }

        int Control(uint controlCode, EnableTraceParameters* with)
        {
            Guid id = provider.Id;
            return (int)TraceFunctions.EnableTraceEx2(
                handle,
                &id,
                controlCode,
                provider.Level,
                provider.Keywords,
                matchAllKeyword: 0,
                timeoutMs: 0,
                with);
        }
    }

    /// <summary>EVENT_FILTER_EVENT_ID with its ids.</summary>
    /// <returns>Its bytes; none where all pass.</returns>
    public static byte[] FilterOf(IReadOnlyList<ushort> ids)
    {
        if (ids.Count == 0)
        {
            return [];
        }

        EventFilterEventId head = new() { FilterIn = 1, Count = (ushort)ids.Count };
        ushort[] values = [.. ids];
        return
        [
            .. MemoryMarshal.AsBytes(new ReadOnlySpan<EventFilterEventId>(in head)),
            .. MemoryMarshal.AsBytes<ushort>(values),
        ];
    }
}
