using System;
using System.Runtime.CompilerServices;
using System.Threading.Tasks;

namespace AsyncVariants
{
    internal sealed class Box<T>
    {
        internal T Value;

        [MethodImpl(MethodImplOptions.NoInlining)]
        internal async Task<T> Exchange(T value)
        {
            await Task.Yield();
            (value, Value) = (Value, value);
            return value;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        internal async ValueTask<(T, U)> With<U>(U other)
        {
            await Task.Yield();
            return (Value, other);
        }
    }

    /// Results whose type is a parameter: code for each value type, and shared code for references.
    internal static class Generic
    {
        internal static async Task All(int n)
        {
            Console.WriteLine($"{await Same(n)} {await Same(n + 0.5)} {await Same("same")} {(await Same(new Big { C = n })).C}");
            Console.WriteLine($"{await ValueSame(n)} {await ValueSame(n + 0.5f)} {await ValueSame("value")}");
            Box<double> number = new Box<double> { Value = 1.5 };
            Box<string> text = new Box<string> { Value = "first" };
            Console.WriteLine($"{await number.Exchange(n)} {number.Value} {await text.Exchange("second")} {text.Value}");
            Console.WriteLine($"{await number.With("text")} {await text.With(2.5)} {await number.With(3.5)} {await text.With("more")}");
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static async Task<T> Same<T>(T value)
        {
            await Task.Yield();
            return value;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static async ValueTask<T> ValueSame<T>(T value)
        {
            await Task.Yield();
            return value;
        }
    }
}
