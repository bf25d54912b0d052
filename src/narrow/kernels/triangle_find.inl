// The blocks of a mesh's tree that a box meets, eight boxes of a node at a time: as ab_mesh_find_blocks says, of a mesh
// that is neither a heightfield nor scaled.

// A box's sides in all lanes.
typedef struct box_lanes
{
    f32w min[3], max[3];
} box_lanes;

AB_INLINE uint32_t children_met(const ab_mesh_node *node, const box_lanes *box)
{
    uint32_t mask = 0;
    AB_UNROLL
    for (uint32_t i = 0; i < AB_MESH_WIDTH; i += LANES)
    {
        maskw in = first_lanes(LANES);
        for (int k = 0; k < 3; ++k)
        {
            in = andm(in, andm(lew(loadw(node->min[k] + i), box->max[k]), gew(loadw(node->max[k] + i), box->min[k])));
        }
        mask |= bitsm(in) << i;
    }
    return mask;
}

AB_INLINE void fetch_children(const ab_mesh *mesh, uint32_t level, uint32_t node, uint32_t mask)
{
    for (uint32_t left = mask; left != 0; left &= left - 1)
    {
        const ab_mesh_node *child = &mesh->nodes[mesh->first[level - 1] + AB_MESH_WIDTH * node + ab_lowest_bit(left)];
        AB_PREFETCH(child->min[0]);
        AB_PREFETCH(child->min[2]);
        AB_PREFETCH(child->max[1]);
    }
}

// Level by level, from the root: children that are left to be looked at.
static bool triangle_find(const ab_mesh *mesh, const ab_mesh_box *box, ab_mesh_blocks *out)
{
    const uint32_t top = mesh->levels - 1;
    uint32_t node[AB_MESH_LEVELS] = { 0 }, left[AB_MESH_LEVELS] = { 0 }, level = top, at = 0, count = 0;
    box_lanes lanes;
    for (int k = 0; k < 3; ++k)
    {
        lanes.min[k] = splatw(box->min[k]);
        lanes.max[k] = splatw(box->max[k]);
    }
    while (level <= top)
    {
        const uint32_t mask = children_met(&mesh->nodes[mesh->first[level] + at], &lanes);
        if (level > 0)
        {
            fetch_children(mesh, level, at, mask);
            node[level] = at;
            left[level] = mask;
        }
        else if (count > AB_MESH_BLOCKS - AB_MESH_WIDTH)
        {
            return false;
        }
        else
        {
            for (uint32_t met = mask; met != 0; met &= met - 1)
            {
                const uint32_t block = AB_MESH_WIDTH * at + ab_lowest_bit(met);
                AB_PREFETCH(&mesh->blocks[block]);
                out->block[count++] = block;
            }
        }
        while (level <= top && left[level] == 0)
        {
            ++level;
        }
        if (level <= top)
        {
            at = AB_MESH_WIDTH * node[level] + ab_lowest_bit(left[level]);
            left[level] &= left[level] - 1;
            --level;
        }
    }
    out->count = count;
    return true;
}
