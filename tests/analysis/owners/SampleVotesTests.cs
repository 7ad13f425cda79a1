using Tracer.Analysis.Facts;
using Tracer.Analysis.Owners;
using Tracer.Analysis.Tests.Modules;

namespace Tracer.Analysis.Tests.Owners;

/// <summary>The best proof that any sample of an owner gives is the owner's, with the routine that it shows.</summary>
public class SampleVotesTests
{
    [Theory]
    [InlineData(Proof.Sample, Proof.Stack, Proof.Stack, 2)]
    [InlineData(Proof.Stack, Proof.Sample, Proof.Stack, 1)]
    [InlineData(Proof.Sample, Proof.Sample, Proof.Sample, 2)]
    [InlineData(Proof.Stack, Proof.Stack, Proof.Stack, 2)]
    public void A_stack_goes_before_a_bare_address_and_the_latest_of_equals_before_the_rest(
        Proof first, Proof second, Proof expected, ulong routine)
    {
        var made = new MadeModules("nic.sys", "disk.sys");
        LoadedImage nic = made.Map.Find(made.At("nic.sys"), 1)!;
        var votes = new SampleVotes();
        votes.Add(nic, first, 1, []);
        votes.Add(nic, second, 2, []);
        votes.Add(made.Map.Find(made.At("disk.sys"), 1)!, Proof.Stack, 3, []);
        OwnerFinding winner = votes.Winner!;
        Assert.Equal((nic, expected, routine, 2), (winner.Owner, winner.Proof, winner.Routine, winner.Samples));
        Assert.Empty(winner.TiedWith);
    }
}
