// Custom attribute values as the encoder of System.Reflection.Metadata writes them.
//
// A line is `NAME<tab>BYTES`. The same attributes are built by sigparse, under the same names.

using System;
using System.Collections.Generic;
using System.IO;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;

internal static class Encoded
{
    public static void Write(TextWriter output)
    {
        foreach ((string name, Action<FixedArgumentsEncoder, CustomAttributeNamedArgumentsEncoder> write) in All)
        {
            var blob = new BlobBuilder();
            new BlobEncoder(blob).CustomAttributeSignature(
                out FixedArgumentsEncoder positional, out CustomAttributeNamedArgumentsEncoder named);
            write(positional, named);
            output.WriteLine($"{name}\t{Convert.ToHexString(blob.ToArray())}");
        }
    }

    private static readonly (string, Action<FixedArgumentsEncoder, CustomAttributeNamedArgumentsEncoder>)[] All =
    {
        ("nothing", (_, named) => named.Count(0)),
        ("primitives", (positional, named) =>
        {
            foreach (object value in new object[]
                { true, 'x', (sbyte)-1, (byte)255, (short)-2, (ushort)513, -3, 2147483649u, -4L, ulong.MaxValue, 1.5f, -1.5 })
                positional.AddArgument().Scalar().Constant(value);
            named.Count(0);
        }),
        ("strings", (positional, named) =>
        {
            foreach (string? value in new[] { "abc", "", null, "déjà", new string('x', 200) })
                positional.AddArgument().Scalar().Constant(value);
            named.Count(0);
        }),
        ("types", (positional, named) =>
        {
            positional.AddArgument().Scalar().SystemType("N.T, A");
            positional.AddArgument().Scalar().SystemType(null);
            named.Count(0);
        }),
        ("enumeration", (positional, named) =>
        {
            positional.AddArgument().Scalar().Constant((byte)7);
            named.Count(0);
        }),
        ("vectors", (positional, named) =>
        {
            Vector(positional.AddArgument().Vector(), 1, -1);
            Vector(positional.AddArgument().Vector(), "a", null);
            Vector(positional.AddArgument().Vector());
            positional.AddArgument().Scalar().NullArray();
            named.Count(0);
        }),
        ("boxed", (positional, named) =>
        {
            positional.AddArgument().TaggedScalar(type => type.Int32(), value => value.Constant(5));
            positional.AddArgument().TaggedScalar(type => type.String(), value => value.Constant(null));
            positional.AddArgument().TaggedScalar(type => type.SystemType(), value => value.SystemType("T"));
            positional.AddArgument().TaggedScalar(type => type.Enum("E"), value => value.Constant((short)2));
            positional.AddArgument().TaggedVector(type => type.ElementType().Boolean(), values => Vector(values, false));
            named.Count(0);
        }),
        ("boxed in a vector", (positional, named) =>
        {
            LiteralsEncoder values = positional.AddArgument().Vector().Count(2);
            values.AddLiteral().TaggedScalar(type => type.Boolean(), value => value.Constant(true));
            values.AddLiteral().TaggedVector(type => type.ElementType().Byte(), bytes => Vector(bytes, (byte)3));
            named.Count(0);
        }),
        ("named", (_, named) =>
        {
            NamedArgumentsEncoder arguments = named.Count(7);
            arguments.AddArgument(
                false, type => type.ScalarType().Boolean(), name => name.Name("P"), value => value.Scalar().Constant(true));
            arguments.AddArgument(
                true, type => type.SZArray().ElementType().String(), name => name.Name("F"), value => Vector(value.Vector(), "hi"));
            arguments.AddArgument(
                false, type => type.ScalarType().Enum("E"), name => name.Name("Q"), value => value.Scalar().Constant((short)5));
            arguments.AddArgument(
                true, type => type.ScalarType().SystemType(), name => name.Name("T"), value => value.Scalar().SystemType("AB"));
            arguments.AddArgument(
                true,
                type => type.Object(),
                name => name.Name("O"),
                value => value.TaggedScalar(boxed => boxed.Char(), boxed => boxed.Constant('c')));
            arguments.AddArgument(
                false, type => type.SZArray().ElementType().Enum("E"), name => name.Name("V"), value => value.Scalar().NullArray());
            arguments.AddArgument(
                false,
                type => type.SZArray().ObjectArray(),
                name => name.Name("W"),
                value => value.Vector().Count(1).AddLiteral().TaggedScalar(boxed => boxed.Double(), boxed => boxed.Constant(2.0)));
        }),
    };

    private static void Vector(VectorEncoder vector, params object?[] values)
    {
        LiteralsEncoder literals = vector.Count(values.Length);
        foreach (object? value in values)
            literals.AddLiteral().Scalar().Constant(value);
    }
}
