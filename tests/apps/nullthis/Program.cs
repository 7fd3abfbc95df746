// Shared generic code whose first call has no `this`, and so no source of its type arguments.

using System;
using System.Reflection;
using System.Runtime.CompilerServices;

namespace NullThis
{
    internal class Box<T, U>
    {
        [MethodImpl(MethodImplOptions.NoInlining)]
        public U Second(T first, U second, T third) => second;
    }

    internal struct Pair
    {
        public double X, Y;
    }

    internal static class Program
    {
        private static int Main()
        {
            Call(1.5, 2.5);
            Call(new Pair { X = 1 }, new Pair { Y = 2 });
            return 0;
        }

        private static void Call<U>(U first, U later)
        {
            MethodInfo second = typeof(Box<string, U>).GetMethod("Second");
            var withoutThis = (Func<string, U, string, U>)Delegate.CreateDelegate(
                typeof(Func<string, U, string, U>), null, second);
            var box = new Box<string, U>();
            if (!withoutThis("a", first, "b").Equals(first))
                throw new InvalidOperationException("without this");
            for (int i = 0; i < 10; i++)
            {
                if (!box.Second("c", later, "d").Equals(later))
                    throw new InvalidOperationException("with this");
            }
        }
    }
}
