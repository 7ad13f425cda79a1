using System.Text;

namespace Tracer.AnalyzerShared.Redact;

/// <param name="Folders">Up to the file's name, with the separator before it.</param>
internal readonly record struct RedactedPath(string Folders, string File);

/// <summary>
/// Replaces what a path may tell: folders stay where every Windows has them, the folder of a person becomes that person's replacement, all
/// others are numbered.
/// </summary>
internal sealed class PathRedaction(NameBook book)
{
    /// <summary>Why a name stays that every Windows has.</summary>
    public const string OfWindows = "every Windows has it";

    /// <summary>Why a name stays of who is to blame.</summary>
    public const string ToBlame = "is to blame, or named with who is";

    private const int LongestAccount = 64;
    private static readonly char[] Separators = ['\\', '/'];
    private static readonly char[] EndsOfNames = ['\\', '/', '"', '\'', '|', '<', '>', '*', ';', '\0'];

    /// <summary>Learns the accounts that a text names as folders of persons, so that they are found in other texts, too.</summary>
    public void Learn(string text)
    {
        foreach (string home in KnownNames.HomesOfUsers)
        {
            for (int at = 0; (at = text.IndexOf(home, at, StringComparison.OrdinalIgnoreCase)) >= 0; at += home.Length)
            {
                int begin = at + home.Length;
                bool isFolder = at > 0 && Separators.Contains(text[at - 1]) && begin < text.Length && Separators.Contains(text[begin]);
                if (!isFolder)
                {
                    continue;
                }

                int end = text.IndexOfAny(EndsOfNames, ++begin);
                string account = text[begin..(end < 0 ? text.Length : end)];
                if ((end < 0 || !Separators.Contains(text[end])) && account.IndexOf(' ') is >= 0 and int space)
                {
                    account = account[..space]; // What follows is another word of a command line, rather than part of a name.
                }

                if (account.Length is > 0 and <= LongestAccount && !KnownNames.Accounts.Contains(account))
                {
                    book.Replacement(NameKind.User, account);
                }
            }
        }
    }

    public RedactedPath Of(string path)
    {
        var folders = new StringBuilder();
        string before = "";
        int begin = 0;
        for (int end; (end = path.AsSpan(begin).IndexOfAny(Separators)) >= 0; begin += end + 1)
        {
            string name = path.Substring(begin, end);
            if (KnownNames.HomesOfUsers.Contains(before))
            {
                folders.Append(KnownNames.Accounts.Contains(name)
                    ? book.Keep(NameKind.User, name, OfWindows)
                    : book.Replacement(NameKind.User, name));
            }
            else
            {
                folders.Append(KnownNames.IsFolder(name)
                    ? book.Keep(NameKind.Folder, name, OfWindows)
                    : book.Replacement(book.Has(NameKind.User, name) ? NameKind.User : NameKind.Folder, name));
            }

            folders.Append(path[begin + end]);
            before = name;
        }

        return new RedactedPath(folders.ToString(), path[begin..]);
    }
}
