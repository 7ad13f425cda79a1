using System.ComponentModel;
using System.Diagnostics;
using Tracer.Capture.Ground;

namespace Tracer.Capture.Probe;

/// <summary>Starts <c>tracer probe</c>: this program once more.</summary>
internal sealed class ProbeLauncher : IProbeLauncher
{
    /// <summary>Name of the hidden command.</summary>
    public const string Command = "probe";

    public ILaunchedProbe Start(ProbeSettings settings, string memoryName)
    {
        ProcessStartInfo start = StartOf(settings, memoryName);
        try
        {
            return new LaunchedProbe(Process.Start(start) ?? throw new CaptureException("the probe process did not start"));
        }
        catch (Win32Exception failure)
        {
            throw new CaptureException($"the probe process did not start: {failure.Message}", failure);
        }
    }

    /// <summary>The command line and surroundings of a probe process.</summary>
    internal static ProcessStartInfo StartOf(ProbeSettings settings, string memoryName)
    {
        string program = Environment.ProcessPath ?? throw new CaptureException("this program does not know its own path");
        var start = new ProcessStartInfo(program) { UseShellExecute = false, CreateNoWindow = true };
        if (string.Equals(Path.GetFileNameWithoutExtension(program), "dotnet", StringComparison.OrdinalIgnoreCase))
        {
            start.ArgumentList.Add(Environment.GetCommandLineArgs()[0]);
        }

        foreach (string argument in (ReadOnlySpan<string>)
        [
            Command,
            "--memory", memoryName,
            "--parent", settings.ParentId.ToString(CultureInfo.InvariantCulture),
            "--cpus", string.Join(',', settings.Cpus.Select(cpu => cpu.ToString(CultureInfo.InvariantCulture))),
            "--threshold", settings.Threshold.ToString(),
            "--period", settings.Period.ToString(),
            "--priority", settings.Priority.ToString(CultureInfo.InvariantCulture),
        ])
        {
            start.ArgumentList.Add(argument);
        }

        // Code that the runtime replaces by better code while it runs stops all threads; so does a collection on its own thread.
        start.Environment["DOTNET_TieredCompilation"] = "0";
        start.Environment["DOTNET_gcConcurrent"] = "0";
        start.Environment["DOTNET_gcServer"] = "0";
        return start;
    }

    private sealed class LaunchedProbe(Process process) : ILaunchedProbe
    {
        public LeftProcess Process { get; } = new(process.Id, process.StartTime.ToUniversalTime());

        public bool WaitForExit(TimeSpan time) => process.WaitForExit(time);

        public void Kill()
        {
            try
            {
                process.Kill();
            }
            catch (InvalidOperationException)
            {
                // It has ended by itself.
            }
        }

        public void Dispose() => process.Dispose();
    }
}
