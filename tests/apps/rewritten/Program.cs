// Prints stack traces with lines, from code of every shape that a rewriter has to keep: several exits, switches, handlers
// and filters, values of type parameters, async methods and iterators.

using System;
using System.Collections.Generic;
using System.Threading.Tasks;

namespace Rewritten;

public interface IShape
{
    int Area(int scale);
}

public struct Square : IShape
{
    public int Side;

    public int Area(int scale) => scale == 0 ? throw new ArgumentException("scale") : Side * Side * scale;
}

public static class Program
{
    public static int Main()
    {
        int sum = 0;
        for (int i = -1; i < 9; i++)
        {
            sum += Show("choose", () => Choose(i));
        }
        sum += Show("shape", () => Measure(new Square { Side = 3 }, 2));
        sum += Show("shape", () => Measure(new Square { Side = 3 }, 0));
        sum += Show("filtered", () => Filtered(3));
        sum += Show("filtered", () => Filtered(4));
        sum += Show("nested", () => Nested(2));
        sum += Show("await", () => Await(2).GetAwaiter().GetResult());
        sum += Show("await", () => Await(0).GetAwaiter().GetResult());
        sum += Show("iterate", () => Sum(Iterate(4)));
        sum += Show("iterate", () => Sum(Iterate(-1)));
        sum += Show("span", () => Spanned("abc".AsSpan()));
        sum += Show("reference", () => Referenced(new int[] { 1, 2, 3 }, 1));
        sum += Show("long", () => Long(40));
        Console.WriteLine(sum);
        return sum & 0x7F;
    }

    private static int Show(string name, Func<int> what)
    {
        try
        {
            int value = what();
            Console.WriteLine($"{name}: {value}");
            return value;
        }
        catch (Exception e)
        {
            Console.WriteLine($"{name}: {e}");
            return 1;
        }
    }

    private static int Choose(int number)
    {
        switch (number)
        {
            case 0: return 10;
            case 1: return 20;
            case 2:
                if (number > 5) { return 1; }
                return 30;
            case 3: throw new InvalidOperationException("three");
            case 4: return Choose(3);
            case 5: return number switch { > 4 => 50, _ => 0 };
            default: return -1;
        }
    }

    private static int Measure<T>(T shape, int scale) where T : IShape => shape.Area(scale);

    private static int Filtered(int number)
    {
        try
        {
            return Choose(number) + (number == 4 ? throw new NotSupportedException("four") : 0);
        }
        catch (InvalidOperationException e) when (e.Message == "three" && number == 3)
        {
            Console.WriteLine(e.StackTrace);
            return 33;
        }
        finally
        {
            Console.WriteLine("finally");
        }
    }

    private static int Nested(int depth)
    {
        try
        {
            try
            {
                if (depth == 0) { throw new InvalidOperationException("deepest"); }
                return Nested(depth - 1);
            }
            catch (InvalidOperationException e)
            {
                throw new ApplicationException($"depth {depth}", e);
            }
        }
        finally
        {
            Console.WriteLine($"left {depth}");
        }
    }

    private static async Task<int> Await(int divisor)
    {
        await Task.Yield();
        int value = await Divide(10, divisor);
        return value + 1;
    }

    private static async Task<int> Divide(int a, int b)
    {
        await Task.Delay(1);
        return a / b;
    }

    private static IEnumerable<int> Iterate(int count)
    {
        if (count < 0)
        {
            throw new ArgumentOutOfRangeException(nameof(count), "negative");
        }
        for (int i = 0; i < count; i++)
        {
            yield return i;
        }
    }

    private static int Sum(IEnumerable<int> values)
    {
        int sum = 0;
        foreach (int value in values) { sum += value; }
        return sum;
    }

    private static int Spanned(ReadOnlySpan<char> text)
    {
        ReadOnlySpan<char> rest = Rest(text);
        return rest.Length + rest[0];
    }

    private static ReadOnlySpan<char> Rest(ReadOnlySpan<char> text) => text.Slice(1);

    private static int Referenced(int[] values, int index)
    {
        ref int value = ref At(values, index);
        value += 5;
        return values[index];
    }

    private static ref int At(int[] values, int index) => ref values[index];

    // Branches that no longer fit into one byte when code is added.
    private static int Long(int n)
    {
        int x = 0;
        while (n > 0)
        {
            x += n * 3 + (n ^ 5) - (n << 1) + (n >> 1) + n % 7 + n / 3 - (n | 3) + (n & 6);
            x ^= n * 5 + (n ^ 9) - (n << 2) + (n >> 2) + n % 5 + n / 2 - (n | 1) + (n & 2);
            if (x > 100000) { x -= 7; } else { x += 2; }
            n--;
        }
        return x;
    }
}
