namespace Tracer.Contract;

/// <summary>Writes numbers as <c>--cpu</c> takes them: <c>0,2-4</c>.</summary>
public static class NumberRanges
{
    /// <summary>The numbers in order, each run of three or more as a range.</summary>
    public static string Of(IEnumerable<int> numbers)
    {
        List<string> ranges = [];
        int[] sorted = [.. numbers.Distinct().Order()];
        for (int first = 0; first < sorted.Length;)
        {
            int last = first;
            while (last + 1 < sorted.Length && sorted[last + 1] == sorted[last] + 1)
            {
                last++;
            }

            last = last == first + 1 ? first : last;
            string from = sorted[first].ToString(CultureInfo.InvariantCulture);
            ranges.Add(last == first ? from : $"{from}-{sorted[last].ToString(CultureInfo.InvariantCulture)}");
            first = last + 1;
        }

        return string.Join(",", ranges);
    }
}
