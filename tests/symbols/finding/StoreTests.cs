using System.Text;

namespace Tracer.Symbols.Tests.Finding;

/// <summary>Folders and stores of this machine, without a server.</summary>
public class StoreTests
{
    private const string Name = "nic.pdb";

    private static readonly string Key = HandMadePdb.Id.StoreKey;

    private static readonly byte[] Pdb = HandMadePdb.Make(HandMadePdb.Id, 200);

    private static readonly byte[] OtherPdb = HandMadePdb.Make(HandMadePdb.OtherId, 200);

    private static byte[] All(SymbolAnswer answer)
    {
        Assert.True(answer.Bytes is not null, string.Join('\n', answer.Attempts));
        return answer.Bytes.At(0, (int)answer.Bytes.Length).ToArray();
    }

    [Fact]
    public void A_file_beside_the_trace_is_found_without_a_path()
    {
        using SymbolFolders folders = new();
        string path = folders.Put("traces/nic.pdb", Pdb);
        using SymbolFinder finder = folders.Finder("", beside: "traces");
        SymbolAnswer answer = finder.FindPdb(@"D:\build\nic.pdb", HandMadePdb.Id, TestContext.Current.CancellationToken);
        Assert.Equal(Pdb, All(answer));
        Assert.Equal((SymbolSource.Beside, path, path), (answer.Source, answer.Path, answer.Origin));
        Assert.Empty(answer.Attempts);
    }

    [Fact]
    public void A_file_is_never_used_after_one_guid_byte_differs()
    {
        using SymbolFolders folders = new();
        string path = folders.Put("traces/nic.pdb", OtherPdb);
        folders.Put("plain/nic.pdb", OtherPdb);
        folders.Put($"store/{Name}/{Key}/{Name}", OtherPdb);
        using SymbolFinder finder = folders.Finder("{plain};srv*{store}", beside: "traces");
        SymbolAnswer answer = finder.FindPdb(Name, HandMadePdb.Id, TestContext.Current.CancellationToken);
        Assert.Null(answer.Bytes);
        Assert.Equal(3, answer.Attempts.Count);
        Every.Item(answer.Attempts, attempt => Assert.Equal(SymbolMiss.WrongId, attempt.Miss));
        Assert.Equal($"{path} is {HandMadePdb.OtherId.StoreKey}, not {HandMadePdb.Id.StoreKey}.", answer.Attempts[0].ToString());
    }

    [Fact]
    public void The_age_counts_too()
    {
        using SymbolFolders folders = new();
        folders.Put("traces/nic.pdb", Pdb);
        using SymbolFinder finder = folders.Finder("", beside: "traces");
        PdbId older = HandMadePdb.Id with { Age = 7 };
        Assert.Equal(SymbolMiss.WrongId, Assert.Single(finder.FindPdb(Name, older, TestContext.Current.CancellationToken).Attempts).Miss);
    }

    [Fact]
    public void Images_are_found_by_time_stamp_and_size()
    {
        using SymbolFolders folders = new();
        byte[] image = new Pe.HandMadePe().Bytes;
        ImageId id = Pe.HandMadePe.Read(image).Id;
        folders.Put($"store/nic.sys/{id.StoreKey}/nic.sys", image);
        folders.Put("traces/nic.sys", image);
        using SymbolFinder finder = folders.Finder("srv*{store}");
        Assert.Equal(image, All(finder.FindImage(@"\SystemRoot\System32\drivers\nic.sys", id, TestContext.Current.CancellationToken)));
        using SymbolFinder beside = folders.Finder("", beside: "traces");
        SymbolAnswer answer = beside.FindImage("nic.sys", id with { SizeOfImage = 1 }, TestContext.Current.CancellationToken);
        Assert.Contains($"is {id.StoreKey}, not {id.TimeDateStamp:X8}1", Assert.Single(answer.Attempts).Text, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("plain/nic.pdb", "{plain}")]
    [InlineData("plain/pdb/nic.pdb", "{plain}")]
    [InlineData("plain/symbols/pdb/nic.pdb", "{plain}")]
    [InlineData("plain/nic.pdb/KEY/nic.pdb", "{plain}")]
    [InlineData("plain/ni/nic.pdb/KEY/nic.pdb", "{plain}")]
    [InlineData("plain/ni/nic.pdb/KEY/nic.pdb", "srv*{plain}")]
    [InlineData("plain/nic.pdb/KEY/nic.pdb", "srv*{plain}")]
    [InlineData("plain/nic.pdb/KEY/nic.pdb", "cache*{plain}")]
    [InlineData("plain/NIC.PDB/key/Nic.Pdb", "srv*{plain}")]
    [InlineData("plain/NI/NIC.PDB/key/Nic.Pdb", "srv*{plain}")]
    [InlineData("plain/NIC.pdb", "{plain}")]
    public void Folders_and_stores_are_looked_through_whatever_the_case(string file, string path)
    {
        using SymbolFolders folders = new();
        string key = file.Contains("key", StringComparison.Ordinal) ? Key.ToLowerInvariant() : Key;
        string put = folders.Put(file.Replace("KEY", key, StringComparison.Ordinal).Replace("key", key, StringComparison.Ordinal), Pdb);
        if (file.StartsWith("plain/ni/", StringComparison.OrdinalIgnoreCase))
        {
            folders.Put("plain/index2.txt", "");
        }

        using SymbolFinder finder = folders.Finder(path);
        SymbolAnswer answer = finder.FindPdb(Name, HandMadePdb.Id, TestContext.Current.CancellationToken);
        Assert.Equal(Pdb, All(answer));
        Assert.Equal(put, answer.Path, ignoreCase: OperatingSystem.IsWindows());
    }

    [Fact]
    public void The_exact_name_goes_first_and_others_are_tried_after_it()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows() || OperatingSystem.IsMacOS(), "names here have no case");
        using SymbolFolders folders = new();
        string exact = folders.Put("plain/nic.pdb", Pdb);
        folders.Put("plain/NIC.pdb", Pdb);
        string other = folders.Put("late/NIC.pdb", Pdb);
        folders.Put("late/nic.pdb", OtherPdb);
        using SymbolFinder finder = folders.Finder("{plain}");
        Assert.Equal(exact, finder.FindPdb(Name, HandMadePdb.Id, TestContext.Current.CancellationToken).Path);
        using SymbolFinder late = folders.Finder("{late}");
        Assert.Equal(other, late.FindPdb(Name, HandMadePdb.Id, TestContext.Current.CancellationToken).Path);
    }

    [Fact]
    public void What_a_far_store_has_is_copied_to_all_nearer_ones()
    {
        using SymbolFolders folders = new();
        string origin = folders.Put($"c/{Name}/{Key}/{Name}", Pdb);
        folders.Put("a/index2.txt", "");
        using SymbolFinder finder = folders.Finder("srv*{a}*{b}*{c}*{d}");
        SymbolAnswer answer = finder.FindPdb(Name, HandMadePdb.Id, TestContext.Current.CancellationToken);
        Assert.Equal(Pdb, All(answer));
        Assert.Equal(folders[Path.Combine("a", "ni", Name, Key, Name)], answer.Path);
        Assert.Equal(origin, answer.Origin);
        Assert.Equal([$"{Name}/{Key}/{Name}"], folders.FilesIn("b"));
        Assert.Equal(["index2.txt", $"ni/{Name}/{Key}/{Name}"], folders.FilesIn("a"));
        Assert.Empty(folders.FilesIn("d"));
    }

    [Fact]
    public void A_cache_keeps_what_stores_right_of_it_have_but_not_those_left_of_it()
    {
        using SymbolFolders folders = new();
        folders.Put($"left/{Name}/{Key}/{Name}", Pdb);
        folders.Put($"right/NIC2.pdb/{Key}/nic2.pdb", Pdb);
        using SymbolFinder finder = folders.Finder("srv*{left};cache*{kept};srv*{right}");
        Assert.NotNull(finder.FindPdb(Name, HandMadePdb.Id, TestContext.Current.CancellationToken).Bytes);
        Assert.Empty(folders.FilesIn("kept"));
        Assert.NotNull(finder.FindPdb("nic2.pdb", HandMadePdb.Id, TestContext.Current.CancellationToken).Bytes);
        Assert.Equal([$"nic2.pdb/{Key}/nic2.pdb"], folders.FilesIn("kept"));
    }

    [Theory]
    [InlineData("srv*{near}*{far}", "near")]
    [InlineData("srv*{far}", "default-cache")]
    [InlineData("cache*;srv*{far}", "default-cache")]
    public void Compressed_files_are_expanded_into_the_nearest_store_or_the_cache(string path, string kept)
    {
        using SymbolFolders folders = new();
        string origin = folders.Put($"far/{Name}/{Key}/nic.pd_", new HandMadeCabinet().Make(Pdb));
        using SymbolFinder finder = folders.Finder(path);
        SymbolAnswer answer = finder.FindPdb(Name, HandMadePdb.Id, TestContext.Current.CancellationToken);
        Assert.Equal(Pdb, All(answer));
        Assert.Equal(origin, answer.Origin);
        Assert.Equal([$"{Name}/{Key}/{Name}"], folders.FilesIn(kept));
    }

    [Fact]
    public void Compressed_files_that_are_wrong_damaged_or_of_lzx_are_told_and_not_kept()
    {
        using SymbolFolders folders = new();
        byte[] damaged = new HandMadeCabinet().Make(Pdb);
        damaged[^1] ^= 1;
        folders.Put($"lzx/{Name}/{Key}/nic.pd_", new HandMadeCabinet { Method = 0x1503 }.Make(Pdb));
        folders.Put($"wrong/{Name}/{Key}/nic.pd_", new HandMadeCabinet().Make(OtherPdb));
        folders.Put($"cut/{Name}/{Key}/nic.pd_", new HandMadeCabinet().Make(Pdb[..^1]));
        folders.Put($"damaged/{Name}/{Key}/nic.pd_", damaged);
        folders.Put($"bomb/{Name}/{Key}/nic.pd_", new HandMadeCabinet { ClaimedLength = 1u << 30 }.Make(Pdb));
        using SymbolFinder finder = folders.Finder("srv*{lzx};srv*{wrong};srv*{cut};srv*{damaged};srv*{bomb}");
        SymbolAnswer answer = finder.FindPdb(Name, HandMadePdb.Id, TestContext.Current.CancellationToken);
        Assert.Null(answer.Bytes);
        Assert.Equal(
            [SymbolMiss.Compressed, SymbolMiss.WrongId, SymbolMiss.Damaged, SymbolMiss.Damaged, SymbolMiss.Damaged],
            answer.Attempts.Select(attempt => attempt.Miss));
        Assert.Contains("LZX", answer.Attempts[0].Text, StringComparison.Ordinal);
        Assert.Contains("is cut off: it has 102399 of 102400 bytes", answer.Attempts[2].Text, StringComparison.Ordinal);
        Assert.Contains("more than the 67108864 that are allowed", answer.Attempts[4].Text, StringComparison.Ordinal);
        Assert.Empty(folders.FilesIn("default-cache"));
    }

    [Theory]
    [InlineData("PATH:")]
    [InlineData("path: ")]
    [InlineData("")]
    [InlineData("\uFEFFPATH:")]
    public void A_pointer_into_a_folder_that_the_user_named_is_followed(string prefix)
    {
        using SymbolFolders folders = new();
        string target = folders.Put("builds/17/out/nic.pdb", Pdb);
        folders.Put($"store/{Name}/{Key}/file.ptr", prefix + target + "\r\n");
        using SymbolFinder finder = folders.Finder("srv*{store};{builds}");
        SymbolAnswer answer = finder.FindPdb(Name, HandMadePdb.Id, TestContext.Current.CancellationToken);
        Assert.Equal(target, answer.Path);
    }

    [Theory]
    [InlineData("{secret}/nic.pdb")]
    [InlineData("{builds}/../secret/nic.pdb")]
    [InlineData("{builds}-not/nic.pdb")]
    [InlineData("secret/nic.pdb")]
    [InlineData(@"\\server\share\nic.pdb")]
    [InlineData("//server/share/nic.pdb")]
    [InlineData(@"/\server\share\nic.pdb")]
    [InlineData("https://server/nic.pdb")]
    [InlineData(@"\\?\C:\nic.pdb")]
    public void A_pointer_that_leads_elsewhere_is_told_and_never_opened(string pointer)
    {
        using SymbolFolders folders = new();
        folders.Put("secret/nic.pdb", Pdb);
        folders.Put("builds-not/nic.pdb", Pdb);
        folders.Put("builds/other.pdb", Pdb);
        string path = pointer.Replace("{", folders.Root + Path.DirectorySeparatorChar, StringComparison.Ordinal)
            .Replace("}", "", StringComparison.Ordinal);
        folders.Put($"store/{Name}/{Key}/file.ptr", "PATH:" + path);
        WatchedFiles watched = new();
        using SymbolFinder finder = folders.Finder("srv*{store};{builds}", files: watched);
        SymbolAnswer answer = finder.FindPdb(Name, HandMadePdb.Id, TestContext.Current.CancellationToken);
        Assert.Null(answer.Bytes);
        SymbolAttempt attempt = Assert.Single(answer.Attempts, attempt => attempt.Miss == SymbolMiss.Pointer);
        Assert.Contains("not followed", attempt.Text, StringComparison.Ordinal);
        Every.Item(watched.Touched, touched => Assert.True(
            touched.StartsWith(folders["store"], StringComparison.Ordinal) || touched == folders["builds"]
                || touched.StartsWith(folders["builds"] + Path.DirectorySeparatorChar, StringComparison.Ordinal),
            touched));
    }

    [Fact]
    public void A_pointer_in_the_default_cache_is_not_followed()
    {
        using SymbolFolders folders = new();
        string target = folders.Put("builds/nic3.pdb", Pdb);
        folders.Put($"default-cache/{Name}/{Key}/file.ptr", "PATH:" + target);
        using SymbolFinder finder = folders.Finder("cache*;{builds}");
        Assert.Contains(
            finder.FindPdb(Name, HandMadePdb.Id, TestContext.Current.CancellationToken).Attempts,
            attempt => attempt.Miss == SymbolMiss.Pointer);
    }

    [Fact]
    public void A_message_in_a_store_is_shown_without_what_steers_a_terminal()
    {
        using SymbolFolders folders = new();
        folders.Put($"store/{Name}/{Key}/file.ptr", "MSG: removed\u001b[2J by \u202Eadmin" + new string('x', 5_000));
        using SymbolFinder finder = folders.Finder("srv*{store}");
        SymbolAttempt attempt = Assert.Single(finder.FindPdb(Name, HandMadePdb.Id, TestContext.Current.CancellationToken).Attempts);
        Assert.StartsWith("says: removed?[2J by ?adminxxx", attempt.Text, StringComparison.Ordinal);
        Assert.True(attempt.Text.Length < 230);
    }

    [Fact]
    public void A_pointer_to_a_file_of_another_build_is_refused()
    {
        using SymbolFolders folders = new();
        string target = folders.Put("builds/17/nic.pdb", OtherPdb);
        folders.Put($"store/{Name}/{Key}/file.ptr", "PATH:" + target);
        using SymbolFinder finder = folders.Finder("srv*{store};{builds}");
        Assert.Contains(
            finder.FindPdb(Name, HandMadePdb.Id, TestContext.Current.CancellationToken).Attempts,
            attempt => attempt.Place == target && attempt.Miss == SymbolMiss.WrongId);
    }

    [Fact]
    public void Each_place_that_was_tried_in_vain_is_told_once_in_order()
    {
        using SymbolFolders folders = new();
        string damaged = folders.Put("plain/nic.pdb", "this is no PDB");
        folders.Put("empty/nic.pdb", "");
        using SymbolFinder finder = folders.Finder(
            "{plain};symsrv*other.dll*x;srv*{near}*https://server/x;srv*{near}*https://server/x;{empty}", beside: "traces");
        SymbolAnswer answer = finder.FindPdb(Name, HandMadePdb.Id, TestContext.Current.CancellationToken);
        Assert.Equal(SymbolSource.None, answer.Source);
        Assert.Equal(
            [
                $"{folders["traces"]} does not have nic.pdb.",
                $"{damaged} is no PDB.",
                "symsrv*other.dll*x asks for a symbol server library of its own; only symsrv.dll is known.",
                $"{folders["near"]} does not have nic.pdb {Key}.",
                $"{folders[Path.Combine("empty", "nic.pdb")]} can't be read: the file is empty.",
                "https://server/x is not asked: downloads are off.",
            ],
            answer.Attempts.Select(attempt => attempt.ToString()));
    }

    [Theory]
    [InlineData("..")]
    [InlineData("con")]
    [InlineData("nic.pdb\0")]
    [InlineData("")]
    public void Names_of_strangers_that_are_no_file_names_touch_nothing(string name)
    {
        using SymbolFolders folders = new();
        WatchedFiles watched = new();
        using SymbolFinder finder = folders.Finder("{plain};srv*{store}", beside: "traces", files: watched);
        SymbolAnswer answer = finder.FindPdb(name, HandMadePdb.Id, TestContext.Current.CancellationToken);
        Assert.Equal(SymbolMiss.NotAsked, Assert.Single(answer.Attempts).Miss);
        Assert.Empty(watched.Touched);
    }

    [Fact]
    public void Paths_of_strangers_lead_nowhere()
    {
        using SymbolFolders folders = new();
        string outside = folders.Put("x.pdb", Pdb);
        WatchedFiles watched = new();
        using SymbolFinder finder = folders.Finder("{plain}", beside: "traces", files: watched);
        Assert.Null(finder.FindPdb("../x.pdb", HandMadePdb.Id, TestContext.Current.CancellationToken).Bytes);
        Assert.Null(finder.FindPdb(outside, HandMadePdb.Id, TestContext.Current.CancellationToken).Bytes);
        Assert.DoesNotContain(outside, watched.Touched);
    }

    [Fact]
    public void A_store_that_can_not_be_written_is_told_and_the_file_is_used_in_place()
    {
        using SymbolFolders folders = new();
        string origin = folders.Put($"far/{Name}/{Key}/{Name}", Pdb);
        folders.Put("near", "a file in place of a folder");
        using SymbolFinder finder = folders.Finder("srv*{near}*{far}");
        SymbolAnswer answer = finder.FindPdb(Name, HandMadePdb.Id, TestContext.Current.CancellationToken);
        Assert.Equal(Pdb, All(answer));
        Assert.Equal(origin, answer.Path);
        Assert.Contains(answer.Attempts, attempt => attempt.Miss == SymbolMiss.Unreadable);
    }

    [Fact]
    public void A_path_of_windows_makes_no_folder_elsewhere()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "it is a path here");
        Assert.Null(new DiskSymbolFiles().Begin(@"C:\cache", out string? problem));
        Assert.Contains("path of Windows", problem, StringComparison.Ordinal);
    }

    [Fact]
    public void Drafts_leave_nothing_and_old_ones_are_removed()
    {
        using SymbolFolders folders = new();
        string old = folders.Put("store/tracer-unfinished/old.part", "x");
        string young = folders.Put("store/tracer-unfinished/young.part", "x");
        File.SetLastWriteTimeUtc(old, DateTime.UtcNow.AddDays(-2));
        DiskSymbolFiles files = new();
        using (ISymbolFileDraft? draft = files.Begin(folders["store"], out string? problem))
        {
            Assert.True(draft is not null, problem);
            draft.Content.Write("half"u8);
        }

        Assert.Equal([young], Directory.GetFiles(folders[Path.Combine("store", "tracer-unfinished")]));
    }

    [Fact]
    public void Mapped_bytes_are_those_of_the_file_and_gone_after_it()
    {
        using SymbolFolders folders = new();
        MappedBytes bytes = MappedBytes.Open(folders.Put("a", "0123456789"));
        Assert.Equal(10, bytes.Length);
        Assert.Equal("345", Encoding.ASCII.GetString(bytes.At(3, 3)));
        Assert.Equal("89", Encoding.ASCII.GetString(bytes.At(8, 100)));
        Assert.True(bytes.At(10, 1).IsEmpty && bytes.At(-1, 4).IsEmpty && bytes.At(0, -1).IsEmpty && bytes.At(long.MaxValue, 1).IsEmpty);
        bytes.Dispose();
        bytes.Dispose();
        Assert.True(bytes.At(0, 1).IsEmpty);
    }

    [Fact]
    public void Files_that_were_found_are_let_go_of_with_the_finder()
    {
        using SymbolFolders folders = new();
        folders.Put("traces/nic.pdb", Pdb);
        SymbolFinder finder = folders.Finder("", beside: "traces");
        SymbolAnswer answer = finder.FindPdb(Name, HandMadePdb.Id, TestContext.Current.CancellationToken);
        Assert.False(answer.Bytes!.At(0, 1).IsEmpty);
        finder.Dispose();
        Assert.True(answer.Bytes.At(0, 1).IsEmpty);
        Assert.Throws<ObjectDisposedException>(() => finder.FindPdb(Name, HandMadePdb.Id, TestContext.Current.CancellationToken));
    }

    [Fact]
    public void The_default_cache_lies_in_the_users_own_data()
    {
        string data = Environment.GetFolderPath(Environment.SpecialFolder.LocalApplicationData);
        Assert.Equal(data.Length == 0 ? null : Path.Combine(data, "Tracer", "symbols"), DiskSymbolFiles.DefaultCache);
    }
}
