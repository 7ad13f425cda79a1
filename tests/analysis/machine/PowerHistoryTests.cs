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
}
