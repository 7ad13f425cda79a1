namespace Tracer.Forecast;

/// <summary>Finds the highest point of a function of one number.</summary>
internal static class LineSearch
{
    /// <summary>A function, with the data that it needs, so that nothing is allocated for it.</summary>
    public interface IFunction
    {
        /// <summary>Its value; negative infinity where it has none.</summary>
        double At(double x);
    }

    /// <summary>
    /// Looks at a grid first, so that a second hill is found, and then between the neighbours of its best point by the golden section.
    /// </summary>
    /// <param name="grid">Points of the grid, at least 3.</param>
    /// <param name="steps">Steps of the golden section; each narrows the place to 0.62 of what it was.</param>
    public static (double X, double Value) Highest<TFunction>(ref TFunction function, double from, double to, int grid, int steps)
        where TFunction : struct, IFunction, allows ref struct
    {
        double width = (to - from) / (grid - 1);
        double best = from;
        double value = double.NegativeInfinity;
        for (int i = 0; i < grid; i++)
        {
            double x = i == grid - 1 ? to : from + i * width;
            double here = function.At(x);
            if (here > value)
            {
                (best, value) = (x, here);
            }
        }

        double golden = (Math.Sqrt(5) - 1) / 2;
        double low = Math.Max(from, best - width);
        double high = Math.Min(to, best + width);
        double left = high - golden * (high - low);
        double right = low + golden * (high - low);
        double atLeft = function.At(left);
        double atRight = function.At(right);
        for (int i = 0; i < steps; i++)
        {
            if (atLeft >= atRight)
            {
                (high, right, atRight) = (right, left, atLeft);
                left = high - golden * (high - low);
                atLeft = function.At(left);
            }
            else
            {
                (low, left, atLeft) = (left, right, atRight);
                right = low + golden * (high - low);
                atRight = function.At(right);
            }
        }

        (double X, double Value) found = atLeft >= atRight ? (left, atLeft) : (right, atRight);
        return found.Value >= value ? found : (best, value);
    }
}
