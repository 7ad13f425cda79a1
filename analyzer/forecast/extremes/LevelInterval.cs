namespace Tracer.Forecast;

/// <summary>Finds the levels on both sides of the best one that agree with the data just well enough.</summary>
internal static class LevelInterval
{
    /// <summary>Steps by which the end of an interval is looked for outwards before none is told.</summary>
    private const int Doublings = 40;

    /// <summary>Steps by which it is then narrowed: to less than a hundred-thousandth of the last.</summary>
    private const int Halvings = 18;

    /// <summary>How well a level agrees: 0 at the best one, more the farther it is.</summary>
    public interface IDeviance
    {
        double At(double level);
    }

    /// <param name="floor">The interval does not go below.</param>
    /// <param name="cut">Levels with at most this deviance belong to it.</param>
    /// <returns>Both ends; the high one is positive infinity where no level is too high.</returns>
    public static (double Low, double High) Of<TDeviance>(TDeviance deviance, double best, double floor, double cut)
        where TDeviance : struct, IDeviance, allows ref struct
    {
        double unit = Math.Max((best - floor) / 8, double.Epsilon);
        double high = End(ref deviance, best, unit, double.PositiveInfinity, cut);
        double low = End(ref deviance, best, -unit, floor, cut);
        return (low, high);
    }

    private static double End<TDeviance>(ref TDeviance deviance, double best, double stride, double edge, double cut)
        where TDeviance : struct, IDeviance, allows ref struct
    {
        double inside = best;
        double outside = best;
        for (int i = 0; ; i++)
        {
            outside = inside + stride;
            if (stride < 0 && outside <= edge)
            {
                outside = edge;
                break;
            }

            if (deviance.At(outside) > cut)
            {
                break;
            }

            if (i == Doublings)
            {
                return edge;
            }

            (inside, stride) = (outside, stride < 0 ? stride : stride * 1.5);
        }

        for (int i = 0; i < Halvings; i++)
        {
            double middle = (inside + outside) / 2;
            (inside, outside) = deviance.At(middle) > cut ? (inside, middle) : (middle, outside);
        }

        return outside;
    }
}
