namespace Tracer.TracerCommand.Commands.Service;

/// <param name="Rights">What, as an access mask of winnt.h.</param>
/// <param name="IsAllowed">Whether it allows; else it denies.</param>
/// <param name="IsInheritOnly">Whether it is for what lies below only.</param>
public readonly record struct AccessEntry(string Sid, uint Rights, bool IsAllowed, bool IsInheritOnly);

/// <summary>
/// Who may change a file or folder that a service of SYSTEM's starts from or writes to: whoever may becomes SYSTEM. Only SYSTEM,
/// administrators and Windows' own installer should.
/// </summary>
public static class FolderAccess
{
    public const string SystemSid = "S-1-5-18";

    public const string AdministratorsSid = "S-1-5-32-544";

    private const string TrustedInstaller = "S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464";

    /// <summary>FILE_WRITE_DATA (of a folder: add a file) and FILE_APPEND_DATA (add a folder).</summary>
    private const uint Add = 0x2 | 0x4;

    /// <summary>FILE_DELETE_CHILD, DELETE, WRITE_DAC, WRITE_OWNER, and GENERIC_WRITE and GENERIC_ALL, which stand for all.</summary>
    private const uint Replace = 0x40 | 0x1_0000 | 0x4_0000 | 0x8_0000 | 0x4000_0000 | 0x1000_0000;

    /// <summary>
    /// Who else may change it. Of the folders above only what lets somebody put another in its place counts: Windows lets every user add
    /// folders to a disk's root.
    /// </summary>
    /// <param name="owner">Its owner, who may always change its access list.</param>
    /// <param name="entries">Its access list; denials do not count, since they may be got around by another's.</param>
    /// <returns>The first who may; null where nobody may.</returns>
    public static string? Stranger(string? owner, IEnumerable<AccessEntry> entries, bool isAbove)
    {
        ArgumentNullException.ThrowIfNull(entries);
        if (owner is not null && !IsTrusted(owner))
        {
            return owner;
        }

        uint wanted = isAbove ? Replace : Replace | Add;
        foreach (AccessEntry entry in entries)
        {
            if (entry.IsAllowed && !entry.IsInheritOnly && (entry.Rights & wanted) != 0 && !IsTrusted(entry.Sid))
            {
                return entry.Sid;
            }
        }

        return null;
    }

    private static bool IsTrusted(string sid) => sid is SystemSid or AdministratorsSid or TrustedInstaller;
}
