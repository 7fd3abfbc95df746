using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Data;
using System.Data.Common;
using System.Linq;
using System.Net.Http;
using System.Numerics;
using System.Text;
using System.Text.Json;
#if NET9
using System.Text.Json.Nodes;
#endif
using System.Threading;
using Report;

namespace Cases;

/// <summary>Types of the framework that are used everywhere.</summary>
public static class Common
{
    /// <summary>Runs the group.</summary>
    public static void Run()
    {
        Call call = Self.Enter(null);
        Early();
        Positions();
        Large();
        Parts();
        Texts();
        Later();
        Built();
        Concurrent();
        Tokens();
        Documents();
        Commands();
        call.Leave();
    }

    // Objects whose parts are of types that the runtime has not loaded yet. From then on they are.
    private static void Early()
    {
        Call call = Self.Enter(null);
        var queue = new ConcurrentQueue<long>();
        First(queue);
        queue.Enqueue(5);
        queue.Enqueue(-6);
        Through.All(queue);
        queue.TryDequeue(out _);
        Through.All(queue, new ConcurrentQueue<long>());
#if NET9
        JsonNode array = JsonNode.Parse("[1, \"two\"]");
        FirstOf(JsonNode.Parse("{\"a\": 1}"), array);
        JsonObject some = JsonNode.Parse("{\"a\": [1], \"b\": null, \"c\": true}").AsObject();
        some["d"] = 4;
        some.Remove("b");
        Through.All(some, new JsonObject());
        Through.All(JsonNode.Parse("{\"a\": 1}").AsObject());
        Through.All(array.AsArray(), new JsonArray(1, null));
        Through.All<JsonNode>(JsonValue.Create(5), JsonValue.Create("text"));
#endif
        call.Leave();
    }

    private static void First(ConcurrentQueue<long> queue)
    {
        Call call = Self.Enter(null, Described.TypeOnly(typeof(ConcurrentQueue<long>)));
        call.Leave();
    }

#if NET9
    private static void FirstOf(JsonNode some, JsonNode other)
    {
        Call call = Self.Enter(null, Described.TypeOnly(typeof(JsonObject)), Described.TypeOnly(typeof(JsonArray)));
        call.Leave();
    }
#endif

    private static void Positions()
    {
        Call call = Self.Enter(null);
        Through.All(new Index(3), ^1);
        Through.All(Index.End);
        Through.All(1..^2, default);
        Through.All(Range.All);
#if NET8
        Through.All(new DateOnly(2024, 2, 29), DateOnly.MaxValue);
        Through.All(DateOnly.MinValue);
        Through.All(new TimeOnly(23, 59, 58, 7), TimeOnly.MaxValue);
        Through.All(TimeOnly.MinValue);
#endif
        call.Leave();
    }

    private static void Large()
    {
        Call call = Self.Enter(null);
        Through.All(BigInteger.Zero, BigInteger.MinusOne);
        Through.All(new BigInteger(int.MinValue), new BigInteger(int.MaxValue) + 1);
        Through.All(-BigInteger.Pow(10, 40), BigInteger.Pow(2, 64));
        Through.All(BigInteger.Parse("123456789012345678901234567890123456789012345678901234567890"));
        Through.All(BigInteger.Pow(2, 2048) - 1, 1 - BigInteger.Pow(2, 2048));
        call.Leave();
    }

    private static void Parts()
    {
        Call call = Self.Enter(null);
        Through.All(new ArraySegment<int>(new[] { 1, 2, 3, 4 }, 1, 2), default);
        Through.All(new ArraySegment<string>(new[] { "a", null }), ArraySegment<string>.Empty);
#if NET8
        var queue = new PriorityQueue<string, int>();
        for (int i = 5; i > 0; i--)
            queue.Enqueue("item " + i, i);
        Through.All(queue, new PriorityQueue<string, int>());
#endif
        call.Leave();
    }

    private static void Texts()
    {
        Call call = Self.Enter(null);
        Through.All(new Uri("https://example.com/a?b=c#d"), new Uri("relative/path", UriKind.Relative));
        Through.All(new Uri("http://m\u00fcller.example/\u00e4"), null);
        Through.All(HttpMethod.Get, new HttpMethod("BREW"));
        Through.All(new HttpRequestMessage(HttpMethod.Post, "http://localhost:8080/orders"), new HttpRequestMessage());
        call.Leave();
    }

    private static void Later()
    {
        Call call = Self.Enter(null);
        var made = new Lazy<string>(() => "made");
        _ = made.Value;
        Through.All(made, new Lazy<string>(() => "never"));
        Through.All(new Lazy<int>(() => 5), new Lazy<int>(6));
        call.Leave();
    }

    private static void Built()
    {
        Call call = Self.Enter(null);
        var chunks = new StringBuilder(2);
        for (int i = 0; i < 20; i++)
            chunks.Append(i).Append('\u00e9').Append(i % 3 == 0 ? "\ud83d\ude00" : "");
        Through.All(chunks, new StringBuilder());
        // Cut between the halves of a pair, or not.
        var large = new StringBuilder(16);
        for (int i = 0; i < 500; i++)
            large.Append("\ud83d\ude00");
        Through.All(large, new StringBuilder().Append('x').Append(large));
        var shortened = new StringBuilder("abc", 3).Append("defghijkl");
        shortened.Remove(1, 7);
        Through.All(shortened, new StringBuilder("cleared").Append("far", 0, 3).Clear());
        call.Leave();
    }

    private static void Concurrent()
    {
        Call call = Self.Enter(null);
        var queue = new ConcurrentQueue<string>();
        var numbers = new ConcurrentQueue<int>();
        // More than a segment, with the first items taken.
        for (int i = 0; i < 100; i++)
        {
            queue.Enqueue("item " + i);
            numbers.Enqueue(i);
            if (i % 3 != 0)
                numbers.TryDequeue(out _);
        }
        Through.All(queue, new ConcurrentQueue<string>());
        Through.All(numbers, new ConcurrentQueue<int>(new[] { 7 }));
        Through.All(new ConcurrentStack<string>(new[] { "a", null, "c" }), new ConcurrentStack<string>());
        Through.All(new ConcurrentStack<long>(Enumerable.Range(0, 50).Select(i => (long)i)));
        var bag = new ConcurrentBag<int> { 1, 2, 3 };
        var other = new Thread(() => { bag.Add(10); bag.Add(11); });
        other.Start();
        other.Join();
        Through.All(bag, new ConcurrentBag<int>());
        var dictionary = new ConcurrentDictionary<string, DateTime>();
        var byNumber = new ConcurrentDictionary<int, string>();
        for (int i = 0; i < 90; i++)
        {
            byNumber[i * 7] = "value " + i;
            if (i % 3 == 0)
                byNumber.TryRemove(i * 7 / 2, out _);
        }
        // One text each: the hash of a text, and with it the order of two, differs from run to run,
        // and runs are compared with each other.
        dictionary["a"] = DateTime.UnixEpoch;
        var latest = new ConcurrentDictionary<string, DateTime> { ["b"] = DateTime.MaxValue };
        Through.All(dictionary, new ConcurrentDictionary<string, DateTime>());
        Through.All(latest);
        Through.All(byNumber);
        call.Leave();
    }

    private static void Tokens()
    {
        Call call = Self.Enter(null);
        using var source = new CancellationTokenSource();
        using var cancelled = new CancellationTokenSource();
        cancelled.Cancel();
        Through.All(source.Token, cancelled.Token);
        Through.All(CancellationToken.None, new CancellationToken(true));
        call.Leave();
    }

    private static void Documents()
    {
        Call call = Self.Enter(null);
        using JsonDocument document = JsonDocument.Parse(
            "  {\"a\": [1, 2.50, {\"b\": \"\u00e4 \\n \ud83d\ude00\"}], \"c\": true, \"d\": null, \"e\": \"\", \"f\": {}, \"g\": []} ");
        JsonElement root = document.RootElement;
        Through.All(root, root.GetProperty("a"));
        Through.All(root.GetProperty("a")[2], root.GetProperty("a")[1]);
        Through.All(root.GetProperty("a")[2].GetProperty("b"), root.GetProperty("e"));
        Through.All(root.GetProperty("c"), root.GetProperty("d"));
        Through.All(root.GetProperty("f"), root.GetProperty("g"));
        using JsonDocument large = JsonDocument.Parse("[" + string.Join(",", Enumerable.Repeat("\"\u20ac\"", 3000)) + "]");
        Through.All(large.RootElement, large.RootElement[2999]);
        call.Leave();
    }

    private static void Commands()
    {
        Call call = Self.Enter(null);
        Through.All(new SomeCommand("SELECT * FROM orders WHERE id = @id", "@id"), new SomeCommand(null));
        call.Leave();
    }
}

/// <summary>A command as a provider of a database has it.</summary>
internal sealed class SomeCommand : DbCommand
{
    private readonly List<string> _parameters = new();
    private string _commandText;

    internal SomeCommand(string text, params string[] parameters)
    {
        _commandText = text;
        _parameters.AddRange(parameters);
    }

    public override string CommandText { get => _commandText; set => _commandText = value; }

    public override int CommandTimeout { get; set; }

    public override CommandType CommandType { get; set; }

    public override bool DesignTimeVisible { get; set; }

    public override UpdateRowSource UpdatedRowSource { get; set; }

    protected override DbConnection DbConnection { get; set; }

    protected override DbParameterCollection DbParameterCollection => null;

    protected override DbTransaction DbTransaction { get; set; }

    public override void Cancel() { }

    public override int ExecuteNonQuery() => 0;

    public override object ExecuteScalar() => null;

    public override void Prepare() { }

    protected override DbParameter CreateDbParameter() => null;

    protected override DbDataReader ExecuteDbDataReader(CommandBehavior behavior) => null;
}
