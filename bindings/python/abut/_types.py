"""The structs of the C interface as ctypes and numpy types, and values of any form written into them."""
import ctypes
import json
import pathlib

import numpy as np


def _table():
    here = pathlib.Path(__file__).resolve().parent
    for path in (here / "api.json", here.parent.parent / "api.json"):  # installed, or in the source tree
        if path.exists():
            return json.loads(path.read_text(encoding="utf-8"))
    raise ImportError("abut: api.json, the table of the C interface, is not beside the module")


API = _table()
SCALARS = {
    "bool": ctypes.c_bool, "float": ctypes.c_float, "double": ctypes.c_double, "size_t": ctypes.c_size_t,
    "uint8_t": ctypes.c_uint8, "uint16_t": ctypes.c_uint16, "uint32_t": ctypes.c_uint32, "int32_t": ctypes.c_int32,
    "uint64_t": ctypes.c_uint64, "void": None,
}
STRUCTS = {}


def type_of(name):
    """The ctypes type of a C name. Enumerations are unsigned int."""
    return STRUCTS.get(name) or SCALARS.get(name, ctypes.c_uint)


def _field_type(field):
    if "function" in field or field["type"] in API["callbacks"]:
        return ctypes.c_void_p
    if field.get("pointers"):
        return ctypes.c_char_p if field["type"] == "char" else ctypes.c_void_p
    kind = type_of(field["type"])
    return kind * field["length"] if "length" in field else kind


def whole_of(struct):
    """The struct that this one is a field of, or itself."""
    while struct._b_base_ is not None:
        struct = struct._b_base_
    return struct


def owners_of(struct):
    return getattr(whole_of(struct), "owners", ())


def keep(struct, owners):
    """Lets a struct, and what it is a field of, keep what its pointers refer to."""
    if owners:
        whole = whole_of(struct)
        whole.owners = (*owners_of(struct), *(owner for owner in owners if owner not in owners_of(struct)))


class Struct(ctypes.Structure):
    """A struct of the C interface: its fields are attributes."""

    owners = ()  # geometry that its shapes refer to

    def __setattr__(self, name, value):
        super().__setattr__(name, value)
        if isinstance(value, Struct):
            keep(self, owners_of(value))

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(f'{name}={getattr(self, name)!r}' for name in self.names)})"

    def __eq__(self, other):
        return type(self) is type(other) and bytes(self) == bytes(other)

    __hash__ = None


def _define(name, struct):
    fields, anonymous = [], []
    for field in struct["fields"]:
        if "union" in field:
            union = type("Members", (ctypes.Union,), {"_fields_": [(m["name"], _field_type(m)) for m in field["union"]]})
            anonymous.append("members")
            fields.append(("members", union))
        else:
            fields.append((field["name"], _field_type(field)))
    names = [m["name"] for f in struct["fields"] for m in f.get("union", [f])]
    pascal = "".join(part.capitalize() for part in name.split("_")[1:])
    STRUCTS[name] = type(pascal, (Struct,), {
        "_anonymous_": anonymous, "_fields_": fields, "names": names, "__doc__": struct["doc"], "__module__": "abut"})


for _name, _struct in API["structs"].items():
    _define(_name, _struct)


def _dtype(kind):
    if issubclass(kind, ctypes.Array):
        return np.dtype((_dtype(kind._type_), (kind._length_,)))
    if not issubclass(kind, Struct):
        return np.dtype(np.uintp) if kind in (ctypes.c_void_p, ctypes.c_char_p) else np.dtype(kind)
    offsets = [getattr(kind, n).offset for n in kind.names]
    types = {n: t for n, t in kind._fields_ if n != "members"}
    for member, union in kind._fields_:
        if member == "members":
            types |= dict(union._fields_)
            at = getattr(kind, "members").offset
            offsets = [at + getattr(union, n).offset if n in dict(union._fields_) else o for n, o in zip(kind.names, offsets)]
    return np.dtype({"names": kind.names, "formats": [_dtype(types[n]) for n in kind.names], "offsets": offsets,
                     "itemsize": ctypes.sizeof(kind)})


def _leaves(dtype):
    """The numbers a type is made of, as a list of types; structs with gaps have None in it."""
    if dtype.subdtype:
        base, shape = dtype.subdtype
        return _leaves(base) * int(np.prod(shape))
    if not dtype.names:
        return [dtype]
    found = [leaf for name in dtype.names for leaf in _leaves(dtype.fields[name][0])]
    return found if None not in found and sum(leaf.itemsize for leaf in found) == dtype.itemsize else [None]


_dtypes = {}


def array_type(kind):
    """How numpy holds many: the type of one number and how many make an element, or a structured type and nothing."""
    if kind not in _dtypes:
        whole = _dtype(kind)
        leaves = _leaves(whole)
        alike = len(set(leaves)) == 1 and leaves[0] is not None
        _dtypes[kind] = (leaves[0], (len(leaves),) if issubclass(kind, Struct) else ()) if alike else (whole, ())
    return _dtypes[kind]


def fill(struct, value):
    """Writes a dict, a struct of the same type, or the numbers of a vector or a pose. What is left out stays zero, its default."""
    if isinstance(value, type(struct)):
        ctypes.memmove(ctypes.byref(struct), ctypes.byref(value), ctypes.sizeof(struct))
        keep(struct, owners_of(value))
    elif isinstance(value, Struct):
        raise TypeError(f"a {type(value).__name__} is no {type(struct).__name__}")
    elif isinstance(value, dict):
        for name, given in value.items():
            if name not in struct.names:
                raise TypeError(f"{type(struct).__name__} has no {name}, only {', '.join(struct.names)}")
            member = getattr(struct, name)
            if isinstance(member, Struct):
                fill(member, given)
            else:
                setattr(struct, name, getattr(given, "pointer", given))
    else:
        kind, shape = array_type(type(struct))
        if not shape:
            raise TypeError(f"{type(struct).__name__} is a dict with {', '.join(struct.names)}")
        numbers = np.ascontiguousarray(value, kind)
        if numbers.shape != shape:
            raise ValueError(f"{type(struct).__name__} has {shape[0]} numbers, not {numbers.size}")
        ctypes.memmove(ctypes.byref(struct), numbers.ctypes.data, ctypes.sizeof(struct))
    return struct


def array_of(kind, value, name):
    """Many values as one contiguous array: an array as it is, or dicts and structs one by one."""
    dtype, shape = array_type(kind)
    if isinstance(value, (dict, Struct)):
        raise TypeError(f"{name} is an array, not one {type(value).__name__}")
    if dtype.names and len(value) and not isinstance(value[0], (dict, Struct)) and getattr(value, "dtype", None) != dtype:
        raise TypeError(f"{name} has elements that are dicts, {kind.__name__} or of an array of the library's")  # may be pointers
    if isinstance(value, np.ndarray) or not issubclass(kind, Struct):
        array = np.ascontiguousarray(value, dtype)
    elif len(value) and isinstance(value[0], (dict, Struct)):
        structs = (kind * len(value))()
        for struct, given in zip(structs, value):
            fill(struct, given)
        array = np.frombuffer(structs, dtype).reshape(-1, *shape)
    else:
        array = np.ascontiguousarray(value, dtype).reshape(-1, *shape)
    if array.shape[1:] != shape:
        raise ValueError(f"{name} has elements of shape {array.shape[1:]}, not {shape}")
    return array


def view(kind, pointer, count):
    """An array over memory of the library's own."""
    dtype, shape = array_type(kind)
    if not count:
        return np.empty((0, *shape), dtype)
    numbers = (ctypes.c_char * (count * ctypes.sizeof(kind))).from_address(pointer)
    return np.frombuffer(numbers, dtype).reshape(-1, *shape)
