// Programs that do little but call, for measurements of what tracing every call costs.
//
//     chatty json|linq|recursion|loop|casts|compiled [ROUNDS]

using System;
using System.Collections.Generic;
using System.Linq;
using System.Linq.Expressions;
using System.Text;
using System.Text.Json;
using System.Text.RegularExpressions;
using System.Threading.Tasks;

namespace Chatty
{
    internal static class Program
    {
        private static int Main(string[] args)
        {
            int Rounds(int usual) => args.Length > 1 ? int.Parse(args[1]) : usual;
            switch (args[0])
            {
                case "json":
                    Console.WriteLine(Json.Run(Rounds(12)));
                    return 0;
                case "linq":
                    Console.WriteLine(Queries.Run(Rounds(1)));
                    return 0;
                case "recursion":
                    Console.WriteLine(Recursion.Run(Rounds(1)));
                    return 0;
                case "loop":
                    Console.WriteLine(Loop.Run(Rounds(30000)));
                    return 0;
                case "casts":
                    Console.WriteLine(Casts.Run(Rounds(10000)));
                    return 0;
                case "compiled":
                    Console.WriteLine(Compiled.Run(Rounds(10000)));
                    return 0;
                default:
                    return 1;
            }
        }
    }

    public sealed class Order
    {
        public int Number { get; set; }
        public string Customer { get; set; }
        public DateTime At { get; set; }
        public List<Position> Positions { get; set; }
    }

    public sealed class Position
    {
        public string Article { get; set; }
        public int Count { get; set; }
        public decimal Price { get; set; }
    }

    internal static class Json
    {
        // Serialises and parses 400 objects in each round.
        public static long Run(int rounds)
        {
            List<Order> orders = Enumerable.Range(0, 400).Select(number => new Order
            {
                Number = number,
                Customer = "customer " + number % 17,
                At = new DateTime(2024, 1, 1).AddMinutes(number),
                Positions = Enumerable.Range(0, number % 7).Select(position => new Position
                {
                    Article = "article \"" + position + "\"",
                    Count = position + 1,
                    Price = 1.25m * position,
                }).ToList(),
            }).ToList();
            long length = 0;
            for (int round = 0; round < rounds; round++)
            {
                string text = JsonSerializer.Serialize(orders);
                List<Order> parsed = JsonSerializer.Deserialize<List<Order>>(text);
                using JsonDocument document = JsonDocument.Parse(text);
                foreach (JsonElement order in document.RootElement.EnumerateArray())
                    length += order.GetProperty("Customer").GetString().Length;
                length += text.Length + parsed.Count;
            }
            return length;
        }
    }

    internal static class Queries
    {
        private sealed class Row
        {
            public int Key;
            public string Name;
            public double Value;
        }

        private static readonly Regex Word = new Regex("(?<letters>[a-z]+)-(?<digits>[0-9]+)");

        // Queries 3,000 rows, and matches a text made of them.
        public static long Run(int rounds)
        {
            long sum = 0;
            for (int round = 0; round < rounds; round++)
            {
                List<Row> rows = Enumerable.Range(0, 3000).Select(number => new Row
                {
                    Key = number * 7919 % 101,
                    Name = "row-" + number,
                    Value = number / 3.0,
                }).ToList();
                var groups = rows.Where(row => row.Key % 3 != 0).GroupBy(row => row.Key)
                    .Select(group => (group.Key, Sum: group.Sum(row => row.Value), Names: group.Select(row => row.Name).OrderBy(name => name, StringComparer.Ordinal).ToArray()))
                    .OrderByDescending(group => group.Sum).ThenBy(group => group.Key).ToList();
                StringBuilder text = new StringBuilder();
                foreach (var group in groups)
                {
                    text.Append(group.Key).Append(": ");
                    foreach (string name in group.Names)
                        foreach (char letter in name)
                            text.Append(letter);
                    text.Append('\n');
                }
                sum += Word.Matches(text.ToString()).Sum(match => match.Groups["digits"].Value.Length);
                Dictionary<string, Row> byName = rows.ToDictionary(row => row.Name);
                sum += rows.Sum(row => byName[row.Name].Key) + rows.Select(row => row.Key).Distinct().Count();
                sum += rows.Zip(rows.Skip(1), (one, next) => one.Key < next.Key ? 1 : 0).Aggregate(0, (all, one) => all + one);
            }
            return sum;
        }
    }

    // Calls that take no time: the runtime inlines them.
    internal static class Loop
    {
        private readonly struct Boxed
        {
            private readonly int value;

            public Boxed(int value) => this.value = value;

            public int Value => value;
        }

        // Reads a list of 1,000 numbers in each round.
        public static long Run(int rounds)
        {
            List<int> numbers = Enumerable.Range(0, 1000).ToList();
            long sum = 0;
            for (int round = 0; round < rounds; round++)
                for (int i = 0; i < numbers.Count; i++)
                    sum += numbers[i] + new Boxed(i).Value;
            return sum;
        }
    }

    // Calls that compiled code makes by itself: the runtime's methods for casts and for stores into arrays.
    internal static class Casts
    {
        private interface IShape
        {
            int Area { get; }
        }

        private class Square : IShape
        {
            public int Area => 4;
        }

        private sealed class Unit : Square
        {
        }

        // Casts 1,000 objects in each round.
        public static long Run(int rounds)
        {
            object[] values = Enumerable.Range(0, 1000).Select<int, object>(number => number % 3 == 0 ? new Unit() : number % 3 == 1 ? new Square() : "text").ToArray();
            IShape[] shapes = new IShape[1000];
            long sum = 0;
            for (int round = 0; round < rounds; round++)
                for (int i = 0; i < values.Length; i++)
                {
                    if (values[i] is IShape shape)
                        shapes[i] = shape;
                    if (shapes[i] is Square square)
                        sum += square.Area;
                }
            return sum;
        }
    }

    // Calls of a method that has no metadata.
    internal static class Compiled
    {
        // Calls it 1,000 times in each round.
        public static long Run(int rounds)
        {
            Expression<Func<int, int>> expression = number => number % 7 + 1;
            Func<int, int> compiled = expression.Compile();
            long sum = 0;
            for (int round = 0; round < rounds; round++)
                for (int i = 0; i < 1000; i++)
                    sum += compiled(i);
            return sum;
        }
    }

    internal static class Recursion
    {
        private sealed class Node
        {
            public Node Left, Right;
            public int Value;

            public void Add(int value)
            {
                ref Node next = ref value < Value ? ref Left : ref Right;
                if (next == null)
                    next = new Node { Value = value };
                else
                    next.Add(value);
            }

            public long Sum() => Value + (Left?.Sum() ?? 0) + (Right?.Sum() ?? 0);
        }

        private readonly struct Point
        {
            public readonly double X, Y;

            public Point(double x, double y) => (X, Y) = (x, y);

            public static Point operator +(Point one, Point other) => new Point(one.X + other.X, one.Y + other.Y);

            public double Length => Math.Sqrt(X * X + Y * Y);
        }

        private static int Fibonacci(int n) => n < 2 ? n : Fibonacci(n - 1) + Fibonacci(n - 2);

        private static async Task<int> Later(int n)
        {
            await Task.Yield();
            return n <= 0 ? 0 : 1 + await Later(n - 1);
        }

        public static long Run(int rounds)
        {
            long sum = 0;
            for (int round = 0; round < rounds; round++)
            {
                sum += Fibonacci(24);
                Node root = new Node();
                for (int value = 1; value < 5000; value++)
                    root.Add(value * 7919 % 10007);
                sum += root.Sum();
                Point point = default;
                for (int step = 0; step < 20000; step++)
                    point += new Point(step, -step);
                sum += (long)point.Length;
                sum += Task.WhenAll(Enumerable.Range(0, 4).Select(_ => Later(200))).GetAwaiter().GetResult().Sum();
            }
            return sum;
        }
    }
}
