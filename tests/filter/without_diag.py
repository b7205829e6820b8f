# without_diag.py: PROGRAM ARGUMENT...: executes it where the kernel has no sock_diag(7), for x86-64.
import ctypes, os, struct, sys

SOCKET, NETLINK, SOCK_DIAG, EPROTONOSUPPORT = 41, 16, 4, 93
LOAD, EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, ERRNO = 0x7FFF0000, 0x00050000
NUMBER, FIRST, THIRD = 0, 16, 32 # within struct seccomp_data
program = b"".join(struct.pack("HBBI", *one) for one in (
    (LOAD, 0, 0, NUMBER), (EQUAL, 0, 5, SOCKET),
    (LOAD, 0, 0, FIRST), (EQUAL, 0, 3, NETLINK),
    (LOAD, 0, 0, THIRD), (EQUAL, 0, 1, SOCK_DIAG),
    (RETURN, 0, 0, ERRNO | EPROTONOSUPPORT), (RETURN, 0, 0, ALLOW)))
held = ctypes.create_string_buffer(program)
filled = struct.pack("HxxxxxxQ", len(program) // 8, ctypes.addressof(held))
# PR_SET_SECCOMP, SECCOMP_MODE_FILTER; root needs no PR_SET_NO_NEW_PRIVS.
if ctypes.CDLL(None, use_errno=True).prctl(22, 2, ctypes.create_string_buffer(filled)):
    sys.exit("seccomp: " + os.strerror(ctypes.get_errno()))
os.execv(sys.argv[1], sys.argv[1:])
