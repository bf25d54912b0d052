"""The Python module: what comes back is what the C library says, whatever form the arguments have."""
import copy
import gc
import inspect
import math
import pathlib
import pickle
import re
import subprocess
import sys
import threading
import unittest
import weakref

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import abut  # noqa: E402


def random(seed):
    """Numbers in [0, 1), the same as bindings/npm/tests makes."""
    state = seed
    while True:
        state = state * 48271 % 2147483647
        yield state / 2147483647


def crowd(count, seed=1):
    """Boxes and balls in a cube, moving: as bindings/npm/tests makes them."""
    numbers = random(seed)
    side = math.sqrt(math.sqrt(count)) * 3

    def three(make):
        return [make() for _ in range(3)]

    def body(i):
        position = three(lambda: np.float32(next(numbers) * side))
        linear = three(lambda: np.float32(next(numbers) * 4 - 2))
        angular = three(lambda: np.float32(next(numbers) * 4 - 2))
        sizes = [np.float32(0.25 + next(numbers) * 0.5) for _ in range(1 if i % 3 == 0 else 3)]
        shape = abut.shape_sphere(*sizes) if i % 3 == 0 else abut.shape_obb(*sizes)
        return {"pose": {"position": position}, "velocity": {"linear": linear, "angular": angular}, "collider": {"shape": shape}}

    return [body(i) for i in range(count)]


def crowd_hash():
    with abut.World(margin=0.01) as world:
        world.body_create_many(crowd(1000))
        for _ in range(20):
            world.step(1 / 60)
        return f"{world.hash():x}"


def floor_and_crate(**settings):
    world = abut.World(**settings)
    floor = world.body_create(motion=abut.STATIC, collider={"shape": abut.shape_obb(5, 0.5, 5)})
    crate = world.body_create(pose={"position": [0, 0.9, 0]}, collider={"shape": abut.shape_obb(0.5, 0.5, 0.5)})
    return world, floor, crate


class Worlds(unittest.TestCase):
    def test_a_crate_in_the_floor_has_one_contact_with_four_points(self):
        world, floor, crate = floor_and_crate()
        world.step(0)
        contacts = world.contacts(abut.AWAKE)
        self.assertEqual((contacts.count, contacts.order.tolist()), (1, [0]))
        contact = contacts.data[contacts.order][0]
        self.assertEqual((contact["a"]["slot"], contact["b"]["slot"]), (floor.slot, crate.slot))
        self.assertEqual(contact["normal"].tolist(), (0, 1, 0))
        self.assertEqual((contact["point_count"], contact["points"].shape), (4, (4,)))
        np.testing.assert_allclose(contact["points"]["separation"], -0.1, atol=1e-6)
        self.assertEqual(contacts.colliders[:, 2:].tolist(), world.body_colliders(crate).tolist())
        self.assertEqual(world.events(abut.BEGIN).count, 1)
        self.assertEqual(world.statistics().contacts, 1)

    def test_shifts_say_how_bodies_have_moved_where_separations_stay(self):
        world, floor, crate = floor_and_crate(recycle_distance=0.1, separations=abut.AT_ANCHORS)
        world.step(0)
        world.bodies().poses[crate.slot, 1] += 0.02
        world.step(0)
        contact = world.contacts(abut.AWAKE).data[0]
        self.assertAlmostEqual(contact["separation"], -0.1, 6)
        self.assertEqual(contact["flags"], abut.CONTACT_RECYCLED)
        shifts = world.shifts()
        self.assertEqual(shifts.count, 2)
        np.testing.assert_allclose(shifts.data[:, :3], [(0, 0, 0), (0, 0.02, 0)], atol=1e-6)
        np.testing.assert_allclose(shifts.anchors[crate.slot, :3], [0, 0.9, 0], atol=1e-6)
        self.assertEqual(abut.World(recycle_distance=0.1).shifts().count, 0)
        with self.assertRaises(abut.Error):
            abut.World(separations=abut.AT_ANCHORS)

    def test_a_contact_keeps_its_slot_and_its_impulses_until_it_ends(self):
        world, floor, crate = floor_and_crate()
        world.step(0)
        contacts = world.contacts(abut.AWAKE)
        slot = contacts.order[0]
        self.assertEqual(contacts.impulses.shape, (contacts.slots, abut.CONTACT_POINTS, 4))
        contacts.impulses[slot, :, 0] = [1, 2, 3, 4]
        first = world.contact(contacts.data[slot]["id"].tolist())
        self.assertEqual(first.flags, abut.CONTACT_NEW)
        self.assertEqual(world.events(abut.BEGIN).data["contact"].tolist(), [(first.id.slot, first.id.generation)])
        world.step(0)
        again = world.contact(first.id)
        self.assertEqual((again.id, again.flags), (first.id, 0))
        self.assertEqual(world.contacts(abut.AWAKE).impulses[slot, :, 0].tolist(), [1, 2, 3, 4])
        self.assertEqual(world.body_contacts(crate, abut.AWAKE).tolist(), [slot])
        point = world.contact_position(again, again.points[0])
        self.assertAlmostEqual(point.y, 0.45, 6)
        world.body_set_pose(crate, [0, 9, 0, 0, 0, 0, 0, 1])
        world.step(0)
        self.assertIsNone(world.contact(first.id))
        self.assertEqual(world.events(abut.END).data["contact"].tolist(), [(first.id.slot, first.id.generation)])

    def test_bodies_made_one_by_one_and_by_the_many_are_the_same(self):
        one, many = abut.World(), abut.World()
        handles = [one.body_create(b) for b in crowd(200)]
        made = many.body_create_many(crowd(200))
        self.assertEqual(made.shape, (200, 2))
        self.assertEqual(made[:, 0].tolist(), [h.slot for h in handles])
        poses = many.body_pose_many(made)
        self.assertEqual(poses.shape, (200, 8))
        np.testing.assert_array_equal(poses, many.bodies().poses)
        one.step(0.1)
        many.step(0.1)
        self.assertEqual(one.hash(), many.hash())
        self.assertIsNone(one.audit().what)

    def test_poses_written_in_place_or_through_arrays_move_bodies(self):
        world, floor, crate = floor_and_crate()
        world.bodies().poses[crate.slot, 1] = 7
        self.assertEqual(world.body_pose(crate).position.y, 7)
        world.body_set_pose_many([crate], np.array([[0, 0.9, 0, 0, 0, 0, 0, 1]]))
        world.step(0)
        self.assertEqual(world.contacts(abut.AWAKE).count, 1)

    def test_failed_calls_raise_the_sentence_and_change_nothing(self):
        world, floor, crate = floor_and_crate()
        world.step(0)
        before = world.hash()
        with self.assertRaisesRegex(abut.Error, r"\w+ \w+ \w+") as raised:
            world.body_set_pose_many([crate, crate], [[0, 0, 0, 0, 0, 0, 0, 1], [math.nan, 0, 0, 0, 0, 0, 0, 1]])
        self.assertEqual(
            (raised.exception.status, raised.exception.call, raised.exception.index),
            (abut.INVALID_ARGUMENT, "abut_body_set_pose_many", 1))
        self.assertTrue(str(raised.exception).endswith(" (abut_body_set_pose_many, element 1)"))
        again = pickle.loads(pickle.dumps(raised.exception))  # as a pool of processes sends it
        self.assertEqual((str(again), again.index), (str(raised.exception), 1))
        self.assertEqual(world.hash(), before)
        world.body_destroy(crate)
        with self.assertRaises(abut.Error) as raised:
            world.body_pose(crate)
        self.assertEqual(raised.exception.status, abut.STALE_HANDLE)
        with self.assertRaises(abut.Error):
            abut.World(margin=-1)
        with self.assertRaises(abut.Error):
            abut.overlap(abut.shape_sphere(-1), [0] * 7 + [1], abut.shape_sphere(1), [0] * 7 + [1])

    def test_wrong_names_and_shapes_are_refused_before_the_call(self):
        world, floor, crate = floor_and_crate()
        with self.assertRaisesRegex(TypeError, "has no veloicty"):
            world.body_create(veloicty={})
        with self.assertRaisesRegex(ValueError, "8 numbers, not 3"):
            world.body_set_pose(crate, [1, 2, 3])
        with self.assertRaisesRegex(ValueError, "poses has 2 elements where others have 1"):
            world.body_set_pose_many([crate], np.zeros((2, 8)))
        with self.assertRaisesRegex(TypeError, "has no speed"):
            world.step(speed=3)
        with self.assertRaisesRegex(TypeError, "takes 2 arguments"):
            world.step(1, 2)

    def test_arguments_that_are_missing_or_of_another_kind_are_refused_and_not_followed(self):
        world = abut.World()
        history = abut.history_create(1 << 20)
        body = world.body_create(collider={"shape": abut.shape_sphere(1)})
        with self.assertRaisesRegex(TypeError, "abut_shape_sphere needs radius"):
            abut.shape_sphere()
        with self.assertRaisesRegex(TypeError, "needs max_vertices"):
            abut.geometry_create_hull(np.eye(4, 3))
        with self.assertRaisesRegex(TypeError, "abut_pose_apply needs pose"):  # C follows it
            abut.pose_apply()
        with self.assertRaisesRegex(TypeError, "needs a World for world, not History"):
            history.push(history, None, 1)
        with self.assertRaisesRegex(TypeError, "needs a Geometry for mesh, not World"):
            abut.Geometry.create_scaled(world, [1, 1, 1])
        with self.assertRaisesRegex(TypeError, "a Pose is no Body"):
            world.body_pose(abut.pose_2d(1, 2, 3))
        with self.assertRaisesRegex(TypeError, "is an array, not one dict"):
            world.ray_any_many({"origin": [0, 0, 0]})
        for many in world.overlap_region_many, world.cast_any_many, world.overlap_shape_many:  # numbers would be pointers
            with self.assertRaisesRegex(TypeError, "has elements that are dicts"):
                many([[3, 257]])
        self.assertTrue(world.body_valid(body))

    def test_room_is_asked_for_shapes_one_by_one_and_together(self):
        world = abut.World()
        world.body_create(motion=abut.STATIC, collider={"shape": abut.shape_aabb(5, 1, 5)})
        world.update()
        ball = abut.shape_sphere(0.5)
        asked = [{"shape": ball, "pose": {"position": [0, y, 0], "rotation": [0, 0, 0, 1]}} for y in (0, 1.4, 1.6, 9)]
        self.assertEqual([world.overlap_shape_any(a) for a in asked], [True, True, False, False])
        self.assertEqual(world.overlap_shape_any_many(asked).tolist(), [True, True, False, False])
        self.assertEqual(world.overlap_shape_any_many(asked, motions=1 << abut.DYNAMIC).tolist(), [False] * 4)

    def test_addresses_are_no_arguments(self):
        world, square = abut.World(), {"indices": [[0, 1, 2]], "vertex_count": 3}
        with self.assertRaisesRegex(TypeError, "vertices is an array, not 12345"):
            abut.geometry_create_mesh(vertices=12345, **square)
        with self.assertRaisesRegex(ValueError, "heights is an array of rows"):
            abut.geometry_create_heightfield(heights=12345, rows=2, columns=2, step_x=1, step_z=1)
        for other in 5, world:
            with self.assertRaisesRegex(TypeError, "hull is a Geometry, not"):
                world.body_create(collider={"shape": {"kind": abut.HULL, "hull": other}})
            with self.assertRaisesRegex(TypeError, "geometries is a Geometry, not"):
                world.save(0, {"geometries": [other]})
            with self.assertRaisesRegex(TypeError, "a Geometry is made by a function of the library"):
                abut.Geometry(other)
        with self.assertRaisesRegex(TypeError, "ignore of a QueryFilter is an address"):
            abut.QueryFilter().ignore = [[0, 257]]

    def test_numbers_that_would_be_cut_are_refused(self):
        world, floor, crate = floor_and_crate()
        for wrong in [[2**32 + crate.slot, crate.generation]], np.array([[2**32 + crate.slot, crate.generation]]):
            with self.assertRaisesRegex(OverflowError, "more than 32 bits"):
                world.body_pose_many(wrong)
        for wrong in np.array([[crate.slot + 0.5, crate.generation]]), [["0", "1"]]:
            with self.assertRaisesRegex(TypeError, "bodies has integers, not"):
                world.body_pose_many(wrong)
        with self.assertRaisesRegex(TypeError, "indices has integers, not float64"):
            abut.geometry_create_mesh(vertices=np.eye(3), indices=[[0, 1.5, 2]])
        for wrong in {"flags": 2**33}, {"user_data": 2**64}, {"user_data": -(2**64)}:
            with self.assertRaisesRegex(OverflowError, f"{[*wrong][0]} is -?[0-9]+, which has more than"):
                world.body_create(wrong)
        with self.assertRaisesRegex(OverflowError, "bodies is -1, which is less than none"):
            world.reserve(bodies=-1)
        with self.assertRaisesRegex(OverflowError, "abut_world_nearest_many: most is -2, which is less than none"):
            world.nearest_many([[0, 0, 0]], 1.0, -2)
        for right in {"user_data": -5}, {"collider": {"filter": {"category": 1, "mask": ~2}}}:
            world.body_destroy(world.body_create(right))
        with self.assertRaisesRegex(OverflowError, "abut_world_nearest_many: most"):
            world.nearest_many([[0, 0, 0]], 1.0, 2**32 + 1)
        with self.assertRaisesRegex(TypeError, "abut_world_step: dt is a number, not 'soon'"):
            world.step("soon")
        with self.assertRaisesRegex(TypeError, "motion is an integer, not 'static'"):
            world.body_create(motion="static")
        with self.assertRaisesRegex(TypeError, "poses has numbers, not"):
            world.body_set_pose_many([crate], np.zeros((1, 8), complex))
        world.update()
        self.assertIsNotNone(world.ray_closest([0, 5, 0, 0, -9, 0], mask=~0, category=~2))

    def test_points_have_as_many_numbers_as_the_call_takes(self):
        for wrong in np.ones((3, 2)), np.ones((3, 4)), np.ones((4, 6)), np.ones(7):
            with self.assertRaisesRegex(ValueError, "points has elements of 3 numbers, and is of shape"):
                abut.fit_aabb(wrong)
        self.assertEqual(abut.fit_aabb(np.ones(6)), abut.fit_aabb(np.ones((2, 3))))
        with self.assertRaisesRegex(TypeError, "abut_fit_aabb needs points"):
            abut.fit_aabb()
        poses = np.zeros((6, 8))
        poses[:, 0], poses[:, 7] = np.arange(6), 1
        world = abut.World()
        bodies = world.body_create_many([{}, {}])
        for given in poses[::-1][:2], poses[::3], np.asfortranarray(poses[:2]), poses[:2].astype(">f4"):
            world.body_set_pose_many(bodies, given)
            np.testing.assert_array_equal(world.body_pose_many(bodies), given.astype(np.float32))

    def test_what_arrays_of_the_library_hold_is_an_argument(self):
        world, floor, crate = floor_and_crate()
        world.step(0)
        data = world.contacts(abut.AWAKE).data
        self.assertEqual(world.body_pose(data[0]["b"]), world.body_pose(crate))
        np.testing.assert_array_equal(world.body_pose_many(data["b"]), world.body_pose_many([crate]))
        np.testing.assert_array_equal(world.body_pose_many([data[0]["b"], data[0]["a"]]), world.body_pose_many([crate, floor]))
        self.assertEqual(world.contact(data[0]["id"]).id.slot, 0)
        point = world.contact_position(data[0], data[0]["points"][0])
        self.assertAlmostEqual(point.y, 0.45, 6)
        with self.assertRaises((TypeError, ValueError)):
            world.body_pose(data[0])

    def test_structs_take_dicts_and_sequences_and_refuse_misspelt_names(self):
        definition = abut.BodyDef(pose={"position": [1, 2, 3], "rotation": [0, 0, 0, 1]})
        definition.velocity.linear = 4, 5, 6
        self.assertEqual((definition.pose.position.y, definition.velocity.linear.z), (2, 6))
        with self.assertRaisesRegex(TypeError, "BodyDef has no psoe, only pose"):
            definition.psoe = definition.pose
        with self.assertRaisesRegex(TypeError, "abut_shape_sphere has radius twice"):
            abut.shape_sphere(1, radius=2)

    def test_what_one_thread_did_wrong_is_not_told_to_another(self):
        told = []

        def run(wrong, call, sentence):
            world = abut.World(veto=lambda pairs, vetoed: told.append("vetoed"))
            for _ in range(2000):
                try:
                    call(world)
                except abut.Error as error:
                    wrong.extend([] if sentence in str(error) else [str(error)])

        wrong = []
        calls = [(lambda w: w.step(math.nan), "time step"), (lambda w: w.body_pose([99, 1]), "live body")]
        threads = [threading.Thread(target=run, args=(wrong, *call)) for call in calls * 2]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual((wrong, told), ([], []))

    def test_worlds_are_not_closed_from_inside_nor_copied_and_live_as_long_as_their_arrays(self):
        made = []
        world, floor, crate = floor_and_crate(veto=lambda pairs, vetoed: made[0].close())
        made.append(world)
        with self.assertRaises(abut.Error) as raised:
            world.step(0)
        self.assertEqual(raised.exception.status, abut.BUSY)
        self.assertTrue(world.body_valid(crate))
        world, floor, crate = floor_and_crate()
        world.detect_begin(0)
        with self.assertRaises(abut.Error):
            world.close()
        world.detect_end()
        for duplicate in copy.copy, copy.deepcopy, pickle.dumps:
            with self.assertRaisesRegex(TypeError, "a World cannot be copied"):
                duplicate(world)
        gone, poses = weakref.ref(world), world.bodies().poses[:, :3]
        del world
        gc.collect()
        self.assertIsNotNone(gone())
        self.assertEqual(poses[crate.slot].tolist(), [0, np.float32(0.9), 0])
        del poses
        gc.collect()
        self.assertIsNone(gone())

    def test_settings_of_a_world_that_python_does_not_have_are_refused(self):
        for wrong in {"veto": 3}, {"on_error": print}, {"allocator": {}}:
            with self.assertRaises(TypeError):
                abut.World(**wrong)
        with self.assertRaises(TypeError):
            abut.World({"margin": 1})

    def test_a_veto_decides_about_new_pairs_and_what_it_raises_comes_out_of_the_step(self):
        seen, fails = [], []

        def veto(pairs, vetoed):
            if fails:
                raise KeyError("no opinion")
            seen.append(pairs["normal"]["y"].tolist())
            vetoed[:] = True

        world, floor, crate = floor_and_crate(veto=veto)
        world.step(0)
        world.step(0)
        self.assertEqual(seen, [[1]])
        self.assertEqual(world.contacts(abut.AWAKE).count, 0)
        fails.append(True)
        world.body_create(pose={"position": [3, 0.9, 0]}, collider={"shape": abut.shape_sphere(1)})
        with self.assertRaises(KeyError):
            world.step(0)
        self.assertEqual(world.contacts(abut.AWAKE).count, 1)  # the step was carried out

    def test_worlds_are_closed_once_and_then_say_so(self):
        world, _, _ = floor_and_crate()
        world.close()
        world.close()
        with self.assertRaisesRegex(ValueError, "World is closed"):
            world.step(0)
        for _ in range(100):
            floor_and_crate()
        gc.collect()

    def test_lists_longer_than_what_is_asked_for_at_first_come_whole(self):
        world = abut.World()
        hub = world.body_create(motion=abut.STATIC, collider={"shape": abut.shape_obb(1000, 1, 1)})
        sensor = world.collider_attach(hub, shape=abut.shape_obb(1000, 1, 1), flags=abut.COLLIDER_SENSOR)
        world.body_create_many([
            {"pose": {"position": [i * 3 - 450, 0, 0]}, "collider": {"shape": abut.shape_sphere(1)}} for i in range(300)])
        world.step(0)
        self.assertEqual(len(world.body_contacts(hub, abut.AWAKE)), 300)
        self.assertEqual(world.collider_overlaps(sensor).shape, (300, 4))
        self.assertGreater(len(world.draw(what=abut.DRAW_POINTS)), 300)
        self.assertEqual(world.collider_get(sensor)["def"].flags, abut.COLLIDER_SENSOR)

    def test_a_shape_finds_the_manifolds_that_it_has_with_each_collider(self):
        world = abut.World()
        balls = world.body_create_many([
            {"pose": {"position": [x, 0, 0]}, "collider": {"shape": abut.shape_sphere(1)}} for x in range(0, 400, 4)])
        world.update()
        asker = {"shape": abut.shape_sphere(1), "pose": {"position": [8, 1.5, 0], "rotation": [0, 0, 0, 1]}}
        found = world.collide_shape(asker, 0)
        self.assertEqual(found["body"]["slot"].tolist(), [balls[2, 0]])
        self.assertEqual([tuple(n) for n in found["manifold"]["normal"]], [(0, -1, 0)])
        self.assertEqual(found["manifold"]["separation"].tolist(), [-0.5])
        self.assertEqual(len(world.collide_shape({**asker, "shape": abut.shape_obb(500, 1, 1)}, 0)), 100)
        both = world.collide_shape_many([asker, asker], 0, ignore_each=balls[[2, 3]])
        self.assertEqual(both["ranges"]["count"].tolist(), [0, 1])

    def test_what_parts_two_worlds_is_named(self):
        worlds = [abut.World(), abut.World()]
        for world in worlds:
            ball = world.body_create(collider={"shape": abut.shape_sphere(1)})
            world.step(0)
        self.assertFalse(abut.image_compare(*(world.save(0) for world in worlds))["differ"])
        worlds[1].body_set_pose(ball, {"position": [0, 0.5, 0], "rotation": [0, 0, 0, 1]})
        found = abut.image_compare(*(world.save(0) for world in worlds))
        self.assertTrue(found["differ"])
        self.assertEqual((found["out"].body, found["out"].part, found["out"].field), (0, "body", "position.y"))
        self.assertRaises(abut.Error, abut.image_compare, worlds[0].save(0), b"no image")

    def test_a_character_walks_up_to_a_wall_and_leaves_out_its_own_body(self):
        world = abut.World()
        world.body_create(motion=abut.STATIC, collider={"shape": abut.shape_obb(10, 1, 10)}, pose={"position": [0, -1, 0]})
        wall = world.body_create(motion=abut.STATIC, collider={"shape": abut.shape_obb(1, 5, 10)}, pose={"position": [5, 0, 0]})
        own = world.body_create(motion=abut.KINEMATIC, collider={"shape": abut.shape_sphere(0.5)}, pose={"position": [0, 0.5, 0]})
        world.update()
        walker = {"shape": abut.shape_sphere(0.5), "pose": {"position": [0, 0.51, 0], "rotation": [0, 0, 0, 1]},
                  "translation": [8, 0, 0], "stands": True}
        move = world.move_character(walker, ignore=[own])
        self.assertAlmostEqual(move.position.x, 3.49, places=4)
        self.assertEqual(move.footing, abut.FOOTING_GROUND)
        self.assertEqual(move.touch_count, 1)
        self.assertEqual(move.touches[0].body.slot, wall.slot)
        both = world.move_character_many([walker, {**walker, "translation": [-8, 0, 0]}], ignore=[own])
        self.assertEqual(both["touch_count"].tolist(), [1, 0])

    def test_what_is_nearest_is_as_many_as_are_wanted_however_many_there_are(self):
        world = abut.World()
        poses = np.zeros((200, 8))
        poses[:, 0], poses[:, 7] = 4 * np.arange(200), 1
        balls = world.body_create_many({"pose": poses, "collider": {"shape": abut.shape_sphere(1)}})
        world.update()
        for wanted in 0, 1, 64, 65, 200, 2**32 - 1:
            self.assertEqual(len(world.nearest([0, 9, 0], math.inf, wanted)), min(wanted, 200))
        self.assertEqual(world.nearest([0, 9, 0], math.inf, 150)["body"]["slot"][149], balls[149, 0])
        self.assertEqual(world.nearest([0, 9, 0], math.inf, 1, ignore=balls[:1])["body"]["slot"][0], balls[1, 0])
        self.assertEqual(len(world.nearest(point=[0, 0, 0], max_distance=50, capacity=1000)), 13)
        shape = {"shape": abut.shape_sphere(2), "pose": [0, 9, 0, 0, 0, 0, 0, 1]}
        self.assertEqual(len(world.nearest_shape(shape, math.inf, 150)), 150)
        with self.assertRaisesRegex(TypeError, "abut_world_nearest: capacity is an integer, not None"):
            world.nearest([0, 9, 0], 1.0)
        world.close()

    def test_rays_find_what_the_c_library_finds_one_by_one_and_by_the_many(self):
        world = abut.World()
        balls = world.body_create_many([
            {"pose": {"position": [x, 0, 0]}, "collider": {"shape": abut.shape_sphere(1)}} for x in range(0, 400, 4)])
        world.update()
        ray = {"origin": [-10, 0, 0], "translation": [1000, 0, 0]}
        self.assertEqual(world.ray_closest(ray).body.slot, balls[0, 0])
        self.assertEqual(world.ray_closest(ray, ignore=balls[:3]).body.slot, balls[3, 0])
        self.assertEqual(len(world.ray_all(ray)), 100)
        rays = np.array([[-10, 0, 0, 1000, 0, 0], [-10, 5, 0, 1000, 0, 0], [8, 9, 0, 0, -9, 0]])
        self.assertEqual(world.ray_any_many(rays).tolist(), [True, False, True])
        self.assertEqual(world.ray_closest_many(rays)["body"]["slot"][2], balls[2, 0])
        self.assertEqual(world.ray_closest(ray, ignore_each=balls[:1]).body.slot, balls[1, 0])
        self.assertEqual(world.ray_closest_many(rays, ignore_each=balls[[0, 1, 2]])["body"]["slot"][0], balls[1, 0])
        self.assertEqual(world.ray_any_many(rays, ignore_each=balls[[0, 1, 2]]).tolist(), [True, False, False])
        self.assertRaises(ValueError, world.ray_any_many, rays, ignore_each=balls[:2])
        self.assertEqual(world.ray_any_many(rays, mask_each=[0, 1, 2]).tolist(), [True, False, False])
        both = world.ray_all_many(rays)
        self.assertEqual(both["ranges"]["count"].tolist(), [100, 0, 1])
        self.assertEqual(len(both["out"]), 101)

    def test_columns_are_what_dicts_one_by_one_are(self):
        numbers = np.random.default_rng(7)
        count = 200
        poses = np.zeros((count, 8))
        poses[:, :3], poses[:, 7] = numbers.uniform(-9, 9, (count, 3)), 1
        ways = numbers.uniform(-4, 4, (count, 3))
        ball, box = abut.shape_sphere(0.7), abut.shape_obb(0.5, 0.6, 0.7)
        shapes = [ball if i % 2 else box for i in range(count)]
        one, other = abut.World(), abut.World()
        one.body_create_many([{"pose": pose, "velocity": {"linear": way}, "collider": {"shape": shape, "user_data": i}}
                              for i, (pose, way, shape) in enumerate(zip(poses, ways, shapes))])
        other.body_create_many({"pose": poses, "velocity": {"linear": ways},
                                "collider": {"shape": shapes, "user_data": np.arange(count)}})
        one.step(0.1), other.step(0.1)
        self.assertEqual(one.hash(), other.hash())
        self.assertEqual(other.colliders().user_data.tolist(), list(range(count)))
        rotation = [0, 0, 0, 1]  # one for all
        found = other.cast_all_many({"shape": box, "pose": {"position": poses[:, :3], "rotation": rotation}, "translation": ways})
        right = other.cast_all_many([{"shape": box, "pose": pose, "translation": way} for pose, way in zip(poses, ways)])
        self.assertGreater(len(right["out"]), count)
        self.assertEqual({name: array.tobytes() for name, array in found.items()},
                         {name: array.tobytes() for name, array in right.items()})
        self.assertEqual(other.ray_any_many({"origin": poses[:, :3], "translation": ways}).tolist(),
                         other.ray_any_many(np.hstack([poses[:, :3], ways])).tolist())
        self.assertEqual(len(other.overlap_shape_any_many({"shape": ball, "pose": poses[:0]})), 0)
        with self.assertRaisesRegex(ValueError, "casts: translation has 3 elements where others have 200"):
            other.cast_any_many({"shape": box, "pose": poses, "translation": ways[:3]})
        with self.assertRaisesRegex(ValueError, r"translation has elements of shape \(2,\), not \(3,\)"):
            other.cast_any_many({"shape": box, "pose": poses, "translation": ways[:, :2]})
        with self.assertRaisesRegex(TypeError, "Cast has no way"):
            other.cast_any_many({"shape": box, "pose": poses, "way": ways})
        with self.assertRaisesRegex(OverflowError, "user_data has numbers of more than 64 bits"):
            other.body_create_many({"pose": poses[:1], "collider": {"shape": ball, "user_data": [1 << 64]}})

    def test_an_update_of_some_bodies_lets_rays_find_them_where_they_are(self):
        world = abut.World()
        balls = world.body_create_many([
            {"pose": {"position": [x, 0, 0]}, "collider": {"shape": abut.shape_sphere(1)}} for x in range(0, 400, 4)])
        world.update_bodies(balls[5:7])
        ray = {"origin": [-10, 0, 0], "translation": [1000, 0, 0]}
        self.assertEqual(len(world.ray_all(ray)), 2)
        self.assertEqual(world.ray_closest(ray).body.slot, balls[5, 0])
        with self.assertRaises(abut.Error):
            world.update_bodies([[0, 0]])

    def test_a_saved_world_comes_back_with_its_geometry(self):
        triangle = abut.geometry_create_polygon([[0, 0], [2, 0], [0, 2]])
        world = abut.World(dimension=2)
        body = world.body_create(velocity={"linear": [1, 0, 0]}, collider={"shape": abut.shape_polygon(triangle)})
        world.step(0.5)
        registry = {"geometries": [triangle]}
        image, before = world.save(0, registry), world.hash()
        world.step(0.5)
        self.assertNotEqual(world.hash(), before)
        world.restore(registry, image)
        self.assertEqual(world.hash(), before)
        self.assertEqual(world.body_pose(body).position.x, 0.5)
        with self.assertRaises(abut.Error):
            world.restore(registry, image[:-8])

    def test_a_difference_of_two_images_makes_the_later_one_of_the_earlier(self):
        world = abut.World()
        world.body_create(velocity={"linear": [1, 0, 0]}, collider={"shape": abut.shape_sphere(1)})
        world.step(0.1)
        base = world.save(0)
        world.step(0.1)
        image = world.save(0)
        difference = abut.image_difference(base, image)
        self.assertLess(len(difference), len(image))
        self.assertTrue(np.array_equal(abut.image_apply(base, difference), image))
        for wrong in (image, difference), (base, difference[:-8]):
            with self.assertRaises(abut.Error):
                abut.image_apply(*wrong)

    def test_contacts_of_a_pair_are_reduced_to_patches(self):
        n = 9
        hills = [[x - 4, 0.3 * ((x + z + 1) % 2), z - 4] for z in range(n) for x in range(n)]
        corners = [z * n + x for z in range(n - 1) for x in range(n - 1)]
        triangles = [[a, a + n, a + 1, a + 1, a + n, a + n + 1] for a in corners]
        mesh = abut.geometry_create_mesh(vertices=hills, indices=np.ravel(triangles))
        world = abut.World()
        world.body_create(motion=abut.STATIC, collider={"shape": abut.shape_mesh(mesh)})
        for x in (-10, 0):
            world.body_create(pose={"position": [x, 0.25, 0]}, collider={"shape": abut.shape_obb(2.3, 0.3, 2.3)})
        world.detect(0)
        contacts = world.contacts(abut.AWAKE)
        self.assertGreater(contacts.count, 8)
        patches = abut.contact_patches(contacts, 0, 0.999)
        self.assertEqual([*patches["point_count"]], [4])
        self.assertEqual(len(abut.contact_patches(contacts, 0, 2)), contacts.count)  # no two are alike then
        self.assertEqual(len(abut.contact_patches(contacts, contacts.count - 1, 0.999)), 1)
        with self.assertRaises(IndexError):
            abut.contact_patches(contacts, contacts.count, 0.999)

    def test_a_hull_of_many_points(self):
        points = np.random.default_rng(1).uniform(-1, 1, (1000, 3)).astype(np.float32)
        corners = [[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
        box = abut.geometry_create_hull(np.concatenate([points, np.array(corners, np.float32)]), 0)
        self.assertEqual(sorted(np.array(box.hull_vertices()).reshape(-1, 3).tolist()), sorted(corners))
        self.assertEqual(box.hull_faces(), 6)
        world = abut.World()
        world.body_create(collider={"shape": abut.shape_hull(box)})
        world.body_create(motion=abut.STATIC, pose={"position": [0, -1.5, 0]}, collider={"shape": abut.shape_obb(2, 1, 2)})
        world.step(0)
        self.assertEqual(world.contacts(abut.AWAKE).count, 1)

    def test_a_mesh_is_checked_for_what_may_be_wrong_with_it(self):
        square = {"vertices": [[-1, 0, -1], [1, 0, -1], [1, 0, 1], [-1, 0, 1]], "indices": [[0, 2, 1], [0, 2, 3]]}
        faults = abut.geometry_check_mesh(**square)
        turned, border = abut.FAULT_FLIPPED, abut.FAULT_BORDER
        self.assertEqual(np.array(faults)[:, :3].tolist(),
                         [[turned, 0, 0], [border, 0, 1], [border, 0, 2], [turned, 1, 0], [border, 1, 1], [border, 1, 2]])

    def test_geometry_that_only_a_shape_refers_to_lives_as_long_as_that(self):
        def hull(size):
            corners = [[x, y, z] for x in (-size, size) for y in (-size, size) for z in (-size, size)]
            return abut.shape_hull(abut.geometry_create_hull(corners, 0))

        world = abut.World()
        for i in range(100):
            world.body_create(pose={"position": [3 * i, 0, 0]}, collider={"shape": hull(1)})
            definition = abut.BodyDef()
            definition.pose.position.x, definition.pose.rotation.w = 3 * i, 1
            definition.pose.position.y = 1.5
            definition.collider.shape = hull(1)
            gc.collect()
            world.body_create(definition)
        world.body_create_many([{"pose": {"position": [3 * i, -1.5, 0]}, "collider": {"shape": hull(1)}} for i in range(100)])
        world.step(0)
        self.assertEqual(world.contacts(abut.AWAKE).count, 200)

    def test_meshes_heightfields_and_chains_are_made_of_arrays(self):
        mesh = abut.geometry_create_mesh(vertices=[[-9, 0, -9], [-9, 0, 9], [9, 0, 9], [9, 0, -9]], indices=[[0, 1, 2], [0, 2, 3]])
        field = abut.geometry_create_heightfield(heights=np.zeros((4, 6)), step_x=1, step_z=2)
        chain = abut.geometry_create_chain(points=[[0, 0], [-1, 0], [-2, 0]], two_sided=True, before=[[1, 0]])
        self.assertEqual((mesh.mesh_triangles(), field.mesh_triangles(), len(chain.chain_points())), (2, 30, 3))
        world = abut.World()
        world.body_create(motion=abut.STATIC, collider={"shape": abut.shape_mesh(mesh)})
        world.body_create(pose={"position": [3, 0.9, 0]}, collider={"shape": abut.shape_sphere(1)})
        world.step(0)
        self.assertEqual(world.contacts(abut.AWAKE).count, 1)
        square = {"vertices": [[-9, 0, -9], [-9, 0, 9], [9, 0, 9], [9, 0, -9]], "indices": [[0, 1, 2], [0, 2, 3]]}
        self.assertEqual(abut.geometry_create_mesh(**square, materials=[1, 7]).mesh_material(1), 7)
        for wrong in [{"indices": [0, 1, 2, 3, 0]}, {"materials": [1]}, {"vertex_count": 5}]:
            with self.assertRaises(ValueError):
                abut.geometry_create_mesh({**square, **wrong})
        for wrong in [{"heights": [0, 0, 0, 0]}, {"cells": [0]}, {"materials": [0] * 14}]:
            with self.assertRaises(ValueError):
                abut.geometry_create_heightfield({"heights": np.zeros((4, 6)), "step_x": 1, "step_z": 1, **wrong})
        with self.assertRaises(ValueError):
            abut.geometry_create_chain(points=[[0, 0], [-1, 0], [-2, 0]], before=[])
        slope = abut.geometry_create_heightfield(heights=np.arange(24.0).reshape(4, 6), step_x=1, step_z=2)
        self.assertEqual(slope.heightfield_at(0.25, -1.0).position.y, 8.75)
        self.assertIsNone(slope.heightfield_at(9, 0))
        region = {"column": 1, "row": 1, "columns": 2, "rows": 2}
        field.update_heightfield({**region, "heights": np.ones((2, 2)), "cells": [abut.CELL_HOLE]})
        for wrong in [{"heights": [1, 1, 1]}, {"cells": [0, 0]}, {"heights": np.ones((2, 2)), "materials": []}]:
            with self.assertRaises(ValueError):
                field.update_heightfield({**region, **wrong})

    def test_geometries_are_saved_as_bytes_and_made_again(self):
        square = {"vertices": [[-9, 0, -9], [-9, 0, 9], [9, 0, 9], [9, 0, -9]], "indices": [[0, 1, 2], [0, 2, 3]]}
        level = [abut.geometry_create_mesh(**square), abut.geometry_create_heightfield(heights=np.zeros((4, 6)), step_x=1, step_z=2)]
        saved = abut.geometries_save({"geometries": level})
        again = abut.geometries_load(saved)
        self.assertEqual([g.mesh_triangles() for g in again], [2, 30])
        self.assertEqual(abut.geometries_save({"geometries": again}).tobytes(), saved.tobytes())
        self.assertEqual(abut.geometries_load(abut.geometries_save({"geometries": []})), [])
        saved[-1] ^= 1
        with self.assertRaises(abut.Error):
            abut.geometries_load(saved)

    def test_a_ball_lies_on_a_half_space_at_the_pose_of_its_plane(self):
        world = abut.World()
        pose = abut.pose_of_plane([0, 2, 0], 6)  # y = 3, whatever the normal's length
        world.body_create(motion=abut.STATIC, pose=pose, collider={"shape": abut.shape_half_space()})
        world.body_create(pose={"position": [700, 3.5, -90]}, collider={"shape": abut.shape_sphere(0.75)})
        world.step(0)
        contacts = world.contacts(abut.AWAKE)
        self.assertEqual(contacts.count, 1)
        contact = contacts.data[contacts.order[0]]
        self.assertEqual((contact["separation"], contact["normal"][1]), (-0.25, 1))

    def test_a_barrel_stands_on_its_disc_and_a_cone_on_its_base(self):
        world = abut.World()
        world.body_create(motion=abut.STATIC, collider={"shape": abut.shape_half_space()})
        for x, shape in enumerate([abut.shape_cylinder(0.25, 0.5), abut.shape_cone(0.25, 0.5)]):
            world.body_create(pose={"position": [x, 0.375, 0]}, collider={"shape": shape})
        world.step(0)
        contacts = world.contacts(abut.AWAKE)
        self.assertEqual([(c["separation"], c["point_count"]) for c in contacts.data[contacts.order]], [(-0.125, 4)] * 2)

    def test_tile_maps_become_chains(self):
        tiles = np.zeros((3, 5), np.uint8)
        tiles[0] = abut.TILE_FULL
        tiles[1, 4] = abut.TILE_LOWER_RIGHT
        tile_map = {"tiles": tiles, "origin": [10, 0], "size": [2, 1]}
        (outline,) = abut.geometries_of_tiles(tile_map)
        corners = {tuple(p) for p in outline.chain_points()}
        self.assertEqual(corners, {(10, 0), (20, 0), (20, 2), (18, 1), (10, 1)})
        left = abut.geometries_of_tiles(tile_map, {"columns": 2, "rows": 3})
        right = abut.geometries_of_tiles(tile_map, {"first_column": 2, "columns": 3, "rows": 3})
        self.assertEqual([len(g.chain_points()) for g in left + right], [4, 5])
        with self.assertRaises(abut.Error):
            abut.geometries_of_tiles({"tiles": tiles + 9, "size": [1, 1]})

    def test_a_history_rewinds_a_world_and_ends_with_its_last_reference(self):
        world, _, crate = floor_and_crate()
        history = abut.history_create(1 << 20)
        self.assertIsInstance(history, abut.History)
        self.assertIsNone(history.range())
        for frame in range(5):
            history.push(world, {}, frame)
            world.bodies().poses[crate.slot, 0] += 1
            world.step(0)
        self.assertEqual(history.range(), {"oldest": 0, "newest": 4})
        history.rewind(world, {}, 2)
        self.assertEqual(world.bodies().poses[crate.slot, 0], 2)
        history.close()
        history.close()
        with self.assertRaises(ValueError):
            history.push(world, {}, 3)

    def test_user_data_has_64_bits(self):
        world = abut.World()
        body = world.body_create(user_data=0xFEDCBA9876543210)
        self.assertEqual(world.body_user_data(body), 0xFEDCBA9876543210)
        self.assertEqual(world.bodies().user_data[body.slot], 0xFEDCBA9876543210)


class Functions(unittest.TestCase):
    def test_every_function_and_constant_of_the_c_interface_is_here(self):
        from abut._library import API, LEFT_OUT
        missing = []
        owners = (abut, abut.World, abut.Geometry, abut.History)
        for name in API["functions"]:
            short = [name[5:], re.sub("^abut_(world|geometry|history)_", "", name)]
            if name not in LEFT_OUT and not any(hasattr(o, n) for o in owners for n in short):
                missing.append(name)
        own = ["abut_world_register_kind", "abut_world_kind", "abut_world_set_pair_function"]
        self.assertEqual([name for name in missing if not re.match("abut_(recording|replay)_", name)], own)
        self.assertEqual((abut.STATIC, abut.OBB, abut.MAX_VERTICES), (2, 3, 16))

    def test_pairs_at_once_are_what_pairs_one_by_one_are(self):
        bodies = crowd(40)
        poses = np.zeros((40, 8), np.float32)
        poses[:, :3] = [b["pose"]["position"] for b in bodies]
        poses[:, 7] = 1
        shapes = [b["collider"]["shape"] for b in bodies]
        a, b = np.triu_indices(40, 1)
        manifolds = abut.collide_many({"shapes": shapes, "poses": poses, "a": a, "b": b}, 0.1)
        overlapping = abut.overlap_many({"shapes": shapes, "poses": poses, "a": a, "b": b})
        self.assertEqual((manifolds.shape, overlapping.shape, overlapping.dtype), (a.shape, a.shape, np.bool_))
        self.assertTrue(10 < overlapping.sum() < len(a) / 2)
        for k, (i, j) in enumerate(zip(a, b)):
            one = abut.collide(shapes[i], poses[i], shapes[j], poses[j], 0.1)
            self.assertEqual(bytes(one), manifolds[k].tobytes())
            self.assertEqual(overlapping[k], abut.overlap(shapes[i], poses[i], shapes[j], poses[j]))

    def test_structs_come_back_by_value_through_pointers_and_several_at_once(self):
        pose = abut.pose_compose([1, 2, 3, 0, 0, 0, 0, 1], {"position": {"x": 1}, "rotation": {"w": 1}})
        self.assertEqual((pose.position.x, pose.position.y), (2, 2))
        both = abut.sincos(math.pi / 6)
        self.assertAlmostEqual(both["sine"], 0.5, 6)
        self.assertEqual(abut.pose_move([0] * 7 + [1], {"linear": [2, 0, 0]}, 0.5).position.x, 1)
        self.assertIsNone(abut.pose_move([0] * 7 + [1], {"linear": [math.nan, 0, 0]}, 0.5))
        self.assertEqual(abut.shape_corners(abut.shape_obb(1, 2, 3), [0] * 7 + [1]).shape, (8, 3))
        points = np.array([[0, 0, 0], [1, 2, 3]])
        self.assertEqual(abut.fit_aabb(points).max.z, 3)
        self.assertEqual(abut.fit_rectangle([[0, 0], [2, 0], [2, 1], [0, 1]]).shape.box.half_extents.x, 1)
        self.assertEqual(abut.isa_name(abut.ISA_SCALAR), "scalar")

    def test_a_polygon_lives_as_long_as_somebody_needs_it(self):
        triangle = abut.geometry_create_polygon([[0, 0], [2, 0], [0, 2]])
        self.assertEqual(sorted(triangle.vertices().ravel()), [0, 0, 0, 0, 2, 2])
        world = abut.World(dimension=2)
        world.body_create(collider={"shape": abut.shape_polygon(triangle)})
        triangle.close()
        with self.assertRaisesRegex(ValueError, "Geometry is closed"):
            triangle.vertices()
        world.body_create(pose=abut.pose_2d(1, -0.5, 0), collider={"shape": abut.shape_sphere(1)})
        world.step(0)
        self.assertEqual(world.contacts(abut.AWAKE).count, 1)

    def test_functions_tell_their_arguments(self):
        self.assertEqual(str(inspect.signature(abut.World.save)), "(world, flags, registry=None)")
        self.assertEqual(str(inspect.signature(abut.World().ray_closest)), "(ray, filter=None, **fields)")
        self.assertEqual(str(inspect.signature(abut.World.collider_set)), "(world, collider, def_=None, **fields)")
        self.assertEqual(abut.World.ray_closest.__qualname__, "World.ray_closest")
        self.assertTrue(abut.World.ray_closest.__doc__.startswith("Finds the first hit of a ray."))
        self.assertEqual(str(inspect.signature(abut.quat_rotate)), "(q, v)")

    def test_the_program_of_the_readme_runs(self):
        program = re.search(r"```python\n(.*?)```", (HERE.parent / "README.md").read_text(), re.S).group(1)
        said = subprocess.run([sys.executable, "-c", program], cwd=HERE.parent, check=True, capture_output=True, text=True).stdout
        self.assertRegex(said, r"^\[0\] touch \[1\] at height 2\.0\d*\n$")


if __name__ == "__main__":
    if sys.argv[1:] == ["--hash"]:
        print(crowd_hash())
    else:
        unittest.main()
