using System;
using System.Collections.Generic;
using System.Linq;
using Spelling;

namespace Cases;

/// <summary>Lambdas and local functions, with and without captured variables.</summary>
public static class Closures
{
    private static readonly Func<int, int> FromField = x =>
    {
        Said.As("int Cases.Closures.Closures.AnonymousMethod__#(int x)", "Cases.Closures.Closures");
        return x;
    };

    private static Func<int> Property
    {
        get
        {
            Said.Here();
            return () =>
            {
                Said.As("int Cases.Closures.Property.get.AnonymousMethod__#()", "Cases.Closures.Property.get");
                return 1;
            };
        }
    }

    internal static void Run()
    {
        Said.Here();
        FromField(1);
        Property();
        Locals(1);
        GenericLocals<string>(1);
        Lambdas(2);
        new Holder<Version>().Of<int>(3);
        new Holder<Version>(1);
        ((IDisposable)new Holder<string>()).Dispose();
        Overloaded(1);
        Overloaded("");
        Nested(1);
    }

    private static void Locals(int captured)
    {
        Said.Here();
        Static(1);
        Captures(1, default);
        Generic<string>("", 2);
        Recursive(1);

        static int Static(int value)
        {
            Said.As("int Cases.Closures.Locals.Static(int value)", "Cases.Closures.Locals");
            return value;
        }

        int Captures(int value, (int a, dynamic b) pair, string text = "x")
        {
            Said.As("int Cases.Closures.Locals.Captures(int value, (int a, dynamic b) pair, string text = \"x\")", "Cases.Closures.Locals");
            return value + captured;
        }

        void Generic<T>(T value, in int other) =>
            Said.As("void Cases.Closures.Locals.Generic<string>(string value, in int other)", "Cases.Closures.Locals");

        void Recursive(int depth)
        {
            Said.As("void Cases.Closures.Locals.Recursive(int depth)", "Cases.Closures.Locals");
            if (depth > 0)
                Recursive(depth - 1);
        }
    }

    private static void GenericLocals<T>(int captured)
    {
        Said.Here(typeof(T));
        Own<int>(default, 1);
        Plain(default);

        void Own<U>(T value, U other)
        {
            Said.As("void Cases.Closures.GenericLocals<string>.Own<int>(string value, int other)", "Cases.Closures.GenericLocals<string>");
            _ = captured;
        }

        static void Plain(T value) =>
            Said.As("void Cases.Closures.GenericLocals<string>.Plain(string value)", "Cases.Closures.GenericLocals<string>");
    }

    private static void Lambdas(int captured)
    {
        Said.Here();
        Func<int, string, bool> none = (a, b) =>
        {
            Said.As("bool Cases.Closures.Lambdas.AnonymousMethod__#(int a, string b)", "Cases.Closures.Lambdas");
            return true;
        };
        none(1, "");
        Action captures = () =>
        {
            Said.As("void Cases.Closures.Lambdas.AnonymousMethod__#()", "Cases.Closures.Lambdas");
            _ = captured;
        };
        captures();
        Action<object> old = delegate(object value)
        {
            Said.As("void Cases.Closures.Lambdas.AnonymousMethod__#(object value)", "Cases.Closures.Lambdas");
        };
        old(1);
        _ = new[] { 1 }.Select(x =>
        {
            Said.As("int Cases.Closures.Lambdas.AnonymousMethod__#(int x)", "Cases.Closures.Lambdas");
            return x + captured;
        }).ToArray();
    }

    private static void Overloaded(int value)
    {
        Said.Here();
        Action lambda = () => Said.As("void Cases.Closures.Overloaded.AnonymousMethod__#()", "Cases.Closures.Overloaded");
        lambda();
    }

    private static void Overloaded(string value)
    {
        Said.Here();
        Action lambda = () => Said.As("void Cases.Closures.Overloaded.AnonymousMethod__#()", "Cases.Closures.Overloaded");
        lambda();
    }

    private static void Nested(int captured)
    {
        Said.Here();
        Outer();

        void Outer()
        {
            Said.As("void Cases.Closures.Nested.Outer()", "Cases.Closures.Nested");
            Inner();
            Action lambda = () =>
            {
                Said.As("void Cases.Closures.Nested.AnonymousMethod__#()", "Cases.Closures.Nested");
                _ = captured;
            };
            lambda();

            void Inner()
            {
                Said.As("void Cases.Closures.Nested.Inner()", "Cases.Closures.Nested");
                _ = captured;
            }
        }
    }
}

internal class Holder<T> : IDisposable
{
    private readonly int number = 1;

    internal Holder()
    {
    }

    internal Holder(int captured)
    {
        Said.Here(typeof(T));
        Action lambda = () =>
        {
            Said.As("void Cases.Holder<System.Version>.Holder.AnonymousMethod__#()", "Cases.Holder<System.Version>.Holder");
            _ = captured;
        };
        lambda();
    }

    internal void Of<U>(U captured)
    {
        Said.Here(typeof(T), typeof(U));
        Func<T, U> lambda = value =>
        {
            Said.As("int Cases.Holder<System.Version>.Of<int>.AnonymousMethod__#(System.Version value)", "Cases.Holder<System.Version>.Of<int>");
            return captured;
        };
        lambda(default);
        Action<U> member = value =>
        {
            Said.As("void Cases.Holder<System.Version>.Of<int>.AnonymousMethod__#(int value)", "Cases.Holder<System.Version>.Of<int>");
            _ = number;
        };
        member(captured);
        Action none = () => Said.As("void Cases.Holder<System.Version>.Of<int>.AnonymousMethod__#()", "Cases.Holder<System.Version>.Of<int>");
        none();
    }

    void IDisposable.Dispose()
    {
        Said.Here(typeof(T));
        Action lambda = () => Said.As("void Cases.Holder<string>.System.IDisposable.Dispose.AnonymousMethod__#()", "Cases.Holder<string>.System.IDisposable.Dispose");
        lambda();
    }
}
