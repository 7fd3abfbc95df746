using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Spelling;

namespace Cases;

/// <summary>Iterators and async methods, and the state machines that the compiler makes of them.</summary>
public static class Machines
{
    internal static void Run()
    {
        Said.Here();
        foreach (int _ in Numbers(1))
        {
        }
        _ = Pairs<string>("a").ToArray();
        _ = new Series<int>().Items.ToArray();
        Load(1).Wait();
        Load("a").Wait();
        Generic<int, string>(1, "").Wait();
        Value().AsTask().Wait();
        Streams().Wait();
        Forgotten();
        Locals().Wait();
        Func<Task> lambda = async () =>
        {
            Said.As("void Cases.Machines.Run.AnonymousMethod__#.MoveNext()", "Cases.Machines.Run.AnonymousMethod__#");
            await Task.Yield();
        };
        lambda().Wait();
        _ = ((IEnumerable<int>)new Explicit()).ToArray();
        new Series<string>().Later("").Wait();
    }

    private static IEnumerable<int> Numbers(int count)
    {
        Said.As("bool Cases.Machines.Numbers.MoveNext()", "Cases.Machines.Numbers");
        for (int i = 0; i < count; i++)
            yield return i;
    }

    private static IEnumerable<(T, int)> Pairs<T>(T value)
    {
        Said.As("bool Cases.Machines.Pairs<string>.MoveNext()", "Cases.Machines.Pairs<string>");
        yield return (value, 1);
    }

    private static async Task Load(int number)
    {
        Said.As("void Cases.Machines.Load.MoveNext()", "Cases.Machines.Load");
        await Task.Yield();
    }

    private static async Task<string> Load(string text)
    {
        Said.As("void Cases.Machines.Load.MoveNext()", "Cases.Machines.Load");
        await Task.Yield();
        return text;
    }

    private static async Task<T> Generic<T, U>(T value, U other)
    {
        Said.As("void Cases.Machines.Generic<int, string>.MoveNext()", "Cases.Machines.Generic<int, string>");
        await Task.Yield();
        return value;
    }

    private static async ValueTask<int> Value()
    {
        Said.As("void Cases.Machines.Value.MoveNext()", "Cases.Machines.Value");
        await Task.Yield();
        return 1;
    }

    private static async void Forgotten()
    {
        Said.As("void Cases.Machines.Forgotten.MoveNext()", "Cases.Machines.Forgotten");
        await Task.CompletedTask;
    }

    private static async IAsyncEnumerable<int> Stream(int count)
    {
        Said.As("void Cases.Machines.Stream.MoveNext()", "Cases.Machines.Stream");
        await Task.Yield();
        yield return count;
    }

    private static async Task Streams()
    {
        Said.As("void Cases.Machines.Streams.MoveNext()", "Cases.Machines.Streams");
        await foreach (int _ in Stream(1))
        {
        }
    }

    private static async Task Locals()
    {
        Said.As("void Cases.Machines.Locals.MoveNext()", "Cases.Machines.Locals");
        await Inner<byte>(1);
        _ = Counted().ToArray();

        static async Task<T> Inner<T>(T value)
        {
            Said.As("void Cases.Machines.Locals.Inner<byte>.MoveNext()", "Cases.Machines.Locals.Inner<byte>");
            await Task.Yield();
            return value;
        }

        static IEnumerable<int> Counted()
        {
            Said.As("bool Cases.Machines.Locals.Counted.MoveNext()", "Cases.Machines.Locals.Counted");
            yield return 1;
        }
    }

    private class Series<T>
    {
        internal IEnumerable<T> Items
        {
            get
            {
                Said.As("bool Cases.Machines.Series<int>.Items.get.MoveNext()", "Cases.Machines.Series<int>.Items.get");
                yield return default;
            }
        }

        internal async Task<T> Later(T value)
        {
            Said.As("void Cases.Machines.Series<string>.Later.MoveNext()", "Cases.Machines.Series<string>.Later");
            await Task.Yield();
            return value;
        }
    }

    private class Explicit : IEnumerable<int>
    {
        IEnumerator<int> IEnumerable<int>.GetEnumerator()
        {
            Said.As("bool Cases.Machines.Explicit.System.Collections.Generic.IEnumerable<int>.GetEnumerator.MoveNext()", "Cases.Machines.Explicit.System.Collections.Generic.IEnumerable<int>.GetEnumerator");
            yield return 1;
        }

        System.Collections.IEnumerator System.Collections.IEnumerable.GetEnumerator() => null;
    }
}
