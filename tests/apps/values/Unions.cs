#if NET11
using Report;

namespace Cases;

internal sealed record Cat(string Name);

internal sealed record Dog(int Age);

internal union Pet(Cat, Dog, int);

internal union Either<T>(T, double);

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
        call.Leave();
    }

    private static Pet Say(Pet pet, int number) => Self.Enter(null, pet, number).Leave(pet);
}
#endif
