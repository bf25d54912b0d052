"""abut, a collision engine: the C interface for Python, with numpy arrays where there are many of something.

Names are those of C: abut_world_step(world, dt) is world.step(dt), abut_body_set_pose(world, body, pose) is
world.body_set_pose(body, pose), abut_collide is collide, and ABUT_STATIC is STATIC. Structs are dicts or, for vectors and poses,
their numbers; what is left out has its default. A failed call raises Error with the sentence.
"""
from ._library import Error, Geometry, History, Views, World, functions as _functions
from ._types import API as _API, STRUCTS as _STRUCTS

__version__ = _API["version"]
globals().update(_functions)
globals().update({struct.__name__: struct for struct in _STRUCTS.values()})
globals().update({name[5:]: value for name, value in _API["constants"].items()})
for _values in [*_API["enums"].values(), *_API["flags"].values()]:
    globals().update({v["name"][5:]: v["value"] for v in _values["values"]})
