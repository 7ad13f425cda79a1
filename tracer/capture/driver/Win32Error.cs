namespace Tracer.Capture.Driver;

/// <summary>Win32 errors that the driver's client meets (winerror.h).</summary>
internal static class Win32Error
{
    public const int InvalidFunction = 1;
    public const int FileNotFound = 2;
    public const int PathNotFound = 3;
    public const int AccessDenied = 5;
    public const int BadCommand = 22;
    public const int BadLength = 24;
    public const int GeneralFailure = 31;
    public const int RequestNotAccepted = 71;
    public const int InvalidParameter = 87;
    public const int InsufficientBuffer = 122;
    public const int ProcedureNotFound = 127;
    public const int AlreadyExists = 183;
    public const int BadImageFormat = 193;
    public const int InvalidImageHash = 577;
    public const int OperationAborted = 995;
    public const int IoPending = 997;
    public const int ServiceControlNotValid = 1052;
    public const int ServiceAlreadyRunning = 1056;
    public const int ServiceDisabled = 1058;
    public const int ServiceDoesNotExist = 1060;
    public const int ServiceNotActive = 1062;
    public const int ServiceMarkedForDelete = 1072;
    public const int ServiceExists = 1073;
    public const int DriverBlocked = 1275;
    public const int RevisionMismatch = 1306;
    public const int NoSystemResources = 1450;
    public const int BlockedByPolicy = 4551;
}
