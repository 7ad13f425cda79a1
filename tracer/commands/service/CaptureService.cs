using Tracer.Capture.Driver;
using Tracer.Capture.Driver.Install;
using Tracer.Capture.Ground;

namespace Tracer.TracerCommand.Commands.Service;

/// <summary>
/// The capture as a service of Windows: registered, started, stopped, removed. What is done already is done, and said.
/// </summary>
/// <param name="patience">How long a start or a stop may take: a stop waits for an episode to be written.</param>
public sealed class CaptureService(IServiceList services, IServiceFolders folders, TimeSpan patience)
{
    public const string Name = "TracerCapture";

    /// <summary>Asks how it stands.</summary>
    /// <returns>Null where it is not installed.</returns>
    /// <exception cref="CaptureException">Windows refused.</exception>
    public RegisteredService? Find() => Told("asking the service manager", () => services.Find(Name));

    /// <exception cref="CaptureException">It is installed already, others could change what runs as SYSTEM, or Windows refused.</exception>
    public void Install(string folder, IReadOnlyList<string> arguments)
    {
        if (Find() is { } found)
        {
            throw new CaptureException(
                $"the service is installed already, as {found.Path}; 'tracer service remove' takes it out, and leaves its traces");
        }

        string program = folders.Program ?? throw new CaptureException(
            "this tracer runs inside .NET's own program, which can't be the service: install the published tracer.exe");
        CheckSafe(program, "put tracer.exe into a folder below Program Files and install from there");
        Told("making the service's folder", () =>
        {
            folders.Make(folder);
            return true;
        });
        CheckSafe(folder, "name another with --folder, or let administrators alone write to it");
        Told("installing the service", () =>
        {
            services.CreateProgram(new ProgramService(
                Name,
                "Tracer latency capture",
                "Keeps traces of the moments at which something ran late, so that 'analyzer blame' can name who is to blame.",
                ServiceCommandLine.Of(program, arguments)));
            return true;
        });
    }

    /// <returns>False where it runs already.</returns>
    /// <exception cref="CaptureException">It is not installed, does not start, or Windows refused.</exception>
    public bool Start()
    {
        if (Installed().State == ServiceState.Running)
        {
            return false;
        }

        Told("starting the service", () =>
        {
            services.Start(Name);
            return true;
        });
        return Becomes(ServiceState.Running) ? true : throw new CaptureException(
            $"the service does not start within {patience.TotalSeconds:0} s: its log and Windows' event log tell why");
    }

    /// <returns>False where it does not run.</returns>
    /// <exception cref="CaptureException">It is not installed, does not stop, or Windows refused.</exception>
    public bool Stop()
    {
        ServiceState state = Installed().State;
        if (state == ServiceState.Stopped)
        {
            return false;
        }

        if (state != ServiceState.StopPending)
        {
            Told("stopping the service", () =>
            {
                services.Stop(Name);
                return true;
            });
        }

        return Becomes(ServiceState.Stopped) ? true : throw new CaptureException(
            $"the service does not stop within {patience.TotalSeconds:0} s: it may still be writing an episode; try again");
    }

    /// <summary>Stops it if it runs, and takes it out of the list of services. What it wrote stays.</summary>
    /// <returns>False where it was not installed.</returns>
    /// <exception cref="CaptureException">It does not stop, or Windows refused.</exception>
    public bool Remove()
    {
        if (Find() is null)
        {
            return false;
        }

        Stop();
        Told("removing the service", () =>
        {
            services.Delete(Name);
            return true;
        });
        return true;
    }

    private static T Told<T>(string doing, Func<T> step)
    {
        try
        {
            return step();
        }
        catch (DriverException refusal) when (refusal.Code != 0)
        {
            throw new CaptureException($"{doing} failed with error {refusal.Code}: {ServiceErrorWords.Of(refusal.Code, Name)}", refusal);
        }
        catch (Exception fault) when (fault is UnauthorizedAccessException or IOException)
        {
            throw new CaptureException($"{doing} failed: {fault.Message}", fault);
        }
    }

    private RegisteredService Installed() =>
        Find() ?? throw new CaptureException("the service is not installed; 'tracer service install' does that");

    private void CheckSafe(string path, string advice)
    {
        if (Told("asking who may change " + path, () => folders.StrangerWith(path)) is { } stranger)
        {
            throw new CaptureException($"the service runs as SYSTEM, and {stranger} could change {path}: {advice}");
        }
    }

    private bool Becomes(ServiceState wanted) => ServiceWaiting.Becomes(Find, wanted, patience);
}
