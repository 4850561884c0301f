"""The generator repeats itself, and the comparison notices what it has to notice."""

import unittest

import comparison
import generate
from comparison import Access, Thread

LOG = ["1 0 3 load 0x1000 4", "1 0 3 store 0x1004 4", "1 0 4 atomic_sub 0x2000 8"]


def difference(changed):
    return [text for _, text in comparison.differences(comparison.read_log(LOG), comparison.read_log(changed))]


class ComparisonTest(unittest.TestCase):
    def test_reads_a_log(self):
        logged = comparison.read_log(LOG)
        self.assertEqual(logged[Thread(1, 0, 3)], [Access("load", 0x1000, 4), Access("store", 0x1004, 4)])

    def test_equal_lists(self):
        self.assertEqual(difference(LOG), [])
        self.assertEqual(difference([LOG[2], LOG[0], LOG[1]]), [], "threads may take turns in any way")

    def test_atomic_sub_is_an_addition(self):
        self.assertEqual(difference(LOG[:2] + ["1 0 4 atomic_add 0x2000 8"]), [])

    def test_a_miss(self):
        self.assertEqual(difference(LOG[1:]), ["not traced, 1 x: load of 4 bytes at 0x1000"])

    def test_a_double(self):
        self.assertEqual(difference(LOG + LOG[:1]), ["traced too often, 1 x: load of 4 bytes at 0x1000"])

    def test_another_order(self):
        (text,) = difference([LOG[1], LOG[0], LOG[2]])
        self.assertIn("out of order: access 0 is a load", text)

    def test_another_thread_launch_operation_address_or_size(self):
        for other in ("1 0 5 load 0x1000 4", "2 0 3 load 0x1000 4", "1 1 3 load 0x1000 4", "1 0 3 store 0x1000 4",
                      "1 0 3 load 0x1001 4", "1 0 3 load 0x1000 8"):
            self.assertTrue(difference([other] + LOG[1:]), other)


class GeneratorTest(unittest.TestCase):
    def test_the_same_seed_gives_the_same_program(self):
        self.assertEqual(generate.program(5, 3), generate.program(5, 3))
        self.assertNotEqual(generate.program(5, 3), generate.program(6, 3))

    def test_one_kernel_is_as_it_is_among_the_others(self):
        whole, alone = generate.program(5, 3), generate.program(5, 3, only=1)
        kernel = alone[alone.index("namespace k1") : alone.index("int main")]
        self.assertIn(kernel.strip(), whole)


if __name__ == "__main__":
    unittest.main()
