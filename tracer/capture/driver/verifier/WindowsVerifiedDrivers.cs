using System.Runtime.Versioning;
using Tracer.Windows;

namespace Tracer.Capture.Driver.Verifier;

[SupportedOSPlatform("windows")]
public sealed unsafe class WindowsVerifiedDrivers : IVerifiedDrivers
{
    private const uint SystemVerifierInformation = 51;
    private const int InfoLengthMismatch = unchecked((int)0xC000_0004);
    private const int FirstGuess = 64 * 1024;
    private const int MostBytes = 4 * 1024 * 1024;

    public IReadOnlyList<VerifiedDriver>? List()
    {
        if (!Environment.Is64BitProcess)
        {
            return null;
        }

        int status = InfoLengthMismatch;
        for (int size = FirstGuess; size <= MostBytes && status == InfoLengthMismatch; size *= 2)
        {
            byte[] buffer = new byte[size];
            fixed (byte* bytes = buffer)
            {
                uint length;
                status = MachineNatives.NtQuerySystemInformation(SystemVerifierInformation, bytes, (uint)size, &length);
                if (status >= 0)
                {
                    return length == 0 ? [] : VerifierInformation.Read(buffer, (ulong)bytes);
                }
            }
        }

        return null;
    }
}
