using System.Diagnostics;
using System.Runtime.Versioning;
using Tracer.Windows;

namespace Tracer.Capture.Driver.Modules;

[SupportedOSPlatform("windows")]
public sealed unsafe class WindowsKernelModules : IKernelModules
{
    private const uint SystemModuleInformation = 11;
    private const int FirstGuess = 256 * 1024;
    private const int MostBytes = 4 * 1024 * 1024;

    public IReadOnlyList<KernelModule> List()
    {
        if (!Environment.Is64BitProcess)
        {
            return [];
        }

        // Since Windows 11 24H2 the addresses are given only to who holds the debug privilege, which administrators may switch on.
        Process.EnterDebugMode();
        try
        {
            for (int size = FirstGuess; size <= MostBytes; size *= 2)
            {
                byte[] buffer = new byte[size];
                fixed (byte* bytes = buffer)
                {
                    uint length;
                    if (MachineNatives.NtQuerySystemInformation(SystemModuleInformation, bytes, (uint)size, &length) >= 0)
                    {
                        return SystemModuleList.Read(
                            buffer.AsSpan(0, (int)Math.Min(length, (uint)size)),
                            Environment.GetFolderPath(Environment.SpecialFolder.Windows));
                    }
                }
            }

            return [];
        }
        finally
        {
            Process.LeaveDebugMode();
        }
    }
}
