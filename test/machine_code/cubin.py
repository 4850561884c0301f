"""Reads GPU machine code: the kernels in a program's or an object's images, as NVIDIA's assembler made them.

A CUBIN is an ELF file: `.text.K` is the code of kernel K, 16 bytes an instruction since Volta, and `.nv.info` tells
its registers, in entries of format and attribute (a byte each) and, in format 4, a size and that many bytes. Fat
binaries hold images behind a head each (test/lit/e2e/Inputs/images_in.py). No disassembler is needed.
"""

import struct
import subprocess
import tempfile
from dataclasses import dataclass

INSTRUCTION = 16
_FAT_BINARY, _ELF_IMAGE = 0xBA55ED50, 2
_SIZED, _REGISTER_COUNT = 0x04, 0x2F  # of .nv.info


@dataclass(frozen=True)
class Code:
    bytes: bytes
    registers: int

    def instructions(self):
        return [self.bytes[at : at + INSTRUCTION] for at in range(0, len(self.bytes), INSTRUCTION)]


def _sections(elf):
    """Name and bytes."""
    (table,) = struct.unpack_from("<Q", elf, 0x28)
    count, names = struct.unpack_from("<HH", elf, 0x3C)
    heads = [struct.unpack_from("<IIQQQQIIQQ", elf, table + 64 * i) for i in range(count)]

    def text(at):
        return elf[at : elf.index(b"\0", at)].decode()

    no_bits = 8
    return {text(heads[names][4] + head[0]): b"" if head[1] == no_bits else elf[head[4] : head[4] + head[5]] for head in heads}


def _registers(sections):
    """By number of the symbol."""
    info, at, found = sections.get(".nv.info", b""), 0, {}
    while at < len(info):
        form, attribute, size = struct.unpack_from("<BBH", info, at)
        if form == _SIZED:
            if attribute == _REGISTER_COUNT:
                symbol, registers = struct.unpack_from("<II", info, at + 4)
                found[symbol] = registers
            at += size
        at += 4
    return found


def kernels(elf):
    """The code of each function, by its mangled name."""
    sections = _sections(elf)
    symbols, names = sections[".symtab"], sections[".strtab"]
    registers = {}
    for number, count in _registers(sections).items():
        (at,) = struct.unpack_from("<I", symbols, 24 * number)
        registers[names[at : names.index(b"\0", at)].decode()] = count
    text = ".text."
    return {name[len(text) :]: Code(code, registers.get(name[len(text) :], 0)) for name, code in sections.items()
            if name.startswith(text)}


def images(path):
    """The CUBINs of a program or an object."""
    with tempfile.NamedTemporaryFile() as section:
        subprocess.run(["objcopy", "-O", "binary", "--only-section=.nv_fatbin", "--set-section-flags", ".nv_fatbin=alloc",
                        path, section.name], check=True)
        data = section.read()
    found, at = [], 0
    while (at := data.find(struct.pack("<I", _FAT_BINARY), at)) >= 0:
        head, size = struct.unpack_from("<HQ", data, at + 6)
        entry, end = at + head, at + head + size
        while entry < end:
            kind, _, entry_head, payload = struct.unpack_from("<HHIQ", data, entry)
            if kind == _ELF_IMAGE:
                found.append(data[entry + entry_head : entry + entry_head + payload])
            entry += entry_head + payload
        at = end
    return found
