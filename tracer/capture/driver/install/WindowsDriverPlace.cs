using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace Tracer.Capture.Driver.Install;

/// <summary>
/// System32\drivers, where Windows lets only administrators write; signatures by WinVerifyTrust (wintrust.h, softpub.h), without a window
/// and without the network.
/// </summary>
[SupportedOSPlatform("windows")]
internal sealed unsafe partial class WindowsDriverPlace : IDriverPlace
{
    private const uint NoWindow = 2;
    private const uint NoRevocation = 0;
    private const uint OfFile = 1;
    private const uint Verify = 1;
    private const uint Close = 2;
    private const uint OnlyCachedUrls = 0x1000;
    private const int NoSignature = unchecked((int)0x800B0100);
    private const int UnknownForm = unchecked((int)0x800B0003);
    private const int BadDigest = unchecked((int)0x80096010);

    /// <summary>WINTRUST_ACTION_GENERIC_VERIFY_V2.</summary>
    private static readonly Guid GenericVerify = new("00AAC56B-CD44-11D0-8CC2-00C04FC295EE");

    public string Folder { get; } = Path.Combine(Environment.GetFolderPath(Environment.SpecialFolder.System), "drivers");

    public DriverSignature SignatureOf(string path)
    {
        if (IsWine())
        {
            return DriverSignature.NotChecked;
        }

        fixed (char* file = Path.GetFullPath(path))
        {
            var subject = new FileInfo { Size = (uint)sizeof(FileInfo), Path = file };
            var data = new TrustData
            {
                Size = (uint)sizeof(TrustData),
                Window = NoWindow,
                Revocation = NoRevocation,
                Choice = OfFile,
                File = &subject,
                Action = Verify,
                Flags = OnlyCachedUrls,
            };
            Guid action = GenericVerify;
            int answer = WinVerifyTrust(-1, &action, &data);
            data.Action = Close;
            _ = WinVerifyTrust(-1, &action, &data);
            return answer switch
            {
                0 => DriverSignature.Good,
                NoSignature or UnknownForm => DriverSignature.Missing,
                BadDigest => DriverSignature.Broken,
                _ => DriverSignature.NotTrusted,
            };
        }
    }

    /// <summary>Whether Wine stands in for Windows: it loads drivers whatever is signed.</summary>
    private static bool IsWine()
    {
        nint system = NativeLibrary.Load("ntdll.dll", typeof(WindowsDriverPlace).Assembly, DllImportSearchPath.System32);
        return NativeLibrary.TryGetExport(system, "wine_get_version", out _);
    }

    [LibraryImport("wintrust")]
    private static partial int WinVerifyTrust(nint window, Guid* action, TrustData* data);

    /// <summary>WINTRUST_FILE_INFO.</summary>
    [StructLayout(LayoutKind.Sequential)]
    internal struct FileInfo
    {
        public uint Size;
        public char* Path;
        public nint Handle;
        public Guid* KnownSubject;
    }

    /// <summary>WINTRUST_DATA.</summary>
    [StructLayout(LayoutKind.Sequential)]
    internal struct TrustData
    {
        public uint Size;
        public nint PolicyData;
        public nint SipData;
        public uint Window;
        public uint Revocation;
        public uint Choice;
        public FileInfo* File;
        public uint Action;
        public nint State;
        public char* Url;
        public uint Flags;
        public uint Context;
        public nint SignatureSettings;
    }
}
