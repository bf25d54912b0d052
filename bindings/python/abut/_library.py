"""Every function of the C interface as a Python function, made from the table: roles say which parameters are arguments, which are
results, and which are lengths that arrays bring along."""
import ctypes
import ctypes.util
import inspect
import keyword
import os
import pathlib
import threading
import weakref

import numpy as np

from ._types import (API, SCALARS, STRUCTS, Struct, array_of, array_type, fill, geometry_pointer, keep, number_of, numbers_of,
                     type_of, view)

FEW = 64  # elements of a list that are asked for at first
LEFT_OUT = {"abut_world_create", "abut_world_destroy", "abut_geometry_retain", "abut_geometry_release", "abut_history_destroy",
            "abut_contact_patches"}
NOT_HERE = {"abut_kind_def", "abut_recording", "abut_recording_def", "abut_replay", "abut_replay_def"}  # made of functions in C


def _product(factors, values):
    """The length of an array that is a product of numbers of its struct, each less something."""
    product = 1
    for factor in factors:
        less = factor["less"]
        product *= max(0, values.get(factor["count"], 0) - (values.get(less, 0) if isinstance(less, str) else less))
    return product


def _load():
    major, minor, _ = API["version"].split(".")
    soname = f"libabut.so.{major}.{minor}"
    prefix = pathlib.Path(__file__).resolve().parents[3]  # of …/python3/dist-packages/abut
    installed = [str(path) for path in (*prefix.glob(soname), *prefix.glob(f"*/{soname}"))]
    for name in filter(None, [os.environ.get("ABUT_LIBRARY"), *installed, soname, ctypes.util.find_library("abut")]):
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    raise ImportError(f"abut: no libabut.so.{major}.{minor}; ABUT_LIBRARY may say where it is")


LIBRARY = _load()
ON_ERROR = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint, ctypes.c_char_p, ctypes.c_uint32, ctypes.c_char_p)
VETO = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_void_p)


class _Thread(threading.local):
    """What C said, or a veto raised, in the call that a thread makes."""

    def __init__(self):
        self.last = {}  # of the last call that failed: its name, the failing element, the sentence
        self.raised = []  # by a veto, which C cannot pass on


_thread = _Thread()


class Error(Exception):
    """A call that failed; the world is observably unchanged. Has sentence, status, call (the C function) and index (the
    failing element; of move, step, detect, update, translate and draw the body's slot)."""

    def __init__(self, status, call, index, sentence):
        super().__init__(status, call, index, sentence)  # of which a pickle makes it again
        self.status, self.call, self.index, self.sentence = status, call, index, sentence

    def __str__(self):
        return f"{self.sentence} ({self.call}, element {self.index})"


@ON_ERROR
def _keep_error(_context, _status, call, index, sentence):
    _thread.last.update(call=call.decode(), index=index, sentence=sentence.decode())


def check(status, call):
    if _thread.raised:
        raise _thread.raised.pop()
    if status:
        told = dict(_thread.last)
        _thread.last.clear()
        sentence = told.get("sentence") or LIBRARY.abut_status_text(status).decode()
        raise Error(status, call, told.get("index", 0), sentence)


def _native_type(parameter):
    if parameter.get("pointers") or parameter["type"] in API["callbacks"]:
        return ctypes.c_void_p
    return type_of(parameter["type"])


def _declare(name, function):
    native = getattr(LIBRARY, name)
    returns = function["returns"]
    kind = type_of(returns["type"])
    native.restype = kind if not returns.get("pointers") else ctypes.POINTER(kind) if returns["type"] in STRUCTS else ctypes.c_char_p
    native.argtypes = [_native_type(p) for p in function["parameters"]]
    return native


class _Call:
    """The arguments of one call as C takes them, and what to read afterwards."""

    def __init__(self, name, function, native, values, room=FEW):
        self.native, self.function, self.name = native, function, name
        self.owners = [value for value in values if isinstance(value, Geometry)]
        self.values = iter(values)
        self.room = room
        self.count, self.listed = None, None
        self.kept, self.results = [], []  # keeps alive what pointers point to
        self.arguments = [getattr(self, "_" + p["role"])(p) for p in function["parameters"]]
        for at, p in enumerate(function["parameters"]):
            if p["role"] == "count":
                self.arguments[at] = self.count or 0

    def _pointer(self, thing):
        self.kept.append(thing)
        return ctypes.addressof(thing)

    def _in(self, p):
        value = next(self.values, None)
        kind = type_of(p["type"])
        if isinstance(value, Views):
            raise TypeError(f"{self.name} needs a {kind.__name__} for {p['name']}, not arrays of a world")
        if kind not in STRUCTS.values():
            if value is None and not p.get("pointers") and p["type"] not in API["callbacks"]:
                raise TypeError(f"{self.name} needs {p['name']}")
            return number_of(kind, value, f"{self.name}: {p['name']}")
        if value is None:
            if p.get("pointers") and self.function["returns"]["type"] != "abut_status":  # which checks no pointers
                raise TypeError(f"{self.name} needs {p['name']}")
            if not p["type"].endswith(("_def", "_query_filter")):
                return None if p.get("pointers") else kind()
            value = {}
        fields = API["structs"][p["type"]]["fields"]
        counted = {f["name"]: f for f in fields if "count" in f or "per_question" in f}
        if isinstance(value, dict):
            value = self._with_data(p["type"], fields, counted, value)
        struct = self._with_arrays(kind, counted, value) if counted and isinstance(value, dict) else fill(kind(), value)
        return self._pointer(struct) if p.get("pointers") else struct

    def _with_data(self, struct, fields, counted, value):
        """The fields of a struct, of which some point to arrays whose lengths are numbers of something else."""
        found, lengths_of = {}, {}
        for field in fields:
            name = field.get("name")
            given = value.get(name)
            points = field.get("pointers") == 1 and field.get("const") and name not in counted and "function" not in field
            if not points or field["type"] in ("char", "void", "abut_geometry") or given is None:
                continue
            lengths = [(made["count"], made["each"]) for made in field.get("makes", ())]
            shape = np.shape(given)
            if len(lengths) == 2 and len(shape) != 2:
                raise ValueError(f"{name} is an array of rows")
            if not shape and given is not None:
                raise TypeError(f"{name} is an array, not {given!r}")
            array = array_of(type_of(field["type"]), np.ravel(given) if field["type"] in SCALARS else given, name)
            self.kept.append(array)
            found[name] = array.ctypes.data
            for (count, each), size in zip(lengths, shape if len(lengths) == 2 else (len(array),)):
                if size % each or value.get(count, size // each) != size // each:
                    raise ValueError(f"{name} has {size} elements: not {each} for each of {count}")
                found[count] = size // each
            lengths_of[name] = len(array)
        whole = {**value, **found}
        for field in fields:
            name = field.get("name")
            if name in lengths_of and "factors" in field and lengths_of[name] != (length := _product(field["factors"], whole)):
                raise ValueError(f"{name} has {lengths_of[name]} elements, not {length}")
        return whole

    def _with_arrays(self, kind, counted, value):
        """A struct of which some fields point to arrays, and others count these."""
        struct = fill(kind(), {name: given for name, given in value.items() if name not in counted})
        counts = {}
        for name, given in value.items():
            if name not in counted or given is None:
                continue
            if counted[name]["pointers"] == 2:
                array = np.array([geometry_pointer(owner, name) for owner in given], np.uintp)
            else:
                array = array_of(type_of(counted[name]["type"]), given, name)
            self.kept.append(array)
            if "per_question" in counted[name]:
                questions = 1 if self.count is None else self.count
                if len(array) != questions:
                    raise ValueError(f"{name} has {len(array)} elements for {questions} questions")
                setattr(struct, name, array.ctypes.data)
                continue
            count = counted[name]["count"]
            if counts.setdefault(count, len(array)) != len(array):
                raise ValueError(f"{name} has {len(array)} elements where others have {counts[count]}")
            setattr(struct, count, len(array))
            setattr(struct, name, array.ctypes.data)
        if "pair_count" in kind.names:
            self.count = struct.pair_count
        return struct

    def _in_array(self, p):
        value = next(self.values, None)
        if value is None:
            raise TypeError(f"{self.name} needs {p['name']}")
        if "components" in p:
            array = numbers_of(value, np.dtype(np.float32), p["name"])
            each = p["components"]
            if array.size and (array.shape[-1] != each if array.ndim > 1 else array.size % each):
                raise ValueError(f"{p['name']} has elements of {each} numbers, and is of shape {array.shape}")
            array = array.reshape(-1, each)
        else:
            array = array_of(type_of(p["type"]), value, p["name"])
        if self.count not in (None, len(array)):
            raise ValueError(f"{p['name']} has {len(array)} elements where others have {self.count}")
        self.count = len(array)
        self.kept.append(array)
        return array.ctypes.data

    def _inout(self, p):
        struct = fill(type_of(p["type"])(), next(self.values, None))
        self.results.append((p["name"], lambda: struct))
        return self._pointer(struct)

    def _out(self, p):
        if p["pointers"] == 2:
            pointer = ctypes.c_void_p()
            self.results.append((p["name"], lambda: _OWNERS[p["type"]](pointer)))
            return self._pointer(pointer)
        found = type_of(p["type"])()
        self.results.append((p["name"], lambda: found if isinstance(found, ctypes.Structure) else found.value))
        return self._pointer(found)

    def _out_array(self, p):
        dtype, shape = array_type(type_of(p["type"]))
        found = np.zeros((p.get("length", self.count or 0), *shape), dtype)
        self.results.append((p["name"], lambda: found))
        return found.ctypes.data

    def _out_view(self, p):
        pointer = ctypes.c_void_p()
        self.shown = lambda count: view(type_of(p["type"]), pointer.value, count).copy()
        return self._pointer(pointer)

    def _out_list(self, p):
        self.list_name = p["name"]
        if p["pointers"] == 2:
            self.owner = _OWNERS[p["type"]]
            self.listed = np.zeros(self.room, np.uintp)
            return self.listed.ctypes.data if self.room else None
        dtype, shape = array_type(type_of(p["type"]))
        self.listed = np.zeros((self.room, *shape), dtype)
        return self.listed.ctypes.data

    def _out_count(self, p):
        self.found = type_of(p["type"])()
        return ctypes.addressof(self.found)

    def _bytes(self, _):
        given = next(self.values, None)
        data = np.frombuffer(b"" if given is None else given, np.uint8)
        self.size = len(data)
        words = np.zeros((self.size + 7) // 8 + 1, np.uint64)  # aligned to 8 bytes
        words.view(np.uint8)[: self.size] = data
        self.kept.append(words)
        return words.ctypes.data

    def _out_bytes(self, _):
        self.image = np.zeros(self.room, np.uint8)
        return self.image.ctypes.data if self.room else None

    def _out_size(self, _):
        self.written = ctypes.c_size_t()
        return ctypes.addressof(self.written)

    def _handle(self, p):
        owner, kind = next(self.values), _OWNERS[p["type"]]
        if not isinstance(owner, kind):
            raise TypeError(f"{self.name} needs a {kind.__name__} for {p['name']}, not {type(owner).__name__}")
        return owner.pointer

    def _capacity(self, _):
        return self.room

    _wanted = _capacity

    def _size(self, _):
        return self.size

    def _stride(self, _):
        return 0

    def _count(self, _):
        return 0  # known when the arrays are

    def _null(self, _):
        return None

    _context = _null

    def run(self):
        returned = self.native(*self.arguments)
        kind = self.function["returns"]["type"]
        if kind == "abut_status":
            check(returned, self.name)
        if hasattr(self, "image"):
            return self.image
        if self.listed is not None:
            if self.found.value > self.room:
                return None
            listed = self.listed[: self.found.value].copy()
            if hasattr(self, "owner"):
                listed = [self.owner(ctypes.c_void_p(int(pointer))) for pointer in listed]
            named = {name: read() for name, read in self.results}
            return {**named, self.list_name: listed} if named else listed
        if hasattr(self, "shown"):
            return self.shown(returned)
        if self.results and kind == "bool" and not returned:
            return None
        if len(self.results) == 1:
            return self.results[0][1]()
        if self.results:
            return {name: read() for name, read in self.results}
        if kind == "abut_status":
            return None
        if kind in STRUCTS and self.function["returns"].get("pointers"):
            return STRUCTS[kind].from_buffer_copy(returned.contents) if returned else None
        if isinstance(returned, Struct):
            keep(returned, self.owners)
        return returned.decode() if isinstance(returned, bytes) else returned


def _given(function):
    given = [p for p in function["parameters"] if p["role"] in ("handle", "in", "in_array", "inout", "bytes")]
    return given[:-1] + _wanted(function) + given[-1:]


def _wanted(function):
    """How many results a caller wants, which in C is the room for them; before the filter, which may be left out."""
    return [p for p in function["parameters"] if p["role"] == "wanted"]


def _signature(given, names, takes_fields):
    """What help and editors show: the arguments by name, of which the last may be left out where C takes NULL, and fields."""
    kind, parameters, default = inspect.Parameter.POSITIONAL_OR_KEYWORD, [], None
    for p, name in reversed(list(zip(given, names))):
        optional = p["role"] == "in" and p["type"].endswith(("_def", "_query_filter", "_registry", "_part"))
        default = default if optional else inspect.Parameter.empty
        parameters.insert(0, inspect.Parameter(name, kind, default=default))
    fields = [inspect.Parameter("fields", inspect.Parameter.VAR_KEYWORD)] if takes_fields else []
    return inspect.Signature(parameters + fields)


def _function(name, function, qualified):
    native = _declare(name, function)
    given = _given(function)
    names = [p["name"] + "_" * keyword.iskeyword(p["name"]) for p in given]
    has_bytes = any(p["role"] == "out_bytes" for p in function["parameters"])
    has_owners = any(p["role"] == "out_list" and p["pointers"] == 2 for p in function["parameters"])
    wanted = _wanted(function)
    takes_fields = bool(given) and given[-1]["type"].endswith(("_def", "_query_filter")) and given[-1]["role"] == "in"

    def call(*values, **fields):
        values = list(values)
        if len(values) > len(given):
            raise TypeError(f"{name} takes {len(given)} arguments ({', '.join(names)}), not {len(values)}")
        positional = len(values)
        values += [None] * (len(given) - len(values))
        for field, value in list(fields.items()):
            if field in names:
                if names.index(field) < positional:
                    raise TypeError(f"{name} has {field} twice")
                values[names.index(field)] = fields.pop(field)
        if fields and takes_fields:
            if not isinstance(values[-1] or {}, dict):
                raise TypeError(f"{name} takes fields by name with a dict, not with a {type(values[-1]).__name__}")
            values[-1] = {**(values[-1] or {}), **fields}
        elif fields:
            raise TypeError(f"{name} has no {', '.join(fields)}, only {', '.join(names)}")
        most = number_of(ctypes.c_uint32, values.pop(-2), f"{name}: {wanted[0]['name']}") if wanted else FEW
        made = _Call(name, function, native, values, room=0 if has_bytes or has_owners else min(most, FEW))
        result = made.run()
        if has_bytes:  # so far only their number
            return _Call(name, function, native, values, room=made.written.value).run()
        if made.listed is not None and result is None:  # longer than there was room for
            result = _Call(name, function, native, values, room=made.found.value).run()
        while wanted and made.room == len(result) < most:  # as many as there was room for: there may be more
            made = _Call(name, function, native, values, room=min(most, 8 * made.room))
            result = made.run()
        return views(made, result, values[0] if values else None)

    call.__name__, call.__qualname__, call.__doc__ = qualified.split(".")[-1], qualified, function["doc"]
    call.__signature__ = _signature(given, names, takes_fields)
    return call


class Views:
    """Arrays over a world's own memory. Valid until the next call that makes bodies, replaces results or closes the world, which
    lasts at least as long as they do."""

    def __init__(self, struct, fields, owner):
        for field in fields:
            if "count" in field:
                count, each = getattr(struct, field["count"]), field.get("each", 1)
                array = view(type_of(field["type"]), getattr(struct, field["name"]), count * each, owner)
                setattr(self, field["name"], array.reshape(count, each, *array.shape[1:]) if "each" in field else array)
            else:
                setattr(self, field["name"], getattr(struct, field["name"]))


def views(call, result, owner):
    kind = call.function["returns"]["type"]
    fields = API["structs"][kind]["fields"] if kind in API["structs"] else []
    return Views(result, fields, owner) if any("count" in f for f in fields) else result


class _Owner:
    """Something that the library keeps until it is closed."""

    def __init__(self, pointer, destroy):
        if not isinstance(pointer, ctypes.c_void_p):
            raise TypeError(f"a {type(self).__name__} is made by a function of the library, not of {pointer!r}")
        self._pointer = pointer.value
        self._finalizer = weakref.finalize(self, destroy, pointer.value)

    @property
    def pointer(self):
        if not self._finalizer.alive:
            raise ValueError(f"this {type(self).__name__} is closed")
        return self._pointer

    def close(self):
        """Frees it. Closing twice does nothing."""
        self._finalizer()

    def __reduce_ex__(self, _):
        raise TypeError(f"a {type(self).__name__} cannot be copied or pickled: images of worlds can")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Geometry(_Owner):
    """Geometry that shapes refer to. Shapes and colliders keep it alive; closing it lets go of it here."""

    def __init__(self, pointer):
        super().__init__(pointer, LIBRARY.abut_geometry_release)


class History(_Owner):
    """The last frames of a world within a budget of bytes: history_create makes one."""

    def __init__(self, pointer):
        super().__init__(pointer, LIBRARY.abut_history_destroy)


def _as_veto(callback):
    kind = STRUCTS["abut_new_pair"]

    @VETO
    def veto(_context, pairs, count, vetoed):
        try:
            callback(view(kind, pairs, count), view(ctypes.c_bool, vetoed, count))
        except BaseException as error:  # C cannot pass it on: check does
            _thread.raised.append(error)

    return veto


class World(_Owner):
    """Owns every body put into it. Takes the fields of abut_world_def by name; veto(pairs, vetoed) gets arrays and writes the second."""

    def __init__(self, *, veto=None, **fields):
        if veto is not None and not callable(veto):
            raise TypeError(f"veto is a function of pairs and vetoed, not {veto!r}")
        own = {"allocator", "on_error", "on_error_context", "veto_context"} & set(fields)
        if own:
            raise TypeError(f"{', '.join(sorted(own))}: C alone has that")
        settings = fill(STRUCTS["abut_world_def"](), fields)
        settings.on_error = ctypes.cast(_keep_error, ctypes.c_void_p)
        self._veto = _as_veto(veto) if veto else None
        if veto:
            settings.veto = ctypes.cast(self._veto, ctypes.c_void_p)
        pointer = ctypes.c_void_p()
        check(LIBRARY.abut_world_create(ctypes.byref(settings), ctypes.byref(pointer)), "abut_world_create")
        super().__init__(pointer, LIBRARY.abut_world_destroy)

    def close(self):
        """Destroys it and all it owns. Closing twice does nothing. Fails with BUSY in its veto and while a detect is under way."""
        if self._finalizer.alive:
            check(LIBRARY.abut_body_destroy_many(self._pointer, None, 0), "abut_world_destroy")
        super().close()


for _name in LEFT_OUT:
    _declare(_name, API["functions"][_name])
_OWNERS = {"abut_world": World, "abut_geometry": Geometry, "abut_history": History}
functions = {}
for _name, _f in API["functions"].items():
    if _name in LEFT_OUT or any(p["role"] == "callback" or p["type"] in NOT_HERE for p in _f["parameters"]):
        continue
    _first = _f["parameters"][0] if _f["parameters"] else {}
    _owner = _OWNERS.get(_first.get("type")) if _first.get("role") == "handle" else None
    _prefix = _first.get("type", "") + "_"
    if _owner and (_owner is World or _name.startswith(_prefix)):
        _short = _name[len(_prefix):] if _name.startswith(_prefix) else _name[5:]
        setattr(_owner, _short, _function(_name, _f, f"{_owner.__name__}.{_short}"))
    else:
        functions[_name[5:]] = _function(_name, _f, _name[5:])


def contact_patches(contacts, first, cosine):
    count, order = contacts.count, contacts.order
    if not 0 <= first < count:
        raise IndexError(f"there are {count} contacts, and none is at {first}")
    own, end = contacts.colliders[order[first], ::2], first + 1  # slots
    while end < count and (contacts.colliders[order[end], ::2] == own).all():
        end += 1
    struct = STRUCTS["abut_contacts"](count=count, slots=contacts.slots)
    for name in ("order", "data", "colliders", "impulses"):
        setattr(struct, name, getattr(contacts, name).ctypes.data)
    patches = np.zeros(end - first, array_type(STRUCTS["abut_patch"])[0])
    found = LIBRARY.abut_contact_patches(ctypes.addressof(struct), first, cosine, patches.ctypes.data)
    return patches[:found]


contact_patches.__doc__ = API["functions"]["abut_contact_patches"]["doc"]
functions["contact_patches"] = contact_patches
