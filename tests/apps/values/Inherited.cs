using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Net.Http;
using Report;

namespace Cases;

/// <summary>Classes of the program that derive from types that are written as values.</summary>
public static class Inherited
{
    /// <summary>Runs the group.</summary>
    public static void Run()
    {
        Call call = Self.Enter(null);
        Through.All(new Texts { "a", null }, new Texts());
        Through.All(new Deeper { "b" });
        Through.All<List<string>>(new Deeper(), new Texts { "c" });
        Through.All(new ByName<int> { ["one"] = 1, ["two"] = 2 });
        Through.All(new ByName<string> { ["one"] = "text" }, new ByName<string>());
        Through.All(new Shared { [1] = "a", [7] = null });
        Through.All(new Noted<Mixed> { [3] = new Mixed { A = 3 } });
        Through.All(new Waiting(new[] { 1L, 2 }), new Waiting(Array.Empty<long>()));
        Through.All(new Unique { 4, 5 });
        var made = new Later<string>(() => "made", 8);
        _ = made.Value;
        Through.All(made, new Later<string>(() => "never", 9));
        Through.All(new Soon(), null);
        Through.All(new Address("https://example.com/a"), new Address("http://m\u00fcller.example/"));
        Through.All(new Tagged("https://example.com/b", "tag"), new Tagged("http://example.com", null));
        Through.All(new Verb("BREW"));
        Through.All(new Order("http://localhost/orders", 5));
#if NET8
        var ranked = new Ranked { Name = "ranked" };
        ranked.Enqueue("a", 2);
        ranked.Enqueue("b", 1);
        Through.All(ranked);
#endif
        call.Leave();
    }

    private class Texts : List<string>
    {
    }

    private sealed class Deeper : Texts
    {
        public int Level = 2;
        public string Name { get; set; } = "deeper";
    }

    private sealed class ByName<T> : Dictionary<string, T>
    {
    }

    private sealed class Shared : ConcurrentDictionary<int, string>
    {
    }

    private sealed class Noted<T> : ConcurrentDictionary<int, T>
    {
        public T Last;
        public string Note = "noted";
    }

    private sealed class Waiting : ConcurrentQueue<long>
    {
        public Waiting(IEnumerable<long> items)
            : base(items)
        {
        }
    }

    private sealed class Unique : HashSet<int>
    {
        public Unique Other;
    }

    private sealed class Later<T> : Lazy<T>
    {
        public readonly int Number;

        public Later(Func<T> make, int number)
            : base(make) => Number = number;
    }

    private sealed class Soon : Lazy<int>
    {
        public Soon()
            : base(5)
        {
        }
    }

    private sealed class Address : Uri
    {
        public Address(string text)
            : base(text)
        {
        }
    }

    private sealed class Tagged : Uri
    {
        private readonly string tag;

        public Tagged(string text, string tag)
            : base(text) => this.tag = tag;

        public string Tag() => tag;
    }

    private sealed class Verb : HttpMethod
    {
        public Verb(string name)
            : base(name)
        {
        }
    }

    private sealed class Order : HttpRequestMessage
    {
        public int Number;

        public Order(string uri, int number)
            : base(HttpMethod.Put, uri) => Number = number;
    }

#if NET8
    private sealed class Ranked : PriorityQueue<string, int>
    {
        public string Name;
    }
#endif
}
