#!/usr/bin/env python3
# Copyright (c) 2026 llm-fabric contributors
#
# SPDX-License-Identifier: GPL-2.0-only
#
"""Reads Ethernet captures of RoCE v2 and PFC, and checks every byte that has a rule.

It shares no code with the module: lengths, IPv4 checksum, opcodes, headers, pad and reserved bits
are checked by the InfiniBand architecture and IEEE 802.1Qbb, the ICRC with zlib's CRC-32, and the
length in each RETH against the payload of the packets of its write or read. Other traffic is counted only.

Usage: verify-capture.py [--list] FILE...     a summary of each file, or a line for each packet
       verify-capture.py --self-test
Exit status: 0 all is right, 1 a packet is wrong (it is named), 2 a file is no such capture.
"""

import collections
import struct
import sys
import zlib

# opcode: name, headers after the base transport header, has payload
OPCODES = {
    0x00: ("SEND_FIRST", "", True),
    0x01: ("SEND_MIDDLE", "", True),
    0x02: ("SEND_LAST", "", True),
    0x03: ("SEND_LAST_IMMEDIATE", "I", True),
    0x04: ("SEND_ONLY", "", True),
    0x05: ("SEND_ONLY_IMMEDIATE", "I", True),
    0x06: ("WRITE_FIRST", "R", True),
    0x07: ("WRITE_MIDDLE", "", True),
    0x08: ("WRITE_LAST", "", True),
    0x09: ("WRITE_LAST_IMMEDIATE", "I", True),
    0x0A: ("WRITE_ONLY", "R", True),
    0x0B: ("WRITE_ONLY_IMMEDIATE", "RI", True),
    0x0C: ("READ_REQUEST", "R", False),
    0x0D: ("READ_RESPONSE_FIRST", "A", True),
    0x0E: ("READ_RESPONSE_MIDDLE", "", True),
    0x0F: ("READ_RESPONSE_LAST", "A", True),
    0x10: ("READ_RESPONSE_ONLY", "A", True),
    0x11: ("ACKNOWLEDGE", "A", False),
    0x81: ("CNP", "C", False),
}
HEADER_BYTES = {"R": 16, "A": 4, "I": 4, "C": 16}
# Bytes between pad and ICRC: hops 2 or telemetry 42, marks 8; outside of the ICRC.
TRAILER_BYTES = (0, 2, 8, 10, 42, 50)
SYNDROMES = {0x1F, 0x60, 0x61, 0x62, 0x63, 0x64} | set(range(0x20, 0x40))


class Wrong(Exception):
    """A packet breaks a rule."""


def expect(condition, what):
    if not condition:
        raise Wrong(what)


def icrc_of(ip):
    """The CRC of a packet from the IPv4 header to the end of the pad."""
    masked = bytearray(ip)
    for offset in (1, 8, 10, 11, 26, 27, 32):  # TOS, TTL, checksums, FECN and BECN
        masked[offset] = 0xFF
    return struct.pack("<I", zlib.crc32(b"\xff" * 8 + bytes(masked)))


def read_records(path):
    """Yields time in ns and bytes of each packet of a file."""
    with open(path, "rb") as file:
        head = file.read(24)
        magics = {0xA1B23C4D: 1, 0xA1B2C3D4: 1000}
        order = next((o for o in "<>" if len(head) == 24
                      and struct.unpack(o + "I", head[:4])[0] in magics), None)
        if order is None:
            raise ValueError("is no pcap file")
        magic, _, _, _, _, _, link = struct.unpack(order + "IHHiIII", head)
        if link != 1:
            raise ValueError(f"has link type {link} instead of 1, Ethernet")
        while record := file.read(16):
            if len(record) < 16:
                raise ValueError("ends in the head of a packet")
            seconds, fraction, included, original = struct.unpack(order + "IIII", record)
            data = file.read(included)
            if included != original or len(data) < included:
                raise ValueError("has a packet that was cut")
            yield seconds * 10**9 + fraction * magics[magic], data


def check_pfc(frame):
    """Returns priorities that are paused and resumed by a priority flow control frame."""
    expect(frame[:6] == bytes.fromhex("0180c2000001"), "PFC to another address")
    expect(len(frame) == 60, "PFC frame is not of the shortest size")
    opcode, enabled = struct.unpack("!HH", frame[14:18])
    timers = struct.unpack("!8H", frame[18:34])
    expect(opcode == 0x0101, f"MAC control opcode {opcode:#06x}")
    expect(enabled < 256, "upper byte of the class-enable vector is not 0")
    expect(not any(frame[34:]), "PFC padding is not 0")
    classes = [i for i in range(8) if enabled >> i & 1]
    expect(all(timers[i] == 0 for i in range(8) if i not in classes), "timer of no class")
    return [(i, timers[i]) for i in classes]


def check_ip_udp(frame):
    """Returns the packet from the IPv4 header to its end."""
    ip = frame[14:]
    length = struct.unpack("!H", ip[2:4])[0]
    expect(ip[0] == 0x45, "IPv4 header with options")
    expect(sum(struct.unpack("!10H", ip[:20])) % 0xFFFF == 0, "IPv4 checksum")
    expect(length <= len(ip), "IPv4 length is more than the frame has")
    expect(length == len(ip) or len(frame) == 60, "IPv4 length is less than the frame has")
    expect(not any(ip[length:]), "Ethernet padding is not 0")
    expect(ip[6:8] == b"\x40\x00", "IPv4 fragment, or may become one")
    expect(ip[8] == 64, "time to live is not 64")
    udp_length, udp_checksum = struct.unpack("!HH", ip[24:28])
    expect(udp_length == length - 20, "UDP length")
    expect(udp_checksum == 0, "UDP checksum")
    return ip[:length]


def find_trailer(ip):
    """Returns how many bytes are between pad and ICRC: that number with which the ICRC is right."""
    for trailer in TRAILER_BYTES:
        end = len(ip) - 4 - trailer
        if end >= 40 and icrc_of(ip[:end]) == ip[-4:]:
            return trailer
    raise Wrong("ICRC")


def check_bth(bth):
    """Returns opcode, pad count, destination queue pair, AckReq and PSN of 12 bytes."""
    opcode, flags, pkey, queue_pair, psn = struct.unpack("!BBHII", bth)
    expect(opcode in OPCODES, f"unknown opcode {opcode:#04x}")
    expect(flags & 0x8F == 0, "solicited event or transport version")
    expect(pkey == 0xFFFF, "partition key is not the default one")
    expect(queue_pair >> 24 == (0x40 if opcode == 0x81 else 0), "FECN, BECN or reserved bits")
    expect(queue_pair & 0xFFFFFF > 1, "queue pair 0 or 1, of management")
    expect(psn >> 24 & 0x7F == 0, "reserved bits before the PSN")
    return opcode, flags >> 4 & 3, queue_pair & 0xFFFFFF, psn >> 31, psn & 0xFFFFFF


def check_roce(frame):
    """Returns a dictionary of what a RoCE v2 packet says."""
    ip = check_ip_udp(frame)
    trailer = find_trailer(ip)
    opcode, pad, queue_pair, ack_request, psn = check_bth(ip[28:40])
    _, headers, has_payload = OPCODES[opcode]
    at = 40
    packet = {"opcode": opcode, "qp": queue_pair, "psn": psn, "ack": ack_request, "tos": ip[1],
              "from": ip[12:16], "to": ip[16:20], "port": struct.unpack("!H", ip[20:22])[0],
              "trailer": trailer, "bitmap": 0}
    for header in headers:
        part = ip[at:at + HEADER_BYTES[header]]
        at += HEADER_BYTES[header]
        if header == "R":
            packet["address"], key, packet["length"] = struct.unpack("!QII", part)
            expect(key == 0, "R_Key")
        elif header == "A":
            packet["syndrome"], packet["msn"] = part[0], int.from_bytes(part[1:], "big")
            expect(part[0] in SYNDROMES, f"AETH syndrome {part[0]:#04x}")
        elif header == "I":
            packet["immediate"] = int.from_bytes(part, "big")
        else:
            expect(not any(part), "reserved bytes of a CNP")
            expect(psn == 0 and not ack_request, "CNP with PSN or AckReq")
    rest = len(ip) - 4 - trailer - at
    expect(rest >= pad, "headers are longer than the packet")
    expect(rest % 4 == 0, "payload and pad are no multiple of 4 bytes")
    expect(not any(ip[at + rest - pad:at + rest]), "pad is not 0")
    packet["payload"] = rest - pad if has_payload else 0
    if not has_payload:
        selective = packet.get("syndrome") == 0x60  # a bitmap may follow
        expect(pad == 0 and (rest == 0 or selective), "payload where there is none")
        packet["bitmap"] = rest
    expect(opcode not in (0x0A, 0x0B) or packet["length"] == packet["payload"],
           "DMA length of a packet that is a whole message")
    return packet


def check_messages(packets):
    """Compares the DMA length of each WRITE that is there as a whole with its payload."""
    flows = collections.defaultdict(dict)
    for packet in packets:
        if packet["opcode"] in range(0x06, 0x0A):
            flows[packet["from"], packet["to"], packet["qp"]][packet["psn"]] = packet
    count = 0
    for flow in flows.values():
        for psn, first in flow.items():
            if first["opcode"] != 0x06:
                continue
            payload = first["payload"]
            while (part := flow.get(psn := (psn + 1) & 0xFFFFFF)) and part["opcode"] != 0x06:
                payload += part["payload"]
                if part["opcode"] != 0x07:
                    expect(payload == first["length"],
                           f"message from PSN {first['psn']} has {payload} bytes, and its RETH "
                           f"says {first['length']}")
                    count += 1
                    break
    return count


def check_reads(packets):
    """Compares each READ request with the response, where two hosts have one queue pair only."""
    responses, queue_pairs = collections.defaultdict(dict), collections.defaultdict(set)
    for packet in packets:
        way = packet["from"], packet["to"]
        queue_pairs[way].add(packet["qp"])
        if packet["opcode"] in range(0x0D, 0x11):
            responses[way][packet["psn"]] = packet
    count = 0
    for request in packets:
        way = request["to"], request["from"]
        if request["opcode"] != 0x0C or len(queue_pairs[way]) != 1:
            continue
        psn, payload = request["psn"], 0
        while part := responses[way].get(psn):
            payload, psn = payload + part["payload"], (psn + 1) & 0xFFFFFF
            if part["opcode"] in (0x0F, 0x10):
                expect(payload == request["length"],
                       f"read of PSN {request['psn']} gets {payload} bytes instead of "
                       f"{request['length']}")
                count += 1
                break
    return count


def list_packet(time, frame, kind, packet):
    """Prints a packet as words, the same ones for all packets of its kind."""
    if kind == "pfc":
        print(time, len(frame), "PFC", *(f"{priority}:{timer}" for priority, timer in packet))
    elif kind == "roce":
        name = OPCODES[packet["opcode"]][0]
        print(time, len(frame), name,
              ".".join(str(byte) for byte in packet["from"]), packet["port"],
              *(f"{key}={packet[key]}" for key in
                ("tos", "qp", "psn", "ack", "payload", "length", "syndrome", "msn", "immediate",
                 "bitmap", "trailer") if key in packet))
    else:
        print(time, len(frame), "OTHER")


def classify(frame):
    """Returns what a frame is, and what it says."""
    expect(len(frame) >= 60, "shorter than Ethernet allows")
    ether_type = struct.unpack("!H", frame[12:14])[0]
    if ether_type == 0x8808:
        return "pfc", check_pfc(frame)
    if ether_type == 0x0800 and frame[23] == 17 and frame[36:38] == b"\x12\xb7":
        return "roce", check_roce(frame)
    return "other", None


def summarize(path, total, roce, pauses, messages, reads):
    print(f"{path}: {total} packets, {len(roce)} RoCE v2, {pauses[True]} pauses, "
          f"{pauses[False]} resumes, {messages} whole writes, {reads} whole reads")
    by_opcode = collections.defaultdict(list)
    for packet in roce:
        name = OPCODES[packet["opcode"]][0]
        negative = packet.get("syndrome", 0x1F) != 0x1F
        by_opcode[f"{packet['opcode']:#04x} {name}{' negative' if negative else ''}"].append(packet)
    for name, packets in sorted(by_opcode.items()):
        numbers = [packet["psn"] for packet in packets]
        print(f"  {name}: {len(packets)}, payload {sum(p['payload'] for p in packets)} B, "
              f"PSN {min(numbers)} to {max(numbers)}")


def verify(path, listing):
    """Checks a file; returns the number of wrong packets."""
    wrong, total, last, roce = 0, 0, 0, []
    pauses = collections.Counter()
    for time, frame in read_records(path):
        total += 1
        try:
            expect(time >= last, "time runs backwards")
            last = time
            kind, packet = classify(frame)
        except Wrong as error:
            print(f"{path}: packet {total}: {error}", file=sys.stderr)
            wrong += 1
            continue
        if kind == "roce":
            roce.append(packet)
        elif kind == "pfc":
            pauses.update(timer > 0 for _, timer in packet)
        if listing:
            list_packet(time, frame, kind, packet)
    try:
        messages, reads = check_messages(roce), check_reads(roce)
    except Wrong as error:
        print(f"{path}: {error}", file=sys.stderr)
        return wrong + 1
    if not listing:
        summarize(path, total, roce, pauses, messages, reads)
    return wrong


def self_test():
    """Two packets whose ICRC is known: a CNP of a ConnectX-4 Lx, a Send of another adapter."""
    cnp = bytes.fromhex("45c2003c718c4000401191610a0011010a001201000012b700280000"
                        "8100ffff4000011800000000" + "00" * 16 + "82fd002a")
    send = bytes.fromhex("45010040047840004011b4d5c0a80007c0a80007c00012b7002caca2"
                         "2460ffff000000d300cf17104630818be28935d90e9a95505401be885e500000"
                         "78f353f3")
    assert icrc_of(cnp[:-4]) == cnp[-4:] and icrc_of(send[:-4]) == send[-4:]
    frame = bytes.fromhex("0200000000010200000000020800") + cnp
    kind, packet = classify(frame)
    assert kind == "roce" and packet["qp"] == 0x118 and packet["tos"] == 0xC2
    for offset in range(14, len(frame)):
        bad = bytearray(frame)
        bad[offset] ^= 1
        try:
            kind, _ = classify(bytes(bad))
            assert kind == "other", f"a wrong byte {offset} is not seen"
        except Wrong:
            pass
    print("both ICRCs are right, and a wrong bit anywhere is seen")


def main(arguments):
    if arguments == ["--self-test"]:
        self_test()
        return 0
    listing = arguments[:1] == ["--list"]
    files = arguments[listing:]
    if not files or any(name.startswith("-") for name in files):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        return 1 if sum(verify(path, listing) for path in files) else 0
    except (OSError, ValueError) as error:
        print(f"verify-capture.py: {files}: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
