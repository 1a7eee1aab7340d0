// The linear maps of decoding, y = f(x · Wᵀ + b) + add. Each output of a row is one chain of additions in the order
// of the inputs, in every tile (`multiply_slab`). So it has the same bits whatever other rows there are: what cuBLAS,
// which chooses an order by the number of rows, does not promise.

// `MapArguments` of ../arguments.rs.
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

// What the blocks of a kernel compute: a block has down × across warps of 32 threads, each of which computes 16·high
// rows and 8·wide columns. A stage is `slabs` slabs of inputs; of `stages` stages all but one are on their way from
// memory while products of the other one are computed. All are constants in each kernel.
struct Blocking {
    unsigned down, across, high, wide, slabs, stages;
};

#define ROWS(b) (16 * (b).down * (b).high)
#define COLS(b) (8 * (b).across * (b).wide)
// Shared memory of a block, in float4: each row and column has the numbers of a slab for each slab of each stage.
#define SHARED(rows, cols, slabs, stages) (((rows) + (cols)) * SLAB / 4 * (slabs) * (stages))

// 16 bytes that a thread copies in each stage.
struct Copy {
    const char *row;
    unsigned at; // first byte in the row, in the first stage; beyond all ends, zeros are copied
    unsigned to; // where it goes in a stage, in bytes
};
#define OUTSIDE 0x80000000u

// What a thread copies: the most of all kernels.
#define X_COPIES 4
#define W_COPIES 4
struct Copies {
    struct Copy x[X_COPIES];
    struct Copy w[W_COPIES];
};

// Copies of a thread for x, and for w with weights in f32; w of 16 bits needs half of them.
#define X_COPIES_OF(b) (4 * ROWS(b) * (b).slabs / (32 * (b).down * (b).across))
#define W_COPIES_OF(b) (4 * COLS(b) * (b).slabs / (32 * (b).down * (b).across))

__device__ static INLINE struct Copies copies_of(const struct Blocking b, struct Map map, struct Tile tile) {
    const unsigned rows = ROWS(b), cols = COLS(b), threads = 32 * b.down * b.across;
    struct Copies copies;
    UNROLL for (unsigned i = 0; i < X_COPIES_OF(b); i++) {
        unsigned e = threadIdx.x + i * threads, slab = e / (4 * rows), row = e / 4 % rows, part = e % 4;
        copies.x[i].row = (const char *)tile.x + (u64)row * map.inputs * 4;
        copies.x[i].at = row < tile.rows ? 4 * SLAB * slab + 16 * part : OUTSIDE;
        copies.x[i].to = (slab * rows + row) * (4 * SLAB) + 16 * part;
    }
    unsigned shift = map.is_bf16 ? 1 : 2, parts = 1 << shift;
    UNROLL for (unsigned i = 0; i < W_COPIES_OF(b); i++) {
        unsigned e = threadIdx.x + i * threads, slab = (e >> shift) / cols, line = (e >> shift) % cols, part = e % parts;
        unsigned col = tile.first + line, is_outside = slab >= b.slabs || col >= tile.cols;
        u64 output = tile.outputs && !is_outside ? tile.outputs[col] : col;
        copies.w[i].row = (const char *)map.w + (output * map.inputs << shift);
        copies.w[i].at = is_outside ? OUTSIDE : (SLAB << shift) * slab + 16 * part;
        copies.w[i].to = rows * b.slabs * (4 * SLAB) + (slab * cols + line) * (SLAB << shift) + 16 * part;
    }
    return copies;
}

// Starts the way of a stage's inputs and weights, from input `start` on, into shared memory.
__device__ static INLINE void load_stage(const struct Blocking b, struct Map map, const struct Copies *copies,
                                         unsigned start, float *stage) {
    UNROLL for (unsigned i = 0; i < X_COPIES_OF(b); i++) {
        struct Copy copy = copies->x[i];
        copy_16_bytes((char *)stage + copy.to, copy.row, copy.at + 4 * start, 4 * map.inputs);
    }
    unsigned shift = map.is_bf16 ? 1 : 2;
    UNROLL for (unsigned i = 0; i < W_COPIES_OF(b); i++) {
        struct Copy copy = copies->w[i];
        // Weights of 16 bits have half of the copies.
        if (!map.is_bf16 || 2 * (i * 32 * b.down * b.across + threadIdx.x) < 4 * COLS(b) * b.slabs)
            copy_16_bytes((char *)stage + copy.to, copy.row, copy.at + (start << shift), map.inputs << shift);
    }
}

// y ← f(sums + b) + add, for the sums of a thread, whose warp begins at `row` and `col` of the tile.
__device__ static INLINE void put(const struct Blocking b, struct Map map, struct Tile tile, const struct Sums *sums,
                                  unsigned row, unsigned col) {
    float bias[WIDEST][2];
    UNROLL for (unsigned j = 0; j < b.wide; j++)
        UNROLL for (unsigned p = 0; p < 2; p++) {
            unsigned own = tile.first + col + 8 * j + COL_OF(p), has_bias = map.bias && own < tile.cols;
            bias[j][p] = has_bias ? map.bias[tile.outputs ? tile.outputs[own] : own] : 0.0f;
        }
    int is_relu = map.function == RELU, is_rare = map.function != RELU && map.function != NONE;
    UNROLL for (unsigned i = 0; i < b.high; i++)
        UNROLL for (unsigned q = 0; q < 4; q += 2) {
            unsigned own_row = row + 16 * i + ROW_OF(q);
            if (own_row >= tile.rows) continue;
            float *y = tile.y + (u64)own_row * tile.y_cols;
            const float *add = tile.add + (u64)own_row * tile.y_cols;
            UNROLL for (unsigned j = 0; j < b.wide; j++)
                UNROLL for (unsigned p = 0; p < 2; p++) {
                    unsigned own = tile.first + col + 8 * j + COL_OF(p);
                    float sum = sums->main[i][j][q + p] + sums->rest[i][j][q + p] + bias[j][p];
                    if (is_rare) sum = apply_rare(map.function, sum);
                    if (is_relu && !(sum > 0)) sum = 0;
                    if (own < tile.cols) y[own] = tile.add ? sum + add[own] : sum;
                }
        }
}

// A tile of a block.
__device__ static INLINE void tile_product(const struct Blocking b, float *shared, struct Map map, struct Tile tile) {
    const unsigned rows = ROWS(b), cols = COLS(b), size = (rows + cols) * SLAB * b.slabs, depth = SLAB * b.slabs;
    unsigned warp = threadIdx.x / 32, row = warp / b.across * 16 * b.high, col = warp % b.across * 8 * b.wide;
    unsigned steps = (map.inputs + depth - 1) / depth;
    struct Copies copies = copies_of(b, map, tile);
    struct Sums sums;
    UNROLL for (unsigned i = 0; i < b.high; i++)
        UNROLL for (unsigned j = 0; j < b.wide; j++)
            UNROLL for (unsigned q = 0; q < 4; q++) sums.main[i][j][q] = sums.rest[i][j][q] = 0;
    for (unsigned step = 0; step + 1 < b.stages; step++) {
        if (step < steps) load_stage(b, map, &copies, step * depth, shared + step * size);
        end_of_stage();
    }
    for (unsigned step = 0; step < steps; step++) {
        wait_for_stage(b.stages);
        __syncthreads(); // the stage has arrived for all threads, and nobody reads the one before any more
        unsigned next = step + b.stages - 1;
        if (next < steps) load_stage(b, map, &copies, next * depth, shared + next % b.stages * size);
        end_of_stage();
        const float *stage = shared + step % b.stages * size, *weights = stage + rows * depth;
        UNROLL for (unsigned slab = 0; slab < b.slabs; slab++) {
            const float *xs = stage + (slab * rows + row) * SLAB;
            const char *ws = (const char *)weights + (slab * cols + col) * SLAB * (map.is_bf16 ? 2 : 4);
            if (map.is_bf16) multiply_slab_bf16(b.high, b.wide, &sums, xs, (const unsigned short *)ws);
            else multiply_slab(b.high, b.wide, &sums, xs, (const float *)ws);
        }
    }
    put(b, map, tile, &sums, row, col);
}

// The tile of a block. Those of the same rows are neighbours: all weights fit into the cache of a device, x may not.
__device__ static struct Tile tile_of(const struct Blocking b, struct Map map, const float *x, unsigned rows,
                                      const float *add, float *y) {
    unsigned wide = (map.outputs + COLS(b) - 1) / COLS(b), first = blockIdx.x / wide * ROWS(b);
    u64 start = (u64)first * map.outputs;
    struct Tile tile;
    tile.x = x + (u64)first * map.inputs;
    tile.rows = rows - first < ROWS(b) ? rows - first : ROWS(b);
    tile.outputs = 0;
    tile.first = blockIdx.x % wide * COLS(b);
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
KERNEL_IN_PAIRS(map_large)(struct Map map, const float *x, unsigned rows, const float *add, float *y) {
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
