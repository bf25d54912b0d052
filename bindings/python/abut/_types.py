"""The structs of the C interface as ctypes and numpy types, and values of any form written into them."""
import ctypes
import json
import operator
import pathlib
import re

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
_FLOATS = (ctypes.c_float, ctypes.c_double)
_BITS = {kind: 8 * ctypes.sizeof(kind) for kind in SCALARS.values() if kind not in (None, ctypes.c_bool, *_FLOATS)}


# Names of integers that are sets of bits or the caller's own: they may be negative, as ~flags is.
_SETS_OF_BITS = re.compile(r"\b(flags|category|mask|motions|what|\w*data\w*)$")


def number_of(kind, value, name):
    """The value, if C can hold it: ctypes would cut off the bits of an integer that does not fit."""
    if kind in _BITS:
        try:
            number = operator.index(value)
        except TypeError:
            raise TypeError(f"{name} is an integer, not {value!r}") from None
        if not -(1 << _BITS[kind] - 1) <= number < 1 << _BITS[kind]:
            raise OverflowError(f"{name} is {number}, which has more than {_BITS[kind]} bits")
        if number < 0 and kind is not ctypes.c_int32 and not _SETS_OF_BITS.search(name):
            raise OverflowError(f"{name} is {number}, which is less than none")
    elif kind in _FLOATS and type(value) is not float:
        try:
            kind(value)
        except TypeError:
            raise TypeError(f"{name} is a number, not {value!r}") from None
    return value


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
        kind = self.field_types.get(name)
        if not isinstance(value, Struct) and getattr(kind, "names", None):
            value = fill(kind(), value)
        elif kind is ctypes.c_void_p and not isinstance(value, (int, type(None), ctypes.c_void_p)):
            raise TypeError(f"{name} of a {type(self).__name__} is an address: a dict as the argument of a call may have arrays")
        elif kind is None and name != "owners":
            raise TypeError(f"{type(self).__name__} has no {name}, only {', '.join(self.names)}")
        super().__setattr__(name, number_of(kind, value, name))
        if isinstance(value, Struct):
            keep(self, owners_of(value))

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(f'{name}={getattr(self, name)!r}' for name in self.names)})"

    def __eq__(self, other):
        return type(self) is type(other) and bytes(self) == bytes(other)

    __hash__ = None


def _text(field):
    """A field that points to text, as the str that it is; ctypes has bytes."""

    def read(struct):
        text = field.__get__(struct, type(struct))
        return text if text is None else text.decode()

    def write(struct, text):
        field.__set__(struct, text.encode() if isinstance(text, str) else text)

    return property(read, write)


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
    listed = [m for f in struct["fields"] for m in f.get("union", [f])]
    geometries = {m["name"] for m in listed if m.get("pointers") == 1 and m["type"] == "abut_geometry"}
    STRUCTS[name] = type(pascal, (Struct,), {
        "_anonymous_": anonymous, "_fields_": fields, "names": names, "geometry_fields": geometries,
        "field_types": {m["name"]: _field_type(m) for m in listed}, "__doc__": struct["doc"], "__module__": "abut"})
    for field, kind in fields:
        if kind is ctypes.c_char_p:
            setattr(STRUCTS[name], field, _text(getattr(STRUCTS[name], field)))


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


def _is_of(value, kind):
    """Whether an array, or an element of one, has the fields of a struct."""
    dtype = getattr(value, "dtype", None)
    return dtype is not None and dtype.names is not None and dtype == _dtype(kind)


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
            if given is None:
                continue
            if isinstance(member, Struct):
                fill(member, given)
            elif name in struct.geometry_fields:
                setattr(struct, name, geometry_pointer(given, name))
                keep(struct, (given,))
            else:
                setattr(struct, name, given)
    else:
        kind, shape = array_type(type(struct))
        if _is_of(value, type(struct)) and value.shape == ():  # an element of an array of the library's
            ctypes.memmove(ctypes.byref(struct), value.tobytes(), ctypes.sizeof(struct))
            return struct
        if not shape:
            raise TypeError(f"{type(struct).__name__} is a dict with {', '.join(struct.names)}")
        numbers = numbers_of(value, kind, type(struct).__name__)
        if numbers.shape != shape:
            raise ValueError(f"{type(struct).__name__} has {shape[0]} numbers, not {numbers.size}")
        ctypes.memmove(ctypes.byref(struct), numbers.ctypes.data, ctypes.sizeof(struct))
    return struct


def geometry_pointer(value, name):
    if type(value).__name__ != "Geometry" or not hasattr(value, "pointer"):
        raise TypeError(f"{name} is a Geometry, not {value!r}")
    return value.pointer


def numbers_of(value, dtype, name):
    """A contiguous array of numbers of a type, each of which the type can hold."""
    array = np.asarray(value)
    if array.dtype == dtype:
        return np.ascontiguousarray(array)
    if dtype.kind in "iu" and array.size:
        if array.dtype.kind not in "iub" and not (array.dtype.kind == "O" and all(isinstance(x, int) for x in array.flat)):
            raise TypeError(f"{name} has integers, not {array.dtype}")
        bits = 8 * dtype.itemsize
        if array.max() >= 1 << bits or array.min() < -(1 << bits - 1):
            raise OverflowError(f"{name} has numbers of more than {bits} bits")
        return np.ascontiguousarray(array.astype(dtype))
    if array.dtype.kind in "USc":
        raise TypeError(f"{name} has numbers, not {array.dtype}")
    return np.ascontiguousarray(array, dtype)


def _is_column(kind, value):
    """Whether a value for a field has one for each element, not one for all."""
    if isinstance(value, dict):
        types = getattr(kind, "field_types", {})
        return any(_is_column(types.get(name), given) for name, given in value.items())
    if isinstance(value, Struct) or kind in (None, ctypes.c_void_p, ctypes.c_char_p) or not hasattr(value, "__len__"):
        return False
    if len(value) and isinstance(value[0], (dict, Struct)):
        return True
    one = 0 if getattr(value, "dtype", np.dtype(float)).names or not issubclass(kind, (Struct, ctypes.Array)) else 1
    return np.ndim(value) > one


def _filled(array, kind, value, name):
    """Writes the columns of a dict into a structured array, and leaves out what it has for all."""
    for field, given in value.items():
        inner = kind.field_types[field]
        if not _is_column(inner, given):
            continue
        own, whole = array[field], f"{name}: {field}"
        if isinstance(given, dict):
            _filled(own, inner, given, whole)
            continue
        column = array_of(inner, given, whole) if issubclass(inner, Struct) else numbers_of(given, own.dtype, whole)
        if len(column) != len(array):
            raise ValueError(f"{whole} has {len(column)} elements where others have {len(array)}")
        if own.dtype.names:
            own[...] = column.view(own.dtype).reshape(own.shape)
        elif column.shape == own.shape:
            own[...] = column
        else:
            raise ValueError(f"{whole} has elements of shape {column.shape[1:]}, not {own.shape[1:]}")


def _for_all(value, kind):
    """What a dict of columns has for all elements."""
    columns = {name: _is_column(kind.field_types.get(name), given) for name, given in value.items()}
    ones = {name: given for name, given in value.items() if not columns[name]}
    nested = {name: _for_all(given, kind.field_types[name]) for name, given in value.items() if columns[name] and isinstance(given, dict)}
    return {**ones, **nested}


def _length_of(value, kind):
    """How many elements the first column of a dict has."""
    for name, given in value.items():
        if _is_column(kind.field_types.get(name), given):
            return _length_of(given, kind.field_types[name]) if isinstance(given, dict) else len(given)
    return None


def columns_of(kind, value, name):
    """Many structs of a dict, each field of which has one value for all of them or a column with one for each."""
    count = _length_of(value, kind)
    if count is None:
        raise TypeError(f"{name} is an array, not one dict: a field of it may be a column, with one value for each element")
    one = fill(kind(), _for_all(value, kind))
    array = np.tile(np.frombuffer(one, np.uint8), count).view(_dtype(kind))
    _filled(array, kind, value, name)
    return array


def array_of(kind, value, name):
    """Many values as one contiguous array: an array as it is, a dict of columns, or dicts and structs one by one."""
    dtype, shape = array_type(kind)
    if isinstance(value, dict) and issubclass(kind, Struct):
        value = columns_of(kind, value, name)
    if isinstance(value, (dict, Struct)) or not hasattr(value, "__len__"):
        raise TypeError(f"{name} is an array, not {'one ' if isinstance(value, (dict, Struct)) else ''}{type(value).__name__}")
    if shape and _is_of(value, kind):  # a column of an array of the library's
        value = np.frombuffer(value.tobytes(), dtype).reshape(-1, *shape)
    if dtype.names and len(value) and not isinstance(value[0], (dict, Struct, np.void)) and getattr(value, "dtype", None) != dtype:
        raise TypeError(f"{name} has elements that are dicts, {kind.__name__} or of an array of the library's")  # may be pointers
    if dtype.names and getattr(value, "dtype", None) == dtype:
        array = np.ascontiguousarray(value)
    elif not dtype.names and (isinstance(value, np.ndarray) or not issubclass(kind, Struct)):
        array = numbers_of(value, dtype, name)
    elif len(value) and isinstance(value[0], (dict, Struct, np.void)):
        structs = (kind * len(value))()
        for struct, given in zip(structs, value):
            fill(struct, given)
        array = np.frombuffer(structs, dtype).reshape(-1, *shape)
    elif len(value):
        array = numbers_of(value, dtype, name)
        array = array.reshape(-1, *shape) if array.ndim == 1 and len(array) % shape[0] == 0 else array
    else:
        array = np.zeros((0, *shape), dtype)
    if array.shape[1:] != shape:
        raise ValueError(f"{name} has elements of shape {array.shape[1:]}, not {shape}")
    return array


def view(kind, pointer, count, owner=None):
    """An array over memory of the library's own, which keeps what owns that."""
    dtype, shape = array_type(kind)
    if not count:
        return np.empty((0, *shape), dtype)
    numbers = (ctypes.c_char * (count * ctypes.sizeof(kind))).from_address(pointer)
    numbers.owner = owner
    return np.frombuffer(numbers, dtype).reshape(-1, *shape)
