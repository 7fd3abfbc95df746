using System;
using System.Collections;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using Spelling;

namespace Cases
{
    /// <summary>Constructors, finalizers, properties, indexers, events, explicit implementations.</summary>
    public static class Members
    {
        internal static void Run()
        {
            Said.Here();
            var cart = new Cart<string>("a", 1);
            cart = new Cart<string>();
            cart.Count = cart.Count + cart.Twice;
            cart[1] = cart[1];
            cart["a", 2] = cart["a", 2];
            cart.Changed += null;
            cart.Changed -= null;
            cart.Field += null;
            cart.Tag = cart.Tag;
            new Cart<int>(3, 1).Count = 2;
            _ = new Cart<int>(3, 1)[0];
            Finalized.Make();
            GC.Collect();
            GC.WaitForPendingFinalizers();
            new NotFinalized<int>().Finalize();
            _ = new Init { Name = "a" }.Name;
            var explicitly = new Explicitly<string>();
            ((IHolds)explicitly).Take(1);
            ((IHolds<string>)explicitly).Take("");
            ((IHolds<int>)new ExplicitlyInt()).Take(1);
            ((IHolds<(int, List<string>)>)new ExplicitlyInt()).Take(default);
            _ = ((IHolds)explicitly).Count;
            ((IHolds)explicitly).Gone += null;
            _ = ((IHolds<string>)explicitly)[""];
            ((IHolds<int>)new ExplicitlyInt()).Pair<string>(1, "");
            foreach (object _ in (IEnumerable)explicitly)
            {
            }
            using (((IEnumerable<int>)explicitly).GetEnumerator())
            {
            }
            ((IComparer<(int, string)>)explicitly).Compare(default, default);
            "text".Extended(3);
            3.Extended<int>();
            _ = new Renamed()[1];
            _ = new Point { X = 1 }.Length();
            _ = new Point { X = 1 }.ToString();
            ((IDefault)new Point()).WithBody();
            _ = Global.Function(1);
            new @class().@event(1);
            Ünïcödé.Größe(1);
        }
    }

    /// <summary>A class with a bit of everything.</summary>
    public class Cart<T>
    {
        private int count;

        static Cart() => Said.Here(typeof(T));

        internal Cart() => Said.Here(typeof(T));

        internal Cart(T first, int count)
        {
            Said.Here(typeof(T));
            this.count = count;
        }

        internal int Count
        {
            get
            {
                Said.Here(typeof(T));
                return count;
            }
            set
            {
                Said.Here(typeof(T));
                count = value;
            }
        }

        internal int Twice => Say(2 * count);

        internal T this[int index]
        {
            get
            {
                Said.Here(typeof(T));
                return default;
            }
            set => Said.Here(typeof(T));
        }

        internal (T Key, int) this[string name, int index]
        {
            get
            {
                Said.Here(typeof(T));
                return default;
            }
            set => Said.Here(typeof(T));
        }

        internal event Action<T> Changed
        {
            add => Said.Here(typeof(T));
            remove => Said.Here(typeof(T));
        }

        internal event EventHandler Field;

        internal dynamic Tag
        {
            get
            {
                Said.Here(typeof(T));
                return null;
            }
            set => Said.Here(typeof(T));
        }

        private int Say(int value)
        {
            Said.Here(typeof(T));
            Field?.Invoke(this, null);
            return value;
        }
    }

    internal class Finalized
    {
        ~Finalized() => Said.Exactly("Cases.Finalized.~Finalized()");

        [MethodImpl(MethodImplOptions.NoInlining)]
        internal static void Make()
        {
            Said.Here();
            for (int i = 0; i < 3; i++)
                new Finalized().ToString();
        }
    }

#pragma warning disable CS0465 // It is not meant to be one.
    internal class NotFinalized<T>
    {
        internal virtual void Finalize() => Said.Exactly("void Cases.NotFinalized<int>.Finalize()", typeof(T));
    }

    internal class Init
    {
        private string name;

        internal string Name
        {
            get => name;
            init
            {
                Said.Exactly("string Cases.Init.Name.init");
                name = value;
            }
        }
    }

    internal interface IHolds
    {
        int Count { get; }
        event Action Gone;
        void Take(int item);
    }

    internal interface IHolds<T>
    {
        T this[T key] { get; }
        void Take(T item);
        U Pair<U>(T item, U other);
    }

    internal class Explicitly<T> : IHolds, IHolds<T>, IEnumerable<int>, IComparer<(int Number, string Text)>
    {
        int IHolds.Count
        {
            get
            {
                Said.Exactly("int Cases.Explicitly<string>.Cases.IHolds.Count.get", typeof(T));
                return 1;
            }
        }

        T IHolds<T>.this[T key]
        {
            get
            {
                Said.Exactly("string Cases.Explicitly<string>.Cases.IHolds<string>.this[string key].get", typeof(T));
                return key;
            }
        }

        event Action IHolds.Gone
        {
            add => Said.Here(typeof(T));
            remove => Said.Here(typeof(T));
        }

        void IHolds.Take(int item) => Said.Here(typeof(T));

        void IHolds<T>.Take(T item) => Said.Exactly("void Cases.Explicitly<string>.Cases.IHolds<string>.Take(string item)", typeof(T));

        U IHolds<T>.Pair<U>(T item, U other) => other;

        IEnumerator IEnumerable.GetEnumerator()
        {
            Said.Here(typeof(T));
            return Array.Empty<int>().GetEnumerator();
        }

        IEnumerator<int> IEnumerable<int>.GetEnumerator()
        {
            Said.Here(typeof(T));
            return new List<int>().GetEnumerator();
        }

        int IComparer<(int Number, string Text)>.Compare((int Number, string Text) x, (int Number, string Text) y)
        {
            Said.Here(typeof(T));
            return 0;
        }
    }

    internal class ExplicitlyInt : IHolds<int>, IHolds<(int, List<string>)>
    {
        int IHolds<int>.this[int key] => key;

        (int, List<string>) IHolds<(int, List<string>)>.this[(int, List<string>) key] => key;

        void IHolds<int>.Take(int item) => Said.Here();

        void IHolds<(int, List<string>)>.Take((int, List<string>) item) =>
            Said.Exactly("void Cases.ExplicitlyInt.Cases.IHolds<(int, System.Collections.Generic.List<string>)>.Take((int, System.Collections.Generic.List<string>) item)");

        U IHolds<int>.Pair<U>(int item, U other)
        {
            Said.Exactly("string Cases.ExplicitlyInt.Cases.IHolds<int>.Pair<string>(int item, string other)", typeof(U));
            return other;
        }

        U IHolds<(int, List<string>)>.Pair<U>((int, List<string>) item, U other) => other;
    }

    internal static class Extensions
    {
        internal static void Extended(this string text, int count) =>
            Said.Exactly("void Cases.Extensions.Extended(this string text, int count)");

        internal static void Extended<T>(this T value)
            where T : struct => Said.Here(typeof(T));
    }

    internal class Renamed
    {
        [IndexerName("Element")]
        internal int this[int index]
        {
            get
            {
                Said.Exactly("int Cases.Renamed.this[int index].get");
                return index;
            }
        }
    }

    internal interface IDefault
    {
        void WithBody() => Said.Here();
    }

    internal struct Point : IDefault
    {
        internal int X;

        internal readonly int Length()
        {
            Said.Here();
            return X;
        }

        public override string ToString()
        {
            Said.Here();
            return "";
        }
    }

    internal class @class
    {
        internal void @event(int @int) => Said.Here();
    }

    internal static class Ünïcödé
    {
        internal static void Größe(int maß) => Said.Exactly("void Cases.Ünïcödé.Größe(int maß)");
    }
}

/// <summary>A type without a namespace.</summary>
internal static class Global
{
    internal static int Function(int value)
    {
        Said.Exactly("int Global.Function(int value)");
        return value;
    }
}

#if !NET8
namespace System.Runtime.CompilerServices
{
    /// <summary>The type that `init` needs and 3.1 lacks.</summary>
    internal static class IsExternalInit
    {
    }
}
#endif
