namespace Tracer.Forecast;

/// <summary>
/// Finds the highest point of a function of two or three numbers by a simplex that reflects, stretches and shrinks (Nelder and Mead 1965).
/// MathNet's search does the same with vectors on the heap; thousands of bootstrap samples ask for one that allocates nothing.
/// </summary>
internal static class SimplexSearch
{
    /// <summary>Steps after which the best point so far is taken: work stays bounded.</summary>
    private const int MostSteps = 400;

    /// <summary>The corners are one point where they differ by less than this part.</summary>
    private const double Close = 1e-5;

    /// <summary>A function, with the data that it needs.</summary>
    public interface IFunction
    {
        /// <summary>Its value; negative infinity where it has none.</summary>
        double At(scoped ReadOnlySpan<double> x);
    }

    /// <param name="function">The function; it must have a value at the start.</param>
    /// <param name="place">The start; the highest place found when this returns.</param>
    /// <param name="stride">How far the first corners of the simplex are from the start, for each number.</param>
    public static double Climb<TFunction>(scoped ref TFunction function, scoped Span<double> place, scoped ReadOnlySpan<double> stride)
        where TFunction : struct, IFunction, allows ref struct
    {
        int n = place.Length;
        Span<double> corners = stackalloc double[(n + 1) * n];
        Span<double> values = stackalloc double[n + 1];
        Span<double> middle = stackalloc double[n];
        Span<double> trial = stackalloc double[n];
        Span<double> second = stackalloc double[n];
        for (int corner = 0; corner <= n; corner++)
        {
            Span<double> at = corners.Slice(corner * n, n);
            place.CopyTo(at);
            if (corner > 0)
            {
                at[corner - 1] += stride[corner - 1];
            }

            values[corner] = function.At(at);
        }

        for (int step = 0; step < MostSteps; step++)
        {
            (int best, int worst, int next) = Order(values);
            if (values[best] - values[worst] < Close)
            {
                break;
            }

            Middle(corners, worst, middle);
            Span<double> low = corners.Slice(worst * n, n);
            double reflected = Try(ref function, middle, low, -1, trial);
            if (reflected > values[best])
            {
                double stretched = Try(ref function, middle, low, -2, second);
                (stretched > reflected ? second : trial).CopyTo(low);
                values[worst] = Math.Max(stretched, reflected);
            }
            else if (reflected > values[next])
            {
                trial.CopyTo(low);
                values[worst] = reflected;
            }
            else
            {
                double inside = Try(ref function, middle, reflected > values[worst] ? trial : low, 0.5, second);
                if (inside > Math.Max(reflected, values[worst]))
                {
                    second.CopyTo(low);
                    values[worst] = inside;
                }
                else
                {
                    Shrink(ref function, corners, values, best);
                }
            }
        }

        int top = Order(values).Best;
        corners.Slice(top * n, n).CopyTo(place);
        return values[top];
    }

    private static (int Best, int Worst, int Next) Order(ReadOnlySpan<double> values)
    {
        int best = 0;
        int worst = 0;
        for (int i = 1; i < values.Length; i++)
        {
            best = values[i] > values[best] ? i : best;
            worst = values[i] <= values[worst] ? i : worst;
        }

        int next = best;
        for (int i = 0; i < values.Length; i++)
        {
            next = i != worst && values[i] < values[next] ? i : next;
        }

        return (best, worst, next);
    }

    private static void Middle(ReadOnlySpan<double> corners, int without, Span<double> middle)
    {
        int n = middle.Length;
        middle.Clear();
        for (int corner = 0; corner <= n; corner++)
        {
            for (int i = 0; i < n && corner != without; i++)
            {
                middle[i] += corners[corner * n + i] / n;
            }
        }
    }

    private static double Try<TFunction>(
        scoped ref TFunction function,
        scoped ReadOnlySpan<double> middle,
        scoped ReadOnlySpan<double> corner,
        double part,
        scoped Span<double> trial)
        where TFunction : struct, IFunction, allows ref struct
    {
        for (int i = 0; i < middle.Length; i++)
        {
            trial[i] = middle[i] + part * (corner[i] - middle[i]);
        }

        return function.At(trial);
    }

    private static void Shrink<TFunction>(scoped ref TFunction function, scoped Span<double> corners, scoped Span<double> values, int best)
        where TFunction : struct, IFunction, allows ref struct
    {
        int n = values.Length - 1;
        for (int corner = 0; corner <= n; corner++)
        {
            if (corner == best)
            {
                continue;
            }

            for (int i = 0; i < n; i++)
            {
                double to = corners[best * n + i];
                corners[corner * n + i] = to + (corners[corner * n + i] - to) / 2;
            }

            values[corner] = function.At(corners.Slice(corner * n, n));
        }
    }
}
