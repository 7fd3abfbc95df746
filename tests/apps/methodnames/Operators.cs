using Spelling;

#pragma warning disable CS0660, CS0661 // Equals and GetHashCode say nothing here.

namespace Cases;

/// <summary>Operators and conversions.</summary>
public static class Operators
{
    internal static void Run()
    {
        Said.Here();
        (Money a, Money b) = (new Money(), new Money());
        _ = a + b;
        _ = a - b;
        _ = a * b;
        _ = a / b;
        _ = a % b;
        _ = a & b;
        _ = a | b;
        _ = a ^ b;
        _ = a << 1;
        _ = a >> 1;
        _ = a == b;
        _ = a != b;
        _ = a < b;
        _ = a > b;
        _ = a <= b;
        _ = a >= b;
        _ = +a;
        _ = -a;
        _ = !a;
        _ = ~a;
        a++;
        a--;
        if (a)
        {
        }
        _ = a && b;
        decimal value = a;
        int[] array = (int[])a;
        a = (Money)array;
        (int, string) pair = new Pair<int>();
        Pair<int> back = pair;
        _ = back + 1;
    }
}

internal readonly struct Money
{
    public static Money operator +(Money a, Money b) => Say(a);
    public static Money operator -(Money a, Money b) { Said.Exactly("Cases.Money Cases.Money.operator -(Cases.Money a, Cases.Money b)"); return a; }
    public static Money operator *(Money a, Money b) { Said.Here(); return a; }
    public static Money operator /(Money a, Money b) { Said.Here(); return a; }
    public static Money operator %(Money a, Money b) { Said.Here(); return a; }
    public static Money operator &(Money a, Money b) { Said.Here(); return a; }
    public static Money operator |(Money a, Money b) { Said.Here(); return a; }
    public static Money operator ^(Money a, Money b) { Said.Here(); return a; }
    public static Money operator <<(Money a, int b) { Said.Here(); return a; }
    public static Money operator >>(Money a, int b) { Said.Here(); return a; }
    public static bool operator ==(Money a, Money b) { Said.Here(); return true; }
    public static bool operator !=(Money a, Money b) { Said.Here(); return true; }
    public static bool operator <(Money a, Money b) { Said.Here(); return true; }
    public static bool operator >(Money a, Money b) { Said.Here(); return true; }
    public static bool operator <=(Money a, Money b) { Said.Here(); return true; }
    public static bool operator >=(Money a, Money b) { Said.Here(); return true; }
    public static Money operator +(Money a) { Said.Here(); return a; }
    public static Money operator -(Money a) { Said.Here(); return a; }
    public static Money operator !(Money a) { Said.Here(); return a; }
    public static Money operator ~(Money a) { Said.Here(); return a; }
    public static Money operator ++(Money a) { Said.Here(); return a; }
    public static Money operator --(Money a) { Said.Here(); return a; }
    public static bool operator true(Money a) { Said.Here(); return true; }
    public static bool operator false(Money a) { Said.Exactly("bool Cases.Money.operator false(Cases.Money a)"); return true; }
    public static implicit operator decimal(Money a) { Said.Exactly("Cases.Money.implicit operator decimal(Cases.Money a)"); return 1; }
    public static explicit operator int[](Money a) { Said.Here(); return null; }
    public static explicit operator Money(int[] a) { Said.Here(); return default; }

    private static Money Say(Money value)
    {
        Said.Here();
        return value;
    }
}

internal readonly struct Pair<T>
{
    public static implicit operator (T, string Text)(Pair<T> pair)
    {
        Said.Exactly("Cases.Pair<int>.implicit operator (int, string Text)(Cases.Pair<int> pair)", typeof(T));
        return default;
    }

    public static implicit operator Pair<T>((T, string) pair)
    {
        Said.Here(typeof(T));
        return default;
    }

    public static Pair<T> operator +(Pair<T> pair, T other)
    {
        Said.Here(typeof(T));
        return pair;
    }
}
