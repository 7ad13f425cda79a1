using Tracer.Analysis.Machine;

namespace Tracer.Analysis.Tests.Machine;

/// <summary>What one thread puts in order another takes, all of it and as it was added, whichever of the two is faster.</summary>
public class PassRecordsTests
{
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(31)]
    [InlineData(32)]
    [InlineData(33)]
    [InlineData(5_000)]
    public void All_that_is_added_is_taken_in_its_order(int count)
    {
        var records = new PassRecords();
        var random = new Random(count);
        for (int round = 0; round < 40; round++)
        {
            records.Begin(count);
            (int slowly, int lazily) = (random.Next(3), random.Next(3));
            var adds = new Thread(() =>
            {
                for (int i = 0; i < count; i++)
                {
                    Delay(slowly, i);
                    AddTo(records, i);
                }

                records.End(isWhole: true);
            });
            adds.Start();
            for (int i = 0; i < count; i++)
            {
                Delay(lazily, i);
                Assert.True(records.TryNext(out PassRecord next));
                Assert.Equal((i % 7, i), (next.Cpu, next.Number));
                Assert.Equal(i % 3 == 0, next.Start >= 0);
                if (next.Start >= 0)
                {
                    Assert.Equal((i, (ulong)i + 1), (records.DpcOf(in next).Ticks, records.DpcOf(in next).Routine));
                }
            }

            Assert.False(records.TryNext(out _));
            Assert.True(records.IsWhole());
            adds.Join();
        }
    }

    /// <summary>Who waits for more, or for all, goes on when an exception ends the other thread's work.</summary>
    [Theory]
    [InlineData(0)]
    [InlineData(40)]
    public void What_ends_early_is_not_waited_for(int added)
    {
        var records = new PassRecords();
        records.Begin(100);
        var adds = new Thread(() =>
        {
            for (int i = 0; i < added; i++)
            {
                AddTo(records, i);
            }

            Thread.Sleep(2);
            records.End(isWhole: false);
        });
        adds.Start();
        int taken = 0;
        while (records.TryNext(out _))
        {
            taken++;
        }

        Assert.Equal(added, taken);
        Assert.False(records.IsWhole());
        adds.Join();
        records.Begin(1);
        AddTo(records, 0);
        records.End(isWhole: true);
        Assert.True(records.TryNext(out _) && records.IsWhole());
    }

    private static void AddTo(PassRecords records, int number)
    {
        if (number % 3 == 0)
        {
            records.Add(number % 7, number, new DpcStart { Ticks = number, Routine = (ulong)number + 1 });
        }
        else
        {
            records.Add(number % 7, number);
        }
    }

    private static void Delay(int often, int number)
    {
        if (often > 0 && number % (200 * often) == 0)
        {
            Thread.Yield();
        }
    }
}
