// Methods that the runtime suspends, in every form that passes values in another way. Before each call the program prints what the
// call is: the method, its arguments, and the result that it must have, from its own variables.

using System;
using System.Collections.Generic;
using System.Linq;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Suspended;

public struct Big
{
    public long A, B, C;

    public Big(long a) { A = a; B = a + 1; C = a + 2; }

    public override readonly string ToString() =>
        $$$"""{"type":"Suspended.Big","fields":{"A":{{{A}}},"B":{{{B}}},"C":{{{C}}}}}""";
}

public class Box<T>
{
    public T Value;

    public async Task<T> Get(T value, int pauses)
    {
        for (int i = 0; i < pauses; i++) await Task.Yield();
        Value = value;
        return value;
    }

    public static async Task<T> Same(T value, int pauses)
    {
        for (int i = 0; i < pauses; i++) await Task.Yield();
        return value;
    }

    public async ValueTask<(T, T, T)> Three(T value, int pauses)
    {
        for (int i = 0; i < pauses; i++) await Task.Yield();
        return (value, value, value);
    }

    public static async ValueTask<(T, T, T)> StaticThree(T value, int pauses)
    {
        for (int i = 0; i < pauses; i++) await Task.Yield();
        return (value, value, value);
    }

    public async Task<U> Both<U>(T value, U other, int pauses)
    {
        for (int i = 0; i < pauses; i++) await Task.Yield();
        Value = value;
        return other;
    }
}

public struct Cell<T>
{
    public T Value;

    public readonly async Task<int> Read(int number, int pauses)
    {
        for (int i = 0; i < pauses; i++) await Task.Yield();
        return number;
    }
}

public interface IAsk
{
    async Task<int> Answer(int number, int pauses)
    {
        for (int i = 0; i < pauses; i++) await Task.Yield();
        return number * 2;
    }

    Task<string> Name(string name, int pauses);
}

public abstract class Animal
{
    public abstract ValueTask<long> Weigh(long grams, int pauses);
}

public class Cat : Animal, IAsk
{
    public override async ValueTask<long> Weigh(long grams, int pauses)
    {
        for (int i = 0; i < pauses; i++) await Task.Yield();
        return grams;
    }

    public async Task<string> Name(string name, int pauses)
    {
        for (int i = 0; i < pauses; i++) await Task.Yield();
        return name + "!";
    }
}

public static class Program
{
    static readonly object Lines = new();

    static string Json(object value) => value switch
    {
        null => "null",
        string text => "\"" + text + "\"",
        bool flag => flag ? "true" : "false",
        double number => number.ToString("R"),
        float number => number.ToString("R"),
        _ => value.ToString(),
    };

    // Prints a call. The result is text already, or null for none, or an exception's type with a '!' in front.
    static void Call(string method, string result, params object[] arguments)
    {
        lock (Lines) Console.WriteLine($"call\t{method}\t{string.Join("\t", arguments.Select(Json))}\t=>\t{result}");
    }

    static void Same<T>(T expected, T got)
    {
        if (!EqualityComparer<T>.Default.Equals(expected, got)) lock (Lines) Console.WriteLine($"WRONG {expected} {got}");
    }

    static async Task<int> Add(int a, int b, int pauses)
    {
        for (int i = 0; i < pauses; i++) await Task.Yield();
        return a + b;
    }

    static async Task Nothing(int a, int pauses)
    {
        for (int i = 0; i < pauses; i++) await Task.Yield();
        Plain(a);
    }

    static async ValueTask NothingValued(double a, int pauses)
    {
        for (int i = 0; i < pauses; i++) await Task.Yield();
        Plain((int)a);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Plain(int a) => a * 2;

    static async Task<double> Number(double a, float b, int pauses)
    {
        for (int i = 0; i < pauses; i++) await Task.Yield();
        return a + b;
    }

    static async Task<(double, double)> Numbers(double a, int pauses)
    {
        for (int i = 0; i < pauses; i++) await Task.Yield();
        return (a + 1, a + 2);
    }

    static async ValueTask<Big> Large(long a, int pauses)
    {
        for (int i = 0; i < pauses; i++) await Task.Yield();
        return new Big(a);
    }

    static async Task<bool> Many(int a, int b, int c, int d, int e, int f, double g, string h, Big i, int pauses)
    {
        for (int n = 0; n < pauses; n++) await Task.Yield();
        return a + b + c + d + e + f + g + h.Length + i.C > 0;
    }

    static async Task<T> Generic<T>(T value, int pauses)
    {
        for (int i = 0; i < pauses; i++) await Task.Yield();
        return value;
    }

    static async Task<(T, T, T)> GenericThree<T>(T value, int pauses)
    {
        for (int i = 0; i < pauses; i++) await Task.Yield();
        return (value, value, value);
    }

    static Task<int> Forwards(int a, int pauses) => Add(a, 1, pauses);

    static async Task<int> Throws(int a, int pauses)
    {
        for (int i = 0; i < pauses; i++) await Task.Yield();
        if (a > 0) throw new InvalidOperationException("thrown");
        return a;
    }

    static async Task<int> Catches(int a, int pauses)
    {
        try
        {
            return await Throws(a, pauses);
        }
        catch (InvalidOperationException)
        {
            await Task.Yield();
            return -a;
        }
        finally
        {
            Plain(a);
        }
    }

    // The inner call is suspended, and the outer one throws meanwhile.
    static async Task<int> Leaves(int depth, Task[] left)
    {
        if (depth == 0)
        {
            await Task.Delay(20);
            return 1;
        }
        left[0] = Leaves(depth - 1, left);
        throw new ArgumentException("left");
    }

    static async Task<int> Deep(int depth, int pauses)
    {
        if (depth == 0)
        {
            for (int i = 0; i < pauses; i++) await Task.Yield();
            return 0;
        }
        return 1 + await Deep(depth - 1, pauses);
    }

    static async Task Round(int pauses)
    {
        Call("Suspended.Program.Add", "7", 3, 4, pauses);
        Same(7, await Add(3, 4, pauses));
        Call("Suspended.Program.Add", "11", 5, 6, pauses);
        Task<int> task = Add(5, 6, pauses);
        Same(11, await task);
        Call("Suspended.Program.Nothing", "", 5, pauses);
        await Nothing(5, pauses);
        Call("Suspended.Program.NothingValued", "", 2.5, pauses);
        await NothingValued(2.5, pauses);
        Call("Suspended.Program.Number", "2.75", 1.5, 1.25f, pauses);
        Same(2.75, await Number(1.5, 1.25f, pauses));
        Call("Suspended.Program.Numbers", """{"type":"(double, double)","fields":{"Item1":2.5,"Item2":3.5}}""", 1.5, pauses);
        Same((2.5, 3.5), await Numbers(1.5, pauses));
        Call("Suspended.Program.Large", new Big(10).ToString(), 10L, pauses);
        Same(new Big(10), await Large(10, pauses));
        Call("Suspended.Program.Many", "true", 1, 2, 3, 4, 5, 6, 7.5, "eight", new Big(9), pauses);
        Same(true, await Many(1, 2, 3, 4, 5, 6, 7.5, "eight", new Big(9), pauses));
        Call("Suspended.Program.Generic<int>", "42", 42, pauses);
        Same(42, await Generic(42, pauses));
        Call("Suspended.Program.Generic<string>", "\"x\"", "x", pauses);
        Same("x", await Generic("x", pauses));
        Call("Suspended.Program.Generic<double>", "2.5", 2.5, pauses);
        Same(2.5, await Generic(2.5, pauses));
        Call("Suspended.Program.Generic<Suspended.Big>", new Big(1).ToString(), new Big(1), pauses);
        Same(new Big(1), await Generic(new Big(1), pauses));
        Call("Suspended.Program.GenericThree<string>", "(y, y, y)", "y", pauses);
        Same(("y", "y", "y"), await GenericThree("y", pauses));
        Call("Suspended.Program.GenericThree<int>", "(8, 8, 8)", 8, pauses);
        Same((8, 8, 8), await GenericThree(8, pauses));
        Call("Suspended.Box<string>.Get", "\"in\"", "in", pauses);
        Same("in", await new Box<string>().Get("in", pauses));
        Call("Suspended.Box<int>.Get", "9", 9, pauses);
        Same(9, await new Box<int>().Get(9, pauses));
        Call("Suspended.Box<string>.Same", "\"same\"", "same", pauses);
        Same("same", await Box<string>.Same("same", pauses));
        Call("Suspended.Box<long>.Same", "77", 77L, pauses);
        Same(77L, await Box<long>.Same(77, pauses));
        Call("Suspended.Box<string>.Three", "(z, z, z)", "z", pauses);
        Same(("z", "z", "z"), await new Box<string>().Three("z", pauses));
        Call("Suspended.Box<string>.StaticThree", "(s, s, s)", "s", pauses);
        Same(("s", "s", "s"), await Box<string>.StaticThree("s", pauses));
        Call("Suspended.Box<string>.Both<int>", "4", "b", 4, pauses);
        Same(4, await new Box<string>().Both("b", 4, pauses));
        Call("Suspended.Box<string>.Both<string>", "\"c\"", "b", "c", pauses);
        Same("c", await new Box<string>().Both("b", "c", pauses));
        Call("Suspended.Box<int>.Both<string>", "\"d\"", 1, "d", pauses);
        Same("d", await new Box<int>().Both(1, "d", pauses));
        Call("Suspended.Cell<string>.Read", "31", 31, pauses);
        Same(31, await new Cell<string>().Read(31, pauses));
        Call("Suspended.Cell<int>.Read", "32", 32, pauses);
        Same(32, await new Cell<int>().Read(32, pauses));
        Call("Suspended.IAsk.Answer", "42", 21, pauses);
        Same(42, await ((IAsk)new Cat()).Answer(21, pauses));
        Call("Suspended.Cat.Name", "\"tom!\"", "tom", pauses);
        Same("tom!", await ((IAsk)new Cat()).Name("tom", pauses));
        Call("Suspended.Cat.Weigh", "4000", 4000L, pauses);
        Same(4000L, await ((Animal)new Cat()).Weigh(4000, pauses));
        Call("Suspended.Program.Forwards", "6", 5, pauses);
        Call("Suspended.Program.Add", "6", 5, 1, pauses);
        Same(6, await Forwards(5, pauses));
        Call("Suspended.Program.Catches", "-3", 3, pauses);
        Call("Suspended.Program.Throws", "!System.InvalidOperationException", 3, pauses);
        Same(-3, await Catches(3, pauses));
        for (int depth = 3; depth >= 0; depth--) Call("Suspended.Program.Deep", depth.ToString(), depth, pauses);
        Same(3, await Deep(3, pauses));
    }

    static async Task Leaving()
    {
        var left = new Task[1];
        Call("Suspended.Program.Leaves", "!System.ArgumentException", 1);
        Call("Suspended.Program.Leaves", "1", 0);
        try { await Leaves(1, left); } catch (ArgumentException) { }
        await left[0];
    }

    public static async Task<int> Main(string[] args)
    {
        int rounds = args.Length > 0 ? int.Parse(args[0]) : 1;
        for (int round = 0; round < rounds; round++)
        {
            await Round(0);
            await Round(1);
            await Round(3);
            await Leaving();
        }
        await Task.WhenAll(Enumerable.Range(0, 20).Select(number => Task.Run(() => Round(number % 3))));
        Console.WriteLine("end");
        return 5;
    }
}
