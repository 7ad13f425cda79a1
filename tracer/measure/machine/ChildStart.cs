using System.ComponentModel;
using System.Diagnostics;
using Tracer.Measure.Ground;

namespace Tracer.Measure.Machine;

/// <summary>Starts a program that does nothing, so that starting can be timed.</summary>
internal static class ChildStart
{
    [ThreadStatic]
    private static Process? _child;

    /// <exception cref="MeasureException">It can't be started.</exception>
    public static void Start(string path)
    {
        try
        {
            _child = Process.Start(new ProcessStartInfo(path) { UseShellExecute = false, CreateNoWindow = true });
        }
        catch (Win32Exception refusal)
        {
            throw new MeasureException($"{path} can't be started: {refusal.Message}", refusal);
        }
    }

    public static void End()
    {
        _child?.WaitForExit();
        _child?.Dispose();
        _child = null;
    }
}
