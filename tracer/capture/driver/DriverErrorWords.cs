namespace Tracer.Capture.Driver;

/// <summary>What was tried when Windows refused.</summary>
public enum DriverStep
{
    /// <summary>Asking the service manager.</summary>
    Query,

    /// <summary>Registering the driver with the service manager.</summary>
    Install,

    /// <summary>Having the service manager load the driver.</summary>
    Load,

    /// <summary>Having it unload the driver.</summary>
    Unload,

    /// <summary>Taking the driver out of the service manager's list.</summary>
    Uninstall,

    /// <summary>Opening the driver's device.</summary>
    Open,

    Talk,
}

/// <summary>What an error of Windows means for the driver, and what to do about it.</summary>
internal static class DriverErrorWords
{
    private const string OtherVersion =
        "the driver is of another version than this program: 'tracer driver uninstall', then install the one that came with it";

    /// <summary>The sentence of one error, without a full stop.</summary>
    public static string Of(DriverStep step, int code)
    {
        string explanation = Explanation(step, code) ?? "'net helpmsg' with this number says what Windows means";
        return $"{Doing(step)} failed with error {code}: {explanation}";
    }

    private static string Doing(DriverStep step) => step switch
    {
        DriverStep.Query => "asking the service manager",
        DriverStep.Install => "installing the driver",
        DriverStep.Load => "loading the driver",
        DriverStep.Unload => "unloading the driver",
        DriverStep.Uninstall => "uninstalling the driver",
        DriverStep.Open => "opening the driver's device",
        _ => "a request to the driver",
    };

    private static string? Explanation(DriverStep step, int code) => (step, code) switch
    {
        (_, Win32Error.AccessDenied) => "access denied; run this in a console that was opened with 'Run as administrator'",
        (_, Win32Error.ServiceDoesNotExist) => "the driver is not installed; 'tracer driver install' does that",
        (_, Win32Error.ServiceMarkedForDelete) =>
            "the driver is being removed and somebody still holds it: close what shows services or uses the driver, or restart Windows",
        (_, Win32Error.NoSystemResources) => "Windows has no memory left for it",
        (DriverStep.Install, Win32Error.ServiceExists) => "it is installed already",
        (DriverStep.Load, _) => LoadExplanation(code),
        (DriverStep.Unload, Win32Error.ServiceNotActive) => "it is not loaded",
        (DriverStep.Unload, Win32Error.ServiceControlNotValid) =>
            "it can't be unloaded now: somebody changed an interrupt gate after it did; restart Windows",
        (DriverStep.Open, Win32Error.FileNotFound or Win32Error.PathNotFound) =>
            "the driver is not loaded; 'tracer driver start' does that",
        (DriverStep.Talk, Win32Error.RevisionMismatch or Win32Error.BadLength or Win32Error.InsufficientBuffer
            or Win32Error.InvalidFunction) => OtherVersion,
        (DriverStep.Talk, Win32Error.InvalidParameter) => "the driver does not know something that was asked for",
        (DriverStep.Talk, Win32Error.BadCommand) => "no run is on; 'tracer driver start' starts one",
        (DriverStep.Talk, Win32Error.FileNotFound or Win32Error.OperationAborted) => "the driver was unloaded meanwhile",
        _ => null,
    };

    private static string? LoadExplanation(int code) => code switch
    {
        Win32Error.FileNotFound or Win32Error.PathNotFound =>
            "its file is no longer there; 'tracer driver uninstall', then install it again",
        Win32Error.InvalidImageHash =>
            "Windows does not accept its signature. A test-signed driver needs a test machine with 'bcdedit /set testsigning on', "
            + "Secure Boot off and a restart; elsewhere only a driver that Microsoft signed loads",
        Win32Error.DriverBlocked => "a policy of this machine or the list of vulnerable drivers blocks it; its administrator decides",
        Win32Error.BlockedByPolicy => "an application control policy of this machine blocks it; its administrator decides",
        Win32Error.BadImageFormat => "its file is not a driver for this processor; install the one for it",
        Win32Error.ProcedureNotFound => "it asks for a kernel routine that this version of Windows lacks; Windows 8.1 or later is needed",
        Win32Error.AlreadyExists => "a device of its name is there already: is the other of the two drivers loaded?",
        Win32Error.ServiceAlreadyRunning => "it is loaded already",
        Win32Error.ServiceDisabled => "its service is disabled; 'sc config TracerLatency start= demand' enables it",
        Win32Error.GeneralFailure => "the driver itself gave up; Windows' event log may say more",
        _ => null,
    };
}
