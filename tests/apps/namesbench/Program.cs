using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Text;
using System.Text.Json;
using System.Text.RegularExpressions;
using System.Xml.Linq;

namespace NamesBench
{
    /// <summary>
    /// Calls some thousand methods of the framework, as programs do, and then one of its own, at which the profiler
    /// begins to measure.
    /// </summary>
    public static class Program
    {
        public static int Main()
        {
            int sum = Json() + Xml() + Text() + Linq();
            return Measure(sum) > 0 ? 0 : 1;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static int Measure(int sum)
        {
            return sum;
        }

        private static int Json()
        {
            using (JsonDocument document = JsonDocument.Parse("{\"items\":[1,2.5,\"three\",null,{\"four\":true}]}"))
                return document.RootElement.GetProperty("items").GetArrayLength();
        }

        private static int Xml()
        {
            XDocument document = XDocument.Parse("<a x='1'><b>text</b><b/><c><d y='2'/></c></a>");
            return document.Descendants().Count() + document.ToString().Length;
        }

        private static int Text()
        {
            var builder = new StringBuilder();
            foreach (Match match in Regex.Matches("one two three 4 5.6", @"(?<word>[a-z]+)|(?<number>\d+(\.\d+)?)"))
                builder.AppendFormat(CultureInfo.InvariantCulture, "{0,-8}{1:X4};", match.Value, match.Index);
            builder.Append(new DateTime(2020, 2, 29).ToString("o", CultureInfo.InvariantCulture));
            builder.Append(decimal.Parse("12.50", CultureInfo.InvariantCulture)).Append(Guid.Empty);
            return Convert.ToBase64String(Encoding.UTF8.GetBytes(builder.ToString())).Length;
        }

        private static int Linq()
        {
            var groups = Enumerable.Range(0, 100).Select(n => (n, Name: n.ToString())).Where(pair => pair.n % 3 == 0)
                .GroupBy(pair => pair.Name.Length).OrderByDescending(group => group.Key)
                .ToDictionary(group => group.Key, group => group.Sum(pair => pair.n));
            var sorted = new SortedDictionary<string, int>(groups.ToDictionary(pair => pair.Key.ToString(), pair => pair.Value));
            var queue = new Queue<int>(sorted.Values);
            return queue.Count + new HashSet<int>(queue).Count + string.Join(",", sorted.Keys).Length;
        }
    }
}
