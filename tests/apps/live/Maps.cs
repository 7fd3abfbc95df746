using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Reflection.Emit;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Runtime.CompilerServices;

/// Methods that are compiled without optimisations.
internal static class Mapped
{
    // In a field: a variable may stay on the evaluation stack between statements, and then no code begins there.
    private static int sum;

    [MethodImpl(MethodImplOptions.NoOptimization | MethodImplOptions.NoInlining)]
    public static int Straight(int number)
    {
        sum = number * 2;
        sum *= sum;
        Console.Out.Flush();
        return sum - number;
    }

    [MethodImpl(MethodImplOptions.NoOptimization | MethodImplOptions.NoInlining)]
    public static int Turning(int[] numbers)
    {
        sum = 0;
        for (int at = 0; at < numbers.Length; at++)
        {
            if (numbers[at] > 10)
            {
                sum += numbers[at];
            }
            else
            {
                sum--;
            }
        }
        try
        {
            sum = checked(sum + numbers[0]);
        }
        catch (OverflowException)
        {
            sum = -1;
        }
        finally
        {
            sum++;
        }
        return sum;
    }
}

/// Offsets of IL: those of the debug information, and those at which instructions begin.
internal static class Maps
{
    private static readonly Dictionary<ushort, OpCode> Codes = typeof(OpCodes).GetFields()
        .Select(field => (OpCode)field.GetValue(null)).ToDictionary(code => (ushort)code.Value);

    public static void Run()
    {
        Mapped.Straight(7);
        Mapped.Turning(new[] { 11, 2, 33 });
        string path = Path.ChangeExtension(typeof(Maps).Assembly.Location, ".pdb");
        using MetadataReaderProvider provider = MetadataReaderProvider.FromPortablePdbStream(File.OpenRead(path));
        foreach (string name in new[] { nameof(Mapped.Straight), nameof(Mapped.Turning) })
        {
            Check(provider.GetMetadataReader(), typeof(Mapped).GetMethod(name));
        }
    }

    private static void Check(MetadataReader symbols, MethodInfo method)
    {
        string prefix = "maps." + method.Name;
        MethodDefinitionHandle handle = MetadataTokens.MethodDefinitionHandle(method.MetadataToken);
        byte[] il = method.GetMethodBody().GetILAsByteArray();
        // A statement that only leaves a block needs no code of its own.
        bool Leaves(int offset) => il[offset] == OpCodes.Leave.Value || il[offset] == OpCodes.Leave_S.Value;
        string[] points = symbols.GetMethodDebugInformation(handle).GetSequencePoints()
            .Where(point => !point.IsHidden && !Leaves(point.Offset))
            .Select(point => point.Offset.ToString()).Distinct().ToArray();
        Live.Says(prefix + ".by_address", "true");
        Live.Says(prefix + ".inside", "true");
        // Where a statement begins, code begins: a method that is not optimised has code for all statements.
        foreach (string point in points)
        {
            Live.Says(prefix + ".point." + point, "true");
        }
        string[] question = { "maps", method.Name, method.MetadataToken.ToString() };
        string[] answer = Live.Ask(question.Concat(points).ToArray());
        string all = answer.Single(line => line.StartsWith(prefix + ".token.all = "));
        HashSet<int> begins = new HashSet<int>(Instructions(il));
        int[] others = all.Substring(all.IndexOf(" = ") + 3).Split(' ').Select(int.Parse)
            .Where(offset => !begins.Contains(offset)).ToArray();
        if (others.Length > 0)
        {
            throw new InvalidOperationException(method.Name + " has no instructions at " + string.Join(", ", others));
        }
    }

    /// Where instructions begin.
    private static IEnumerable<int> Instructions(byte[] il)
    {
        for (int at = 0; at < il.Length;)
        {
            yield return at;
            int length = il[at] == 0xFE ? 2 : 1;
            OpCode code = Codes[(ushort)(length == 2 ? 0xFE00 | il[at + 1] : il[at])];
            at += length + Operand(code, il, at + length);
        }
    }

    private static int Operand(OpCode code, byte[] il, int at)
    {
        switch (code.OperandType)
        {
            case OperandType.InlineNone: return 0;
            case OperandType.ShortInlineBrTarget:
            case OperandType.ShortInlineI:
            case OperandType.ShortInlineVar: return 1;
            case OperandType.InlineVar: return 2;
            case OperandType.InlineI8:
            case OperandType.InlineR: return 8;
            case OperandType.InlineSwitch: return 4 + 4 * BitConverter.ToInt32(il, at);
            default: return 4;
        }
    }
}
