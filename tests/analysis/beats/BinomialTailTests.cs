using System.Numerics;
using FsCheck;
using FsCheck.Fluent;
using Tracer.Analysis.Beats;

namespace Tracer.Analysis.Tests.Beats;

/// <summary>Compared with sums of exact fractions, and where those end, with what must hold.</summary>
public class BinomialTailTests
{
    [Theory]
    [InlineData(1, 2)]
    [InlineData(1, 16)]
    [InlineData(15, 16)]
    [InlineData(1, 1 << 20)]
    [InlineData(3, 1 << 26)]
    [InlineData((1 << 20) - 1, 1 << 20)]
    public void Tails_are_those_of_exact_fractions(int numerator, int denominator)
    {
        foreach (int trials in new[] { 1, 2, 3, 7, 15, 16, 17, 40, 100, 333 })
        {
            foreach (int least in Enumerable.Range(0, trials + 1).Where(least => trials <= 40 || least % 13 == 0 || trials - least < 3))
            {
                double exact = LogOfExact(least, trials, numerator, denominator);
                double log = BinomialTail.LogAtLeast(least, trials, (double)numerator / denominator);
                Assert.True(Math.Abs(log - exact) <= (1e-11 * Math.Abs(exact)) + 1e-12, $"{least} of {trials}: {log}, not {exact}");
            }
        }
    }

    [Fact]
    public void What_is_certain_or_impossible_is()
    {
        Assert.Equal(0, BinomialTail.LogAtLeast(0, 10, 0));
        Assert.Equal(0, BinomialTail.LogAtLeast(-3, -5, 0.5));
        Assert.Equal(0, BinomialTail.LogAtLeast(10, 10, 1));
        Assert.Equal(0, BinomialTail.LogAtLeast(10, 10, 7));
        Assert.Equal(0, BinomialTail.LogAtLeast(10, 10, double.NaN));
        Assert.Equal(double.NegativeInfinity, BinomialTail.LogAtLeast(11, 10, 1));
        Assert.Equal(double.NegativeInfinity, BinomialTail.LogAtLeast(1, 0, 0.5));
        Assert.Equal(double.NegativeInfinity, BinomialTail.LogAtLeast(1, 10, 0));
        Assert.Equal(double.NegativeInfinity, BinomialTail.LogAtLeast(1, 10, -1));
        Assert.Equal(0, BinomialTail.LogAtMost(10, 10, 0.5));
        Assert.Equal(0, BinomialTail.LogAtMost(0, 10, 0));
        Assert.Equal(0, BinomialTail.LogAtMost(0, 10, -1));
        Assert.Equal(double.NegativeInfinity, BinomialTail.LogAtMost(9, 10, 1));
        Assert.Equal(double.NegativeInfinity, BinomialTail.LogAtMost(9, 10, double.NaN));
        Assert.Equal(10 * Math.Log(0.5), BinomialTail.LogAtMost(0, 10, 0.5), 1e-12);
    }

    /// <summary>As a long trace has them: with plain products the first term is 0, and so was every tail.</summary>
    [Fact]
    public void A_tail_that_no_double_holds_has_a_logarithm()
    {
        Assert.InRange(BinomialTail.LogAtLeast(100_000, 100_000, 0.5), (100_000 * Math.Log(0.5)) - 1e-6, (100_000 * Math.Log(0.5)) + 1e-6);
        Assert.InRange(BinomialTail.LogAtLeast(2_000, 2_000, 1e-300), -1_381_552, -1_381_550);

        // 90 % met where the other covers 90 % of the time: half of the chance, not none.
        Assert.InRange(Math.Exp(BinomialTail.LogAtLeast(900_000, 1_000_000, 0.9)), 0.49, 0.51);
        Assert.InRange(Math.Exp(BinomialTail.LogAtLeast(900_000_000, 1_000_000_000, 0.9)), 0.499, 0.501);
    }

    [Fact]
    public void More_is_rarer_and_both_sides_make_all()
    {
        Gen<(int, int, int, double)> asked = Gen.Choose(1, 3000)
            .SelectMany(trials => Gen.Choose(1, trials).Select(least => (trials, least)))
            .SelectMany(both => Gen.Choose(1, 9999).Select(chance => (both.trials, both.least, 0, chance / 10_000.0)));
        Prop.ForAll(asked.ToArbitrary(), one =>
        {
            (int trials, int least, _, double chance) = one;
            double atLeast = BinomialTail.LogAtLeast(least, trials, chance);
            Assert.True(atLeast <= BinomialTail.LogAtLeast(least - 1, trials, chance));
            Assert.True(atLeast <= BinomialTail.LogAtLeast(least, trials + 1, chance) + 1e-12);
            Assert.Equal(1, Math.Exp(atLeast) + Math.Exp(BinomialTail.LogAtMost(least - 1, trials, chance)), 1e-11);
        }).QuickCheckThrowOnFailure();
    }

    [Fact]
    public void Choices_are_those_of_exact_numbers()
    {
        foreach (int of in new[] { 1, 2, 5, 15, 16, 30, 200, 1000 })
        {
            BigInteger choices = 1;
            for (int count = 0; count <= of; count++)
            {
                double exact = BigInteger.Log(choices);
                Assert.Equal(exact, LogFactorial.LogChoices(of, count), 1e-11 * Math.Max(1, exact));
                choices = choices * (of - count) / (count + 1);
            }
        }
    }

    private static double LogOfExact(int least, int trials, BigInteger numerator, BigInteger denominator)
    {
        BigInteger sum = 0;
        BigInteger choices = 1;
        for (int count = 0; count <= trials; count++)
        {
            sum += count >= least
                ? choices * BigInteger.Pow(numerator, count) * BigInteger.Pow(denominator - numerator, trials - count) : 0;
            choices = choices * (trials - count) / (count + 1);
        }

        // Near 1 the logarithm is that of what is missing.
        BigInteger all = BigInteger.Pow(denominator, trials);
        double missing = Math.Exp(BigInteger.Log(BigInteger.Max(1, all - sum)) - BigInteger.Log(all));
        return sum == all ? 0 : missing < 1e-4 ? -missing - (missing * missing / 2) : BigInteger.Log(sum) - BigInteger.Log(all);
    }
}
