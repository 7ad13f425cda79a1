#!/usr/bin/env python3
"""
The levels (IRQL) of kdriver's functions, checked over the whole call graph without running it.

    irql_calls.py LEVELS TREE...       the driver: each TREE the syntax tree of one source, its path in TREE.path
    irql_calls.py LEVELS --fake FILE...  the fake kernel: its routines ask for the same levels

LEVELS is routine_levels.txt. A tree is what clang-16 -Xclang -ast-dump=json makes with -DIRQL_ANNOTATIONS (include/ntifs.h): the _IRQL_*
annotations stand in it as two numbers. Prints what is wrong, a line each; nothing where nothing is.

Each function is walked with the levels that it can be at: those of its annotation, or for the core's, which has none, those of all its
callers; a spin lock taken raises them until it is given back, on every path alike. A call is right if the callee is allowed at every
level that the caller can be at there.

Calls through pointers are followed by the name of the field or parameter: to every function that is put into a field of that name, or
handed over for that parameter.
"""
import json
import re
import sys

LEVELS = {"PASSIVE_LEVEL": 0, "APC_LEVEL": 1, "DISPATCH_LEVEL": 2, "CLOCK_LEVEL": 13, "HIGH_LEVEL": 15}
MACROS = {(0, 0): "AT_PASSIVE()", (0, 1): "AT_MOST_APC()", (0, 2): "AT_MOST_DISPATCH()", (2, 2): "AT_DISPATCH()", (0, 15): None}
# Fields that the system calls, not the driver.
SYSTEM_FIELDS = {"MajorFunction": (0, 0), "DriverUnload": (0, 0)}
ENTRY = "DriverEntry"
DPC = (2, 2)


def name_of(levels):
    low, high = levels
    names = {number: name for name, number in LEVELS.items()}
    return names[high] if low == high else f"up to {names[high]}"


class Routines:
    """The kernel's, of routine_levels.txt."""

    def __init__(self, path):
        self.levels, self.callbacks, self.aliases, self.raising, self.lowering = {}, {}, {}, set(), set()
        for line in open(path, encoding="utf-8"):
            words = line.split("#")[0].split()
            if not words:
                continue
            if words[0] == "callback":
                self.callbacks[words[1], int(words[2])] = self.parse(words[3:5])
            elif words[0] == "alias":
                self.aliases[words[1]] = words[2]
            elif words[0] == "raises":
                self.raising.add(words[1])
            elif words[0] == "lowers":
                self.lowering.add(words[1])
            else:
                self.levels[words[0]] = self.parse(words[1:3])

    @staticmethod
    def parse(words):
        high = LEVELS[words[1]]
        return (high, high) if words[0] == "==" else (0, high)


class Function:
    def __init__(self, key, node, source):
        self.key, self.name, self.source = key, node["name"], source
        self.levels = annotation(node)
        self.is_init = any(child.get("kind") == "SectionAttr" for child in node.get("inner", []))
        self.parameters = [child["id"] for child in node.get("inner", []) if child.get("kind") == "ParmVarDecl"]
        self.body = next((child for child in node.get("inner", []) if child.get("kind") == "CompoundStmt"), None)
        self.is_in_header = "includedFrom" in node["loc"].get("expansionLoc", node["loc"])
        self.range = None
        self.entry = self.levels
        self.callers = []


def annotation(node):
    """The narrowest of those that a declaration and those before it have."""
    for child in node.get("inner", []):
        if child.get("kind") == "AnnotateAttr":
            values = [int(part["value"]) for part in child.get("inner", []) if "value" in part]
            if len(values) == 2:
                return tuple(values)
    return None


def offset(location):
    location = location.get("expansionLoc", location)
    return location.get("offset", 0)


def bare(node):
    """Without casts and parentheses."""
    while node.get("kind") in ("ImplicitCastExpr", "ParenExpr", "CStyleCastExpr", "ConstantExpr") or (
            node.get("kind") == "UnaryOperator" and node.get("opcode") in ("&", "*")):
        if not node.get("inner"):
            break
        node = node["inner"][-1]
    return node


class Program:
    def __init__(self, routines):
        self.routines, self.functions, self.by_id, self.fields, self.parameters = routines, {}, {}, {}, {}
        self.records, self.wrong, self.calls = {}, set(), 0
        self.declared_at = {}

    # Reading.

    def read(self, path):
        tree = json.load(open(path, encoding="utf-8"))
        source = path.rsplit("/", 1)[-1].removesuffix(".json")
        self.by_id, self.records = {}, {}
        for node in tree["inner"]:
            if node.get("kind") == "FunctionDecl":
                self.declare(node, source)
            elif node.get("kind") == "RecordDecl" and "name" in node:
                self.records[node["name"]] = [child.get("name", "") for child in node.get("inner", []) if child.get("kind") == "FieldDecl"]
        ids = self.by_id
        for function in self.functions.values():
            if function.source == source and function.body is not None:
                self.collect(function.body, ids, function)
        for node in tree["inner"]:
            if node.get("kind") == "VarDecl":
                self.collect(node, ids, None)
        return ids

    def declare(self, node, source):
        name = node["name"]
        key = (source, name) if node.get("storageClass") == "static" else ("", name)
        made = Function(key, node, source)
        known = self.functions.get(key)
        if known is None:
            self.functions[key] = known = made
        elif made.body is not None:
            made.levels = made.levels or known.levels
            made.entry = made.levels
            self.functions[key] = known = made
        elif known.levels is None:
            known.levels = known.entry = made.levels
        if made.body is not None:
            known.range = (offset(node["range"]["begin"]), offset(node["range"]["end"]))
        self.by_id[node["id"]] = key
        for index, parameter in enumerate(made.parameters):
            self.by_id[parameter] = (key, index)

    def targets(self, node, ids):
        """The functions that an expression can be: keys of functions, or of parameters that are functions."""
        node = bare(node)
        if node.get("kind") == "DeclRefExpr":
            key = ids.get(node["referencedDecl"]["id"])
            return {key} if key is not None else set()
        if node.get("kind") == "MemberExpr":
            return {("field", node["name"])}
        if node.get("kind") == "ConditionalOperator":
            return self.targets(node["inner"][1], ids) | self.targets(node["inner"][2], ids)
        return set()

    def put(self, field, keys):
        if keys:
            self.fields.setdefault(field, set()).update(keys)

    def collect(self, node, ids, function):
        """What is put into fields and handed over as parameters."""
        kind = node.get("kind")
        if kind == "InitListExpr":
            record = re.sub(r"^(const )?struct ", "", node["type"]["qualType"])
            for field, value in zip(self.records.get(record, []), node.get("inner", [])):
                self.put(field, self.targets(value, ids))
        elif kind == "BinaryOperator" and node.get("opcode") == "=":
            left = bare(node["inner"][0])
            if left.get("kind") == "ArraySubscriptExpr":
                left = bare(left["inner"][0])
            if left.get("kind") == "BinaryOperator":
                self.collect(left, ids, function)
            if left.get("kind") == "MemberExpr":
                values = node["inner"][1]
                while bare(values).get("kind") == "BinaryOperator" and bare(values).get("opcode") == "=":
                    values = bare(values)["inner"][1]
                self.put(left["name"], self.targets(values, ids))
        elif kind == "CallExpr":
            for callee in self.targets(node["inner"][0], ids):
                for index, argument in enumerate(node["inner"][1:]):
                    keys = self.targets(argument, ids)
                    if keys:
                        self.parameters.setdefault((callee, index), set()).update(keys)
            field = bare(node["inner"][0])
            if field.get("kind") == "MemberExpr" and field["name"] in self.routines.aliases:
                callee = ("", self.routines.aliases[field["name"]])
                for index, argument in enumerate(node["inner"][1:]):
                    self.parameters.setdefault((callee, index), set()).update(self.targets(argument, ids))
        for child in node.get("inner", []):
            self.collect(child, ids, function)

    def resolve(self, keys):
        """Functions only: parameters are followed to what was handed over for them."""
        found, seen, todo = set(), set(), list(keys)
        while todo:
            key = todo.pop()
            if key in seen:
                continue
            seen.add(key)
            if key[0] == "field":
                todo.extend(self.fields.get(key[1], ()))
            elif isinstance(key[1], int):
                todo.extend(self.parameters.get(key, ()))
            elif key in self.functions:
                found.add(key)
        return found

    # Walking.

    def complain(self, function, text):
        self.wrong.add(f"{function.source}: {function.name}: {text}")

    def called(self, node, ids):
        """(routine of the kernel or None, functions)."""
        callee = bare(node["inner"][0])
        if callee.get("kind") == "MemberExpr":
            if callee["name"] in self.routines.aliases:
                return self.routines.aliases[callee["name"]], set()
            return None, self.resolve({("field", callee["name"])})
        keys = self.targets(callee, ids)
        for key in keys:
            if key[1] in self.routines.levels:
                return key[1], set()
        return None, self.resolve(keys)

    def check_call(self, function, levels, callee, allowed):
        self.calls += 1
        if levels[0] < allowed[0] or levels[1] > allowed[1]:
            self.complain(function, f"at {name_of(levels)} calls {callee}, which is for {name_of(allowed)}")

    def call(self, function, node, ids, state):
        levels, stack = state
        routine, functions = self.called(node, ids)
        if routine is not None:
            self.check_call(function, levels, routine, self.routines.levels[routine])
            if routine in self.routines.raising:
                return DPC, stack + (levels,)
            if routine in self.routines.lowering:
                if not stack:
                    self.complain(function, f"{routine} without what it ends")
                    return state
                return stack[-1], stack[:-1]
            if routine == "IoReleaseCancelSpinLock":
                return (0, 2), stack
        for key in functions:
            callee = self.functions[key]
            if callee.body is None and callee.levels is None and re.match(r"(Ke|Ex|Io|Ob|Zw|Rtl|Mm|Ps|Po|Se|Etw)[A-Z]", callee.name):
                self.complain(function, f"calls {callee.name}, which routine_levels.txt does not have")
            if callee.levels is not None:
                self.check_call(function, levels, callee.name, callee.levels)
            elif callee.body is not None:
                self.widen(callee, levels)
            if callee.is_init and not function.is_init and callee.body is not None:
                self.complain(function, f"is kept and calls {callee.name}, which is thrown away behind {ENTRY}")
        return state

    def widen(self, callee, levels):
        entry = callee.entry
        callee.entry = levels if entry is None else (min(entry[0], levels[0]), max(entry[1], levels[1]))
        if callee.entry != entry:
            self.changed = True

    def merge(self, function, states):
        states = [state for state in states if state is not None]
        if not states:
            return None
        if len({len(stack) for _, stack in states}) != 1:
            self.complain(function, "holds a lock on one path and not on the other")
        low = min(levels[0] for levels, _ in states)
        high = max(levels[1] for levels, _ in states)
        return (low, high), states[0][1]

    def sequence(self, function, nodes, ids, state, loop):
        for node in nodes:
            if state is None:
                # Behind a return there can only be a label.
                state = loop["entry"] if loop and node.get("kind") in ("CaseStmt", "DefaultStmt") else None
                if state is None:
                    return None
            state = self.walk(function, node, ids, state, loop)
        return state

    def branch(self, function, node, ids, state, loop):
        parts = node["inner"]
        state = self.walk(function, parts[0], ids, state, loop)
        taken = self.walk(function, parts[1], ids, state, loop)
        other = self.walk(function, parts[2], ids, state, loop) if len(parts) > 2 else state
        return self.merge(function, [taken, other])

    def loop(self, function, node, ids, state):
        inside = {"entry": state, "ends": []}
        out = self.sequence(function, [part for part in node["inner"] if part], ids, state, inside)
        return self.merge(function, [state, out] + inside["ends"])

    def switch(self, function, node, ids, state, loop):
        state = self.walk(function, node["inner"][0], ids, state, loop)
        inside = {"entry": state, "ends": [], "outer": loop}
        out = self.walk(function, node["inner"][-1], ids, state, inside)
        return self.merge(function, [state, out] + inside["ends"])

    def walk(self, function, node, ids, state, loop):
        """The state behind a statement or expression; None where it does not go on."""
        kind = node.get("kind")
        if state is None or kind is None:
            return state
        parts = node.get("inner", [])
        if kind == "IfStmt":
            return self.branch(function, node, ids, state, loop)
        if kind in ("WhileStmt", "DoStmt", "ForStmt"):
            return self.loop(function, node, ids, state)
        if kind == "SwitchStmt":
            return self.switch(function, node, ids, state, loop)
        if kind in ("BreakStmt", "ContinueStmt"):
            if loop is not None:
                loop["ends"].append(state)
            return None
        if kind in ("CaseStmt", "DefaultStmt"):
            entry = self.merge(function, [state, loop["entry"]]) if loop else state
            return self.sequence(function, parts, ids, entry, loop)
        state = self.sequence(function, parts, ids, state, loop)
        if state is not None and kind == "CallExpr":
            state = self.call(function, node, ids, state)
        if kind == "ReturnStmt" and state is not None:
            if state[1]:
                self.complain(function, "returns with a lock held")
            return None
        return state

    def run(self, trees):
        """Until the levels of functions without an annotation are known."""
        self.changed = True
        while self.changed:
            self.changed, self.calls = False, 0
            for function in list(self.functions.values()):
                if function.body is None or function.entry is None:
                    continue
                state = self.walk(function, function.body, trees[function.source], (function.entry, ()), None)
                if state is not None and state[1]:
                    self.complain(function, "ends with a lock held")

    # What holds for each function by itself.

    def check_annotations(self, sources):
        count = 0
        for function in self.functions.values():
            path = sources.get(function.source)
            if function.body is None or path is None or not ("/wdm/" in path or "/lab/" in path or "/irql_" in path):
                continue
            if function.is_in_header or path.endswith("tracer_lab.c"):
                continue
            text = open(path, encoding="utf-8").read()
            count += 1
            if function.levels is None:
                self.complain(function, "has no _IRQL_* annotation")
                continue
            macro = MACROS.get(function.levels)
            begin, end = function.range
            body = text[begin:end]
            said = re.findall(r"\bAT_[A-Z_]+\(\)", body)
            if said != ([macro] if macro else []):
                self.complain(function, f"is annotated for {name_of(function.levels)} and asserts {', '.join(said) or 'nothing'}")
        return count

    def check_callbacks(self):
        wanted = {(("", name), index): levels for (name, index), levels in self.routines.callbacks.items()}
        pairs = [(key, levels, f"argument {parameter[1]} of {parameter[0][1]}") for parameter, levels in wanted.items()
                 for key in self.resolve(self.parameters.get(parameter, ()))]
        pairs += [(key, levels, field) for field, levels in SYSTEM_FIELDS.items() for key in self.resolve({("field", field)})]
        for key, levels, what in pairs:
            function = self.functions[key]
            allowed = function.levels
            if allowed is None or levels[0] < allowed[0] or levels[1] > allowed[1]:
                self.complain(function, f"is called by the system at {name_of(levels)} ({what})")
        return len(pairs)


def check_driver(routines, trees):
    program = Program(routines)
    ids, sources = {}, {}
    for tree in trees:
        source = tree.rsplit("/", 1)[-1].removesuffix(".json")
        sources[source] = open(tree + ".path", encoding="utf-8").read().strip()
        ids[source] = program.read(tree)
    functions = program.check_annotations(sources)
    callbacks = program.check_callbacks()
    program.run(ids)
    for line in sorted(program.wrong):
        print(line)
    print(f"# {functions} functions, {callbacks} callbacks, {program.calls} calls", file=sys.stderr)


def check_fake(routines, paths):
    """Each routine of the fake kernel begins with the highest level that it allows; those that tell two apart are left out."""
    count = 0
    for path in paths:
        text = open(path, encoding="utf-8").read()
        for name, body in re.findall(r"^\w[^;{}\n]*?\b(\w+)\([^{};]*\)\n\{\n(.*?)^\}", text, re.MULTILINE | re.DOTALL):
            asked = re.search(r"\bROUTINE\((\w+)\);", body)
            if name not in routines.levels or asked is None:
                continue
            count += 1
            high = LEVELS["HIGH_LEVEL"] if asked[1] == "ANY_LEVEL" else LEVELS[asked[1]]
            if high != routines.levels[name][1]:
                print(f"{path.rsplit('/', 1)[-1]}: {name}: asks for {asked[1]}, and is documented for {name_of(routines.levels[name])}")
    print(f"# {count} routines", file=sys.stderr)


def main():
    routines = Routines(sys.argv[1])
    if sys.argv[2] == "--fake":
        check_fake(routines, sys.argv[3:])
    else:
        check_driver(routines, sys.argv[2:])


main()
