"""Reads files of Cube 4 (.cubex), as its readers do: https://www.scalasca.org/software/cube-4.x."""
import collections
import struct
import tarfile
import xml.etree.ElementTree

Node = collections.namedtuple("Node", "number parent name kind module line own")  # `own`: {metric: number}
FORMATS = {"UINT64": "<Q", "DOUBLE": "<d"}


def must(condition, what):
    if not condition:
        raise ValueError(f"cubex: {what}")


def figures(archive, number, format_of_one, places):
    """{place on the walk: number} of a metric that one thread has."""
    index, data = (archive.extractfile(f"{number}.{what}").read() for what in ("index", "data"))
    must(index[:11] == b"CUBEX.INDEX" and data[:10] == b"CUBEX.DATA", "a member begins with another word")
    one, version, is_sparse, count = struct.unpack("<iHBi", index[11:22])
    must((one, version, is_sparse) == (1, 0, 1) and len(index) == 22 + 4 * count, "an index is not as it says")
    at = [place for (place,) in struct.iter_unpack("<i", index[22:])]
    numbers = [number for (number,) in struct.iter_unpack(format_of_one, data[10:])]
    must(len(numbers) == count and at == sorted(set(at)) and all(0 <= place < places for place in at), "an index names what is not there")
    return dict(zip(at, numbers))


def read(path):
    """(units by metric, nodes by number)"""
    with tarfile.open(path) as archive:
        root = xml.etree.ElementTree.parse(archive.extractfile("anchor.xml")).getroot()
        must(len(root.findall("system//location")) == 1, "there is more than one thread")
        regions = {region.get("id"): region for region in root.findall("program/region")}
        (outermost,) = root.findall("program/cnode")
        walk, open_nodes = [], [(outermost, None)]
        while open_nodes:
            node, parent = open_nodes.pop()
            walk.append((node, parent))
            open_nodes += [(child, node) for child in reversed(node.findall("cnode"))]
        units, owns = {}, [{} for _ in walk]
        for metric in root.findall("metrics/metric"):
            must(metric.get("type") == "EXCLUSIVE", "a metric is not of nodes themselves")
            name = metric.findtext("uniq_name")
            units[name] = metric.findtext("uom")
            for place, number in figures(archive, metric.get("id"), FORMATS[metric.findtext("dtype")], len(walk)).items():
                owns[place][name] = number
    nodes = {}
    for (node, parent), own in zip(walk, owns):
        region = regions[node.get("calleeId")]
        nodes[int(node.get("id"))] = Node(int(node.get("id")), None if parent is None else int(parent.get("id")), region.findtext("name"),
                                          region.findtext("descr"), node.get("mod", ""), int(node.get("line", 0)), own)
    must(len(nodes) == len(walk), "two nodes have one number")
    return units, nodes
