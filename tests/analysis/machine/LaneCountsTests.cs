using Tracer.Analysis.Machine;

namespace Tracer.Analysis.Tests.Machine;

/// <summary>Samples that hit another thread than the one that runs show missing switches: twenty of them, and one in fifty.</summary>
public class LaneCountsTests
{
    [Theory]
    [InlineData(20, 1000, true)]
    [InlineData(20, 1001, false)]
    [InlineData(19, 100, false)]
    public void Switches_are_missing_where_one_sample_in_fifty_hits_another_thread(long foreign, long busy, bool areMissing)
    {
        var all = new LaneCounts();
        all.Add(new LaneCounts { ForeignSamples = foreign - 1, BusySamples = busy });
        all.Add(new LaneCounts { ForeignSamples = 1 });
        Assert.Equal(areMissing, all.AreSwitchesMissing);
    }

    [Fact]
    public void All_CPUs_add_up()
    {
        var all = new LaneCounts();
        all.Add(new LaneCounts { AskedEvents = 3, AskedSwitches = 2, Switches = 5, SamplesOfRecording = 1, ShortPayloads = 1 });
        all.Add(new LaneCounts { AskedEvents = 4, AskedSwitches = 1, Switches = 6, SamplesOfRecording = 2, ShortPayloads = 2 });
        Assert.Equal((7, 3, 11, 3, 3), (all.AskedEvents, all.AskedSwitches, all.Switches, all.SamplesOfRecording, all.ShortPayloads));
    }
}
