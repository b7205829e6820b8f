"""answer_names.py ADDRESS FROM-PORT ANSWER: a nameserver that says of every name that it is ANSWER.

It lets others share its port, as common resolvers do, and prints each name that it is asked for.
"""
import socket
import sys

bound = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
bound.bind((sys.argv[1], int(sys.argv[2])))
print("ready", flush=True)
while True:
    question, client = bound.recvfrom(512)
    end = 12
    labels = []
    while question[end]:
        labels.append(question[end + 1:end + 1 + question[end]].decode())
        end += question[end] + 1
    is_a = question[end + 1:end + 3] == b"\0\1"
    answer = question[:2] + b"\x81\x80\0\1" + (b"\0\1" if is_a else b"\0\0") + b"\0\0\0\0" + question[12:end + 5]
    if is_a:
        answer += b"\xc0\x0c\0\1\0\1\0\0\0\0\0\4" + socket.inet_aton(sys.argv[3])
    print(".".join(labels), flush=True)
    try:
        bound.sendto(answer, client)
    except OSError:
        print("refused", flush=True)
