// A day in a small shop: what `cargo xtask demo` traces.

using System;
using System.Collections.Generic;

namespace Shop;

/// <summary>The state of an order.</summary>
public enum Status
{
    New,
    Paid,
    Sent,
}

/// <summary>The options of an order.</summary>
[Flags]
public enum Wish
{
    None = 0,
    Gift = 1,
    Express = 2,
    Insured = 4,
}

/// <summary>Something to buy.</summary>
public sealed class Item
{
    private readonly string name;
    private readonly double price;

    public Item(string name, double price)
    {
        this.name = name;
        this.price = price;
    }

    public string Name => name;

    public double Price => price;
}

/// <summary>Collects things to buy, each with a note of type <typeparamref name="TNote"/>.</summary>
public sealed class Cart<TNote>
{
    private readonly List<Item> items = new();

    public bool Add(string name, ref int count, out Item item)
    {
        item = new Item(name, 1.25);
        items.Add(item);
        count++;
        return true;
    }

    public TKey Tag<TKey>(TKey key, TNote note) => key;

    /// <summary>The amount to be paid.</summary>
    public sealed class Receipt
    {
        private readonly Wish wishes;

        public Receipt(Wish wishes) => this.wishes = wishes;

        public int[] Number(int year, params int[] digits) => new[] { year, digits.Length };

        public string Print(char currency) => $"12.50 {currency}, {wishes}";
    }
}

/// <summary>The program.</summary>
public static class Program
{
    public static int Main(string[] args)
    {
        int count = 2;
        var cart = new Cart<string>();
        cart.Add("Äpfel 🍏", ref count, out _);
        cart.Tag(17, "ripe");
        cart.Tag("basket", null);
        new Cart<DateTime>().Tag(long.MaxValue, DateTime.UnixEpoch);

        Price(3);
        Price(3, 0.5);
        Price("three");

        var receipt = new Cart<int>.Receipt(Wish.Gift | Wish.Insured);
        receipt.Number(2024, 4, 7, 1, 1);
        Console.WriteLine(receipt.Print('€'));

        Status status = Next(Status.New);
        status = Next(status);
        try
        {
            Next(status);
        }
        catch (InvalidOperationException e)
        {
            Console.WriteLine(e.Message);
        }
        return 0;
    }

    private static double Price(int count) => Price(count, 0.0);

    private static double Price(int count, double discount) => count * 1.25 * (1 - discount);

    private static double Price(string count) => count == "three" ? Price(3) : double.NaN;

    private static Status Next(Status status)
    {
        if (status == Status.Sent)
            throw new InvalidOperationException("already sent");
        return status + 1;
    }
}
