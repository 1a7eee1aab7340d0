// The linear maps of decoding, y = f(x · Wᵀ + b) + add. Each output of a row is one chain of additions in the order of
// the inputs, in every tile. So it has the same bits whatever other rows there are: what cuBLAS, which chooses an order
// by the number of rows, does not promise.

// `MapArguments` of ../backend.rs.
struct Map {
    const void *w;     // outputs × inputs
    const float *bias; // a number per output, or nothing
    unsigned inputs;
    unsigned outputs;
    unsigned is_bf16; // whether the numbers of w have 16 bits: the upper half of f32
    unsigned function;
};

// Number i of weights.
__device__ static float weight(const void *w, u64 i, unsigned is_bf16) {
    union {
        unsigned bits;
        float number;
    } both;
    if (!is_bf16) return ((const float *)w)[i];
    both.bits = (unsigned)((const unsigned short *)w)[i] << 16;
    return both.number;
}

#define SIDE 16    // threads on each side of a tile
#define LARGEST 8  // outputs of a thread on each side of a tile
#define STAGE 2080 // the most numbers of `depth` inputs of the rows of a tile

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
__device__ NOT_INLINE static void put(struct Map map, struct Tile tile, unsigned row, unsigned col, float sum) {
    u64 at = (u64)row * tile.y_cols + col;
    unsigned output = tile.outputs ? tile.outputs[col] : col;
    float value = apply(map.function, map.bias ? sum + map.bias[output] : sum);
    tile.y[at] = tile.add ? value + tile.add[at] : value;
}

// A tile of SIDE·r rows and columns, of which a thread has r × r; `depth` inputs are in shared memory at a time.
// r and depth are constants in each kernel.
__device__ static void tile_product(const unsigned r, const unsigned depth, struct Map map, struct Tile tile) {
    __shared__ float xs[STAGE], ws[STAGE]; // depth × (rows of the tile + 1), so that a column has all banks
    const unsigned stride = SIDE * r + 1;
    unsigned own_row = threadIdx.x / SIDE, own_col = threadIdx.x % SIDE;
    float sums[LARGEST][LARGEST];
    UNROLL for (unsigned i = 0; i < r; i++)
        UNROLL for (unsigned j = 0; j < r; j++) sums[i][j] = 0;
    for (unsigned start = 0; start < map.inputs; start += depth) {
        for (unsigned e = threadIdx.x; e < SIDE * r * depth; e += BLOCK) {
            unsigned line = e / depth, k = e % depth, input = start + k, col = tile.first + line;
            int inside = input < map.inputs;
            xs[k * stride + line] = inside && line < tile.rows ? tile.x[(u64)line * map.inputs + input] : 0.0f;
            float number = 0; // beyond the end 0 · 0 is added, which changes no sum that began with 0
            if (inside && col < tile.cols) {
                u64 output = tile.outputs ? tile.outputs[col] : col;
                number = weight(map.w, output * map.inputs + input, map.is_bf16);
            }
            ws[k * stride + line] = number;
        }
        __syncthreads();
        UNROLL for (unsigned k = 0; k < depth; k++) {
            float left[LARGEST], right[LARGEST];
            UNROLL for (unsigned i = 0; i < r; i++) {
                left[i] = xs[k * stride + own_row + SIDE * i];
                right[i] = ws[k * stride + own_col + SIDE * i];
            }
            UNROLL for (unsigned i = 0; i < r; i++)
                UNROLL for (unsigned j = 0; j < r; j++) sums[i][j] = MULTIPLY_ADD(left[i], right[j], sums[i][j]);
        }
        __syncthreads();
    }
    UNROLL for (unsigned i = 0; i < r; i++)
        UNROLL for (unsigned j = 0; j < r; j++) {
            unsigned row = own_row + SIDE * i, col = tile.first + own_col + SIDE * j;
            if (row < tile.rows && col < tile.cols) put(map, tile, row, col, sums[i][j]);
        }
}

// The tile of a block: those of the same columns are neighbours.
__device__ static struct Tile tile_of(unsigned side, struct Map map, const float *x, unsigned rows, const float *add,
                                      float *y) {
    unsigned high = (rows + side - 1) / side, first = blockIdx.x % high * side;
    u64 start = (u64)first * map.outputs;
    struct Tile tile;
    tile.x = x + (u64)first * map.inputs;
    tile.rows = rows - first < side ? rows - first : side;
    tile.outputs = 0;
    tile.first = blockIdx.x / high * side;
    tile.cols = map.outputs;
    tile.add = add ? add + start : 0;
    tile.y = y + start;
    tile.y_cols = map.outputs;
    return tile;
}

// For few rows: a block per 16 × 16 outputs.
KERNEL(map_small)(struct Map map, const float *x, unsigned rows, const float *add, float *y) {
    tile_product(1, 64, map, tile_of(16, map, x, rows, add, y));
}

// A block per 64 × 64 outputs.
KERNEL(map_medium)(struct Map map, const float *x, unsigned rows, const float *add, float *y) {
    tile_product(4, 32, map, tile_of(64, map, x, rows, add, y));
}

// For many rows: a block per 128 × 128 outputs.
KERNEL(map_large)(struct Map map, const float *x, unsigned rows, const float *add, float *y) {
    tile_product(8, 16, map, tile_of(128, map, x, rows, add, y));
}

// Some rows and the outputs that they need, at most 16 of each.
struct ListTile {
    unsigned row;
    unsigned rows;
    unsigned list;  // where the outputs of these rows begin in `outputs`
    unsigned first; // column
    unsigned cols;  // outputs of these rows
};

// A block per tile: column j of a row is output j of its list. A row of y has y_cols columns.
KERNEL(map_lists)(struct Map map, const float *x, const struct ListTile *tiles, const unsigned *outputs, float *y,
                  unsigned y_cols) {
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
    tile_product(1, 64, map, tile);
}
