namespace Tracer.Capture.Sessions.Native;

/// <summary>Win32 codes that the tracing functions answer with; values of winerror.h, compared with it by a test.</summary>
internal static class EtwError
{
    public const int Success = 0;

    public const int PathNotFound = 3;

    public const int AccessDenied = 5;

    public const int InvalidHandle = 6;

    public const int NotEnoughMemory = 8;

    /// <summary>ERROR_OUTOFMEMORY.</summary>
    public const int OutOfMemory = 14;

    public const int BadLength = 24;

    public const int SharingViolation = 32;

    public const int NotSupported = 50;

    public const int InvalidParameter = 87;

    public const int DiskFull = 112;

    public const int CallNotImplemented = 120;

    public const int InvalidName = 123;

    /// <summary>ERROR_BAD_PATHNAME.</summary>
    public const int BadPathName = 161;

    public const int AlreadyExists = 183;

    public const int MoreData = 234;

    public const int NotAllAssigned = 1300;

    public const int PrivilegeNotHeld = 1314;

    public const int NoSystemResources = 1450;

    /// <summary>ERROR_WMI_INSTANCE_NOT_FOUND.</summary>
    public const int InstanceNotFound = 4201;
}
