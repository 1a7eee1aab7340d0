// Multi-head attention. A block works on a tile: one head of at most TILE neighbouring queries of a sentence, or keys.
// What it reads several times it keeps in shared memory. Tables list the tiles (../operations/attention.rs).

// The most queries or keys of a tile, and the numbers of a head that are read at a time.
#define TILE 32
// Threads of a block.
#define ATTENTION_THREADS 128
// Blocks that a multiprocessor runs at once: while one waits for memory, others compute.
#define ATTENTION_BLOCKS 8
// Each thread has the numbers of a column of TILE × TILE, in every 4th row.
#define WARPS (ATTENTION_THREADS / TILE)
#define ROWS_OF_THREAD (TILE / WARPS)
#define ROW_OF_THREAD(r) (threadIdx.x / TILE + WARPS * (r))
#define COLUMN_OF_THREAD (threadIdx.x % TILE)

// Numbers of a tile; rows begin in different banks.
typedef float HeadTile[TILE][TILE + 1];

// The place of a tile, and that of its sentence. All rows are those of matrices.
struct Place {
    unsigned row;     // the first of the tile's queries or keys
    unsigned count;   // of these
    unsigned place;   // of the first, in its sentence
    unsigned query;   // the sentence's first query
    unsigned queries;
    unsigned key;     // the sentence's first key
    unsigned keys;
    unsigned start;   // of the weights of the sentence's queries: `heads × seen` for each
};

// The sizes that all heads share.
struct Heads {
    unsigned count;
    unsigned dim;     // columns of one in q and k
    unsigned width;   // and in v
    unsigned causal;  // whether a query sees only the keys up to its own place
    float factor;     // of products of queries and keys
    struct Mask mask; // of the weights
};

__device__ static unsigned least(unsigned a, unsigned b) { return a < b ? a : b; }

// The number of keys that query i of the sentence sees.
__device__ static unsigned seen_by(unsigned i, struct Place at, struct Heads all) {
    return all.causal ? least(i + 1, at.keys) : at.keys;
}

// The first weight of query i of the sentence.
__device__ static u64 first_weight(unsigned i, unsigned head, struct Place at, struct Heads all) {
    unsigned growing = all.causal ? least(i, at.keys) : 0; // queries that see 1, 2, 3, … keys
    u64 before = (u64)growing * (growing + 1) / 2 + (u64)(i - growing) * at.keys;
    return at.start + all.count * before + (u64)head * seen_by(i, at, all);
}

// Columns `col` to `col + cols` of `count` rows of x.
__device__ static void load_rows(HeadTile to, const float *x, u64 row, unsigned count, unsigned x_cols, unsigned col,
                                 unsigned cols) {
    for (unsigned i = threadIdx.x; i < count * TILE; i += ATTENTION_THREADS) {
        unsigned r = i / TILE, c = i % TILE;
        if (c < cols) to[r][c] = x[(row + r) * x_cols + col + c];
    }
}

// What `count` queries from query `i` on have for `keys` keys from key j on: zeros for keys that they do not see.
__device__ static void load_weights(HeadTile to, const float *weights, unsigned i, unsigned count, unsigned j,
                                    unsigned keys, unsigned head, struct Place at, struct Heads all, unsigned masked) {
    for (unsigned n = threadIdx.x; n < count * TILE; n += ATTENTION_THREADS) {
        unsigned query = n / TILE, key = n % TILE;
        float weight = 0;
        if (key < keys && j + key < seen_by(i + query, at, all)) {
            u64 place = first_weight(i + query, head, at, all) + j + key;
            weight = weights[place] * (masked ? mask_factor(place, all.mask) : 1.0f);
        }
        to[query][key] = weight;
    }
}

// The products of a head of the tile's rows of x, and of `count` rows of y from `row` on: a column for each of those.
__device__ static void tile_products(float *sums, HeadTile a, HeadTile b, const float *x, const float *y, unsigned row,
                                     unsigned count, unsigned head, unsigned dim, struct Place at, struct Heads all) {
    UNROLL for (unsigned r = 0; r < ROWS_OF_THREAD; r++) sums[r] = 0;
    for (unsigned col = 0; col < dim; col += TILE) {
        unsigned cols = least(TILE, dim - col);
        load_rows(a, x, at.row, at.count, all.count * dim, head * dim + col, cols);
        load_rows(b, y, row, count, all.count * dim, head * dim + col, cols);
        __syncthreads();
        if (COLUMN_OF_THREAD < count)
            for (unsigned c = 0; c < cols; c++) {
                float other = b[COLUMN_OF_THREAD][c];
                UNROLL for (unsigned r = 0; r < ROWS_OF_THREAD; r++)
                    if (ROW_OF_THREAD(r) < at.count) sums[r] += a[ROW_OF_THREAD(r)][c] * other;
            }
        __syncthreads();
    }
}

// Row by row y ← factor · Σ_j w_j · x_j, over the keys j that the tile's queries see.
__device__ static void sum_of_keys(HeadTile a, HeadTile b, const float *weights, unsigned masked, const float *x,
                                   unsigned dim, float factor, float *y, unsigned head, struct Place at, struct Heads all) {
    unsigned seen = seen_by(at.place + at.count - 1, at, all);
    for (unsigned col = 0; col < dim; col += TILE) {
        unsigned cols = least(TILE, dim - col);
        float sums[ROWS_OF_THREAD];
        UNROLL for (unsigned r = 0; r < ROWS_OF_THREAD; r++) sums[r] = 0;
        for (unsigned j = 0; j < seen; j += TILE) {
            unsigned keys = least(TILE, seen - j);
            load_weights(a, weights, at.place, at.count, j, keys, head, at, all, masked);
            load_rows(b, x, at.key + j, keys, all.count * dim, head * dim + col, cols);
            __syncthreads();
            if (COLUMN_OF_THREAD < cols)
                for (unsigned key = 0; key < keys; key++) {
                    float other = b[key][COLUMN_OF_THREAD];
                    UNROLL for (unsigned r = 0; r < ROWS_OF_THREAD; r++)
                        if (ROW_OF_THREAD(r) < at.count) sums[r] += a[ROW_OF_THREAD(r)][key] * other;
                }
            __syncthreads();
        }
        if (COLUMN_OF_THREAD < cols)
            UNROLL for (unsigned r = 0; r < ROWS_OF_THREAD; r++)
                if (ROW_OF_THREAD(r) < at.count)
                    y[((u64)(at.row + ROW_OF_THREAD(r)) * all.count + head) * dim + col + COLUMN_OF_THREAD] =
                        factor * sums[r];
    }
}

// Row by row y ← factor · Σ_i w_i · x_i, over the queries i that see the tile's keys.
__device__ static void sum_of_queries(HeadTile a, HeadTile b, const float *weights, unsigned masked, const float *x,
                                      unsigned dim, float factor, float *y, unsigned head, struct Place at, struct Heads all) {
    for (unsigned col = 0; col < dim; col += TILE) {
        unsigned cols = least(TILE, dim - col);
        float sums[ROWS_OF_THREAD];
        UNROLL for (unsigned r = 0; r < ROWS_OF_THREAD; r++) sums[r] = 0;
        for (unsigned i = all.causal ? at.place : 0; i < at.queries; i += TILE) {
            unsigned queries = least(TILE, at.queries - i);
            load_weights(a, weights, i, queries, at.place, at.count, head, at, all, masked);
            load_rows(b, x, at.query + i, queries, all.count * dim, head * dim + col, cols);
            __syncthreads();
            if (COLUMN_OF_THREAD < cols)
                for (unsigned query = 0; query < queries; query++) {
                    float other = b[query][COLUMN_OF_THREAD];
                    UNROLL for (unsigned r = 0; r < ROWS_OF_THREAD; r++)
                        if (ROW_OF_THREAD(r) < at.count) sums[r] += a[query][ROW_OF_THREAD(r)] * other;
                }
            __syncthreads();
        }
        if (COLUMN_OF_THREAD < cols)
            UNROLL for (unsigned r = 0; r < ROWS_OF_THREAD; r++)
                if (ROW_OF_THREAD(r) < at.count)
                    y[((u64)(at.row + ROW_OF_THREAD(r)) * all.count + head) * dim + col + COLUMN_OF_THREAD] =
                        factor * sums[r];
    }
}

// Below, WARPS threads work together on a row of weights.
#define LANE_OF_ROW (threadIdx.x % WARPS)

// The sum, or the largest, over the threads of a row, for all of them.
__device__ static float row_total(float *partial, float x, unsigned largest) {
    partial[threadIdx.x] = x;
    __syncthreads();
    const float *row = partial + (threadIdx.x - LANE_OF_ROW);
    float total = row[0];
    for (unsigned i = 1; i < WARPS; i++) total = largest ? fmaxf(total, row[i]) : total + row[i];
    __syncthreads();
    return total;
}

// Weights, and y_h = Σ_j w_j · mask_j · v_jh.
KERNEL_IN_BLOCKS(attend, ATTENTION_THREADS, ATTENTION_BLOCKS)(const float *q, const float *k, const float *v, const struct Place *tiles, struct Heads all,
               float *weights, float *y) {
    __shared__ HeadTile a, b;
    __shared__ float partial[ATTENTION_THREADS];
    struct Place at = tiles[blockIdx.x / all.count];
    unsigned head = blockIdx.x % all.count, most = seen_by(at.place + at.count - 1, at, all);
    for (unsigned j = 0; j < most; j += TILE) {
        float sums[ROWS_OF_THREAD];
        tile_products(sums, a, b, q, k, at.key + j, least(TILE, most - j), head, all.dim, at, all);
        unsigned key = j + COLUMN_OF_THREAD;
        UNROLL for (unsigned r = 0; r < ROWS_OF_THREAD; r++) {
            unsigned i = at.place + ROW_OF_THREAD(r);
            if (ROW_OF_THREAD(r) < at.count && key < seen_by(i, at, all))
                weights[first_weight(i, head, at, all) + key] = all.factor * sums[r];
        }
    }
    __syncthreads();
    unsigned row = threadIdx.x / WARPS, i = at.place + row, seen = row < at.count ? seen_by(i, at, all) : 0;
    float *w = weights + (row < at.count ? first_weight(i, head, at, all) : 0);
    float max = LEAST, sum = 0;
    for (unsigned j = LANE_OF_ROW; j < seen; j += WARPS) max = fmaxf(max, w[j]);
    max = row_total(partial, max, 1);
    for (unsigned j = LANE_OF_ROW; j < seen; j += WARPS) {
        w[j] = expf(w[j] - max);
        sum += w[j];
    }
    sum = row_total(partial, sum, 0);
    for (unsigned j = LANE_OF_ROW; j < seen; j += WARPS) w[j] /= sum;
    __syncthreads();
    sum_of_keys(a, b, weights, 1, v, all.width, 1.0f, y, head, at, all);
}

// The derivatives by what the softmax saw, and by q. `guide`: derivatives by the weights from elsewhere, or nothing.
KERNEL_IN_BLOCKS(attend_queries, ATTENTION_THREADS, ATTENTION_BLOCKS)(const float *k, const float *v, const struct Place *tiles, struct Heads all,
                       const float *weights, const float *guide, const float *grad, float *derivatives,
                       float *q_grad) {
    __shared__ HeadTile a, b;
    __shared__ float partial[ATTENTION_THREADS];
    struct Place at = tiles[blockIdx.x / all.count];
    unsigned head = blockIdx.x % all.count, most = seen_by(at.place + at.count - 1, at, all);
    for (unsigned j = 0; j < most; j += TILE) {
        float sums[ROWS_OF_THREAD];
        tile_products(sums, a, b, grad, v, at.key + j, least(TILE, most - j), head, all.width, at, all);
        unsigned key = j + COLUMN_OF_THREAD;
        UNROLL for (unsigned r = 0; r < ROWS_OF_THREAD; r++) {
            unsigned i = at.place + ROW_OF_THREAD(r);
            if (ROW_OF_THREAD(r) < at.count && key < seen_by(i, at, all)) {
                u64 place = first_weight(i, head, at, all) + key;
                derivatives[place] = sums[r] * mask_factor(place, all.mask) + (guide ? guide[place] : 0.0f);
            }
        }
    }
    __syncthreads();
    unsigned row = threadIdx.x / WARPS, i = at.place + row, seen = row < at.count ? seen_by(i, at, all) : 0;
    u64 first = row < at.count ? first_weight(i, head, at, all) : 0;
    const float *w = weights + first;
    float *d = derivatives + first, mean = 0;
    for (unsigned j = LANE_OF_ROW; j < seen; j += WARPS) mean += w[j] * d[j];
    mean = row_total(partial, mean, 0);
    for (unsigned j = LANE_OF_ROW; j < seen; j += WARPS) d[j] = w[j] * (d[j] - mean);
    __syncthreads();
    sum_of_keys(a, b, derivatives, 0, k, all.dim, all.factor, q_grad, head, at, all);
}

// The derivatives by k and v, over the queries that see a key.
KERNEL_IN_BLOCKS(attend_keys, ATTENTION_THREADS, ATTENTION_BLOCKS)(const float *q, const struct Place *tiles, struct Heads all, const float *weights,
                    const float *derivatives, const float *grad, float *k_grad, float *v_grad) {
    __shared__ HeadTile a, b;
    struct Place at = tiles[blockIdx.x / all.count];
    unsigned head = blockIdx.x % all.count;
    sum_of_queries(a, b, weights, 1, grad, all.width, 1.0f, v_grad, head, at, all);
    sum_of_queries(a, b, derivatives, 0, q, all.dim, all.factor, k_grad, head, at, all);
}
