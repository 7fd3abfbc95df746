using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;

/// Causes the JIT to compile much of the core library, where the profiler disables precompiled code.
internal static class Inliners
{
    public static void Run()
    {
        StringBuilder text = new StringBuilder();
        Dictionary<string, int> numbers = new Dictionary<string, int>();
        for (int number = 0; number < 10; number++)
        {
            text.Append(number).Append(", ").AppendFormat("{0:X4}", number).AppendLine();
            numbers["number " + number] = number;
        }
        string all = string.Join("; ", text.ToString().Split(',').Select(part => part.Trim().ToUpperInvariant()));
        DateTime.Parse("2020-02-03T04:05:06").AddDays(numbers.Count).ToString("O");
        Convert.ToBase64String(Encoding.UTF8.GetBytes(all));
        decimal.Parse("12.5").ToString();
        Live.Says("inliners.many", "true");
        Live.Says("inliners.agree", "true");
        Live.Ask("inliners");
    }
}
