/// Programs whose answers arithmetic knows: known.py has the numbers.
#include "program.h"

namespace cupr::reference {

const std::vector<std::pair<std::string, std::function<void(Program &)>>> kKnownPrograms = {
    {"ring",
     [](Program &p) {
       for (std::uint64_t cta = 0; cta < 4; ++cta)
         p.access(kStore, cta, kA + 128 * cta);
       p.launch();
       for (std::uint64_t cta = 0; cta < 4; ++cta)
         p.access(kLoad, cta, kA + 128 * ((cta + 1) % 4));
       p.launch();
     }},
    {"executions", // are no accesses
     [](Program &p) {
       for (std::uint64_t cta = 0; cta < 4; ++cta) {
         p.execute(cta, ~0u);
         p.access(kStore, cta, kA + 128 * cta);
         p.execute(cta, 0xff);
       }
       p.launch();
       p.execute(0, 1);
       p.launch("other(int*)");
     }},
    {"structures",
     [](Program &p) {
       p.access(kLoad12, 0, kA, 12);
       p.access(kStore12, 0, kB, 12);
       p.launch();
     }},
    {"scratch", // 64 bytes go on, 128 are scratch of each launch
     [](Program &p) {
       for (int turn = 0; turn < 3; ++turn) {
         p.words.strided(kLoad, 0, 0, kB, 4, 0xffff);
         p.access(kStore, 0, kA);
         p.access(kLoad, 0, kA);
         p.words.strided(kStore, 0, 0, kB, 4, 0xffff);
         p.launch();
       }
     }},
    {"set_without_order",
     [](Program &p) {
       p.trace.set(kA, 128);
       p.trace.stream(7, NonBlocking);
       p.access(kLoad, 0, kA);
       p.launch();
     }},
    {"copied_twice",
     [](Program &p) {
       p.access(kStore, 0, kA);
       p.launch();
       for (const std::uint64_t bytes : {64, 128, 128})
         p.trace.copy(Copy::DeviceToHost, kHost, kA, bytes);
     }},
    {"inside_a_launch",
     [](Program &p) {
       p.access(kStore, 0, kA);
       for (std::uint64_t cta = 1; cta < 4; ++cta)
         p.access(kLoad, cta, kA);
       p.access(kLoad, 1, kB);
       p.access(kStore1, 2, kB, 1);
       p.launch();
     }},
    {"strides", // of 32 threads with 8 bytes each, the first four read what was written
     [](Program &p) {
       p.access(kStore1, 0, kA, 1);
       p.launch();
       p.access(kLoad8, 0, kA, 8);
       p.launch();
     }},
    {"diamond",
     [](Program &p) {
       p.trace.stream(5, NonBlocking);
       p.access(kStore, 0, kA);
       p.launch("first(int*)");
       p.trace.synchronise(Sync::EventRecord, 1);
       p.access(kLoad, 0, kA);
       p.launch("left(int*)");
       p.trace.stream(6, NonBlocking);
       p.trace.synchronise(Sync::StreamWaitEvent, 1);
       p.access(kLoad, 1, kA);
       p.launch("right(int*)");
     }},
    {"two_threads_read_over_a_page", // both the same 8 bytes, half of them on each page
     [](Program &p) {
       p.words.strided(kStore, 0, 0, kA + 0xffc, 4, 3);
       p.launch();
       p.words.strided(kLoad8, 1, 0, kA + 0xffc, 0, 3);
       p.launch();
     }},
    {"blocks_that_wait", // one block's volatile loads for another's volatile stores
     [](Program &p) {
       p.access(kTellingStore, 0, kA);
       p.access(kWaitingLoad, 1, kA);
       p.launch();
     }},
    {"blocks_that_wait_for_plain_stores",
     [](Program &p) {
       p.access(kStore, 0, kA);
       p.access(kWaitingLoad, 1, kA);
       p.launch();
     }},
    {"grid_barriers", // each block hands 128 bytes to its neighbour, and the launch all to the one behind
     [](Program &p) {
       for (std::uint64_t cta = 0; cta < 4; ++cta)
         p.access(kStore, cta, kA + 128 * cta);
       for (std::uint64_t cta = 0; cta < 4; ++cta)
         p.arrive(cta, 3);
       for (std::uint64_t cta = 0; cta < 4; ++cta) {
         p.access(kLoad, cta, kA + 128 * ((cta + 1) % 4));
         p.arrive(cta);
         p.access(kStore, cta, kB + 128 * cta);
       }
       p.launch();
       p.access(kLoad, 0, kB);
       p.launch("other(int*)");
     }},
    {"grid_barrier_at_the_end", // behind it, nothing is accessed
     [](Program &p) {
       for (std::uint64_t cta = 0; cta < 4; ++cta) {
         p.access(kAtomic, cta, kA);
         p.arrive(cta, 2);
       }
       p.launch();
     }},
    {"grid_barrier_that_a_block_misses",
     [](Program &p) {
       for (std::uint64_t cta = 0; cta < 4; ++cta)
         p.access(kStore, cta, kA + 128 * cta);
       for (std::uint64_t cta = 0; cta < 3; ++cta)
         p.arrive(cta);
       p.access(kLoad, 0, kA + 128);
       p.launch();
     }},
    {"own_data",
     [](Program &p) {
       for (const std::uint32_t site : {kStore, kLoad}) {
         for (std::uint64_t cta = 0; cta < 4; ++cta)
           p.access(site, cta, kA + 128 * cta);
         p.launch();
       }
     }},
    {"same_index_of_another_kernel",
     [](Program &p) {
       for (std::uint64_t cta = 0; cta < 4; ++cta)
         p.access(kStore, cta, kA + 128 * cta);
       p.launch();
       for (std::uint64_t cta = 0; cta < 4; ++cta)
         p.access(kLoad, cta, kA + 128 * cta);
       p.launch("other(int*)");
     }},
    // Strides of stores that are read in part.
    {"first_of_a_store",
     [](Program &p) {
       p.store(kA);
       p.words.strided(kLoad, 0, 0, kA, 4, 1);
       p.launch();
     }},
    {"middle_of_a_store",
     [](Program &p) {
       p.store(kA + 4);
       p.words.strided(kLoad, 0, 0, kA + 4, 4, 1 << 5);
       p.launch();
     }},
    {"second_row_of_a_store", // its first thread is 196 bytes behind the last one of the first row
     [](Program &p) {
       abi::WarpAccess access{};
       access.site = kStore;
       access.laneMask = 0xffffffff;
       for (unsigned lane = 0; lane < abi::kLanes; ++lane)
         access.address[lane] = kA + 0x100 * (lane / 16) + 4 * (lane % 16);
       p.words.add(access);
       p.launch();
       p.words.strided(kLoad, 0, 0, kA + 0x100, 4, 3);
       p.launch();
     }},
    {"store_to_one_address",
     [](Program &p) {
       p.access(kStore, 0, kA, 0);
       p.launch();
       p.words.strided(kLoad, 0, 0, kA, 4, 1);
       p.launch();
     }},
    {"overlapping_store", // each thread's last two bytes are the next one's
     [](Program &p) {
       p.access(kStore, 0, kA, 2);
       p.launch();
       p.words.ranges(kLoadAny, 0, kA, {66});
       p.launch();
     }},
    // Launches of which not all was seen.
    {"unseen_between",
     [](Program &p) {
       p.store(kA);
       p.unseen();
       p.load(kA);
     }},
    {"unseen_before",
     [](Program &p) {
       p.unseen();
       p.store(kA);
       p.load(kA);
     }},
    {"unseen_behind",
     [](Program &p) {
       p.store(kA);
       p.load(kA);
       p.unseen();
     }},
    {"unseen_beside",
     [](Program &p) {
       p.trace.stream(7, NonBlocking);
       p.unseen();
       p.trace.stream(5, Blocking);
       p.store(kA);
       p.load(kA);
     }},
    {"unseen_beside_the_reader",
     [](Program &p) {
       p.trace.stream(5, NonBlocking);
       p.store(kA);
       p.load(kA);
       p.trace.stream(7, NonBlocking);
       p.unseen();
     }},
    {"seen_before_the_unseen",
     [](Program &p) {
       p.store(kA);
       p.load(kA);
       p.unseen();
       p.load(kA, "other(int*)");
     }},
    {"unseen_behind_a_copy",
     [](Program &p) {
       p.trace.copy(Copy::HostToDevice, kA, kHost, 128);
       p.unseen();
       p.load(kA);
     }},
    {"unseen_before_a_copy",
     [](Program &p) {
       p.store(kA);
       p.unseen();
       p.trace.copy(Copy::DeviceToHost, kHost, kA, 128);
     }},
    {"unseen_writer",
     [](Program &p) {
       p.access(kStore, 0, kA);
       p.launch("k(int*)", {0, 2, 1});
       p.load(kA);
     }},
    // Order.
    {"supersteps_of_streams",
     [](Program &p) {
       for (int turn = 0; turn < 2; ++turn)
         for (const std::uint64_t stream : {5, 6}) {
           p.trace.stream(stream, NonBlocking);
           p.store(stream == 5 ? kA : kB);
         }
     }},
    {"four_readers",
     [](Program &p) {
       p.store(kA);
       for (std::uint64_t cta = 0; cta < 4; ++cta)
         p.access(kLoad, cta, kA);
       p.launch();
     }},
    {"one_launch_between",
     [](Program &p) {
       p.store(kA);
       p.store(kB);
       p.load(kA);
     }},
    {"event",
     [](Program &p) {
       p.trace.stream(5, NonBlocking);
       p.store(kA);
       p.trace.synchronise(Sync::EventRecord, 1);
       p.trace.stream(6, NonBlocking);
       p.trace.synchronise(Sync::StreamWaitEvent, 1);
       p.load(kA);
     }},
    {"no_event",
     [](Program &p) {
       p.trace.stream(5, NonBlocking);
       p.store(kA);
       p.trace.stream(6, NonBlocking);
       p.load(kA);
     }},
    {"device_synchronised",
     [](Program &p) {
       p.trace.stream(5, NonBlocking);
       p.store(kA);
       p.trace.synchronise(Sync::Device);
       p.trace.stream(6, NonBlocking);
       p.load(kA);
     }},
    {"stream_synchronised",
     [](Program &p) {
       p.trace.stream(5, NonBlocking);
       p.store(kA);
       p.trace.synchronise(Sync::Stream);
       p.trace.stream(6, NonBlocking);
       p.load(kA);
     }},
    {"event_synchronised",
     [](Program &p) {
       p.trace.stream(5, NonBlocking);
       p.store(kA);
       p.trace.synchronise(Sync::EventRecord, 1);
       p.trace.synchronise(Sync::Event, 1);
       p.trace.stream(6, NonBlocking);
       p.load(kA);
     }},
    {"default_stream",
     [](Program &p) {
       p.store(kA);
       p.trace.stream(5, Blocking);
       p.load(kA);
     }},
    {"branches_of_a_graph",
     [](Program &p) {
       p.trace.place({1, 0, {}});
       p.store(kA);
       p.trace.place({1, 1, {}});
       p.load(kA);
     }},
    {"chain_of_a_graph",
     [](Program &p) {
       p.trace.place({1, 0, {}});
       p.store(kA);
       p.trace.place({1, 1, {0}});
       p.load(kA);
     }},
    // Memory.
    {"freed",
     [](Program &p) {
       p.store(kA);
       p.trace.free(kA);
       p.trace.allocate(kA, 0x1000);
       p.load(kA);
     }},
    {"another_freed",
     [](Program &p) {
       p.store(kB);
       p.trace.free(kA);
       p.load(kB);
     }},
    {"set_between",
     [](Program &p) {
       p.store(kA);
       p.trace.set(kA, 128);
       p.load(kA);
     }},
    {"copied_on",
     [](Program &p) {
       p.store(kA);
       p.trace.copy(Copy::DeviceToDevice, kB, kA, 128);
       p.load(kB);
     }},
    {"added_together", // by three CTAs, one of which reads it
     [](Program &p) {
       for (std::uint32_t cta = 0; cta < 3; ++cta)
         p.access(kAtomic, cta, kA);
       p.launch();
       p.load(kA);
     }},
    {"copied_on_twice", // there and, behind it, back
     [](Program &p) {
       p.store(kA);
       p.trace.copy(Copy::DeviceToDevice, kB, kA, 128);
       p.trace.copy(Copy::DeviceToDevice, kA + 128, kB, 128);
       p.load(kB);
       p.load(kA + 128);
     }},
    {"copied_on_and_never_read",
     [](Program &p) {
       p.store(kA);
       p.trace.copy(Copy::DeviceToDevice, kB, kA, 128);
     }},
    {"copied_on_from_the_host",
     [](Program &p) {
       p.trace.copy(Copy::HostToDevice, kA, kHost, 128);
       p.trace.copy(Copy::DeviceToDevice, kB, kA, 128);
       p.load(kB);
     }},
    {"copied_on_too_early", // nothing orders the copy behind the store
     [](Program &p) {
       p.trace.stream(7, NonBlocking);
       p.store(kA);
       p.trace.stream(8, NonBlocking);
       p.trace.copy(Copy::DeviceToDevice, kB, kA, 128, true);
       p.load(kB);
     }},
    {"copied_rows", // three rows of 32 bytes, 40 apart, to rows 64 apart
     [](Program &p) {
       p.store(kA);
       p.trace.copyRows(kB, 64, kA, 40, 32, 3);
       p.load(kB);
       p.load(kB + 128);
     }},
    // The host can write managed memory without a call, when it knows that the writer has ended.
    {"managed_between",
     [](Program &p) {
       p.trace.allocate(kManaged, 0x200, trace::MemoryKind::Managed);
       p.store(kManaged);
       p.trace.synchronise(Sync::Device);
       p.load(kManaged);
     }},
    {"managed_without_a_wait",
     [](Program &p) {
       p.trace.allocate(kManaged, 0x200, trace::MemoryKind::Managed);
       p.store(kManaged);
       p.load(kManaged);
       p.trace.synchronise(Sync::Device);
       p.load(kManaged);
     }},
    {"device_memory_between",
     [](Program &p) {
       p.store(kA);
       p.trace.synchronise(Sync::Device);
       p.load(kA);
     }},
    {"pinned_behind_an_event",
     [](Program &p) {
       p.trace.allocate(kPinned, 0x200, trace::MemoryKind::Host);
       p.trace.stream(7, NonBlocking);
       p.store(kPinned);
       p.trace.synchronise(Sync::EventRecord, 1);
       p.store(kPinned + 128);
       p.trace.synchronise(Sync::Event, 1);
       p.load(kPinned);
       p.load(kPinned + 128);
     }},
    {"managed_before_a_copy",
     [](Program &p) {
       p.trace.allocate(kManaged, 0x200, trace::MemoryKind::Managed);
       p.store(kManaged);
       p.trace.synchronise(Sync::Device);
       p.trace.copy(Copy::DeviceToHost, kHost, kManaged, 128);
     }},
    {"managed_copied_on",
     [](Program &p) {
       p.trace.allocate(kManaged, 0x200, trace::MemoryKind::Managed);
       p.store(kManaged);
       p.trace.synchronise(Sync::Device);
       p.trace.copy(Copy::DeviceToDevice, kA, kManaged, 128);
       p.load(kA);
     }},
    {"set_in_managed_memory", // is the host's before and after
     [](Program &p) {
       p.trace.allocate(kManaged, 0x200, trace::MemoryKind::Managed);
       p.trace.set(kManaged, 128);
       p.trace.synchronise(Sync::Device);
       p.load(kManaged);
     }},
    {"half_in_no_allocation", // which may be the host's
     [](Program &p) {
       p.store(kA + 0x1000 - 64);
       p.trace.synchronise(Sync::Device);
       p.load(kA + 0x1000 - 64);
     }},
    {"too_many_producers", // 4,097 CTAs add to each byte, and the last one stands for all
     [](Program &p) {
       for (std::uint32_t cta = 0; cta < 4097; ++cta)
         p.words.strided(kAtomic, cta, 0, kA, 4, 1);
       p.launch("k(int*)", {}, {4097, 1, 1});
       p.load(kA);
     }},
    {"other_memory", // at the address of what was written in global memory
     [](Program &p) {
       p.store(kA);
       p.access(kOtherSites, 0, kA);
       p.access(kOtherSites + 3, 0, kA, 8);
       p.access(kOtherSites + 4, 1, kA);
       p.launch();
     }},
    {"column_of_a_tile", // in shared memory, and a row of it
     [](Program &p) {
       p.store(kA);
       p.access(kOtherSites, 0, 0x400, 128);
       p.access(kOtherSites, 0, 0x400);
       p.launch();
     }},
    {"over_the_end", // half of the threads access no known allocation
     [](Program &p) { p.load(kB + 0x1000 - 64); }},
    {"written_twice",
     [](Program &p) {
       p.store(kA);
       p.store(kA);
     }},
    {"written_over_what_was_read",
     [](Program &p) {
       p.load(kA);
       p.store(kA);
     }},
    // Findings.
    {"never_read", [](Program &p) { p.store(kA); }},
    {"never_read_in_managed_memory",
     [](Program &p) {
       p.trace.allocate(kManaged, 0x200, trace::MemoryKind::Managed);
       p.store(kManaged);
     }},
    {"read_by_the_unseen",
     [](Program &p) {
       p.store(kA);
       p.unseen();
     }},
    {"scattered",
     [](Program &p) {
       p.access(kLoad, 0, kA, 128);
       p.launch();
     }},
    {"atomics_on_one_address",
     [](Program &p) {
       p.access(kAtomic, 0, kA, 0);
       p.launch();
     }},
    // Grids, and many different strides.
    {"two_hundred_blocks",
     [](Program &p) {
       for (std::uint64_t cta = 0; cta < 200; ++cta)
         p.words.strided(kStore, cta, 0, kB + 4 * cta, 4, 1);
       p.launch("k(int*)", {}, {200, 1, 1});
       for (std::uint64_t cta = 0; cta < 199; ++cta)
         p.words.strided(kLoad, cta, 0, kB + 4 * (cta + 1), 4, 1);
       p.launch("k(int*)", {}, {200, 1, 1});
     }},
    {"cube_of_blocks", // each reads what the one behind it in z wrote
     [](Program &p) {
       for (std::uint64_t cta = 0; cta < 8; ++cta)
         p.access(kStore, cta, kA + 128 * cta);
       p.launch("k(int*)", {}, {2, 2, 2});
       for (std::uint64_t cta = 0; cta < 4; ++cta)
         p.access(kLoad, cta, kA + 128 * (cta + 4));
       p.launch("k(int*)", {}, {2, 2, 2});
     }},
    {"seventy_strides",
     [](Program &p) {
       for (std::int64_t stride = 4; stride <= 280; stride += 4)
         p.access(kLoad, 0, kA, stride);
       p.launch();
     }},
};

} // namespace cupr::reference
