#!/usr/bin/python3
"""check_manifest.py: whether every field of a Kubernetes manifest exists and has its type, by the published API.

The models of python3-kubernetes are made from the API's OpenAPI description; what they do not name, the API server
would drop in silence.
"""
import re
import sys

import kubernetes.client as client
import yaml

PLAIN = {"str": str, "int": int, "bool": bool, "float": (int, float), "object": object}


def check(value, kind, path, found):
    """Appends to found what is wrong with value, which should be of kind."""
    if match := re.fullmatch(r"list\[(.+)\]", kind):
        if not isinstance(value, list):
            found.append(f"{path}: is no list")
            return
        for number, item in enumerate(value):
            check(item, match[1], f"{path}[{number}]", found)
    elif match := re.fullmatch(r"dict\(str, (.+)\)", kind):
        for key, item in value.items():
            check(item, match[1], f"{path}.{key}", found)
    elif kind in PLAIN:
        if not isinstance(value, PLAIN[kind]) or (kind == "int" and isinstance(value, bool)):
            found.append(f"{path}: is no {kind}")
    else:
        check_object(value, getattr(client, kind), path, found)


def check_object(value, model, path, found):
    if not isinstance(value, dict):
        found.append(f"{path}: is no object")
        return
    names = {name: attribute for attribute, name in model.attribute_map.items()}
    for key, item in value.items():
        if key in names:
            check(item, model.openapi_types[names[key]], f"{path}.{key}", found)
        else:
            found.append(f"{path}.{key}: there is no such field")
    try:
        # The constructors refuse what is required and missing.
        model(**{names[key]: item for key, item in value.items() if key in names})
    except ValueError as error:
        found.append(f"{path}: {error}")


def main():
    found = []
    with open(sys.argv[1], encoding="utf-8") as file:
        for document in yaml.safe_load_all(file):
            kind = document["kind"]
            version = "".join(part.capitalize() for part in document["apiVersion"].split("/"))
            check_object(document, getattr(client, version + kind), kind, found)
    for line in found:
        print(line)
    sys.exit(1 if found else 0)


main()
