// The linear maps of decoding, y = f(x · Wᵀ + b) + add. Each output of a row is one chain of additions in the order of
// the inputs, in every tile (`multiply_slab`). So it has the same bits whatever other rows there are: what cuBLAS, which
// chooses an order by the number of rows, does not promise.

// `MapArguments` of ../backend.rs.
struct Map {
    const void *w;     // outputs × inputs
    const float *bias; // a number per output, or nothing
    unsigned inputs;
    unsigned outputs;
    unsigned is_bf16; // whether the numbers of w have 16 bits: the upper half of f32
    unsigned function;
};

// The place of a tile: x, y and `add` point to the first of its rows.
struct Tile {
    const float *x;
    unsigned rows;
    const unsigned *outputs; // the output of each column, or nothing: column c is output c
    unsigned first;          // column
    unsigned cols;           // from the first to the last of all tiles
    const float *add;        // or nothing
    float *y;
    unsigned y_cols;
};

// y ← f(sum + b) + add, for one row and column.
__device__ static void put(struct Map map, struct Tile tile, unsigned row, unsigned col, float sum) {
    u64 at = (u64)row * tile.y_cols + col;
    unsigned output = tile.outputs ? tile.outputs[col] : col;
    if (map.bias) sum += map.bias[output];
    if (map.function) sum = apply(map.function, sum);
    tile.y[at] = tile.add ? sum + tile.add[at] : sum;
}

// What the blocks of a kernel compute: a block has down × across warps of 32 threads, each of which computes 16·high rows
// and 8·wide columns. A stage is `slabs` slabs of inputs; of `stages` stages all but one are on their way from memory
// while products of the other one are computed. All are constants in each kernel.
struct Blocking {
    unsigned down, across, high, wide, slabs, stages;
};

#define ROWS(b) (16 * (b).down * (b).high)
#define COLS(b) (8 * (b).across * (b).wide)
// Shared memory of a block, in float4: each row and column has the numbers of a slab for each slab of each stage.
#define SHARED(rows, cols, slabs, stages) (((rows) + (cols)) * SLAB / 4 * (slabs) * (stages))

// Starts the way of a stage's inputs and weights, from input `start` on, into shared memory.
__device__ static INLINE void load_stage(const struct Blocking b, struct Map map, struct Tile tile, unsigned start, float *stage) {
    const unsigned rows = ROWS(b), cols = COLS(b), threads = 32 * b.down * b.across;
    unsigned x_bytes = 4 * map.inputs, w_bytes = (map.is_bf16 ? 2 : 4) * map.inputs;
    for (unsigned e = threadIdx.x; e < 4 * rows * b.slabs; e += threads) {
        unsigned slab = e / (4 * rows), row = e / 4 % rows, part = e % 4;
        const char *from = (const char *)tile.x + (u64)row * x_bytes;
        unsigned at = 4 * (start + SLAB * slab + 4 * part);
        copy_16_bytes(stage + (slab * rows + row) * SLAB + 4 * part, from, at, x_bytes, row < tile.rows);
    }
    stage += rows * SLAB * b.slabs;
    unsigned parts = map.is_bf16 ? 2 : 4;
    for (unsigned e = threadIdx.x; e < parts * cols * b.slabs; e += threads) {
        unsigned slab = e / (parts * cols), line = e / parts % cols, part = e % parts, col = tile.first + line;
        int is_inside = col < tile.cols;
        u64 output = is_inside && tile.outputs ? tile.outputs[col] : col;
        unsigned at = w_bytes / map.inputs * (start + SLAB * slab) + 16 * part;
        char *to = (char *)stage + (slab * cols + line) * (16 * parts) + 16 * part;
        copy_16_bytes(to, (const char *)map.w + output * w_bytes, at, w_bytes, is_inside);
    }
}

// A tile of a block.
__device__ static INLINE void tile_product(const struct Blocking b, float *shared, struct Map map, struct Tile tile) {
    const unsigned rows = ROWS(b), cols = COLS(b), size = (rows + cols) * SLAB * b.slabs, depth = SLAB * b.slabs;
    unsigned warp = threadIdx.x / 32, row = warp / b.across * 16 * b.high, col = warp % b.across * 8 * b.wide;
    unsigned steps = (map.inputs + depth - 1) / depth;
    struct Sums sums;
    UNROLL for (unsigned i = 0; i < b.high; i++)
        UNROLL for (unsigned j = 0; j < b.wide; j++)
            UNROLL for (unsigned q = 0; q < 4; q++) sums.main[i][j][q] = sums.rest[i][j][q] = 0;
    for (unsigned step = 0; step + 1 < b.stages; step++) {
        if (step < steps) load_stage(b, map, tile, step * depth, shared + step * size);
        end_of_stage();
    }
    for (unsigned step = 0; step < steps; step++) {
        wait_for_stage(b.stages);
        __syncthreads(); // the stage has arrived for all threads, and nobody reads the one before any more
        unsigned next = step + b.stages - 1;
        if (next < steps) load_stage(b, map, tile, next * depth, shared + next % b.stages * size);
        end_of_stage();
        const float *stage = shared + step % b.stages * size, *weights = stage + rows * depth;
        UNROLL for (unsigned slab = 0; slab < b.slabs; slab++) {
            const float *xs = stage + (slab * rows + row) * SLAB;
            const char *ws = (const char *)weights + (slab * cols + col) * SLAB * (map.is_bf16 ? 2 : 4);
            if (map.is_bf16) multiply_slab_bf16(b.high, b.wide, &sums, xs, (const unsigned short *)ws);
            else multiply_slab(b.high, b.wide, &sums, xs, (const float *)ws);
        }
    }
    UNROLL for (unsigned i = 0; i < b.high; i++)
        UNROLL for (unsigned j = 0; j < b.wide; j++)
            UNROLL for (unsigned q = 0; q < 4; q++) {
                unsigned own_row = row + 16 * i + ROW_OF(q), own_col = tile.first + col + 8 * j + COL_OF(q);
                if (own_row < tile.rows && own_col < tile.cols)
                    put(map, tile, own_row, own_col, sums.main[i][j][q] + sums.rest[i][j][q]);
            }
}

// The tile of a block: those of the same columns are neighbours.
__device__ static struct Tile tile_of(const struct Blocking b, struct Map map, const float *x, unsigned rows,
                                      const float *add, float *y) {
    unsigned high = (rows + ROWS(b) - 1) / ROWS(b), first = blockIdx.x % high * ROWS(b);
    u64 start = (u64)first * map.outputs;
    struct Tile tile;
    tile.x = x + (u64)first * map.inputs;
    tile.rows = rows - first < ROWS(b) ? rows - first : ROWS(b);
    tile.outputs = 0;
    tile.first = blockIdx.x / high * COLS(b);
    tile.cols = map.outputs;
    tile.add = add ? add + start : 0;
    tile.y = y + start;
    tile.y_cols = map.outputs;
    return tile;
}

// For few rows: 64 threads per 16 × 16 outputs.
KERNEL(map_small)(struct Map map, const float *x, unsigned rows, const float *add, float *y) {
    __shared__ float4 shared[SHARED(16, 16, 4, 3)];
    const struct Blocking b = {1, 2, 1, 1, 4, 3};
    tile_product(b, (float *)shared, map, tile_of(b, map, x, rows, add, y));
}

// 256 threads per 64 × 32 outputs.
KERNEL(map_medium)(struct Map map, const float *x, unsigned rows, const float *add, float *y) {
    __shared__ float4 shared[SHARED(64, 32, 2, 3)];
    const struct Blocking b = {4, 2, 1, 2, 2, 3};
    tile_product(b, (float *)shared, map, tile_of(b, map, x, rows, add, y));
}

// For many rows: 256 threads per 128 × 64 outputs.
KERNEL(map_large)(struct Map map, const float *x, unsigned rows, const float *add, float *y) {
    __shared__ float4 shared[SHARED(128, 64, 1, 4)];
    const struct Blocking b = {4, 2, 2, 4, 1, 4};
    tile_product(b, (float *)shared, map, tile_of(b, map, x, rows, add, y));
}

// Some rows and the outputs that they need, at most 16 of each.
struct ListTile {
    unsigned row;
    unsigned rows;
    unsigned list;  // where the outputs of these rows begin in `outputs`
    unsigned first; // column
    unsigned cols;  // outputs of these rows
};

// 64 threads per tile: column j of a row is output j of its list. A row of y has y_cols columns.
KERNEL(map_lists)(struct Map map, const float *x, const struct ListTile *tiles, const unsigned *outputs, float *y,
                  unsigned y_cols) {
    __shared__ float4 shared[SHARED(16, 16, 4, 3)];
    const struct Blocking b = {1, 2, 1, 1, 4, 3};
    struct ListTile list = tiles[blockIdx.x];
    struct Tile tile;
    tile.x = x + (u64)list.row * map.inputs;
    tile.rows = list.rows;
    tile.outputs = outputs + list.list;
    tile.first = list.first;
    tile.cols = list.cols;
    tile.add = 0;
    tile.y = y + (u64)list.row * y_cols;
    tile.y_cols = y_cols;
    tile_product(b, (float *)shared, map, tile);
}
