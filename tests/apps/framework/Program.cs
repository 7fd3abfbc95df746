// Uses much of the framework, and prints what comes out: text, numbers, XML, JSON, regular expressions, LINQ, expression trees,
// compression, reflection, tasks. Nothing that it prints depends on chance or on the runtime's version.

using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.IO.Compression;
using System.Linq;
using System.Linq.Expressions;
using System.Numerics;
using System.Reflection;
using System.Text;
using System.Text.Json;
using System.Text.RegularExpressions;
using System.Threading;
using System.Threading.Tasks;
using System.Xml.Linq;

namespace Framework
{
    public static class Program
    {
        public static int Main()
        {
            CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
            Text();
            Numbers();
#if NET8 // 3.1 hashes names by OpenSSL 1.1, which may be missing.
            Xml();
#endif
            Json();
            Collections();
            Expressions();
            Compression();
            Reflected();
            Tasks().GetAwaiter().GetResult();
            Failures();
            return 0;
        }

        private static void Text()
        {
            var text = new StringBuilder();
            for (int i = 0; i < 200; i++)
                text.AppendFormat("{0:D3}:{1:X};", i, i * 7919);
            Console.WriteLine(text);
            foreach (Match match in Regex.Matches(text.ToString(), @"(?<n>\d+):(?<x>[0-9A-F]{5});"))
                Console.Write($"{match.Groups["n"].Value}={match.Groups["x"].Value} ");
            Console.WriteLine(Regex.Replace("a1b22c333", @"\d+", match => $"<{match.Length}>"));
            Console.WriteLine(string.Join("|", "äöü,x,,y".Split(',').Select(part => part.ToUpperInvariant().PadLeft(4, '.'))));
            Console.WriteLine(Convert.ToBase64String(Encoding.UTF8.GetBytes("Grüße")));
        }

        private static void Numbers()
        {
            BigInteger product = 1;
            for (int i = 2; i < 60; i++)
                product *= i;
            Console.WriteLine(product);
            Console.WriteLine($"{Math.PI:F10} {1.0 / 3:R} {decimal.Divide(1, 7)} {double.Parse("1e-5")} {int.MinValue:N0}");
            Console.WriteLine(new DateTime(2024, 2, 29, 12, 30, 5, DateTimeKind.Utc).AddYears(1).ToString("o"));
            Console.WriteLine(TimeSpan.FromSeconds(98765).ToString("c"));
        }

        private static void Xml()
        {
            XDocument document = XDocument.Parse("<shop><item id='1' price='2.5'/><item id='2'>text<!-- no --></item></shop>");
            document.Root.Add(new XElement("item", new XAttribute("id", 3), new XElement("nested", "a & b")));
            Console.WriteLine(document);
            Console.WriteLine(document.Descendants("item").Sum(item => (int)item.Attribute("id")));
        }

        private static void Json()
        {
            using (JsonDocument document = JsonDocument.Parse("{\"items\":[1,2.5,\"three\",null,{\"four\":[true,false]}]}"))
            {
                foreach (JsonElement item in document.RootElement.GetProperty("items").EnumerateArray())
                    Console.Write($"{item.ValueKind}:{item.GetRawText()} ");
            }
            Console.WriteLine();
            var value = new Dictionary<string, object> { ["a"] = new[] { 1, 2 }, ["b"] = new { X = 1.5, Y = "ü" } };
            string json = JsonSerializer.Serialize(value, new JsonSerializerOptions { WriteIndented = true });
            Console.WriteLine(json);
            Console.WriteLine(JsonSerializer.Deserialize<Dictionary<string, JsonElement>>(json)["b"].GetProperty("X"));
        }

        private static void Collections()
        {
            var random = new List<int>();
            for (int i = 1, value = 12345; i < 300; i++)
                random.Add(value = value * 1103515245 + 12345 & 0x7FFFFFFF);
            var groups = random.GroupBy(number => number % 7).OrderBy(group => group.Key);
            foreach (IGrouping<int, int> group in groups)
                Console.Write($"{group.Key}:{group.Count()}:{group.Max()} ");
            var sorted = new SortedDictionary<int, string>(random.Distinct().ToDictionary(n => n, n => n.ToString("X")));
            Console.WriteLine(string.Join(",", sorted.Values.Take(20)));
            var bag = new ConcurrentDictionary<int, int>();
            Parallel.For(0, 1000, i => bag.AddOrUpdate(i % 10, 1, (_, count) => count + 1));
            Console.WriteLine(string.Join(",", bag.OrderBy(pair => pair.Key).Select(pair => pair.Value)));
            var queue = new PriorityList<string>();
            foreach (string word in "the quick brown fox jumps over the lazy dog".Split(' '))
                queue.Add(word);
            Console.WriteLine(queue);
        }

        private sealed class PriorityList<T> where T : IComparable<T>
        {
            private readonly LinkedList<T> items = new LinkedList<T>();

            public void Add(T item)
            {
                LinkedListNode<T> node = items.First;
                while (node != null && node.Value.CompareTo(item) < 0)
                    node = node.Next;
                _ = node == null ? items.AddLast(item) : items.AddBefore(node, item);
            }

            public override string ToString() => string.Join(" ", items);
        }

        private static void Expressions()
        {
            ParameterExpression n = Expression.Parameter(typeof(int), "n");
            ParameterExpression result = Expression.Variable(typeof(int), "result");
            LabelTarget end = Expression.Label(typeof(int));
            Expression<Func<int, int>> factorial = Expression.Lambda<Func<int, int>>(
                Expression.Block(
                    new[] { result },
                    Expression.Assign(result, Expression.Constant(1)),
                    Expression.Loop(
                        Expression.IfThenElse(
                            Expression.GreaterThan(n, Expression.Constant(1)),
                            Expression.MultiplyAssign(result, Expression.PostDecrementAssign(n)),
                            Expression.Break(end, result)),
                        end)),
                n);
            Console.WriteLine($"{factorial}: {factorial.Compile()(10)}");
        }

        private static void Compression()
        {
            byte[] data = Encoding.ASCII.GetBytes(string.Concat(Enumerable.Repeat("compress me; ", 500)));
            var packed = new MemoryStream();
            using (var stream = new DeflateStream(packed, CompressionLevel.Optimal, true))
                stream.Write(data, 0, data.Length);
            packed.Position = 0;
            var unpacked = new MemoryStream();
            using (var stream = new DeflateStream(packed, CompressionMode.Decompress))
                stream.CopyTo(unpacked);
            Console.WriteLine($"{unpacked.Length} {unpacked.ToArray().SequenceEqual(data)}");
        }

        private static void Reflected()
        {
            MethodInfo method = typeof(Program).GetMethod(nameof(Generic), BindingFlags.NonPublic | BindingFlags.Static);
            Console.WriteLine(method.MakeGenericMethod(typeof(DayOfWeek)).Invoke(null, new object[] { DayOfWeek.Friday, 2 }));
            Console.WriteLine(Activator.CreateInstance(typeof(Version), 1, 2, 3));
        }

        private static string Generic<T>(T value, int times) => string.Join("-", Enumerable.Repeat(value, times));

        private static async Task Tasks()
        {
            var source = new TaskCompletionSource<int>();
            Task<int[]> all = Task.WhenAll(Enumerable.Range(0, 5).Select(async i =>
            {
                await Task.Yield();
                await Task.Delay(i);
                return i * i + await source.Task;
            }));
            source.SetResult(100);
            Console.WriteLine(string.Join(" ", await all));
            using (var cancel = new CancellationTokenSource(1))
            {
                try
                {
                    await Task.Delay(Timeout.Infinite, cancel.Token);
                }
                catch (OperationCanceledException e)
                {
                    Console.WriteLine(e.GetType().Name);
                }
            }
        }

        private static void Failures()
        {
            Action[] failures =
            {
                () => int.Parse("no number"),
                () => _ = Array.Empty<int>()[2],
                () => _ = ((string)null).Length,
                () => Enumerable.Empty<int>().First(),
                () => throw new AggregateException(new InvalidOperationException("inner")),
#if NET8
                () => XDocument.Parse("<a>"),
#endif
                () => Convert.FromBase64String("?"),
            };
            foreach (Action failure in failures)
            {
                try
                {
                    failure();
                }
                catch (Exception e) when (e.Message.Length > 0)
                {
                    Console.WriteLine(e.GetType().FullName);
                }
            }
        }
    }
}
