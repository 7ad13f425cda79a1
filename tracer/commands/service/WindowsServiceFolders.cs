using System.Runtime.Versioning;
using System.Security.AccessControl;
using System.Security.Principal;

namespace Tracer.TracerCommand.Commands.Service;

/// <summary>Files and folders of this Windows, with their access lists.</summary>
[SupportedOSPlatform("windows")]
public sealed class WindowsServiceFolders : IServiceFolders
{
    private const string HostName = "dotnet.exe";

    public string? Program =>
        Environment.ProcessPath is { } path && !Path.GetFileName(path).Equals(HostName, StringComparison.OrdinalIgnoreCase) ? path : null;

    public string DefaultFolder { get; } =
        Path.Combine(Environment.GetFolderPath(Environment.SpecialFolder.CommonApplicationData), "Tracer");

    public string? StrangerWith(string path)
    {
        string full = Path.GetFullPath(path);
        string? found = StrangerOf(full, isAbove: false);
        for (string? above = Path.GetDirectoryName(full); found is null && above is not null; above = Path.GetDirectoryName(above))
        {
            // Who may add files beside a program may put a DLL there.
            found = StrangerOf(above, isAbove: !(File.Exists(full) && above == Path.GetDirectoryName(full)));
        }

        return found;
    }

    public void Make(string path)
    {
        if (Directory.Exists(path))
        {
            return;
        }

        var security = new DirectorySecurity();
        security.SetAccessRuleProtection(isProtected: true, preserveInheritance: false);
        foreach (string sid in (string[])[FolderAccess.SystemSid, FolderAccess.AdministratorsSid])
        {
            security.AddAccessRule(new FileSystemAccessRule(
                new SecurityIdentifier(sid),
                FileSystemRights.FullControl,
                InheritanceFlags.ContainerInherit | InheritanceFlags.ObjectInherit,
                PropagationFlags.None,
                AccessControlType.Allow));
        }

        security.SetOwner(new SecurityIdentifier(FolderAccess.AdministratorsSid));
        security.CreateDirectory(path);
    }

    private static string? StrangerOf(string path, bool isAbove)
    {
        FileSystemSecurity security = Directory.Exists(path)
            ? new DirectoryInfo(path).GetAccessControl(AccessControlSections.Access | AccessControlSections.Owner)
            : new FileInfo(path).GetAccessControl(AccessControlSections.Access | AccessControlSections.Owner);
        List<AccessEntry> entries = [];
        foreach (FileSystemAccessRule rule in security.GetAccessRules(true, true, typeof(SecurityIdentifier)))
        {
            entries.Add(new AccessEntry(
                rule.IdentityReference.Value,
                unchecked((uint)rule.FileSystemRights),
                rule.AccessControlType == AccessControlType.Allow,
                rule.PropagationFlags.HasFlag(PropagationFlags.InheritOnly)));
        }

        string? owner = security.GetOwner(typeof(SecurityIdentifier))?.Value;
        return FolderAccess.Stranger(owner, entries, isAbove) is { } sid ? $"{NameOf(sid)} ({path})" : null;
    }

    private static string NameOf(string sid)
    {
        try
        {
            return new SecurityIdentifier(sid).Translate(typeof(NTAccount)).Value;
        }
        catch (IdentityNotMappedException)
        {
            return sid;
        }
    }
}
