using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using static Tracer.Windows.ThreadNatives;

namespace Tracer.Capture.Ground;

/// <summary>
/// The unbiased interrupt time: how long the machine has been awake (Learn, QueryUnbiasedInterruptTimePrecise, realtimeapiset.h; Windows 10
/// and later). Reading it allocates nothing.
/// </summary>
[SupportedOSPlatform("windows")]
internal static unsafe partial class UnbiasedTime
{
    private static readonly bool IsPrecise = HasPrecise();

    /// <summary>In units of 100 ns.</summary>
    public static long Now
    {
        get
        {
            ulong time;
            if (IsPrecise)
            {
                QueryUnbiasedInterruptTimePrecise(&time);
            }
            else if (QueryUnbiasedInterruptTime(&time) == 0)
            {
                time = 0;
            }

            return (long)time;
        }
    }

    private static bool HasPrecise() => NativeLibrary.TryLoad(
            "kernelbase.dll", typeof(UnbiasedTime).Assembly, DllImportSearchPath.System32, out nint library)
        && NativeLibrary.TryGetExport(library, nameof(QueryUnbiasedInterruptTimePrecise), out _);

    [LibraryImport("kernelbase.dll")]
    private static partial void QueryUnbiasedInterruptTimePrecise(ulong* time);
}
