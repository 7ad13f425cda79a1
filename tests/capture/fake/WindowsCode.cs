namespace Tracer.Capture.Tests;

/// <summary>Win32 codes with which the fake answers (winerror.h).</summary>
internal static class WindowsCode
{
    public const uint Success = 0;
    public const uint PathNotFound = 3;
    public const uint AccessDenied = 5;
    public const uint InvalidHandle = 6;
    public const uint BadLength = 24;
    public const uint InvalidParameter = 87;
    public const uint DiskFull = 112;
    public const uint BadPathName = 161;
    public const uint AlreadyExists = 183;
    public const uint MoreData = 234;
    public const uint Cancelled = 1223;
    public const uint NotAllAssigned = 1300;
    public const uint PrivilegeNotHeld = 1314;
    public const uint NoSystemResources = 1450;
    public const uint InstanceNotFound = 4201;
    public const uint ClosePending = 7007;
}
