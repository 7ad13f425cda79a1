namespace Tracer.Capture;

/// <summary>Win32 codes that the tracing functions answer with; values of winerror.h, compared with it by a test.</summary>
internal static class EtwError
{
    /// <summary>ERROR_SUCCESS.</summary>
    public const int Success = 0;

    /// <summary>ERROR_PATH_NOT_FOUND.</summary>
    public const int PathNotFound = 3;

    /// <summary>ERROR_ACCESS_DENIED.</summary>
    public const int AccessDenied = 5;

    /// <summary>ERROR_INVALID_HANDLE.</summary>
    public const int InvalidHandle = 6;

    /// <summary>ERROR_NOT_ENOUGH_MEMORY.</summary>
    public const int NotEnoughMemory = 8;

    /// <summary>ERROR_OUTOFMEMORY.</summary>
    public const int OutOfMemory = 14;

    /// <summary>ERROR_BAD_LENGTH.</summary>
    public const int BadLength = 24;

    /// <summary>ERROR_SHARING_VIOLATION.</summary>
    public const int SharingViolation = 32;

    /// <summary>ERROR_NOT_SUPPORTED.</summary>
    public const int NotSupported = 50;

    /// <summary>ERROR_INVALID_PARAMETER.</summary>
    public const int InvalidParameter = 87;

    /// <summary>ERROR_DISK_FULL.</summary>
    public const int DiskFull = 112;

    /// <summary>ERROR_CALL_NOT_IMPLEMENTED.</summary>
    public const int CallNotImplemented = 120;

    /// <summary>ERROR_INVALID_NAME.</summary>
    public const int InvalidName = 123;

    /// <summary>ERROR_BAD_PATHNAME.</summary>
    public const int BadPathName = 161;

    /// <summary>ERROR_ALREADY_EXISTS.</summary>
    public const int AlreadyExists = 183;

    /// <summary>ERROR_MORE_DATA.</summary>
    public const int MoreData = 234;

    /// <summary>ERROR_NOT_ALL_ASSIGNED.</summary>
    public const int NotAllAssigned = 1300;

    /// <summary>ERROR_PRIVILEGE_NOT_HELD.</summary>
    public const int PrivilegeNotHeld = 1314;

    /// <summary>ERROR_NO_SYSTEM_RESOURCES.</summary>
    public const int NoSystemResources = 1450;

    /// <summary>ERROR_WMI_INSTANCE_NOT_FOUND.</summary>
    public const int InstanceNotFound = 4201;
}
