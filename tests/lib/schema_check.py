"""schema_check.py: documents beside a JSON Schema: good ones are taken, and ones with any fault are refused."""
import copy
import json
import sys

import jsonschema


class SchemaCheck:
    """One schema, and how many documents were not judged as they should be."""

    def __init__(self, path):
        self.schema = load(path)
        jsonschema.Draft202012Validator.check_schema(self.schema)
        self.validator = jsonschema.Draft202012Validator(self.schema)
        self.failed = 0

    def fail(self, *words):
        self.failed += 1
        print("not ok:", *words)

    def expect(self, good, document, what):
        if self.validator.is_valid(document) == good:
            return
        self.fail(what, "should be", "valid" if good else "refused")
        for error in self.validator.iter_errors(document):
            print("  ", list(error.path), error.message)

    def _fields(self, node, path=()):
        """Every field of the schema that an object may have, with the way to it."""
        for key, value in node.get("properties", {}).items():
            yield path + (key,)
            yield from self._fields(value, path + (key,))
        if "items" in node:
            yield from self._fields(node["items"], path + (0,))

    def refuse_faults(self, sample, node=None):
        """A schema that took anything would prove nothing: the sample, which has every field, is
        refused without any one of them, and with one more beside it. Node: the part of the schema
        that is about it."""
        for path in self._fields(node or self.schema):
            broken = copy.deepcopy(sample)
            at = broken
            for step in path[:-1]:
                at = at[step]
            del at[path[-1]]
            name = "/".join(map(str, path))
            self.expect(False, broken, "one without " + name)
            at["surprise"] = 1
            self.expect(False, broken, "one with a surprise beside " + name)

    def finish(self, name):
        print(name, "schema:", "failed" if self.failed else "ok")
        sys.exit(1 if self.failed else 0)


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)
