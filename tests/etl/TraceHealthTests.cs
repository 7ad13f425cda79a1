namespace Tracer.Etl.Tests;

public class TraceHealthTests
{
    [Fact]
    public void A_new_one_has_counted_nothing()
    {
        var health = new TraceHealth();
        Every.Item(Enum.GetValues<HealthCounter>(), counter => Assert.Equal(0, health[counter]));
        Assert.Empty(health.Damage);
        Assert.False(health.HasDataLoss);
    }

    [Theory]
    [InlineData(HealthCounter.EventsLost, true)]
    [InlineData(HealthCounter.BuffersLost, true)]
    [InlineData(HealthCounter.DamagedBuffers, true)]
    [InlineData(HealthCounter.TruncatedBytes, true)]
    [InlineData(HealthCounter.UnknownRecords, true)]
    [InlineData(HealthCounter.ShortPayloads, true)]
    [InlineData(HealthCounter.SequenceGaps, false)] // Gaps also exist harmlessly at a flush, as in a Windows setup log.
    [InlineData(HealthCounter.TimeInversions, false)]
    [InlineData(HealthCounter.UnusedBuffers, false)]
    public void Only_what_is_missing_is_data_loss(HealthCounter counter, bool isLoss)
    {
        var health = new TraceHealth();
        health.Add(counter, 3);
        Assert.Equal(3, health[counter]);
        Assert.Equal(isLoss, health.HasDataLoss);
    }

    [Fact]
    public void Damage_is_counted_beyond_what_is_kept()
    {
        var health = new TraceHealth();
        for (int i = 0; i < TraceHealth.MaximumDamageKept + 5; i++)
        {
            health.AddDamage(new DamagedBuffer(i * 0x10000L, "size is zero"));
        }

        Assert.Equal(TraceHealth.MaximumDamageKept + 5, health[HealthCounter.DamagedBuffers]);
        Assert.Equal(TraceHealth.MaximumDamageKept, health.Damage.Count);
        Assert.Equal(new DamagedBuffer(0x10000, "size is zero"), health.Damage[1]);
    }

    [Fact]
    public void Two_join_into_one()
    {
        var first = new TraceHealth();
        first.AddDamage(new DamagedBuffer(1, "a"));
        var second = new TraceHealth();
        second.AddDamage(new DamagedBuffer(2, "b"));
        second.Add(HealthCounter.TimeInversions, 4);
        first.Add(second);
        Assert.Equal((2, 4), (first[HealthCounter.DamagedBuffers], first[HealthCounter.TimeInversions]));
        Assert.Equal([new DamagedBuffer(1, "a"), new DamagedBuffer(2, "b")], first.Damage);
    }

    [Fact]
    public void A_counter_stays_at_its_maximum()
    {
        var health = new TraceHealth();
        health.Add(HealthCounter.EventsLost, long.MaxValue);
        health.Add(HealthCounter.EventsLost, 2);
        Assert.Equal(long.MaxValue, health[HealthCounter.EventsLost]);
        Assert.Throws<ArgumentOutOfRangeException>(() => health.Add(HealthCounter.EventsLost, -1));
    }
}
