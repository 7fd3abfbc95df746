// What C# has besides: `goto`, nested `finally`, expression bodies, patterns, async iterators, local functions.

using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.Threading.Tasks;
using static Covered.Counted;

namespace Covered;

public abstract record Shape
{
    public abstract double Area { get; }
}

public sealed record Square(double Side) : Shape
{
    public override double Area => V(Side * Side);
}

public sealed record Circle(double Radius) : Shape
{
    public static readonly double Pi = V(3.0);

    public override double Area
    {
        get => V(Radius * Radius * Pi);
    }
}

public sealed class Bag : IDisposable
{
    private readonly List<int> items = new List<int>();

    public int this[int index]
    {
        get => V(items[index]);
        set
        {
            Hit(); items[index] = value;
        }
    }

    private readonly int first =
        V(0);

    public int Count { get; private set; }

    public static Bag operator +(Bag bag, int item)
    {
        Hit(); bag.items.Add(item);
        Hit(); bag.Count++;
        return V(bag);
    }

    public static explicit operator int(Bag bag) => V(bag.Count);

    public void Dispose() => V(Count + first);
}

public static class More
{
    public static async Task Run()
    {
        Hit(); Goto(4);
        Hit(); Finally(true);
        Hit(); Finally(false);
        foreach (Shape shape in new Shape[] { new Square(1), new Square(20), new Circle(1) })
        {
            Hit(); Name(shape);
        }
        Hit(); Bags();
        Hit(); Locals(3);
        Hit(); Nulls("text", null);
        Hit(); Early();
        await foreach (int number in Numbers(3))
        {
            Hit(); Odd(number);
        }
        Func<int, Task<int>> later = async value =>
        {
            Hit(); await Task.Yield();
            return V(value + 1);
        };
        Hit(); await later(1);
        Hit(); await later(await later(2));
        Hit(); Spans();
        Hit(); Excluded(Property);
        Hit(); await new Hidden().Run();
    }

    [ExcludeFromCodeCoverage]
    private static int Excluded(int left)
    {
        Func<int> next = () => Excluded(left - 1); // excluded
        return left == 0 ? 0 : next(); // excluded
    }

    [ExcludeFromCodeCoverage]
    private static int Property => 3; // excluded

    private static void Goto(int left)
    {
    again:
        Hit(); left--;
        if (B(left > 0))
        {
            goto again;
        }
        switch (left)
        {
            case 0:
                Hit(); goto case 2;
            case 1:
                Never(); break;
            case 2:
                Hit(); goto default;
            default:
                Hit(); break;
        }
    }

    private static int Finally(bool early)
    {
        for (int i = 0; i < 3; i++)
        {
            try
            {
                try
                {
                    if (B(early & i == 1))
                    {
                        return V(i);
                    }
                    if (B(i == 2))
                    {
                        Hit(); continue;
                    }
                    Hit();
                }
                finally
                {
                    Hit(); early = !early & i < 2;
                }
            }
            finally
            {
                Hit();
            }
        }
        return V(-1);
    }

    private static string Name(Shape shape) => shape switch
    {
        Square { Side: > 10 } => V("large square"),
        Square => V("square"),
        Circle { Radius: 0 } => Unreached("point"),
        Circle circle when B(circle.Area > 5) => Unreached("large circle"),
        Circle => V("circle"),
        _ => Unreached("nothing"),
    };

    private static string Unreached(string value)
    {
        Never(); return value;
    }

    private static void Bags()
    {
        using (var bag = new Bag())
        {
            Hit(); Bag more = bag + 1;
            Hit(); more += 2;
            Hit(); more[1] = more[0];
            Hit(); int count = (int)more;
            lock (more)
            {
                Hit(); count = checked(count + 1);
            }
        }
    }

    private static int Locals(int count)
    {
        Hit(); int sum = Local(count);
        Hit(); sum += Generic("three").Length;
        return V(sum);

        int Local(int left)
        {
            if (B(left == 0))
            {
                Hit(); return 0;
            }
            Hit(); return left + Local(left - 1);
        }

        static T Generic<T>(T value) => V(value);
    }

    private static void Nulls(string text, string none)
    {
        Hit(); int length = text?.Length ?? -1;
        Hit(); length += none?.Length ?? -1;
        Hit(); none ??= text;
        Hit(); bool both = length > 0 && none != null || length < -5;
        if (B(both))
        {
            Hit();
        }
        do
        {
            Hit(); length--;
        }
        while (B(length > 0));
    }

    /// The iterator is disposed before its end.
    private static void Early()
    {
        foreach (int number in Endless())
        {
            if (B(number == 2))
            {
                Hit(); break;
            }
        }
    }

    private static IEnumerable<int> Endless()
    {
        Hit(); int number = 0;
        try
        {
            while (true)
            {
                Hit(); yield return number++;
            }
        }
        finally
        {
            Hit();
        }
    }

    private static async IAsyncEnumerable<int> Numbers(int count)
    {
        for (int i = 0; i < count; i++)
        {
            Hit(); await Task.Yield();
            Hit(); yield return i;
        }
        Hit();
    }

    private static bool Odd(int number) => V(number is var own && own % 2 == 1);

    private static void Spans()
    {
        Span<int> numbers = stackalloc int[3];
        foreach (ref int number in numbers)
        {
            Hit(); number = 7;
        }
        Hit(); ref int first = ref numbers[0];
        first = B(first == 7) ? 8 : 9;
        Hit(); Action<int> action = value =>
        {
            Hit(); Action inner = () =>
                V(value);
            Hit(); inner();
        };
        Hit(); action(first);
    }
}

[ExcludeFromCodeCoverage]
public sealed class Hidden
{
    public async Task Run()
    {
        await Task.Yield(); // excluded
    }
}
