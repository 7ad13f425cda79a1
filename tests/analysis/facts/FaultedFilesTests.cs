using Tracer.Analysis.Facts;

namespace Tracer.Analysis.Tests.Facts;

/// <summary>Which name a file had when a page of it was faulted in.</summary>
public class FaultedFilesTests
{
    private const ulong File = 0xFFFF_A001_0000_1000;
    private const ushort Name = 0x0400;
    private const ushort Created = 0x0420;
    private const ushort Deleted = 0x0423;
    private const ushort Rundown = 0x0424;

    private readonly FaultedFiles _files = new();

    public FaultedFilesTests() => MadeEvent.Give(Fault(File), (_, in e) => _files.AddFault(in e));

    [Fact]
    public void A_file_that_was_open_before_the_trace_gets_its_name_from_the_rundown()
    {
        FileLife life = _files.Of(File)!;
        Assert.Null(life.Name);
        Give(Rundown, @"\Device\HarddiskVolume2\pagefile.sys");
        Assert.Equal(@"\Device\HarddiskVolume2\pagefile.sys", life.Name);
        Assert.Same(life, _files.Of(File));
    }

    [Fact]
    public void An_address_that_is_used_again_is_another_file()
    {
        FileLife first = _files.Of(File)!;
        Give(Deleted, @"\a.dat");
        FileLife second = _files.Of(File)!;
        Give(Created, @"\b.dat");
        FileLife third = _files.Of(File)!;
        Give(Name, @"\c.dat");
        Assert.Equal((@"\a.dat", null, @"\b.dat", @"\c.dat"), (first.Name, second.Name, third.Name, _files.Of(File)!.Name));
    }

    [Fact]
    public void Files_without_a_fault_and_names_without_an_end_are_no_trouble()
    {
        MadeEvent.Give(MadeEvent.Kernel(Rundown, 2, 5, [.. BitConverter.GetBytes(File + 8), .. MadeEvent.Text("x")]), AddName);
        Assert.Null(_files.Of(File + 8));
        MadeEvent.Give(MadeEvent.Kernel(Rundown, 2, 5, [1, 2, 3]), AddName);
        MadeEvent.Give(MadeEvent.Kernel(Rundown, 2, 5, BitConverter.GetBytes(File)), AddName);
        Assert.Null(_files.Of(File)!.Name);
        Assert.True(FaultedFiles.IsName(Rundown) && FaultedFiles.IsName(Name) && !FaultedFiles.IsName(0x0440));
    }

    private void AddName(ushort hookId, in EtlEvent traceEvent)
    {
        if (_files.TryRead(hookId, in traceEvent, out FileName name))
        {
            _files.AddName(in name);
        }
    }

    private static byte[] Fault(ulong file) => MadeEvent.Kernel(
        0x0220, 2, 100, [.. BitConverter.GetBytes(50L), .. new byte[16], .. BitConverter.GetBytes(file), .. new byte[8]]);

    private void Give(ushort hookId, string name) =>
        MadeEvent.Give(MadeEvent.Kernel(hookId, 2, 5, [.. BitConverter.GetBytes(File), .. MadeEvent.Text(name)]), AddName);
}
