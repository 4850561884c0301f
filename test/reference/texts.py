"""What `cupranalyze comm` and `findings` print, line by line, with single spaces; lines without a number are left out."""
from definitions import HOST


def grouped(number):
    return f"{number:,}"


def percent(part, whole):
    if not whole:
        return "-"
    value = 100 * part / whole
    if part < whole and value >= 99.95:
        return ">99.9 %"
    if part and value < 0.05:
        return "<0.1 %"
    return f"{value:.1f} %"


def name_of(document, launch):
    if launch == HOST:
        return "host"
    row = document.a.launches[launch]
    phase = f", phase {row['phase']}" if row["apart"] else ""
    return f"launch {row['number']}{phase} ({row['kernel'].partition('(')[0]})"


def cta_of(document, launch, cta):
    place, grid = document.coordinates(launch, cta), document.grid(launch)
    dimensions = 3 if grid[2] != 1 else 2 if grid[1] != 1 else 1
    return ",".join(map(str, place[:dimensions]))


def communication_text(document, defined):
    volume, communicated = defined["volume"], defined["communicated"]
    written = volume["uniqueWrittenBytes"] + volume["copiedBytes"]
    lines = [f"{name} {grouped(volume[name])} {grouped(volume[name[:-1] + 'Bytes'])} by threads"
             for name in ("loads", "stores", "atomics")]
    lines += [f"read {grouped(volume['uniqueReadBytes'])} distinct bytes per launch, summed",
              f"written {grouped(volume['uniqueWrittenBytes'])} distinct bytes per launch, summed",
              *([f"copied {grouped(volume['copiedBytes'])} of what launches wrote, within the device"]
                if volume["copiedBytes"] else []),
              f"written by host {grouped(volume['hostWrittenBytes'])} copies and sets"]
    bytes_ = {name: grouped(value) for name, value in communicated.items() if "hare" not in name}
    doubts = {name: f" (* {bytes_[name]} possibly overwritten)" if communicated[name] else "" for name in bytes_}
    lines += [f"handed on {bytes_['handedOnBytes']} bytes, {percent(communicated['handedOnBytes'], written)} of what "
              "launches wrote: another CTA or another kernel read them later",
              f"communicated {bytes_['bytes']} bytes, {percent(communicated['bytes'], written)} of what launches "
              f"wrote: a later launch read them, own data included{doubts['possiblyOverwrittenBytes']}",
              f"same index {bytes_['sameIndexBytes']} bytes, read by the CTA with the writer's index",
              f"other index {bytes_['otherIndexBytes']} bytes, read by another CTA",
              f"to the host {bytes_['toHostBytes']} bytes, {percent(communicated['toHostBytes'], written)} of what "
              f"launches wrote{doubts['toHostPossiblyOverwrittenBytes']}",
              f"from the host {bytes_['fromHostBytes']} bytes, "
              f"{percent(communicated['fromHostBytes'], volume['hostWrittenBytes'])} of what the host wrote"
              f"{doubts['fromHostPossiblyOverwrittenBytes']}"]
    if defined["incompleteLaunches"]:
        lines.append(f"{defined['incompleteLaunches']} launches are not traced or incomplete: what they wrote and "
                     "read is not in these figures")
    if communicated["ofLastProducerBytes"]:
        lines.append(f"{bytes_['ofLastProducerBytes']} bytes have so many producers that the last writer stands for all "
                     "of them in transfers between CTAs")
    lines += [note for note in defined["notes"] if "taken apart" in note]
    for row in defined["pairs"]:
        numbers = [row[name] for name in ("bytes", "sameIndexBytes", "otherIndexBytes", "operations", "ctaPairs")]
        doubt = [f"* {grouped(row['possiblyOverwrittenBytes'])}"] if row["possiblyOverwrittenBytes"] else []
        lines.append(" ".join([name_of(document, row["source"]), name_of(document, row["destination"]),
                               *map(grouped, numbers), *doubt]))
    transfers = [row for row in defined["transfers"] if HOST not in (row["source"], row["destination"])]
    lines.append(f"the {len(transfers)} largest of {grouped(len(transfers))} transfers between CTAs")
    for row in transfers:
        ends = [text for end in ("source", "destination")
                for text in (name_of(document, row[end]), cta_of(document, row[end], row[end + "Cta"]))]
        lines.append(" ".join([*ends, grouped(row["bytes"]), grouped(row["operations"])]))
    return lines


def seconds_text(seconds):
    unit, factor = next(((unit, factor) for unit, factor in (("s", 1), ("ms", 1e3), ("us", 1e6)) if seconds * factor >= 1),
                        ("ns", 1e9))
    return f"; up to {seconds * factor:.2f} {unit}" if seconds else ""


def findings_text(defined):
    """Without titles and advice."""
    lines = []
    for finding in defined["findings"]:
        place = ":".join([finding["file"]] + [str(finding[name]) for name in ("line", "column") if finding[name]])
        lines += [finding["id"],
                  f"{place} ({finding['operation']})" if finding["operation"] else place,
                  f"in {finding['kernel']}" if finding["kernel"] else "",
                  f"called by {finding['path']}" if finding["path"] else "",
                  f"{grouped(finding['amount'])} {finding['unit']}, {100 * finding['share']:.1f} % of the program's"
                  + seconds_text(finding["seconds"]) + (" by the trace's times" if finding["measured"] else "")]
    return [line for line in lines if any(c.isdigit() for c in line)]
