// Objects that collections move while methods are called with them.

using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Adversary
{
    public sealed class Node
    {
        public Node Next;
        public string Text;
        public int Number;

        public Node(Node next, int number)
        {
            Next = next;
            Number = number;
            Text = "node " + number;
        }
    }

    public struct Pair
    {
        public Node First;
        public object Second;
    }

    public sealed class Finalized
    {
        public static int Count;

        ~Finalized()
        {
            Count++;
        }
    }

    public static class Objects
    {
        [ThreadStatic]
        private static Node ofThread;
        private static Node shared = new Node(null, 7);
        private static readonly ConditionalWeakTable<Node, string> Attached = new ConditionalWeakTable<Node, string>();

        public static long Do()
        {
            long sum = 0;
            Node list = null;
            for (int i = 0; i < 300; i++)
            {
                list = Add(list, i, "text " + i);
                sum += Look(list, new Pair { First = list, Second = "second " + i }, i);
                ofThread = list;
                if (i % 50 == 0)
                {
                    GC.Collect(i % 100 == 0 ? 1 : 0);
                    Attached.Add(list, "attached");
                    GC.KeepAlive(new Finalized());
                    var handle = GCHandle.Alloc(list, i % 100 == 0 ? GCHandleType.Weak : GCHandleType.Normal);
                    sum += handle.Target == list ? 1 : 0;
                    handle.Free();
                    sum += new byte[90000].Length;
                }
            }
            for (Node node = ofThread; node != null; node = node.Next)
            {
                sum = sum * 31 + node.Number + node.Text.Length;
            }
            return sum + shared.Number;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static Node Add(Node list, int number, string text)
        {
            var node = new Node(list, number) { Text = text };
            return Same(node, text) == text ? node : null;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static string Same(Node node, string text)
        {
            return node.Text == text ? text : null;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static int Look(Node node, Pair pair, int number)
        {
            bool isSame = pair.First == node && node.Number == number && (string)pair.Second == "second " + number;
            return isSame ? Depth(node, 5, node) : -1000000;
        }

        private static int Depth(Node node, int left, object last)
        {
            if (left == 0 || node == null)
            {
                return last == null ? 0 : 1;
            }
            return Depth(node.Next, left - 1, node);
        }
    }
}
