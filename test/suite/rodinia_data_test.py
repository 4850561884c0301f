"""scripts/rodinia_data: what it makes can be read as the programs read it, is the same for the same seed, and is named."""

import json
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
sys.path.insert(0, str(SCRIPTS))
from suite.running import Given


def make(folder, *options):
    done = subprocess.run([sys.executable, "-B", SCRIPTS / "rodinia_data", folder / "data", *options], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done


def content(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


class RodiniaData(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.root = Path(cls.folder.name)
        done = make(cls.root, "--arguments", cls.root / "rodinia.json")
        assert done.returncode == 0, done.stderr
        cls.programs = json.loads((cls.root / "rodinia.json").read_text())

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def numbers(self, name):
        return [float(word) for word in (self.root / "data" / name).read_text().split()]

    def test_each_file_is_named_and_each_name_is_a_file(self):
        named = set()
        for program in self.programs:
            folder = self.root / program["folder"]
            folder.mkdir(parents=True, exist_ok=True)
            paths = [(folder / each).resolve() for each in program["arguments"] if "/data/" in each]
            named |= {str(path.relative_to(self.root.resolve())) for path in paths} | set(program["files"])
        self.assertEqual(named, {f"data/{name}" for name in content(self.root / "data")})

    def test_small(self):
        self.assertLess(sum(map(len, content(self.root / "data").values())), 4 << 20)

    def test_seed(self):
        with tempfile.TemporaryDirectory() as same, tempfile.TemporaryDirectory() as other:
            make(Path(same))
            make(Path(other), "--seed=2")
            self.assertEqual(content(self.root / "data"), content(Path(same) / "data"))
            differing = {name for name, made in content(Path(other) / "data").items()
                         if made != (self.root / "data" / name).read_bytes()}
            self.assertEqual({name.split("/")[0] for name in differing},
                             {name.split("/")[0] for name in content(self.root / "data")} )

    def test_graph(self):
        nodes, *rest = map(int, self.numbers("bfs/graph4096.txt"))
        starts, rest = rest[:2 * nodes], rest[2 * nodes:]
        source, edges, *rest = rest
        self.assertEqual((source, 2 * edges), (0, len(rest)))
        others, next_edge = rest[::2], 0
        for first, count in zip(starts[::2], starts[1::2]):
            self.assertEqual(first, next_edge)
            next_edge += count
        self.assertEqual(next_edge, edges)
        reached, waiting = {source}, [source]
        while waiting:
            node = waiting.pop()
            for other in others[starts[2 * node]:starts[2 * node] + starts[2 * node + 1]]:
                if other not in reached:
                    reached.add(other)
                    waiting.append(other)
        self.assertEqual(len(reached), nodes)

    def test_mesh(self):
        cells, *rest = self.numbers("cfd/fvcorr.domn.192")
        self.assertEqual(len(rest), cells * (1 + 4 * 4))
        sides = [[rest[at + 1 + 4 * side:at + 5 + 4 * side] for side in range(4)] for at in range(0, len(rest), 17)]
        kinds = set()
        for cell, own in enumerate(sides, 1):
            for axis in (1, 2, 3):
                self.assertEqual(sum(side[axis] for side in own), 0)
            for neighbour, *normal in own:
                kinds.add(min(neighbour, 1))
                if neighbour > 0 and cell not in (103, 104):  # the wall's own cells
                    self.assertIn([cell, *(-part for part in normal)], sides[int(neighbour) - 1])
        self.assertEqual(kinds, {-2, 0, 1})

    def test_matrices(self):
        for name, behind in (("lud/128.dat", 0), ("gaussian/matrix32.txt", 2)):
            size, *rest = self.numbers(name)
            size = int(size)
            self.assertEqual(len(rest), size * (size + behind))
            for row in range(size):
                line = [abs(value) for value in rest[row * size:row * size + size]]
                self.assertGreater(2 * line[row], sum(line))

    def test_grids(self):
        for name, cells in (("hotspot/temp_64", 4096), ("hotspot/power_64", 4096), ("hotspot3D/temp_64x4", 16384),
                            ("hotspot3D/power_64x4", 16384), ("hybridsort/20000.txt", 20000), ("myocyte/y.txt", 91),
                            ("myocyte/params.txt", 18)):
            self.assertEqual(len(self.numbers(name)), cells)

    def test_keys(self):
        count, *keys = self.numbers("b+tree/mil.txt")
        self.assertEqual(sorted(keys), list(range(int(count))))
        self.assertTrue((self.root / "data/b+tree/command.txt").read_bytes().endswith(b"\0"))

    def test_records(self):
        lines = (self.root / "data/nn/cane4_0.db").read_text().splitlines()
        self.assertEqual({len(line) for line in lines}, {48})
        for line in lines:
            self.assertTrue(0 <= float(line[28:33]) <= 70 and 0 <= float(line[33:38]) <= 358)

    def test_points(self):
        lines = [line.split() for line in (self.root / "data/kmeans/2048.txt").read_text().splitlines()]
        self.assertEqual((len(lines), {len(line) for line in lines}), (2048, {9}))

    def test_films(self):
        for name, columns, rows, frames in (("heartwall/test.avi", 590, 609, 2), ("leukocyte/testfile.avi", 200, 360, 3)):
            film = (self.root / "data" / name).read_bytes()
            size, kind = struct.unpack_from("<4xI4s", film)
            self.assertEqual((size, kind), (len(film) - 8, b"AVI "))
            at = film.index(b"strf") + 12
            self.assertEqual(struct.unpack_from("<II", film, at), (columns, rows))
            start, index = film.index(b"movi"), film.rindex(b"idx1")
            self.assertEqual(struct.unpack_from("<I", film, index + 4), (16 * frames,))
            for frame in range(frames):
                name, offset, length = struct.unpack_from("<4s4xII", film, index + 8 + 16 * frame)
                self.assertEqual((name, length), (b"00db", columns * rows))
                self.assertEqual(film[start + offset:start + offset + 8], name + struct.pack("<I", length))

    def test_images(self):
        self.assertEqual(len((self.root / "data/dwt2d/192.bmp").read_bytes()), 54 + 3 * 192 * 192)
        image = (self.root / "data/srad/image.pgm").read_text().split("\n", 3)
        self.assertEqual((image[:3], len(image[3].split())), (["P2", "80 96", "255"], 80 * 96))

    def test_reads_are_of_the_reference(self):
        bases = "".join((self.root / "data/mummergpu/reference.fna").read_text().split("\n")[1:])
        reads = (self.root / "data/mummergpu/queries.fna").read_text().split("\n")[1::2]
        self.assertGreaterEqual(sum(read in bases for read in reads), len(reads) * 2 // 3)

    def test_what_is_wrong_is_said(self):
        (self.root / "file").mkdir()
        (self.root / "file/data").write_text("")
        done = make(self.root / "file")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1))
        self.assertIn("is not a folder", done.stderr)

    def test_given_arguments(self):
        given = Given(self.root / "rodinia.json")
        self.assertEqual(given.arguments("cuda/bfs", "bfs.out"), ["../../data/bfs/graph4096.txt"])
        self.assertEqual(given.arguments("cuda/huffman", "main_test_cu"), ["../../data/huffman/test64.in"])  # the only one there
        self.assertEqual(given.arguments("cuda/cfd", "euler3d"), ["../../data/cfd/fvcorr.domn.192"])
        self.assertIsNone(given.arguments("cuda/cfd", "other"))
        self.assertIsNone(Given().arguments("cuda/bfs", "bfs"))
        self.assertEqual(given.files("cuda/srad/srad_v1", "srad"), ["../../../data/srad/image.pgm"])


if __name__ == "__main__":
    unittest.main()
