using Tracer.Analysis.Machine;

namespace Tracer.Analysis.Tests.Machine;

/// <summary>What leaving an idle state usually takes.</summary>
public class PowerHistoryTests
{
    [Theory]
    [InlineData(19, false)]
    [InlineData(20, true)]
    public void Twenty_exits_of_a_state_show_what_is_usual(int exits, bool isKnown)
    {
        var power = new PowerHistory(1, hasSpeeds: false, (_, _) => -1);
        for (int i = 0; i < exits; i++)
        {
            power.LeftIdle(2, 40);
            power.LeftIdle(1, 10);
        }

        Assert.Equal((isKnown ? 40 : null, isKnown ? 10 : null, null), (power.UsualExit(2), power.UsualExit(1), power.UsualExit(3)));
    }

    [Theory]
    [InlineData(5, 40)]
    [InlineData(6, 63)]
    public void One_in_twenty_may_take_longer(int longOf100, long usual)
    {
        var power = new PowerHistory(1, hasSpeeds: false, (_, _) => -1);
        for (int i = 0; i < 100; i++)
        {
            power.LeftIdle(2, i < longOf100 ? 63 : 40);
        }

        Assert.Equal(usual, power.UsualExit(2));
    }

    /// <summary>A mask of processors counts in the group of the one that logs it: bit 6 from CPU 70 is CPU 70.</summary>
    [Theory]
    [InlineData(70, 70)]
    [InlineData(3, 6)]
    public void A_mask_of_processors_is_of_the_group_of_who_logs_it(int by, int changed)
    {
        var power = new PowerHistory(96, hasSpeeds: true, (group, number) => (64 * group) + number)
        {
            GroupOf = cpu => (ushort)(cpu / 64),
        };
        power.Add(new SpeedChange(by, 1UL << 6, 12, 100), 1_000);
        Assert.Equal(12L, power.SpeedOf(changed, 1_001)!.Value);
        Assert.NotEqual(12L, power.SpeedOf(changed == 70 ? 6 : 70, 1_001));
    }
}
