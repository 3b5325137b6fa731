"""Messages over a socket: an 8-byte length, then that many bytes."""

from __future__ import annotations

import socket
import struct

HEADER = struct.Struct("!Q")
BLOCK = 1 << 20


def send(channel: socket.socket, message: bytes) -> None:
    """Send one message, waiting for room."""
    channel.sendall(HEADER.pack(len(message)))
    channel.sendall(message)


def receive(channel: socket.socket) -> bytes | None:
    """Wait for one message; None if the other side is gone."""
    header = _exactly(channel, HEADER.size)
    return None if header is None else _exactly(channel, HEADER.unpack(header)[0])


def _exactly(channel: socket.socket, size: int) -> bytes | None:
    data = bytearray()
    while len(data) < size:
        block = channel.recv(min(BLOCK, size - len(data)))
        if not block:
            return None
        data += block
    return bytes(data)


class Channel:
    """The pool's end of a socket: it never waits, so no worker can block the others."""

    def __init__(self, sock: socket.socket) -> None:
        sock.setblocking(False)
        self.socket = sock
        self.closed = False
        self._inbox = bytearray()
        self._outbox = memoryview(b"")

    @property
    def sending(self) -> bool:
        """Whether part of a message still waits to be sent."""
        return bool(self._outbox)

    def post(self, message: bytes) -> None:
        """Start to send a message; :meth:`flush` sends the rest."""
        self._outbox = memoryview(HEADER.pack(len(message)) + message)
        self.flush()

    def flush(self) -> None:
        """Send as much as there is room for."""
        try:
            while self._outbox:
                self._outbox = self._outbox[self.socket.send(self._outbox[:BLOCK]) :]
        except BlockingIOError:
            pass
        except OSError:
            self._outbox = memoryview(b"")
            self.closed = True

    def collect(self) -> list[bytes]:
        """Every message that has arrived in full; sets ``closed`` at the end of the stream."""
        try:
            while block := self.socket.recv(BLOCK):
                self._inbox += block
            self.closed = True
        except BlockingIOError:
            pass
        except OSError:
            self.closed = True
        messages = []
        while len(self._inbox) >= HEADER.size:
            end = HEADER.size + HEADER.unpack_from(self._inbox)[0]
            if len(self._inbox) < end:
                break
            messages.append(bytes(self._inbox[HEADER.size : end]))
            del self._inbox[:end]
        return messages
