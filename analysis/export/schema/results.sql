-- What `cupranalyze results --format=sqlite` writes. Made by `cupranalyze results --schema=sqlite`: don't edit.
-- Numbers beyond 2^63 stand there as negative ones, less 2^64.

-- The whole run; one row.
CREATE TABLE programs (
  "program" TEXT NOT NULL, -- path of the executable
  "arguments" TEXT NOT NULL, -- of the program, its name first
  "device_kind" TEXT NOT NULL, -- "gpu" or "cpu"
  "device_name" TEXT NOT NULL, -- as the CUDA runtime calls it
  "not_whole" TEXT, -- where and why the trace stops early, or what a repair found missing
  "incomplete_launches" INTEGER NOT NULL, -- not traced, or not completely
  "loads" INTEGER NOT NULL, -- by threads
  "stores" INTEGER NOT NULL, -- by threads
  "atomics" INTEGER NOT NULL, -- by threads
  "load_bytes" INTEGER NOT NULL, -- by threads
  "store_bytes" INTEGER NOT NULL, -- by threads
  "atomic_bytes" INTEGER NOT NULL, -- by threads
  "unique_read_bytes" INTEGER NOT NULL, -- distinct bytes per launch, summed
  "unique_written_bytes" INTEGER NOT NULL, -- distinct bytes per launch, summed
  "host_written_bytes" INTEGER NOT NULL, -- by copies and sets
  "communicated_bytes" INTEGER NOT NULL, -- of unique_written_bytes and copied_bytes: a later launch read them
  "share" REAL NOT NULL, -- communicated_bytes / (unique_written_bytes + copied_bytes)
  "same_index_bytes" INTEGER NOT NULL, -- of communicated_bytes: read by the CTA of the same index
  "other_index_bytes" INTEGER NOT NULL, -- of communicated_bytes: read by a CTA of another index
  "handed_on_bytes" INTEGER NOT NULL, -- of communicated_bytes: read by a CTA of another index, or by another kernel
  "concurrent_bytes" INTEGER NOT NULL, -- read by launches that nothing orders after the writer
  "to_host_bytes" INTEGER NOT NULL, -- of unique_written_bytes and copied_bytes: the host read them
  "from_host_bytes" INTEGER NOT NULL, -- of host_written_bytes: a launch read them
  "handed_on_share" REAL NOT NULL, -- handed_on_bytes / (unique_written_bytes + copied_bytes)
  "possibly_overwritten_bytes" INTEGER NOT NULL, -- of communicated_bytes
  "to_host_possibly_overwritten_bytes" INTEGER NOT NULL, -- of to_host_bytes
  "from_host_possibly_overwritten_bytes" INTEGER NOT NULL, -- of from_host_bytes
  "copied_bytes" INTEGER NOT NULL, -- of what launches wrote, within the device
  "of_last_producer_bytes" INTEGER NOT NULL, -- with so many producers that the last writer stands for all
  "shown" TEXT, -- the launches and places that were chosen, of which other tables are; null: all; figures here are of the whole program
  "shown_launches" INTEGER NOT NULL, -- that were chosen
  "all_launches" INTEGER NOT NULL -- of the program
);

-- What a kernel accessed in a superstep, and its communication.
CREATE TABLE kernel_volumes (
  "kernel" TEXT NOT NULL, -- as in the source, with parameters
  "superstep" INTEGER NOT NULL, -- from 0
  "launches" INTEGER NOT NULL, -- of the kernel in the superstep
  "load_bytes" INTEGER NOT NULL, -- by threads, atomics included
  "store_bytes" INTEGER NOT NULL, -- by threads, atomics included
  "communicated_load_bytes" INTEGER NOT NULL, -- distinct bytes read that earlier launches wrote
  "communicated_store_bytes" INTEGER NOT NULL, -- distinct bytes written that later launches read
  "handed_on_load_bytes" INTEGER NOT NULL, -- of communicated_load_bytes: of another CTA or another kernel
  "handed_on_store_bytes" INTEGER NOT NULL, -- of communicated_store_bytes: to another CTA or another kernel
  "read_by_threads_bytes" INTEGER NOT NULL -- of threads' reads of what earlier launches wrote
);

-- A kernel launch.
CREATE TABLE launches (
  "id" INTEGER PRIMARY KEY, -- from 1, in the order of the calls; of phases but the first: behind all launches'
  "kernel" TEXT NOT NULL, -- as in the source, with parameters
  "grid_x" INTEGER NOT NULL, -- blocks
  "grid_y" INTEGER NOT NULL, -- blocks
  "grid_z" INTEGER NOT NULL, -- blocks
  "block_x" INTEGER NOT NULL, -- threads
  "block_y" INTEGER NOT NULL, -- threads
  "block_z" INTEGER NOT NULL, -- threads
  "stream" INTEGER NOT NULL, -- never reused
  "device" INTEGER NOT NULL, -- index
  "superstep" INTEGER NOT NULL, -- from 0
  "traced" INTEGER NOT NULL, -- its accesses are recorded
  "complete" INTEGER NOT NULL, -- all of its records are there
  "time" INTEGER NOT NULL, -- of the call, nanoseconds
  "end_time" INTEGER, -- when all records had arrived; null: no end in the trace
  "loads" INTEGER NOT NULL, -- by threads
  "stores" INTEGER NOT NULL, -- by threads
  "atomics" INTEGER NOT NULL, -- by threads
  "load_bytes" INTEGER NOT NULL, -- by threads
  "store_bytes" INTEGER NOT NULL, -- by threads
  "atomic_bytes" INTEGER NOT NULL, -- by threads
  "unique_read_bytes" INTEGER NOT NULL, -- distinct bytes
  "unique_written_bytes" INTEGER NOT NULL, -- distinct bytes
  "read_from_launches_bytes" INTEGER NOT NULL, -- of unique_read_bytes
  "read_from_host_bytes" INTEGER NOT NULL, -- of unique_read_bytes
  "read_by_launches_bytes" INTEGER NOT NULL, -- of unique_written_bytes and copied_bytes
  "read_by_host_bytes" INTEGER NOT NULL, -- of unique_written_bytes and copied_bytes
  "stream_superstep" INTEGER NOT NULL, -- launches of its stream before it
  "read_handed_on_bytes" INTEGER NOT NULL, -- of read_from_launches_bytes
  "handed_on_bytes" INTEGER NOT NULL, -- of read_by_launches_bytes
  "read_by_threads_bytes" INTEGER NOT NULL, -- of threads' reads of what earlier launches wrote
  "read_possibly_overwritten_bytes" INTEGER NOT NULL, -- of read_from_launches_bytes and read_from_host_bytes
  "possibly_overwritten_bytes" INTEGER NOT NULL, -- of read_by_launches_bytes
  "copied_bytes" INTEGER NOT NULL, -- of what it wrote, within the device
  "number" INTEGER NOT NULL, -- the program's; phases of one launch share it
  "phase" INTEGER NOT NULL -- between barriers of the grid, from 0
);

-- Launches with the same longest chain of launches before them.
CREATE TABLE supersteps (
  "superstep" INTEGER NOT NULL, -- from 0
  "launches" INTEGER NOT NULL, -- that share it
  "load_bytes" INTEGER NOT NULL, -- distinct bytes read that earlier launches wrote
  "store_bytes" INTEGER NOT NULL, -- distinct bytes written that later launches read
  "transfer_bytes" INTEGER NOT NULL, -- of all transfers to its CTAs
  "out_ctas" INTEGER NOT NULL, -- CTAs that others read from
  "out_mean" REAL NOT NULL, -- number of their readers
  "out_deviation" REAL NOT NULL, -- standard deviation
  "in_ctas" INTEGER NOT NULL, -- CTAs that read from others
  "in_mean" REAL NOT NULL, -- number of those they read from
  "in_deviation" REAL NOT NULL, -- standard deviation
  "read_by_threads_bytes" INTEGER NOT NULL, -- of threads' reads of what earlier launches wrote
  "handed_on_load_bytes" INTEGER NOT NULL, -- of load_bytes
  "handed_on_store_bytes" INTEGER NOT NULL, -- of store_bytes
  "read_possibly_overwritten_bytes" INTEGER NOT NULL -- of what its launches read of launches and the host
);

-- What a CTA of a launch accessed, and its communication.
CREATE TABLE cta_volumes (
  "launch" INTEGER NOT NULL, -- launches.id
  "cta" INTEGER NOT NULL, -- linear number
  "cta_x" INTEGER NOT NULL, -- block
  "cta_y" INTEGER NOT NULL, -- block
  "cta_z" INTEGER NOT NULL, -- block
  "sm" INTEGER NOT NULL, -- multiprocessor
  "accesses" INTEGER NOT NULL, -- by threads
  "load_bytes" INTEGER NOT NULL, -- by threads, atomics included
  "store_bytes" INTEGER NOT NULL, -- by threads, atomics included
  "received_bytes" INTEGER NOT NULL, -- of transfers from earlier launches
  "sent_bytes" INTEGER NOT NULL, -- of transfers to later launches; a byte counts for each CTA that reads it
  "communicated_store_bytes" INTEGER NOT NULL -- distinct bytes written that later launches read
);

-- The same of an SM.
CREATE TABLE sm_volumes (
  "launch" INTEGER NOT NULL, -- launches.id
  "sm" INTEGER NOT NULL, -- multiprocessor
  "ctas" INTEGER NOT NULL, -- that ran there
  "accesses" INTEGER NOT NULL, -- by threads
  "load_bytes" INTEGER NOT NULL, -- by threads, atomics included
  "store_bytes" INTEGER NOT NULL, -- by threads, atomics included
  "received_bytes" INTEGER NOT NULL, -- by its CTAs, of transfers from earlier launches
  "sent_bytes" INTEGER NOT NULL, -- by its CTAs, of transfers to later launches
  "communicated_store_bytes" INTEGER NOT NULL -- distinct bytes written by its CTAs that later launches read
);

-- What connects two CTAs: the transfer map.
CREATE TABLE transfers (
  "kind" TEXT NOT NULL, -- RAW, WAR or WAW
  "dependence_order" TEXT NOT NULL, -- "ordered", "concurrent" or "insideLaunch"; communication is RAW and ordered
  "source" INTEGER, -- launches.id of the first access; null: the host
  "source_cta" INTEGER NOT NULL, -- linear number; 0 for the host
  "destination" INTEGER, -- launches.id of the second access; null: the host
  "destination_cta" INTEGER NOT NULL, -- linear number; 0 for the host
  "bytes" INTEGER NOT NULL, -- distinct
  "operations" INTEGER NOT NULL -- reads by threads; 0 but for RAW
);

-- What one launch wrote and a later one read.
CREATE TABLE launch_pairs (
  "source" INTEGER, -- launches.id of the writer; null: the host
  "destination" INTEGER, -- launches.id of the reader; null: the host
  "bytes" INTEGER NOT NULL, -- distinct
  "same_index_bytes" INTEGER NOT NULL, -- read by the CTA of the writer's index
  "other_index_bytes" INTEGER NOT NULL, -- read by another CTA
  "operations" INTEGER NOT NULL, -- reads by threads
  "cta_pairs" INTEGER NOT NULL, -- that take part
  "possibly_overwritten_bytes" INTEGER NOT NULL -- of bytes; 0 where the host read them
);

-- Communication by superstep distance.
CREATE TABLE distances (
  "distance" INTEGER NOT NULL, -- supersteps between write and read; 0: the next
  "bytes" INTEGER NOT NULL, -- distinct per pair of launches
  "operations" INTEGER NOT NULL -- reads by threads
);

-- Transfers between launches by size.
CREATE TABLE transfer_sizes (
  "bytes" INTEGER NOT NULL, -- of one transfer
  "transfers" INTEGER NOT NULL -- of this size
);

-- CTAs by their number of partners.
CREATE TABLE degrees (
  "direction" TEXT NOT NULL, -- "in", "out", or without partners of the same index "otherIn", "otherOut", or without those of the same index and kernel "handedOnIn", "handedOnOut"
  "partners" INTEGER NOT NULL, -- CTAs
  "ctas" INTEGER NOT NULL -- that have so many
);

-- Communicated bytes by stride.
CREATE TABLE strides (
  "direction" TEXT NOT NULL, -- "loads" or "stores" of communicated data; of what is handed on "handedOnLoads", "handedOnStores"
  "stride" INTEGER NOT NULL, -- bytes between neighbouring threads
  "bytes" INTEGER NOT NULL -- with this stride
);

-- Transfers across the middle of the grids.
CREATE TABLE bisections (
  "dimension" TEXT NOT NULL, -- "x", "y" or "z"
  "bytes" INTEGER NOT NULL, -- of transfers between the halves
  "relative" REAL NOT NULL -- of all transfers
);

-- Bytes by two places in the source.
CREATE TABLE dependences (
  "kind" TEXT NOT NULL, -- RAW, WAR or WAW
  "dependence_order" TEXT NOT NULL, -- "ordered", "concurrent" or "insideLaunch"
  "first_kernel" TEXT NOT NULL, -- "host": a copy or a set
  "first_file" TEXT NOT NULL, -- empty: unknown
  "first_line" INTEGER NOT NULL, -- 0: unknown
  "first_operation" TEXT NOT NULL, -- "load", "store", "atomic add" ...
  "second_kernel" TEXT NOT NULL, -- "host": a copy or a set
  "second_file" TEXT NOT NULL, -- empty: unknown
  "second_line" INTEGER NOT NULL, -- 0: unknown
  "second_operation" TEXT NOT NULL, -- "load", "store", "atomic add" ...
  "bytes" INTEGER NOT NULL, -- RAW: of the threads' accesses; else distinct bytes per launch
  "same_index_bytes" INTEGER NOT NULL, -- of bytes
  "other_index_bytes" INTEGER NOT NULL, -- of bytes
  "first_column" INTEGER NOT NULL, -- 0: unknown
  "second_column" INTEGER NOT NULL -- 0: unknown
);

-- Accesses by allocation.
CREATE TABLE allocations (
  "ordinal" INTEGER, -- from 0; null: memory in no known allocation
  "name" TEXT NOT NULL, -- of the variable
  "call" TEXT NOT NULL, -- that made it
  "kind" TEXT NOT NULL, -- of memory
  "address" INTEGER NOT NULL, -- first byte
  "bytes" INTEGER NOT NULL, -- size
  "freed" INTEGER NOT NULL, -- before the program's end
  "loads" INTEGER NOT NULL, -- by threads
  "stores" INTEGER NOT NULL, -- by threads
  "atomics" INTEGER NOT NULL, -- by threads
  "load_bytes" INTEGER NOT NULL, -- by threads
  "store_bytes" INTEGER NOT NULL, -- by threads
  "atomic_bytes" INTEGER NOT NULL, -- by threads
  "unique_read_bytes" INTEGER NOT NULL, -- distinct bytes per launch, summed
  "unique_written_bytes" INTEGER NOT NULL, -- distinct bytes per launch, summed
  "communicated_bytes" INTEGER NOT NULL, -- of unique_written_bytes and copied_bytes
  "copied_bytes" INTEGER NOT NULL, -- into it, of what launches wrote
  "element_type" TEXT NOT NULL, -- as in the source
  "file" TEXT NOT NULL, -- of the call in the source
  "line" INTEGER NOT NULL, -- of the call in the source; 0: unknown
  "column" INTEGER NOT NULL -- of the call in the source; 0: unknown
);

-- Accesses by source line.
CREATE TABLE lines (
  "file" TEXT NOT NULL, -- empty: unknown
  "line" INTEGER NOT NULL, -- 0: unknown
  "functions" TEXT NOT NULL, -- that hold the accesses
  "loads" INTEGER NOT NULL, -- by threads
  "stores" INTEGER NOT NULL, -- by threads
  "atomics" INTEGER NOT NULL, -- by threads
  "load_bytes" INTEGER NOT NULL, -- by threads
  "store_bytes" INTEGER NOT NULL, -- by threads
  "atomic_bytes" INTEGER NOT NULL, -- by threads
  "requests" INTEGER NOT NULL, -- accesses of warps
  "sectors" INTEGER NOT NULL, -- of 32 bytes, distinct per request, summed
  "least_sectors" INTEGER NOT NULL, -- if each request's bytes lay side by side
  "communicated_bytes" INTEGER NOT NULL, -- distinct bytes written here that a later launch read
  "read_communicated_bytes" INTEGER NOT NULL, -- read here by threads that an earlier launch had written
  "sectors_per_request" REAL NOT NULL -- sectors / requests; 0 without requests
);

-- What costs most.
CREATE TABLE findings (
  "id" TEXT NOT NULL, -- of the rule
  "title" TEXT NOT NULL, -- what is the matter
  "advice" TEXT NOT NULL, -- what to do
  "kernel" TEXT NOT NULL, -- empty: no single one
  "file" TEXT NOT NULL, -- empty: none
  "line" INTEGER NOT NULL, -- 0: none
  "amount" INTEGER NOT NULL, -- the cost
  "unit" TEXT NOT NULL, -- of amount
  "share" REAL NOT NULL, -- amount, of all of this unit in the program
  "column" INTEGER NOT NULL, -- of the access; 0: none
  "operation" TEXT NOT NULL, -- "load", "store" or "atomic"; empty: no single access
  "severity" TEXT NOT NULL, -- "correctness" comes first, then "cost", by cycles where launches lost them, else by its time, then "coverage": what figures lack
  "expression" TEXT NOT NULL, -- the source's words for the access, so far as its place tells; empty: not known
  "seconds" REAL NOT NULL, -- that the amount takes at most; 0: not known
  "measured" INTEGER NOT NULL, -- seconds are the trace's own times; else they follow from the device's figures
  "path" TEXT NOT NULL, -- functions of the host that lead to the call at this place, outermost first; empty: it concerns no call, or is not known
  "lost_cycles" REAL, -- that timed launches took beyond narrower accesses of the same bytes; null: not known
  "lost_cycles_error" REAL, -- half width of the interval of 95 % around lost_cycles
  "lost_cycles_share" REAL -- of the access's records that lost_cycles are known of
);

-- A way to share the CTAs between GPUs.
CREATE TABLE advisor_cuts (
  "id" INTEGER PRIMARY KEY, -- from 0
  "devices" INTEGER NOT NULL, -- GPUs
  "cut" TEXT NOT NULL, -- "x", "y", "z", "block", "cyclic" or "graph"
  "tiles_x" INTEGER NOT NULL, -- parts
  "tiles_y" INTEGER NOT NULL, -- parts
  "tiles_z" INTEGER NOT NULL, -- parts
  "best" INTEGER NOT NULL, -- of this number of GPUs
  "crossing_bytes" INTEGER NOT NULL, -- between GPUs
  "crossing_once_bytes" INTEGER NOT NULL, -- if each GPU kept what it has read until it is written again
  "crossing_share" REAL NOT NULL, -- of the bytes of all transfers
  "read_from_host_bytes" INTEGER NOT NULL, -- that the host wrote: once for each GPU that reads them, until they are written again
  "inside_launches_bytes" INTEGER NOT NULL, -- of dependences inside a launch between CTAs on different GPUs
  "memory_bytes" INTEGER NOT NULL, -- of the GPU that needs most
  "balance" REAL NOT NULL, -- bytes accessed by the busiest GPU / mean
  "access_balance" REAL NOT NULL, -- accesses of the busiest GPU / mean
  "parallelism" REAL NOT NULL, -- how much faster the work would be if nothing had to cross
  "seconds" REAL NOT NULL, -- on the link
  "speedup" REAL -- over one GPU; null without --kernel-time
);

-- What crosses in a superstep.
CREATE TABLE advisor_supersteps (
  "cut" INTEGER NOT NULL, -- advisor_cuts.id
  "superstep" INTEGER NOT NULL, -- of the readers
  "crossing_bytes" INTEGER NOT NULL -- between GPUs
);

-- What GPUs exchange inside launches of a kernel.
CREATE TABLE advisor_inside (
  "cut" INTEGER NOT NULL, -- advisor_cuts.id
  "kernel" TEXT NOT NULL, -- 
  "bytes" INTEGER NOT NULL -- of dependences inside its launches between CTAs on different GPUs
);

-- An atomic access that CTAs of one launch share.
CREATE TABLE advisor_atomics (
  "kernel" TEXT NOT NULL, -- 
  "file" TEXT NOT NULL, -- empty: unknown
  "line" INTEGER NOT NULL, -- 0: unknown
  "column" INTEGER NOT NULL, -- 0: unknown
  "bytes" INTEGER NOT NULL -- of dependences inside a launch between CTAs that it is an end of
);

-- Where the partition of the graph of CTAs puts a CTA; only with --parts.
CREATE TABLE advisor_parts (
  "devices" INTEGER NOT NULL, -- GPUs
  "grid_x" INTEGER NOT NULL, -- CTAs
  "grid_y" INTEGER NOT NULL, -- CTAs
  "grid_z" INTEGER NOT NULL, -- CTAs
  "cta" INTEGER NOT NULL, -- linear number in launches with this grid
  "device" INTEGER NOT NULL -- the GPU, from 0
);

-- What a CTA did with an address, by address and superstep; only with --history, and with --communicated only what is communication.
CREATE TABLE address_history (
  "address" INTEGER NOT NULL, -- first byte of the access
  "superstep" INTEGER NOT NULL, -- from 0
  "launch" INTEGER NOT NULL, -- launches.id
  "cta" INTEGER NOT NULL, -- linear number
  "operation" TEXT NOT NULL, -- "load", "store", "atomic add" ...
  "file" TEXT NOT NULL, -- empty: unknown
  "line" INTEGER NOT NULL, -- 0: unknown
  "bytes" INTEGER NOT NULL, -- of each access
  "accesses" INTEGER NOT NULL -- by threads
);

-- How far a thread's accesses at one place of the source lie from each other; only with --thread-strides.
CREATE TABLE thread_strides (
  "kernel" TEXT NOT NULL, -- as in the source, with parameters
  "file" TEXT NOT NULL, -- empty: unknown
  "line" INTEGER NOT NULL, -- 0: unknown
  "column" INTEGER NOT NULL, -- 0: unknown
  "operation" TEXT NOT NULL, -- "load", "store", "atomic add" ...
  "backwards" INTEGER NOT NULL, -- the address is lower than the one before
  "stride" INTEGER NOT NULL, -- bytes from the thread's access before, of the same launch
  "accesses" INTEGER NOT NULL, -- by threads
  "bytes" INTEGER NOT NULL -- by threads
);

-- Communicated bytes by stride, of each CTA of a launch.
CREATE TABLE cta_strides (
  "launch" INTEGER NOT NULL, -- launches.id
  "cta" INTEGER NOT NULL, -- linear number
  "direction" TEXT NOT NULL, -- as in strides
  "stride" INTEGER NOT NULL, -- bytes between neighbouring threads
  "bytes" INTEGER NOT NULL -- with this stride
);

-- Accesses of the source by kernel, and by the calls that led there. Barriers of grids, which lines count, are left out.
CREATE TABLE accesses (
  "kernel" TEXT NOT NULL, -- kernels.name
  "file" TEXT NOT NULL, -- empty: unknown
  "line" INTEGER NOT NULL, -- 0: unknown
  "column" INTEGER NOT NULL, -- 0: unknown
  "operation" TEXT NOT NULL, -- "load", "store", "atomic add" ...
  "function" TEXT NOT NULL, -- that holds the access in the source
  "callers" TEXT NOT NULL, -- functions that led there by calls, inlined or not, innermost first; in brackets what nobody can name
  "call_sites" TEXT NOT NULL, -- file:line:column of the call in each of callers
  "bytes" INTEGER NOT NULL, -- of each thread; 0: they differ
  "accesses" INTEGER NOT NULL, -- by threads
  "requests" INTEGER NOT NULL, -- accesses of warps
  "sectors" INTEGER NOT NULL, -- of 32 bytes, distinct per request, summed
  "least_sectors" INTEGER NOT NULL -- if each request's bytes lay side by side
);

-- Accesses of shared memory by kernel, and by the calls that led there.
CREATE TABLE bank_accesses (
  "kernel" TEXT NOT NULL, -- kernels.name
  "file" TEXT NOT NULL, -- empty: unknown
  "line" INTEGER NOT NULL, -- 0: unknown
  "column" INTEGER NOT NULL, -- 0: unknown
  "operation" TEXT NOT NULL, -- "load", "store", "atomic add" ...
  "function" TEXT NOT NULL, -- that holds the access in the source
  "callers" TEXT NOT NULL, -- functions that led there by calls, inlined or not, innermost first; in brackets what nobody can name
  "call_sites" TEXT NOT NULL, -- file:line:column of the call in each of callers
  "bytes" INTEGER NOT NULL, -- of each thread; 0: they differ
  "accesses" INTEGER NOT NULL, -- by threads
  "requests" INTEGER NOT NULL, -- accesses of warps, in parts of 16 bytes at most
  "wavefronts" INTEGER NOT NULL, -- that the banks need for them
  "ideal_wavefronts" INTEGER NOT NULL, -- that they would need without conflicts
  "excess_wavefronts" INTEGER NOT NULL, -- wavefronts - ideal_wavefronts
  "word_wavefronts" INTEGER NOT NULL, -- wavefronts, if atomics of one word went together, as those do that add 1
  "conflicted_requests" INTEGER NOT NULL, -- requests that need more than without conflicts
  "worst_conflict" INTEGER NOT NULL, -- of all requests, how often one bank had to give or take a word at most; 1: no conflicts
  "variables" TEXT NOT NULL -- shared variables that are accessed, by name, as far as the trace says where they lie
);

-- Accesses of shared memory by kernel.
CREATE TABLE bank_kernels (
  "kernel" TEXT NOT NULL, -- kernels.name
  "accesses" INTEGER NOT NULL, -- by threads
  "requests" INTEGER NOT NULL, -- accesses of warps, in parts of 16 bytes at most
  "wavefronts" INTEGER NOT NULL, -- that the banks need for them
  "ideal_wavefronts" INTEGER NOT NULL, -- that they would need without conflicts
  "excess_wavefronts" INTEGER NOT NULL, -- wavefronts - ideal_wavefronts
  "word_wavefronts" INTEGER NOT NULL, -- wavefronts, if atomics of one word went together, as those do that add 1
  "conflicted_requests" INTEGER NOT NULL, -- requests that need more than without conflicts
  "worst_conflict" INTEGER NOT NULL, -- of all requests, how often one bank had to give or take a word at most; 1: no conflicts
  "variables" TEXT NOT NULL -- shared variables that are accessed, by name, as far as the trace says where they lie
);

-- A calling context of host and device, with figures of its own, and of all below it. Parents come first.
CREATE TABLE profile_nodes (
  "id" INTEGER PRIMARY KEY, -- from 0, the program
  "parent" INTEGER, -- profile_nodes.id; null: it is the program
  "depth" INTEGER NOT NULL, -- of the program 0
  "kind" TEXT NOT NULL, -- what it is
  "name" TEXT NOT NULL, -- of a function, kernel or call; of an access its operation; of a loop its kind: for, while, do or range-for
  "file" TEXT NOT NULL, -- of a call, an access and a loop; empty: not known
  "line" INTEGER NOT NULL, -- likewise; 0: not known
  "object" TEXT NOT NULL, -- of a function of the host: the ELF file that holds it
  "own_host_time" INTEGER NOT NULL, -- in calls, and processor time outside of them
  "own_calls" INTEGER NOT NULL, -- of the CUDA API
  "own_call_time" INTEGER NOT NULL, -- that these took
  "own_launch_calls" INTEGER NOT NULL, -- calls of that kind
  "own_launch_time" INTEGER NOT NULL, -- that these took
  "own_copy_calls" INTEGER NOT NULL, -- calls of that kind
  "own_copy_time" INTEGER NOT NULL, -- that these took
  "own_set_calls" INTEGER NOT NULL, -- calls of that kind
  "own_set_time" INTEGER NOT NULL, -- that these took
  "own_synchronisation_calls" INTEGER NOT NULL, -- calls of that kind
  "own_synchronisation_time" INTEGER NOT NULL, -- that these took
  "own_allocation_calls" INTEGER NOT NULL, -- calls of that kind
  "own_allocation_time" INTEGER NOT NULL, -- that these took
  "own_free_calls" INTEGER NOT NULL, -- calls of that kind
  "own_free_time" INTEGER NOT NULL, -- that these took
  "own_other_calls" INTEGER NOT NULL, -- calls of that kind
  "own_other_time" INTEGER NOT NULL, -- that these took
  "own_wait_time" INTEGER NOT NULL, -- of call_time: until earlier launches were over, in calls that returned only then and do not synchronise
  "own_api_time" INTEGER NOT NULL, -- of launches on the device, where that is known, and of other calls
  "own_launches" INTEGER NOT NULL, -- of kernels
  "own_device_time" INTEGER NOT NULL, -- of launches, where it is known
  "own_copied_bytes" INTEGER NOT NULL, -- by copies
  "own_set_bytes" INTEGER NOT NULL, -- by sets
  "own_allocated_bytes" INTEGER NOT NULL, -- by allocations
  "own_accesses" INTEGER NOT NULL, -- by threads of the device
  "own_access_bytes" INTEGER NOT NULL, -- of these
  "own_requests" INTEGER NOT NULL, -- of warps, to global memory
  "own_sectors" INTEGER NOT NULL, -- of these
  "own_least_sectors" INTEGER NOT NULL, -- sectors if each request's bytes lay side by side
  "own_samples" INTEGER NOT NULL, -- of threads of the host
  "own_processor_time" INTEGER NOT NULL, -- that these stand for
  "own_processor_time_in_calls" INTEGER NOT NULL, -- of processor_time: used in calls
  "own_instructions" INTEGER NOT NULL, -- executed by warps of the device, where the program was built to record it
  "own_thread_instructions" INTEGER NOT NULL, -- the same, by the threads that were active
  "total_host_time" INTEGER NOT NULL, -- in calls, and processor time outside of them
  "total_calls" INTEGER NOT NULL, -- of the CUDA API
  "total_call_time" INTEGER NOT NULL, -- that these took
  "total_launch_calls" INTEGER NOT NULL, -- calls of that kind
  "total_launch_time" INTEGER NOT NULL, -- that these took
  "total_copy_calls" INTEGER NOT NULL, -- calls of that kind
  "total_copy_time" INTEGER NOT NULL, -- that these took
  "total_set_calls" INTEGER NOT NULL, -- calls of that kind
  "total_set_time" INTEGER NOT NULL, -- that these took
  "total_synchronisation_calls" INTEGER NOT NULL, -- calls of that kind
  "total_synchronisation_time" INTEGER NOT NULL, -- that these took
  "total_allocation_calls" INTEGER NOT NULL, -- calls of that kind
  "total_allocation_time" INTEGER NOT NULL, -- that these took
  "total_free_calls" INTEGER NOT NULL, -- calls of that kind
  "total_free_time" INTEGER NOT NULL, -- that these took
  "total_other_calls" INTEGER NOT NULL, -- calls of that kind
  "total_other_time" INTEGER NOT NULL, -- that these took
  "total_wait_time" INTEGER NOT NULL, -- of call_time: until earlier launches were over, in calls that returned only then and do not synchronise
  "total_api_time" INTEGER NOT NULL, -- of launches on the device, where that is known, and of other calls
  "total_launches" INTEGER NOT NULL, -- of kernels
  "total_device_time" INTEGER NOT NULL, -- of launches, where it is known
  "total_copied_bytes" INTEGER NOT NULL, -- by copies
  "total_set_bytes" INTEGER NOT NULL, -- by sets
  "total_allocated_bytes" INTEGER NOT NULL, -- by allocations
  "total_accesses" INTEGER NOT NULL, -- by threads of the device
  "total_access_bytes" INTEGER NOT NULL, -- of these
  "total_requests" INTEGER NOT NULL, -- of warps, to global memory
  "total_sectors" INTEGER NOT NULL, -- of these
  "total_least_sectors" INTEGER NOT NULL, -- sectors if each request's bytes lay side by side
  "total_samples" INTEGER NOT NULL, -- of threads of the host
  "total_processor_time" INTEGER NOT NULL, -- that these stand for
  "total_processor_time_in_calls" INTEGER NOT NULL, -- of processor_time: used in calls
  "total_instructions" INTEGER NOT NULL, -- executed by warps of the device, where the program was built to record it
  "total_thread_instructions" INTEGER NOT NULL, -- the same, by the threads that were active
  "column" INTEGER NOT NULL -- of a loop; 0: it is none
);

-- A function, call or kernel, wherever it is called; what a call of itself did counts once in its total.
CREATE TABLE profile_procedures (
  "kind" TEXT NOT NULL, -- what it is
  "name" TEXT NOT NULL, -- as in profile_nodes
  "object" TEXT NOT NULL, -- likewise
  "cpu_importance" REAL NOT NULL, -- its processor time less its api_time, of the execution time
  "api_importance" REAL, -- its api_time, of the program's; null: there is none
  "own_host_time" INTEGER NOT NULL, -- in calls, and processor time outside of them
  "own_calls" INTEGER NOT NULL, -- of the CUDA API
  "own_call_time" INTEGER NOT NULL, -- that these took
  "own_launch_calls" INTEGER NOT NULL, -- calls of that kind
  "own_launch_time" INTEGER NOT NULL, -- that these took
  "own_copy_calls" INTEGER NOT NULL, -- calls of that kind
  "own_copy_time" INTEGER NOT NULL, -- that these took
  "own_set_calls" INTEGER NOT NULL, -- calls of that kind
  "own_set_time" INTEGER NOT NULL, -- that these took
  "own_synchronisation_calls" INTEGER NOT NULL, -- calls of that kind
  "own_synchronisation_time" INTEGER NOT NULL, -- that these took
  "own_allocation_calls" INTEGER NOT NULL, -- calls of that kind
  "own_allocation_time" INTEGER NOT NULL, -- that these took
  "own_free_calls" INTEGER NOT NULL, -- calls of that kind
  "own_free_time" INTEGER NOT NULL, -- that these took
  "own_other_calls" INTEGER NOT NULL, -- calls of that kind
  "own_other_time" INTEGER NOT NULL, -- that these took
  "own_wait_time" INTEGER NOT NULL, -- of call_time: until earlier launches were over, in calls that returned only then and do not synchronise
  "own_api_time" INTEGER NOT NULL, -- of launches on the device, where that is known, and of other calls
  "own_launches" INTEGER NOT NULL, -- of kernels
  "own_device_time" INTEGER NOT NULL, -- of launches, where it is known
  "own_copied_bytes" INTEGER NOT NULL, -- by copies
  "own_set_bytes" INTEGER NOT NULL, -- by sets
  "own_allocated_bytes" INTEGER NOT NULL, -- by allocations
  "own_accesses" INTEGER NOT NULL, -- by threads of the device
  "own_access_bytes" INTEGER NOT NULL, -- of these
  "own_requests" INTEGER NOT NULL, -- of warps, to global memory
  "own_sectors" INTEGER NOT NULL, -- of these
  "own_least_sectors" INTEGER NOT NULL, -- sectors if each request's bytes lay side by side
  "own_samples" INTEGER NOT NULL, -- of threads of the host
  "own_processor_time" INTEGER NOT NULL, -- that these stand for
  "own_processor_time_in_calls" INTEGER NOT NULL, -- of processor_time: used in calls
  "own_instructions" INTEGER NOT NULL, -- executed by warps of the device, where the program was built to record it
  "own_thread_instructions" INTEGER NOT NULL, -- the same, by the threads that were active
  "total_host_time" INTEGER NOT NULL, -- in calls, and processor time outside of them
  "total_calls" INTEGER NOT NULL, -- of the CUDA API
  "total_call_time" INTEGER NOT NULL, -- that these took
  "total_launch_calls" INTEGER NOT NULL, -- calls of that kind
  "total_launch_time" INTEGER NOT NULL, -- that these took
  "total_copy_calls" INTEGER NOT NULL, -- calls of that kind
  "total_copy_time" INTEGER NOT NULL, -- that these took
  "total_set_calls" INTEGER NOT NULL, -- calls of that kind
  "total_set_time" INTEGER NOT NULL, -- that these took
  "total_synchronisation_calls" INTEGER NOT NULL, -- calls of that kind
  "total_synchronisation_time" INTEGER NOT NULL, -- that these took
  "total_allocation_calls" INTEGER NOT NULL, -- calls of that kind
  "total_allocation_time" INTEGER NOT NULL, -- that these took
  "total_free_calls" INTEGER NOT NULL, -- calls of that kind
  "total_free_time" INTEGER NOT NULL, -- that these took
  "total_other_calls" INTEGER NOT NULL, -- calls of that kind
  "total_other_time" INTEGER NOT NULL, -- that these took
  "total_wait_time" INTEGER NOT NULL, -- of call_time: until earlier launches were over, in calls that returned only then and do not synchronise
  "total_api_time" INTEGER NOT NULL, -- of launches on the device, where that is known, and of other calls
  "total_launches" INTEGER NOT NULL, -- of kernels
  "total_device_time" INTEGER NOT NULL, -- of launches, where it is known
  "total_copied_bytes" INTEGER NOT NULL, -- by copies
  "total_set_bytes" INTEGER NOT NULL, -- by sets
  "total_allocated_bytes" INTEGER NOT NULL, -- by allocations
  "total_accesses" INTEGER NOT NULL, -- by threads of the device
  "total_access_bytes" INTEGER NOT NULL, -- of these
  "total_requests" INTEGER NOT NULL, -- of warps, to global memory
  "total_sectors" INTEGER NOT NULL, -- of these
  "total_least_sectors" INTEGER NOT NULL, -- sectors if each request's bytes lay side by side
  "total_samples" INTEGER NOT NULL, -- of threads of the host
  "total_processor_time" INTEGER NOT NULL, -- that these stand for
  "total_processor_time_in_calls" INTEGER NOT NULL, -- of processor_time: used in calls
  "total_instructions" INTEGER NOT NULL, -- executed by warps of the device, where the program was built to record it
  "total_thread_instructions" INTEGER NOT NULL, -- the same, by the threads that were active
  "file" TEXT NOT NULL, -- of a loop, as in profile_nodes; empty: it is none
  "line" INTEGER NOT NULL, -- likewise; 0: it is none
  "column" INTEGER NOT NULL -- likewise
);

-- Calls of one kind, and how much of the time on the API is theirs.
CREATE TABLE profile_kinds (
  "kind" TEXT NOT NULL, -- of calls
  "calls" INTEGER NOT NULL, -- of that kind
  "call_time" INTEGER NOT NULL, -- that these took
  "api_time" INTEGER NOT NULL, -- of launches on the device, where that is known; of others call_time
  "api_importance" REAL -- api_time of that of all kinds; null: there is none
);

-- A thread of the host: its calls and samples.
CREATE TABLE profile_threads (
  "id" INTEGER PRIMARY KEY, -- the kernel's
  "name" TEXT NOT NULL, -- empty: none
  "host_time" INTEGER NOT NULL, -- in calls, and processor time outside of them
  "calls" INTEGER NOT NULL, -- of the CUDA API
  "call_time" INTEGER NOT NULL, -- that these took
  "launch_calls" INTEGER NOT NULL, -- calls of that kind
  "launch_time" INTEGER NOT NULL, -- that these took
  "copy_calls" INTEGER NOT NULL, -- calls of that kind
  "copy_time" INTEGER NOT NULL, -- that these took
  "set_calls" INTEGER NOT NULL, -- calls of that kind
  "set_time" INTEGER NOT NULL, -- that these took
  "synchronisation_calls" INTEGER NOT NULL, -- calls of that kind
  "synchronisation_time" INTEGER NOT NULL, -- that these took
  "allocation_calls" INTEGER NOT NULL, -- calls of that kind
  "allocation_time" INTEGER NOT NULL, -- that these took
  "free_calls" INTEGER NOT NULL, -- calls of that kind
  "free_time" INTEGER NOT NULL, -- that these took
  "other_calls" INTEGER NOT NULL, -- calls of that kind
  "other_time" INTEGER NOT NULL, -- that these took
  "wait_time" INTEGER NOT NULL, -- of call_time: until earlier launches were over, in calls that returned only then and do not synchronise
  "api_time" INTEGER NOT NULL, -- of launches on the device, where that is known, and of other calls
  "launches" INTEGER NOT NULL, -- of kernels
  "device_time" INTEGER NOT NULL, -- of launches, where it is known
  "copied_bytes" INTEGER NOT NULL, -- by copies
  "set_bytes" INTEGER NOT NULL, -- by sets
  "allocated_bytes" INTEGER NOT NULL, -- by allocations
  "accesses" INTEGER NOT NULL, -- by threads of the device
  "access_bytes" INTEGER NOT NULL, -- of these
  "requests" INTEGER NOT NULL, -- of warps, to global memory
  "sectors" INTEGER NOT NULL, -- of these
  "least_sectors" INTEGER NOT NULL, -- sectors if each request's bytes lay side by side
  "samples" INTEGER NOT NULL, -- of threads of the host
  "processor_time" INTEGER NOT NULL, -- that these stand for
  "processor_time_in_calls" INTEGER NOT NULL, -- of processor_time: used in calls
  "instructions" INTEGER NOT NULL, -- executed by warps of the device, where the program was built to record it
  "thread_instructions" INTEGER NOT NULL -- the same, by the threads that were active
);

-- How samples were taken.
CREATE TABLE profile_samplings (
  "source" TEXT NOT NULL, -- "perf_event_open" or "timer"
  "period" INTEGER NOT NULL, -- of processor time between samples, as asked for
  "delivered" INTEGER NOT NULL, -- samples
  "lost" INTEGER NOT NULL -- samples
);

CREATE INDEX transfers_by_destination ON transfers (destination, destination_cta);
CREATE INDEX transfers_by_source ON transfers (source, source_cta);
CREATE INDEX address_history_by_address ON address_history (address, superstep);
