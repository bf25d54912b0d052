// A box down a mesh's tree for one instruction set: the leaves, the blocks and the triangles that it may meet, in their
// order. None is left out: boxes are compared as they are, and steps are rounded outward.

// A box that is looked for.
typedef struct sought
{
    f32w min[3], max[3];
} sought;

AB_INLINE void seek(const ab_mesh_box *box, sought *out)
{
    for (int k = 0; k < 3; ++k)
    {
        out->min[k] = splatw(box->min[k]);
        out->max[k] = splatw(box->max[k]);
    }
}

// The children of a node that meet it, by bits.
AB_INLINE uint32_t meet_children(const ab_mesh_node *node, const sought *s)
{
    uint32_t mask = 0;
    AB_UNROLL
    for (uint32_t i = 0; i < AB_MESH_WIDTH; i += LANES)
    {
        const maskw x = andm(lew(loadw(node->min[0] + i), s->max[0]), lew(s->min[0], loadw(node->max[0] + i))),
                    y = andm(lew(loadw(node->min[1] + i), s->max[1]), lew(s->min[1], loadw(node->max[1] + i))),
                    z = andm(lew(loadw(node->min[2] + i), s->max[2]), lew(s->min[2], loadw(node->max[2] + i)));
        mask |= bitsm(andm(andm(x, y), z)) << i;
    }
    return mask;
}

#define DOWN 0.4999f // less than a half: what is rounded to the nearest whole number is no less than rounded down

// As ab_mesh_step_at, or a step more.
AB_INLINE u32w steps_of(f32w away, f32w scale)
{
    const f32w steps = subw(mulw(away, scale), splatw(DOWN));
    const f32w some = minw(maxw(steps, splatw(0.0f)), splatw((float)AB_MESH_STEPS));
    return andu(bitsw(addw(some, splatw(WHOLE))), splatu(15));
}

// The blocks of a leaf that meet it, by bits, and it in steps of each one's: see ab_mesh_blocks.
AB_INLINE uint32_t meet_blocks(const ab_mesh_leaf *leaf, const sought *s, uint32_t steps[AB_MESH_WIDTH])
{
    uint32_t mask = 0;
    AB_UNROLL
    for (uint32_t i = 0; i < AB_MESH_WIDTH; i += LANES)
    {
        u32w all = splatu(0);
        maskw meets[3];
        for (int k = 0; k < 3; ++k)
        {
            const f32w origin = splatw(leaf->origin[k]), step = splatw(ab_mesh_leaf_step(leaf, k));
            const f32w min = addw(origin, mulw(bytes_at(leaf->min[k] + i), step)),
                       max = addw(origin, mulw(bytes_at(leaf->max[k] + i), step));
            const f32w scale = divw(splatw((float)AB_MESH_STEPS), subw(max, min));
            const u32w end = steps_of(subw(s->max[k], min), scale), begin = steps_of(subw(max, s->min[k]), scale);
            meets[k] = andm(lew(min, s->max[k]), lew(s->min[k], max));
            all = oru(all, oru(shlu(end, 8 * k), shlu(begin, 8 * k + 4)));
        }
        mask |= bitsm(andm(andm(meets[0], meets[1]), meets[2])) << i;
        storeu(steps + i, all);
    }
    return mask & leaf->there;
}

AB_INLINE void add_blocks(const ab_mesh *mesh, uint32_t first, uint32_t mask, const uint32_t steps[AB_MESH_WIDTH],
                          ab_mesh_blocks *out)
{
    uint32_t count = out->count;
    for (uint32_t left = mask; left != 0; left &= left - 1)
    {
        const uint32_t child = ab_lowest_bit(left), block = first + child;
        AB_PREFETCH(mesh->blocks[block].inset);
        out->block[count] = block;
        out->steps[count++] = steps[child];
    }
    out->count = count;
}

// A node of a level.
typedef struct node_at
{
    uint32_t level, index;
} node_at;

// Lets the children of a node wait, all but the first one; of those that wait the first is on top.
AB_INLINE uint32_t push_nodes(const ab_mesh *mesh, node_at at, uint32_t mask, node_at *stack, uint32_t depth)
{
    const size_t first = AB_MESH_WIDTH * (size_t)at.index;
    const ab_mesh_leaf *leaves = mesh->leaves + first;
    const ab_mesh_node *children = mesh->nodes + mesh->first[at.level - 1] + first;
    for (uint32_t left = mask & (mask - 1); left != 0;)
    {
        const uint32_t child = ab_highest_bit(left);
        left ^= 1u << child;
        stack[depth++] = (node_at){ at.level - 1, AB_MESH_WIDTH * at.index + child };
        if (at.level == 1)
        {
            AB_PREFETCH(&leaves[child]);
            continue;
        }
        AB_PREFETCH(children[child].min[0]);
        AB_PREFETCH(children[child].min[2]);
        AB_PREFETCH(children[child].max[1]);
    }
    return depth;
}

// A way down the tree, as far as it has been gone.
typedef struct descent
{
    node_at stack[AB_MESH_LEVELS * AB_MESH_WIDTH], at; // seven wait on each level at most
    uint32_t depth;
    bool ended;
} descent;

AB_INLINE void begin_descent(const ab_mesh *mesh, descent *d)
{
    d->at = (node_at){ mesh->levels - 1, 0 };
    d->depth = 0;
    d->ended = false;
}

AB_INLINE void add_leaves(const ab_mesh *mesh, uint32_t first, uint32_t mask, ab_mesh_leaves *out)
{
    for (uint32_t left = mask; left != 0; left &= left - 1)
    {
        const uint32_t leaf = first + ab_lowest_bit(left);
        AB_PREFETCH(&mesh->leaves[leaf]);
        out->leaf[out->count++] = leaf;
    }
}

// Goes on until there is no room for leaves, or no more of them. Those of a node for which there is room do not wait.
AB_INLINE void find_more_leaves(const ab_mesh *mesh, const sought *s, descent *d, ab_mesh_leaves *out)
{
    out->count = 0;
    while (!d->ended && out->count < AB_MESH_LEAVES)
    {
        const node_at at = d->at;
        const uint32_t mask = at.level > 0 ? meet_children(&mesh->nodes[mesh->first[at.level] + at.index], s) : 0;
        if (at.level == 1 && out->count <= AB_MESH_LEAVES - AB_MESH_WIDTH)
        {
            add_leaves(mesh, AB_MESH_WIDTH * at.index, mask, out);
        }
        else if (mask != 0)
        {
            d->depth = push_nodes(mesh, at, mask, d->stack, d->depth);
            d->at = (node_at){ at.level - 1, AB_MESH_WIDTH * at.index + ab_lowest_bit(mask) };
            continue;
        }
        else if (at.level == 0)
        {
            AB_PREFETCH(&mesh->leaves[at.index]);
            out->leaf[out->count++] = at.index;
        }
        d->ended = d->depth == 0;
        d->at = d->ended ? at : d->stack[--d->depth];
    }
}

static bool find_leaves(const ab_mesh *mesh, const ab_mesh_box *box, ab_mesh_leaves *out)
{
    sought s;
    descent d;
    seek(box, &s);
    begin_descent(mesh, &d);
    find_more_leaves(mesh, &s, &d, out);
    return d.ended;
}

// Writes eight numbers from `first` on: those of the bits in a set, in their order, then others.
AB_INLINE void store_eight(uint32_t *to, uint32_t first, uint32_t set)
{
    for (uint32_t k = 0; k < AB_MESH_WIDTH; k += LANES)
    {
        storeu(to + k, addu(splatu(first), bytes_of(&ab_compress_lanes[set], k)));
    }
}

#define MOST 128u // nodes of a level that boxes meet together

// Nodes of one level, with the box that meets each: those of one box together, in their order.
typedef struct met_nodes
{
    uint32_t count, node[MOST + AB_MESH_WIDTH], box[MOST + AB_MESH_WIDTH];
} met_nodes;

// The children of nodes that their boxes meet. None waits for what is found of the one before: eight are written of
// each, and those that are too many are written over. False where there may be too many.
AB_INLINE bool meet_all(const ab_mesh_node *nodes, const ab_mesh_box *boxes, const met_nodes *from, met_nodes *to)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < from->count && count <= MOST; ++i)
    {
        const uint32_t node = from->node[i], box = from->box[i];
        sought s;
        seek(&boxes[box], &s);
        const uint32_t mask = meet_children(&nodes[node], &s);
        store_eight(to->node + count, AB_MESH_WIDTH * node, mask);
        for (uint32_t k = 0; k < AB_MESH_WIDTH; k += LANES)
        {
            storeu(to->box + count + k, splatu(box));
        }
        count += ab_bits_of(mask);
    }
    to->count = count;
    return count <= MOST;
}

static bool find_all_leaves(const ab_mesh *mesh, const ab_mesh_box *boxes, uint32_t count, ab_mesh_leaves *out)
{
    met_nodes two[2], *from = &two[0], *to = &two[1];
    from->count = count;
    for (uint32_t i = 0; i < count; ++i)
    {
        from->node[i] = 0;
        from->box[i] = i;
        out[i].count = 0;
    }
    for (uint32_t level = mesh->levels - 1; level > 0; --level)
    {
        met_nodes *const last = from;
        if (!meet_all(mesh->nodes + mesh->first[level], boxes, from, to))
        {
            return false;
        }
        from = to;
        to = last;
    }
    bool room = true;
    for (uint32_t i = 0; i < from->count && room; ++i)
    {
        ab_mesh_leaves *leaves = &out[from->box[i]];
        AB_PREFETCH(&mesh->leaves[from->node[i]]);
        leaves->leaf[leaves->count] = from->node[i];
        room = ++leaves->count < AB_MESH_LEAVES;
    }
    return room;
}

AB_INLINE void add_blocks_of(const ab_mesh *mesh, uint32_t leaf, const sought *s, ab_mesh_blocks *out)
{
    uint32_t steps[AB_MESH_WIDTH];
    const uint32_t mask = meet_blocks(&mesh->leaves[leaf], s, steps);
    add_blocks(mesh, AB_MESH_WIDTH * leaf, mask, steps, out);
}

static bool blocks_of(const ab_mesh *mesh, const ab_mesh_box *box, const ab_mesh_leaves *leaves, ab_mesh_blocks *out)
{
    sought s;
    seek(box, &s);
    out->count = 0;
    for (uint32_t i = 0; i < leaves->count; ++i)
    {
        if (out->count > AB_MESH_BLOCKS - AB_MESH_WIDTH)
        {
            return false;
        }
        add_blocks_of(mesh, leaves->leaf[i], &s, out);
    }
    return true;
}

static bool find_blocks(const ab_mesh *mesh, const ab_mesh_box *box, ab_mesh_blocks *found, ab_mesh_see_found *see,
                        void *context)
{
    sought s;
    descent d;
    seek(box, &s);
    begin_descent(mesh, &d);
    found->count = 0;
    while (!d.ended)
    {
        ab_mesh_leaves leaves;
        find_more_leaves(mesh, &s, &d, &leaves);
        for (uint32_t i = 0; i < leaves.count; ++i)
        {
            if (found->count > AB_MESH_BLOCKS - AB_MESH_WIDTH)
            {
                if (!see(context))
                {
                    return false;
                }
                found->count = 0;
                seek(box, &s);
            }
            add_blocks_of(mesh, leaves.leaf[i], &s, found);
        }
    }
    return true;
}

// Which triangles of a block are found cannot be predicted: eight are written, and those that are too many are written
// over.
static uint32_t list_blocks(const ab_mesh *mesh, const ab_mesh_blocks *blocks, uint32_t *out, uint32_t room)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < blocks->count; ++i)
    {
        const uint32_t block = blocks->block[i];
        const uint64_t ones = ab_mesh_block_within(&mesh->blocks[block], blocks->steps[i]) >> 7; // a bit of each byte
        const uint32_t found = (uint32_t)(ones * 0x0102040810204080u >> 56);
        const uint32_t here = (uint32_t)(ones * 0x0101010101010101u >> 56);
        uint32_t last[AB_MESH_WIDTH]; // where there is no room
        uint32_t *const to = count + AB_MESH_WIDTH <= room ? out + count : last;
        store_eight(to, AB_MESH_WIDTH * block, found);
        for (uint32_t k = 0; to == last && k < here && count + k < room; ++k)
        {
            out[count + k] = last[k];
        }
        count += here;
    }
    return count;
}
