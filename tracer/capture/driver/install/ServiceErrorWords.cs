namespace Tracer.Capture.Driver.Install;

/// <summary>What an error of Windows means for a program that is a service, and what to do about it.</summary>
public static class ServiceErrorWords
{
    /// <summary>The rest of the sentence of one error, without a full stop.</summary>
    public static string Of(int code, string name) => code switch
    {
        Win32Error.AccessDenied => "access denied; run this in a console that was opened with 'Run as administrator'",
        Win32Error.ServiceMarkedForDelete =>
            "it is being removed and somebody still holds it: close what shows services, or restart Windows",
        Win32Error.ServiceDisabled => $"it is disabled; 'sc config {name} start= auto' enables it",
        Win32Error.FileNotFound or Win32Error.PathNotFound => "its program was moved or deleted: remove the service and install it again",
        _ => "'net helpmsg' with this number says what Windows means",
    };
}
