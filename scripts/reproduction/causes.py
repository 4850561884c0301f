"""Why a statement does not hold for a program: what was found, where it was looked for."""

CAUSES = {
    ("at-least-30", "path"): (
        "Pathfinder has one kernel, so what counts is what another CTA reads. With 20 rows per launch a block keeps"
        " 216 columns, of which its neighbours read 20 on either side: 40 / 216 = 18.5 % in three of the five launches. The"
        " fifth launch has 19 rows left, so its blocks keep 218 columns; block n begins 2n columns further right than before, and"
        " 90 % of what the fourth launch wrote are read by another block (these are the two slopes). What the fifth wrote, only the host reads. The"
        " average comes out just below 30 %. By the definition of chapter 4 (read in a later superstep, whoever reads)"
        " it is 80 %, and at least 55 % in every program."
    ),
    ("order-of-magnitude", "hs2d"): (
        "A block of 16 x 16 threads loads 256 temperatures and 196 powers and stores 144 cells; neighbours meet in shared memory,"
        " which is not counted. That is 3.1 : 1 by arithmetic. Without deep halos (examples/hotspot as `make hotspot` builds it)"
        " every cell takes six loads, 6 : 1. A five-point stencil can't come to 10."
    ),
    ("order-of-magnitude", "hs3d"): (
        "A cell takes six loads: four neighbours, the cell above, the power; below and here are in registers. If the compiler kept"
        " nothing in registers, it would be eight. A seven-point stencil can't come to 10, so by a count of global"
        " accesses the sentence can't hold for the thesis's stencils either."
    ),
    ("order-of-magnitude", "bfs"): (
        "Each thread loads one mark per launch, but a node that is found costs stores, too: several threads of the"
        " frontier store the mark and the distance of one node (1.9 times on average), and the second kernel stores four values. A node is"
        " expanded once, with two loads per neighbour. More levels or fewer edges would raise the ratio: it belongs to the graph."
    ),
    ("cut-in-y", "hs3d"): (
        "512 x 8 cells lie on either side of the middle, along x as along y, and each is read once by the other side: the two"
        " cuts must be equal, whatever the shape of the blocks. What does differ is the exchange between all blocks along a"
        " dimension: blocks are 64 cells wide and 4 high, so there are 7 borders between columns of blocks and 127 between rows."
        " Along y 18.1 times as many bytes change the block as along x. A cut into many parts is thus worse in y than in x, a"
        " single one is not. Whether the thesis counted this, its text does not say."
    ),
    ("next-superstep", "nbody"): (
        "Positions and velocities are updated in place. Each kernel reads what it wrote itself two launches before, and the other"
        " kernel has only read it since: distance 1. It is the same CTA and the same kernel that reads, which the thesis does"
        " not count as communication (6.2.1); between different CTAs or kernels all is read in the next superstep."
    ),
}
