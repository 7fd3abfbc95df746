#if NET11
using System.Runtime.CompilerServices;
using Report;

namespace Cases;

internal sealed record Cat(string Name);

internal sealed record Dog(int Age);

internal union Pet(Cat, Dog, int);

internal union Either<T>(T, double);

/// <summary>As the compiler writes one, by hand.</summary>
[Union]
internal readonly struct Written : IUnion
{
    public Written(Cat value) => Value = value;

    public Written(Dog value) => Value = value;

    public object Value { get; }
}

/// <summary>What it returns is not what it has.</summary>
[Union]
internal readonly struct Computed : IUnion
{
    private readonly object of;

    public Computed(Cat value) => of = value.Name;

    public Computed(Dog value) => of = value.Age;

    public object Value => of is string name ? new Cat(name) : new Dog((int)of);
}

/// <summary>The field has a name that says nothing about the property.</summary>
[Union]
internal readonly struct Named : IUnion
{
    private readonly object value;

    public Named(Cat value) => this.value = value;

    public object Value => value;
}

/// <summary>Nothing is in a box.</summary>
[Union]
internal readonly struct Unboxed : IUnion
{
    private readonly bool isLong;
    private readonly long number;

    public Unboxed(int value) => number = value;

    public Unboxed(long value) => (isLong, number) = (true, value);

    public object Value => isLong ? number : (object)(int)number;
}

internal struct Kennel { public Pet Pet; public int Number; }

/// <summary>Unions of C# 15: a value of the type is a value of one of its cases.</summary>
public static class Unions
{
    /// <summary>Runs the group.</summary>
    public static void Run()
    {
        Call call = Self.Enter(null);
        Through.All<Pet>(new Cat("Tom"), default);
        Through.All<Pet>(new Dog(3), 5);
        Through.All<Pet?>(new Cat(null), null);
        Through.All(new Pair<Pet, byte> { Left = new Dog(4), Right = 1 });
        Through.All<Either<string>>("text", 2.5);
        Through.All(new Pet[] { new Cat("Kit"), default, 6 });
        Through.All(new Kennel { Pet = new Dog(8), Number = 9 });
        Through.All<object>((Pet)new Dog(7), (Pet)8);
        Say(new Cat("Mog"), 1);
        Through.All<Written>(new Cat("by hand"), new Dog(1));
        Through.All<Written>(default);
        Through.All<Computed>(new Cat("computed"), new Dog(2));
        Through.All<Named>(new Named(new Cat("named")), default);
        Through.All<Unboxed>(3, 4L);
        call.Leave();
    }

    private static Pet Say(Pet pet, int number) => Self.Enter(null, pet, number).Leave(pet);
}
#endif
